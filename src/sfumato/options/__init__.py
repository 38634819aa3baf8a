"""What a value of an annotated type is in words, how it is read and checked: for options and for arguments."""

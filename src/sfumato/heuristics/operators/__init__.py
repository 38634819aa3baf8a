"""What redaction puts in the place of an identifier, an operator a file."""

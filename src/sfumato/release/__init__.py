"""A file goes in; a release and its statement come out."""

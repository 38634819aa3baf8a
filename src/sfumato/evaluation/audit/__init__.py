"""Attack a mechanism or a program, and hold what comes out against its claim."""

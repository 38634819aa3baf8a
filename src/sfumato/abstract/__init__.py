"""The few ideas everything else is made of, one a file. Read these first."""

"""The few ideas that everything else is made of, one a file. Read these first."""

"""Attacks on a mechanism or a program, compared with its claim."""

"""Kinds of value that are numbers: plain ones, amounts of money, and quantities with a unit."""

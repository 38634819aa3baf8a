"""Kinds of value, one a file: how to read a marked text, the public values that may replace it, how to write one."""

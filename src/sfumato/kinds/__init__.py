"""Kinds of value: how to read a marked text, the public values that may replace it, how to write one."""

"""Kinds of value that are words or phrases, as far apart as their meanings are."""

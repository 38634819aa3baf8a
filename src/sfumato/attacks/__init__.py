"""Attacks on a release, one a file."""

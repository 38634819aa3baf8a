"""Attacks and metrics on an original and its release: from two files to results and a report."""

"""Measures: estimates with their intervals, utility, and the quality of guesses."""

"""Kinds of value about time: dates, times of day, durations and ages."""

"""Synthesis: new records in the manner of private ones, with a guarantee for a whole record or person."""

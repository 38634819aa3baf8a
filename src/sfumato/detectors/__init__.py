"""Detectors: they find what is to be protected, and replace nothing."""

"""Polishing: a language model rewrites a release, and every ε stays as it is."""

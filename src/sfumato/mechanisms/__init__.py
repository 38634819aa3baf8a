"""Mechanisms with a guarantee, one published mechanism a file: law, proof and differences."""

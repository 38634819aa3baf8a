"""Presidio's recognisers, run on this machine alone: nothing is fetched and nothing is logged."""

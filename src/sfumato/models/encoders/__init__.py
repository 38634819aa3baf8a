"""Models that turn phrases into vectors."""

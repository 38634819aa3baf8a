"""The kind of people's names."""

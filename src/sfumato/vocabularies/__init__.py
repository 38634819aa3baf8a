"""Public vocabularies: loading, the built-in ones, and growing new ones."""

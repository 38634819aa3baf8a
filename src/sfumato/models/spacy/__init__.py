"""spaCy pipelines, and what makes them quick."""

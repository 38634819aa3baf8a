"""spaCy pipelines, and what makes them fast."""

"""From plain names to a Sanitizer: vocabularies and models are loaded, and the engine is chosen."""

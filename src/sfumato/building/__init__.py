"""From plain names to a Sanitizer."""

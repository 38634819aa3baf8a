"""Pages: a tokenizer that keeps the source, and what becomes of each attribute."""

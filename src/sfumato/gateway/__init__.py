"""A gateway to language models: what people send is sanitized on the way out, and restored on the way back."""

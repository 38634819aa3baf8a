"""Encoders and language models behind small interfaces; their files are read at the first use."""

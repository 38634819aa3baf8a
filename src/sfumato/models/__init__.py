"""Encoders and language models behind small interfaces; their files are read when they are first asked."""

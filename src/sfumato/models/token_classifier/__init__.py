"""A network that labels every word of a text with a kind of identifier, or with none."""

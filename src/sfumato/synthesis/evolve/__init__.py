"""Private evolution: a language model writes, and private texts only vote for what is nearest to them."""

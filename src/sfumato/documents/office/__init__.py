"""Word, slides, and what packages of Office share: parts, relationships, the lists of what may stay."""

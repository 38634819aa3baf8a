"""Rules for English texts: what they mark, what they leave out, and where a mark begins and ends."""

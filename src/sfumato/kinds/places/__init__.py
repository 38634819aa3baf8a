"""The kind of places, and the public lists that it is made of."""

"""One published mechanism a file. ``sfumato.registry`` finds them by name; nothing is imported here."""

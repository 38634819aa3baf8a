"""Models behind the small interfaces of :mod:`sfumato.abstract`; nothing is loaded at import."""

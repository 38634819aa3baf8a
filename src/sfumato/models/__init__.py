"""Models behind the small interfaces of :mod:`sfumato.abstract.ideas`; nothing is loaded at import."""

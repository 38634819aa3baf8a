"""Models behind the small interfaces of :mod:`sfumato.abstract.models`; nothing is loaded at import."""

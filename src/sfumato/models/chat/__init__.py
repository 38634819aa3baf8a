"""Chat models: behind an endpoint, or on this machine."""

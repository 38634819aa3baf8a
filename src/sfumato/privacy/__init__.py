"""The mathematics of a guarantee: laws, losses, certificates, composition and randomness."""

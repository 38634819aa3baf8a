"""What is measured of a release: estimates with their intervals, utility, and what an attack's guesses are worth."""

"""What is measured: estimates with their intervals, utility, and what guesses are worth."""

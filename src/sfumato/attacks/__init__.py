"""What an attacker does with a release, one attack a file."""

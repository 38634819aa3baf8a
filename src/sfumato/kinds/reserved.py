"""Ranges that belong to nobody: addresses for examples, networks for tests, telephone numbers for films and books."""

from __future__ import annotations

NETWORKS = ("192.0.2.", "198.51.100.", "203.0.113.")
"""Networks for documentation (RFC 5737)."""
TEST_NETWORK = "198.18."
"""A half of the network for tests of devices (RFC 2544). The Internet does not route it."""
DOMAINS = ("com", "org", "net")
"""Ends of the domains example.com, example.org and example.net (RFC 2606)."""
PHONES = {
    **dict.fromkeys(("en_US", "en_CA", "fr_CA"), ("{area}-555-01##",)),
    "en_GB": ("01632 960###", "0113 496 0###", "020 7946 0###", "07700 900###"),
    "en_AU": ("(02) 5550 ####", "(03) 5550 ####", "(07) 5550 ####", "(08) 5550 ####"),
    "de_DE": ("030 23125###", "040 66969###", "069 90009###", "089 99998###"),
    "fr_FR": ("01 99 00 ## ##", "02 61 91 ## ##", "03 53 01 ## ##", "04 65 71 ## ##", "06 39 98 ## ##"),
}
"""Ranges that regulators keep for films and books: NANPA, Ofcom, ACMA, Bundesnetzagentur, Arcep."""
AREA = ((2, 7), (0, 8), (2, 9))
"""The least and the greatest digit at each place of an American area code: no such number is free of charge."""

"""Addresses and numbers that can be nobody's: ranges that are kept free for examples, and codes whose check fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NETWORKS = ("192.0.2.", "198.51.100.", "203.0.113.")
_PHONES = {
    **dict.fromkeys(("en_US", "en_CA"), ("{area}-555-01##",)),
    "en_GB": ("01632 960###", "0113 496 0###", "020 7946 0###", "07700 900###"),
    "en_AU": ("(02) 5550 ####", "(03) 5550 ####", "(07) 5550 ####", "(08) 5550 ####"),
    "de_DE": ("030 23125###", "040 66969###", "069 90009###", "089 99998###"),
    "fr_FR": ("01 99 00 ## ##", "02 61 91 ## ##", "03 53 01 ## ##", "04 65 71 ## ##", "06 39 98 ## ##"),
}
"""Ranges that regulators keep for films and books: NANPA, Ofcom, ACMA, Bundesnetzagentur, Arcep."""


def phone(fake: Any) -> str:
    """A telephone number: of a range kept for fiction where one is known for the locale, else any."""
    forms = _PHONES.get(fake.locales[0])
    if forms is None:
        return str(fake.phone_number())
    area = f"{fake.random_int(2, 9)}{fake.random_int(0, 8)}{fake.random_int(0, 9)}"
    return str(fake.numerify(str(fake.random_element(forms)).format(area=area)))


def card(fake: Any) -> str:
    """A card number whose last digit cannot be right."""
    number = str(fake.credit_card_number("visa16"))
    return number[:-1] + str((int(number[-1]) + fake.random_int(1, 9)) % 10)


def iban(fake: Any) -> str:
    """An IBAN whose check digits are 00, which none has."""
    number = str(fake.iban())
    return f"{number[:2]}00{number[4:]}"


MAKERS: dict[str, Callable[[Any], Any]] = {
    "PHONE_NUMBER": phone,
    "CREDIT_CARD": card,
    "IBAN_CODE": iban,
    "URL": lambda fake: f"https://{fake.domain_word()}.example.com/",
    "IP_ADDRESS": lambda fake: f"{fake.random_element(_NETWORKS)}{fake.random_int(1, 254)}",
    "US_SSN": lambda fake: fake.numerify("666-%#-####"),
    "MAC_ADDRESS": lambda fake: "02:" + ":".join(f"{fake.random_int(0, 255):02x}" for _ in range(5)),
}
"""What makes one of a kind. No social security number begins with 666; a MAC address with 02 is of no maker."""

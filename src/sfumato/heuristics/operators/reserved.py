"""Addresses and numbers that belong to nobody: ranges kept free for examples, and codes whose check fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NETWORKS = ("192.0.2.", "198.51.100.", "203.0.113.")
_PHONES = {
    **dict.fromkeys(("en_US", "en_CA", "fr_CA"), ("{area}-555-01##",)),
    "en_GB": ("01632 960###", "0113 496 0###", "020 7946 0###", "07700 900###"),
    "en_AU": ("(02) 5550 ####", "(03) 5550 ####", "(07) 5550 ####", "(08) 5550 ####"),
    "de_DE": ("030 23125###", "040 66969###", "069 90009###", "089 99998###"),
    "fr_FR": ("01 99 00 ## ##", "02 61 91 ## ##", "03 53 01 ## ##", "04 65 71 ## ##", "06 39 98 ## ##"),
}
"""Ranges that regulators keep for films and books: NANPA, Ofcom, ACMA, Bundesnetzagentur, Arcep."""
_NEAR = {"en": "en_GB", "de": "de_DE", "fr": "fr_FR"}


def phone(fake: Any) -> str | None:
    """Return a telephone number of a range kept for fiction, of the locale or its language; if none is known, any
    number.
    """
    locale = str(fake.locales[0])
    forms = _PHONES.get(locale) or _PHONES.get(_NEAR.get(locale[:2], ""))
    if forms is None:
        return str(fake.phone_number()) if hasattr(fake, "phone_number") else None
    area = f"{fake.random_int(2, 7)}{fake.random_int(0, 8)}{fake.random_int(2, 9)}"  # none is free of charge
    return str(fake.numerify(str(fake.random_element(forms)).format(area=area)))


def card(fake: Any) -> str:
    """Return a card number whose last digit cannot be right."""
    digits = [4, *(fake.random_int(0, 9) for _ in range(14))]
    doubled = sum(sum(divmod(2 * digit, 10)) if index % 2 == 0 else digit for index, digit in enumerate(digits))
    wrong = (fake.random_int(1, 9) - doubled) % 10
    return "".join(map(str, [*digits, wrong]))


def iban(fake: Any) -> str:
    """Return an IBAN whose check digits are 00, which no real IBAN has."""
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
"""The maker of each kind. No social security number begins with 666; no manufacturer has MAC addresses with 02."""

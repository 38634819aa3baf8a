"""Addresses and numbers that belong to nobody: ranges kept free for examples, and codes whose check fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.kinds.codes import AREA, NETWORKS, PHONES

_NEAR = {"en": "en_GB", "de": "de_DE", "fr": "fr_FR"}


def phone(fake: Any) -> str | None:
    """Return a telephone number of a range kept for fiction, of the locale or its language; if none is known, any
    number.
    """
    locale = str(fake.locales[0])
    forms = PHONES.get(locale) or PHONES.get(_NEAR.get(locale[:2], ""))
    if forms is None:
        return str(fake.phone_number()) if hasattr(fake, "phone_number") else None
    area = "".join(str(fake.random_int(low, high)) for low, high in AREA)
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
    "IP_ADDRESS": lambda fake: f"{fake.random_element(NETWORKS)}{fake.random_int(1, 254)}",
    "US_SSN": lambda fake: fake.numerify("666-%#-####"),
    "MAC_ADDRESS": lambda fake: "02:" + ":".join(f"{fake.random_int(0, 255):02x}" for _ in range(5)),
}
"""The maker of each kind. No social security number begins with 666; no manufacturer has MAC addresses with 02."""

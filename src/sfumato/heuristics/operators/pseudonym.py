"""Pseudonyms: ``PERSON_1`` in reading order, or ``PERSON_7F3A2C91`` the same in a whole run; and keyed hashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.storage.keys import keyed

_DIGITS = 8
_HASHED = 16


@dataclass
class Numbered:
    """The pseudonyms of one document, in the order in which they are asked for.

    A pseudonym that stands in the text already is passed over: a reader could not tell it from ours.
    """

    text: str

    def __post_init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        self._folded = self.text.casefold()

    def of(self, label: str, key: str) -> str:
        """The pseudonym of what has this ``key``."""
        if (label, key) not in self._given:
            number = self._last.get(label, 0) + 1
            while f"{label}_{number}".casefold() in self._folded:
                number += 1
            self._last[label] = number
            self._given[label, key] = f"{label}_{number}"
        return self._given[label, key]


def of_the_run(secret: bytes, label: str, key: str, text: str, digits: int = _DIGITS) -> str:
    """The pseudonym that ``key`` has in every document of a run with this secret.

    32 bits, so that two of 10,000 names share one with a chance of about 1 %; where it stands in the text, the next
    one is taken.
    """
    folded = text.casefold()
    for turn in range(1000):
        made = f"{label}_{keyed(secret, 'pseudonym', label, key, str(turn)).hex().upper()[:digits]}"
        if made.casefold() not in folded:
            return made
    return f"[{label}]"


def hashed(secret: bytes, label: str, key: str) -> str:
    """The first 64 bits of HMAC-SHA256 of ``key``."""
    return f"{label}_{keyed(secret, 'hash', label, key).hex()[:_HASHED]}"


def named(labels: Sequence[str]) -> list[str]:
    """Labels as they may stand in a pseudonym: letters, digits and underscores."""
    return ["".join(one if one.isalnum() else "_" for one in label) for label in labels]

"""Pseudonyms: ``PERSON_1`` in reading order, or ``PERSON_7F3A2C91`` the same in a whole run; and keyed hashes."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.storage.keys import keyed

_DIGITS = 8
_HASHED = 16


class Pseudonyms:
    """The pseudonyms of one record, whose texts are ``text``.

    A pseudonym that the text holds already is passed over: a reader could not tell it from ours.
    """

    def __init__(self, text: str) -> None:
        self._folded = text.casefold()
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}

    def numbered(self, label: str, key: str) -> str:
        """Return the pseudonym of what has this ``key``, by the order in which keys are asked for."""
        if (label, key) not in self._given:
            number = self._last.get(label, 0) + 1
            while self._holds(f"{label}_{number}"):
                number += 1
            self._last[label] = number
            self._given[label, key] = f"{label}_{number}"
        return self._given[label, key]

    def of_the_run(self, secret: bytes, label: str, key: str, digits: int = _DIGITS) -> str:
        """Return the pseudonym that ``key`` has in every document of a run with this secret.

        32 bits, so that two of 10,000 names share one with a chance of about 1 %; if the text holds it, the next one
        is taken.
        """
        if (label, key) not in self._given:
            tries = (f"{label}_{keyed(secret, 'pseudonym', label, key, str(turn)).hex().upper()[:digits]}"
                     for turn in range(1000))  # fmt: skip
            free = (pseudonym for pseudonym in tries if not self._holds(pseudonym))
            self._given[label, key] = next(free, f"[{label}]")
        return self._given[label, key]

    def _holds(self, pseudonym: str) -> bool:
        return pseudonym.casefold() in self._folded


def hashed(secret: bytes, label: str, key: str) -> str:
    """Return the first 64 bits of HMAC-SHA256 of ``key``."""
    return f"{label}_{keyed(secret, 'hash', label, key).hex()[:_HASHED]}"


def named(labels: Sequence[str]) -> list[str]:
    """Return labels as they may appear in a pseudonym: letters, digits and underscores."""
    return ["".join(sign if sign.isalnum() else "_" for sign in label) for label in labels]

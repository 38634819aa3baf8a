"""What forms and lists say beside a value, in a language: "geb.", "Nom du patient", "DNI"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from sfumato.language.letter_case import bare

_PARTED = re.compile(r"\s*[;,\n]\s*")


def spellings(word: str) -> tuple[str, str, str]:
    """Return ``word`` in all that an accent may become: a sign with the letter, nothing, or a sign of its own."""
    return word, bare(word), normalize("NFD", word)


def keys_of(listed: str) -> tuple[str, ...]:
    """Return the keys of a list, which semicolons, commas and line breaks part."""
    return tuple(key for key in _PARTED.split(listed.strip()) if key)


@dataclass(frozen=True)
class Forms:
    """Keys of fields in small letters, each with or without a colon behind it.

    Attributes:
        names: Those whose value is a name for certain.
        persons: Those whose value may be a name: "Patient".
        by: Words before the name of who did something: "gesehen von".
        births: Those of a date or place of birth.
        codes: Those of a code: "DNI", "Vers.-Nr.".
        addresses: Those of an address.
        accounts: Those of a user name.
        secrets: Those of a password.
        empty: The content of fields that are not filled in.
        is_: Words between the key of a password and a password, without a colon: "is".
        nobody: Words that are no part of the name of a person: "Hospital".
        headings: Those of parts of a report.
        greetings: What a letter or a message begins or ends with.
        whose: Words that say whose relative is named: "ihr", "sein".
        lasting: Words before a number of years that is no age: "seit".
        dear: What stands before a name at the beginning of a letter: "Lieber".
    """

    names: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    births: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    is_: tuple[str, ...] = ()
    nobody: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    greetings: tuple[str, ...] = ()
    dear: tuple[str, ...] = ()
    lasting: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()

    @classmethod
    def of(cls, lists: Mapping[str, Any]) -> Forms:
        """Return the keys of ``lists``, which semicolons, commas and line breaks part."""
        return cls(**{
            name: tuple(map(str.lower, keys_of(lists.get(name, ""))))
            for name in cls.__dataclass_fields__
        })  # fmt: skip

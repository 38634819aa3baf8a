"""Streets and house numbers: how an address is recognised, and the public names that replace it.

No list holds the streets of the world, and no street is near to another by its name. So the names that are written
are made by rule, belong to no town, and count as neighbours. A house number, and the street beside a town, follow
from the value that is drawn, by a public rule: an address says nothing that the value does not say.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import regex

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.lists import lists_of, words_of

_LISTS = lists_of("en", "places")
_SURE = "street|road|rd|lane|ln|avenue|ave|drive|crescent|mews|terrace|boulevard"
_GLUED = "straße|strasse|straat|gasse|weg|platz"
_LIKELY = (
    "close|row|gardens|grove|way|square|place|court|hill|buildings|building|cottages|house|park|walk|rise|view|green"
    "|parade|quay|wharf|highway|alley|loop|circle|trail|st|st\\.|ave\\.|rd\\.|allee|terraces|estate|villas|fold|gate|yard"
)
_APART = 0.004
"""Km between a street and the next one on the list: all lie within 1.2 km."""
_HOUSES = 120
_UNIT = r"(?:flat|unit|apartment|apt\.?|suite|studio|room|plot|lot|block|number|no\.?) [0-9]{1,4}[a-z]?"
_NUMBER = r"[0-9]{1,5}[a-z]?(?:[-/][0-9]{1,4}[a-z]?)?"
_WORD = r"\p{L}[\p{L}\p{M}'’ʻ-]*\.?"
_NAME = rf"{_WORD}(?: {_WORD}){{0,5}}"
_ADDRESS = regex.compile(
    rf"(?:(?P<unit>{_UNIT}),? )?(?:(?P<house>{_NUMBER}),? )?(?P<street>{_NAME})(?: (?P<after>{_NUMBER}))?"
    r"(?:, (?P<rest>.+))?",
    regex.IGNORECASE,
)
_ENDS = regex.compile(rf".* (?:(?P<sure>{_SURE})|{_LIKELY})|.*\p{{L}}(?:{_GLUED})", regex.IGNORECASE)
_FIRST = regex.compile(
    r"(?:rue|avenue|boulevard|place|via|piazza|calle|plaza|rua|am|an der|ulica) .+", regex.IGNORECASE
)


class Address(NamedTuple):
    """An address: its ``street``, whether it ``is_numbered``, whether a word makes it ``is_sure``, the ``rest``."""

    street: str
    is_numbered: bool
    is_sure: bool
    rest: str


def address_of(text: str) -> Address | None:
    """Return the parts of ``text``, of at most 200 characters, if it is written like an address or a street."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    street, rest = match["street"], match["rest"] or ""
    is_numbered = any(match[group] for group in ("unit", "house", "after"))
    end = _ENDS.fullmatch(street)
    is_street = end is not None or _FIRST.fullmatch(street) is not None
    is_sure = is_street and (is_numbered or (end is not None and end["sure"] is not None))
    if not is_sure and not (is_numbered and rest):
        return None
    return Address(street, is_numbered, is_sure, rest)


@cache
def streets() -> tuple[str, ...]:
    """Return the names of the streets, in a fixed order."""
    return tuple(f"{name} {of}" for of in words_of(_LISTS["street_types"]) for name in words_of(_LISTS["streets"]))


@cache
def listed_street() -> dict[str, str]:
    """Return the names of the streets by their small letters."""
    return {street.casefold(): street for street in streets()}


def street_beside(town: str) -> str:
    """Return the street that is written beside ``town``, by a public rule."""
    return streets()[_hashed(f"street {town}") % len(streets())]


def house_in(value: str) -> str:
    """Return the number of the house that is written with ``value``, by a public rule."""
    return str(_hashed(f"house {value}") % _HOUSES + 1)


def _hashed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


@cache
def street_domain() -> Vocabulary:
    """Return the streets as a domain: neighbours along a line, in km."""
    about = f"PLACE: {len(streets()):,} names of streets made by rule, {1000 * _APART:.0f} m apart (sfumato)"
    return Vocabulary(streets(), _APART * np.arange(len(streets()), dtype=np.float64)[:, None], about)

"""Streets and house numbers: how an address is recognised, and the public names that replace it.

No list holds the streets of the world, and no street is near to another by its name. So the names that are written
are made by rule, belong to no town, and count as neighbours. A house number, and the street beside a town, follow
from the value that is drawn, by a public rule: an address says nothing that the value does not say. Beside a town
they are in the manner of its country.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import regex

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.lists import lists_of, phrases_of, words_of

_LISTS = lists_of("en", "places")
_SURE = "street|road|rd|lane|ln|avenue|ave|drive|crescent|mews|terrace|boulevard"
_GLUED = "straße|strasse|straat|gasse|weg|platz|gatan|vägen|gade|vej|gata|veien"
_LIKELY = (
    "close|row|gardens|grove|way|square|place|court|hill|buildings|building|cottages|house|park|walk|rise|view|green"
    "|parade|quay|wharf|highway|alley|loop|circle|trail|st|st\\.|ave\\.|rd\\.|allee|terraces|estate|villas|fold|gate|yard"
    "|blvd|dr|ct|pl|cres|parkway|heights"
)
_APART = 0.004
"""Km between a street and the next one on the list: all lie within 1.2 km."""
_HOUSES = 120
_UNIT = r"(?:flat|unit|apartment|apt\.?|suite|studio|room|plot|lot|block|number|no\.?) [0-9]{1,4}[a-z]?"
_NUMBER = r"[0-9]{1,5}[a-z]?(?:[-/][0-9]{1,4}[a-z]?)?"
_WORD = r"(?:\p{L}[\p{L}\p{M}'’ʻ.-]*|[0-9]{1,3}(?:st|nd|rd|th))"
_NAME = rf"{_WORD}(?: {_WORD}){{0,5}}"
_STREET = regex.compile(
    rf"(?:(?P<unit>{_UNIT}),? )?(?:(?P<house>{_NUMBER}),? )?(?P<street>{_NAME})(?:,? (?P<after>{_UNIT}|{_NUMBER}))?",
    regex.IGNORECASE,
)
_UNIT_ALONE = regex.compile(_UNIT, regex.IGNORECASE)
_ENDS = regex.compile(rf".* (?:(?P<sure>{_SURE})|{_LIKELY})|.*\p{{L}}(?:{_GLUED})", regex.IGNORECASE)
_FIRST = regex.compile(
    r"(?:rue|avenue|boulevard|place|via|piazza|calle|plaza|rua|am|an der|ulica) .+|P\.? ?O\.? box", regex.IGNORECASE
)


class Street(NamedTuple):
    """The part of an address that names a street.

    Attributes:
        name: The name, without a number.
        is_numbered: Whether it has the number of a house.
        is_sure: Whether a word says that it is a street, or a list holds it.
        is_likely: Whether it is sure, or a number is before a capital: "22 Acacia".
    """

    name: str
    is_numbered: bool
    is_sure: bool
    is_likely: bool


def street_of(text: str) -> Street | None:
    """Return the street that ``text``, of at most 200 characters, may be, or None."""
    match = _STREET.fullmatch(text)
    if match is None:
        return None
    name = match["street"]
    is_numbered = any(match[group] for group in ("unit", "house", "after"))
    end = _ENDS.fullmatch(name)
    is_street = end is not None or _FIRST.fullmatch(name) is not None
    is_sure = is_street and (is_numbered or (end is not None and end["sure"] is not None))
    is_sure = is_sure or name.casefold() in _listed_anywhere()
    opens = bool(match["unit"] or match["house"]) and name[0].isupper()
    return Street(name, is_numbered, is_sure, is_sure or opens)


def is_unit(text: str) -> bool:
    """Return whether ``text`` is a part of a house: "Flat 8"."""
    return _UNIT_ALONE.fullmatch(text) is not None


@cache
def streets() -> tuple[str, ...]:
    """Return the names of the streets, in a fixed order."""
    return tuple(f"{name} {of}" for of in words_of(_LISTS["street_types"]) for name in words_of(_LISTS["streets"]))


@cache
def listed_street() -> dict[str, str]:
    """Return the names of the streets by their small letters."""
    return {street.casefold(): street for street in streets()}


class Manner(NamedTuple):
    """How a country writes streets: the ``layout`` of street and number, and ``names`` made by rule."""

    layout: str
    names: tuple[str, ...]


@cache
def _manners() -> dict[str, Manner]:
    """Return the manner of each country that has one of its own."""
    made = {}
    for own in _LISTS["streets_elsewhere"].values():
        manner = Manner(own["layout"], phrases_of(own["names"]))
        made.update(dict.fromkeys(words_of(own["countries"]), manner))
    return made


@cache
def _listed_anywhere() -> frozenset[str]:
    every = (*streets(), *(name for manner in _manners().values() for name in manner.names))
    return frozenset(map(str.casefold, every))


def street_beside(town: str, country: str, is_numbered: bool) -> str:
    """Return the street that is written beside ``town`` of ``country``, with a number or not, by a public rule."""
    manner = _manners().get(country) or Manner("{house} {street}", streets())
    street = manner.names[_hashed(f"street {town}") % len(manner.names)]
    return manner.layout.format(house=house_in(town), street=street) if is_numbered else street


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

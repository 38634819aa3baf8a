"""Streets and house numbers: how an address is recognised, and the public names that replace it.

No list holds the streets of the world, and no street is near to another by its name. So the names that are written
are made by rule, belong to no town, and count as neighbours. A house number, and the street beside a town, follow
from the value that is drawn, by a public rule: an address says nothing that the value does not say. Beside a town
they are in the manner of its country.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import regex

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.lists import lists_of, phrases_of, words_of

_ELSEWHERE = lists_of("en", "places")["streets_elsewhere"]
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
_UNITS = r"flat|unit|apartment|apt\.?|suite|studio|room|plot|lot|block|number|no\.?"
_NUMBER = r"(?:[0-9]{1,5}[a-z]?(?:[-/][0-9]{1,4}[a-z]?)?|s/n)"
_WORD = r"(?:\p{L}[\p{L}\p{M}'’ʻ.-]*|[0-9]{1,3}(?:st|nd|rd|th))"
_NAME = rf"{_WORD}(?: {_WORD}){{0,5}}"
_ENDS = regex.compile(rf".* (?:(?P<sure>{_SURE})|{_LIKELY})|.*\p{{L}}(?:{_GLUED})", regex.IGNORECASE)
_FIRST = regex.compile(
    r"(?:rue|avenue|boulevard|place|via|piazza|calle|plaza|rua|am|an der|ulica) .+|P\.? ?O\.? box", regex.IGNORECASE
)


class _Patterns(NamedTuple):
    """The patterns of a language: of a street with what is beside it, of a unit, of a name that shows a street."""

    street: Any
    unit: Any
    shows: Any


@cache
def _patterns(language: str) -> _Patterns:
    words = language_of(language).places
    unit = rf"(?:{_UNITS}|{words.unit}) [0-9]{{1,4}}[a-z]?"
    street = (
        rf"(?:(?P<unit>{unit}),? )?(?:(?P<house>{_NUMBER}),? )?(?P<street>{_NAME})"
        rf"(?:,? (?P<after>{unit}|{_NUMBER}(?:,? (?:{unit}|[0-9]{{1,3}}))?))?"
    )
    return _Patterns(*(regex.compile(own, regex.IGNORECASE) for own in (street, unit, words.street_pattern)))


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


def street_of(text: str, language: str = ENGLISH.code) -> Street | None:
    """Return the street that ``text``, of at most 200 characters, may be, or None."""
    patterns = _patterns(language)
    match = patterns.street.fullmatch(text)
    if match is None:
        return None
    name = match["street"]
    is_numbered = any(match[group] for group in ("unit", "house", "after"))
    end = _ENDS.fullmatch(name)
    shown = patterns.shows.fullmatch(name) is not None
    is_street = shown or end is not None or _FIRST.fullmatch(name) is not None
    is_sure = is_street and (is_numbered or shown or (end is not None and end["sure"] is not None))
    is_sure = is_sure or name.casefold() in _listed_anywhere(language)
    opens = bool(match["unit"] or match["house"]) and name[0].isupper()
    return Street(name, is_numbered, is_sure, is_sure or opens)


def is_unit(text: str, language: str = ENGLISH.code) -> bool:
    """Return whether ``text`` is a part of a house: "Flat 8"."""
    return _patterns(language).unit.fullmatch(text) is not None


def streets(language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return the names of the streets, in a fixed order."""
    return language_of(language).places.streets or ENGLISH.places.streets


@cache
def listed_street(language: str = ENGLISH.code) -> dict[str, str]:
    """Return the names of the streets by their small letters."""
    return {street.casefold(): street for street in streets(language)}


class Manner(NamedTuple):
    """How a country writes streets: the ``layout`` of street and number, and ``names`` made by rule."""

    layout: str
    names: tuple[str, ...]


@cache
def _manners() -> dict[str, Manner]:
    """Return the manner of each country that has one of its own."""
    made = {}
    for own in _ELSEWHERE.values():
        manner = Manner(own["layout"], phrases_of(own["names"]))
        made.update(dict.fromkeys(words_of(own["countries"]), manner))
    return made


@cache
def _listed_anywhere(language: str) -> frozenset[str]:
    every = (*streets(language), *(name for manner in _manners().values() for name in manner.names))
    return frozenset(map(str.casefold, every))


def street_beside(town: str, country: str, is_numbered: bool, language: str = ENGLISH.code) -> str:
    """Return the street that is written beside ``town`` of ``country``, with a number or not, by a public rule."""
    own = language_of(language)
    is_own = country in own.countries
    elsewhere = None if is_own else _manners().get(country)
    manner = elsewhere or Manner(own.places.street_layout, streets(language))
    street = manner.names[_hashed(f"street {town}") % len(manner.names)]
    return manner.layout.format(house=house_in(town), street=street) if is_numbered else street


def house_in(value: str) -> str:
    """Return the number of the house that is written with ``value``, by a public rule."""
    return str(_hashed(f"house {value}") % _HOUSES + 1)


def _hashed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


@cache
def street_domain(language: str = ENGLISH.code) -> Vocabulary:
    """Return the streets as a domain: neighbours along a line, in km."""
    names = streets(language)
    about = f"PLACE: {len(names):,} names of streets made by rule, {1000 * _APART:.0f} m apart (sfumato)"
    return Vocabulary(names, _APART * np.arange(len(names), dtype=np.float64)[:, None], about)

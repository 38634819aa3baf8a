"""Names of institutions, made by rule of a kind of institution and its place, and the sector that a name shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import regex

from sfumato.kinds.places.gazetteer import names_of_cities, names_of_countries
from sfumato.language.lists import lists_of, phrases_of, words_of

_LISTS = lists_of("en", "institutions")
_NATIONAL, _LOCAL = phrases_of(_LISTS["national"]), phrases_of(_LISTS["local"])
OF_PEOPLE = phrases_of(_LISTS["of_people"])
"""Where people go, beside what the built-in vocabulary lists."""
ENDINGS = frozenset(words_of(_LISTS["endings"]))
"""Words that end the name of an institution."""
_BARE = frozenset(words_of(_LISTS["bare"]))
FIRM = "firm"
_SECTORS = {sector: words_of(words) for sector, words in _LISTS["sectors"].items()}
SECTORS = (*_SECTORS, FIRM)
_OF = {word: sector for sector, words in reversed(_SECTORS.items()) for word in words}
_WORD = regex.compile(r"\p{L}+(?:['’]s)?")
_WESTERN = words_of("US GB IE CA AU NZ DE FR NL BE ES PT IT SE NO DK FI PL CZ AT CH GR RO HU TR")
_COUNTRIES, _CITIES, _OF_A_COUNTRY = 100, 500, 50


def institutions(turns: int, further: Sequence[str] = ()) -> Iterator[str]:
    """Yield institutions by sector, each with its own run of places: courts, ministries, hospitals, firms, clubs.

    ``further`` holds more kinds of institution, each with a field for its place.
    """
    countries, cities = names_of_countries()[:_COUNTRIES], names_of_cities(frozenset(_WESTERN))[:_CITIES]
    for turn in range(turns):
        for number, form in enumerate(_NATIONAL):
            if turn < _OF_A_COUNTRY:
                yield form.format(countries[(turn + 17 * number) % len(countries)])
        for number, form in enumerate((*_LOCAL, *further)):
            yield form.format(cities[(turn + 61 * number) % len(cities)])


class Local(NamedTuple):
    """A kind of institution with a field for its place, and the town that a name has there."""

    form: str
    town: str


def local_parts(name: str) -> Local | None:
    """Return the kind of institution and the town of a ``name`` made by :func:`institutions`, if it is local."""
    for form in (*_LOCAL, *OF_PEOPLE):
        before, after = form.split("{}")
        if name.startswith(before) and name.endswith(after):
            town = name[len(before) : len(name) - len(after)]
            if town in _towns():
                return Local(form, town)
    return None


@cache
def _towns() -> frozenset[str]:
    return frozenset(names_of_cities(frozenset(_WESTERN))[:_CITIES])


def takes_the(name: str) -> bool | None:
    """Return whether "the" stands before an institution in a sentence; None where either may be right."""
    words = name.split()
    if words[-1].lower() in _BARE:
        return False
    return True if len(words) > 1 and (" of " in name) else None


def sector_of(name: str) -> str:
    """Return the sector of ``name``; a name that shows none is that of a firm."""
    words = [word.replace("’", "'") for word in _WORD.findall(name.casefold())]
    if not set(words).isdisjoint(words_of(_LISTS["state"])):
        return "state"
    found = {_OF[word] for word in words if word in _OF}
    return next((sector for sector in SECTORS if sector in found), FIRM)

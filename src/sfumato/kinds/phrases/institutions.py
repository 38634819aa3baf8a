"""Names of institutions, made by rule of a kind of institution and its place, and the sector that a name shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from sfumato.kinds.places.gazetteer import names_of_cities, names_of_countries
from sfumato.language.institutions import Institution
from sfumato.language.language import READ
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.lists import lists_of, words_of

_BARE = frozenset(words_of(lists_of("en", "institutions")["bare"]))
FIRM = "firm"
_WESTERN = words_of("US GB IE CA AU NZ DE FR NL BE ES PT IT SE NO DK FI PL CZ AT CH GR RO HU TR")
_COUNTRIES, _CITIES, _OF_A_COUNTRY = 100, 500, 50


def institutions(turns: int, further: Sequence[Institution] = (), language: str = ENGLISH.code) -> Iterator[str]:
    """Yield institutions by sector, each with its own run of places: courts, ministries, hospitals, firms, clubs.

    ``further`` holds more kinds of institution, each with a field for its place.
    """
    own, countries, cities = language_of(language).institutions, _named_countries(language), towns(language)
    for turn in range(turns):
        for number, kind in enumerate(own.national):
            if turn < _OF_A_COUNTRY:
                yield named(kind.form, countries[(turn + 17 * number) % len(countries)], language)
        for number, kind in enumerate((*own.local, *further)):
            yield named(kind.form, cities[(turn + 61 * number) % len(cities)], language)


def named(form: str, place: str, language: str = ENGLISH.code) -> str:
    """Return the institution of a ``form`` at ``place``; the words between them agree with the place."""
    before, _, after = form.partition("{}")
    mended = language_of(language).agreeing(before[-READ:], place) if before else None
    return f"{before if mended is None else before[:-READ] + mended}{place}{after}"


@cache
def towns(language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return the towns where institutions are, the most populous first."""
    inside = _WESTERN if language == ENGLISH.code else language_of(language).countries
    return names_of_cities(frozenset(inside), language)[:_CITIES]


@cache
def _named_countries(language: str) -> tuple[str, ...]:
    return names_of_countries(language)[:_COUNTRIES]


class Local(NamedTuple):
    """A kind of institution with a field for its place, and the town that a name has there."""

    form: str
    town: str


def local_parts(name: str, language: str = ENGLISH.code) -> Local | None:
    """Return the kind of institution and the town of a ``name`` made by :func:`institutions`, if it is local."""
    return _locals(language).get(name)


@cache
def _locals(language: str) -> Mapping[str, Local]:
    own = language_of(language).institutions
    made: dict[str, Local] = {}
    for kind in (*own.local, *own.of_people):
        for town in towns(language):
            made.setdefault(named(kind.form, town, language), Local(kind.form, town))
    return made


@cache
def genders(language: str) -> Mapping[str, str]:
    """Return the grammatical gender of every institution that is made by rule."""
    own = language_of(language).institutions
    made: dict[str, str] = {}
    for kinds, places in (
        ((*own.local, *own.of_people), towns(language)),
        (own.national, _named_countries(language)),
    ):
        for kind in kinds:
            for place in places:
                made.setdefault(named(kind.form, place, language), kind.gender)
    return made


def takes_the(name: str) -> bool | None:
    """Return whether "the" stands before an English institution in a sentence; None where either may be right."""
    words = name.split()
    if words[-1].lower() in _BARE:
        return False
    return True if len(words) > 1 and (" of " in name) else None


def sectors(language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return the sectors of institutions, that of firms last."""
    return (*language_of(language).institutions.sectors, FIRM)


def sector_of(name: str, language: str = ENGLISH.code) -> str:
    """Return the sector of ``name``; a name that shows none is that of a firm."""
    return language_of(language).institutions.sector_of(name) or FIRM

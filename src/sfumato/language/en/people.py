"""English words for people: what they do, where they belong, their titles, and words in their names."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from sfumato.language.lists import lists_of, phrases_of, words_of
from sfumato.language.naming import Apostrophe, Naming, both_ways
from sfumato.language.patterns import any_of
from sfumato.language.people import Titles

_NAMES, _JOBS, _PEOPLES = lists_of("en", "names"), lists_of("en", "occupations"), lists_of("en", "peoples")


PARTICLES = frozenset(words_of(f"{_NAMES['particles']} {_NAMES['particles_of_kinds']}"))
"""Particles of family names that the kind PERSON reads."""
PARTICLE = any_of(words_of(f"{_NAMES['particles']} {_NAMES['particles_in_text']}"))
"""A pattern for a particle between the words of a name in a text."""
EMPTY = frozenset(words_of(_NAMES["empty"]))
"""The content of fields that are not filled in."""

WORKERS = words_of(_JOBS["workers"])
"""Words for people by what they do; a hyphen may be a blank in a text."""
EVERYDAY_JOBS = phrases_of(_JOBS["everyday"])

NATIONS, RELIGIONS = words_of(_PEOPLES["nations"]), words_of(_PEOPLES["religions"])
CONVICTIONS = words_of(_PEOPLES["convictions"])
PEOPLES = (*words_of(_PEOPLES["peoples"]), *CONVICTIONS)
MORE_NATIONS, MORE_BELIEFS = phrases_of(_PEOPLES["more_nations"]), phrases_of(_PEOPLES["more_beliefs"])

NICKNAMES: Mapping[str, frozenset[str]] = both_ways(_NAMES["nicknames"])
"""Short names of people by their full names, and full names by the short ones: "bob" and "robert"."""

NAMING = Naming(
    locales=words_of("en_US en_GB en_IE en_NZ"),
    particles=PARTICLES,
    nicknames=NICKNAMES,
    surrogate="Alex Fielding",
    has_plurals=True,
    possessive=Apostrophe(),
)
"""The locales read naturally in an English text."""


def _used(use: str) -> tuple[str, ...]:
    """Return the titles that ``use`` knows, in small letters."""
    return tuple(title for title, uses in lists_of("en", "titles").items() if use in words_of(uses))


TITLES = Titles(
    read=_used("name"),
    women=frozenset(_used("woman")),
    men=frozenset(_used("man")),
    given=frozenset(_used("given")),
    joins=frozenset(("and", "&")),
)
INITIALS = _used("initial")
"""Titles that may be an initial or a word as well, in French."""

SHORT = any_of(map(str.capitalize, _used("short")))
"""A pattern for a title that a full stop may follow; behind any other it ends the sentence."""
LONG = any_of(map(str.capitalize, _used("long")))
BEFORE_STOP = any_of(_used("stop"))
"""A pattern for a title, or a word like one, behind which a full stop ends no sentence, in small letters."""
CIVIL = frozenset(_used("civil"))
"""Titles that another title follows only as a surname: "Mr Constable"."""
_TITLE = regex.compile(rf"{SHORT}|{LONG}|{PARTICLE}", regex.IGNORECASE)


def is_title(word: str) -> bool:
    """Return whether ``word`` is a title, or a particle of names."""
    return _TITLE.fullmatch(word) is not None

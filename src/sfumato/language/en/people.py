"""English words for people: what they do, where they belong, and words in and around their names."""

from __future__ import annotations

from sfumato.language.lists import lists_of, phrases_of, words_of
from sfumato.language.patterns import any_of

_NAMES, _JOBS, _PEOPLES = lists_of("en", "names"), lists_of("en", "occupations"), lists_of("en", "peoples")

PARTICLES = frozenset(words_of(f"{_NAMES['particles']} {_NAMES['particles_of_kinds']}"))
"""Particles of family names that the kind PERSON reads."""
PARTICLE = any_of(words_of(f"{_NAMES['particles']} {_NAMES['particles_in_text']}"))
"""A pattern for a particle between the words of a name in a text."""
EVERYDAY_FIRST_NAMES = frozenset(words_of(_NAMES["everyday_first_names"]))
EMPTY = frozenset(words_of(_NAMES["empty"]))
"""The content of fields that are not filled in."""

WORKERS = words_of(_JOBS["workers"])
"""Words for people by what they do; a hyphen may be a blank in a text."""
EVERYDAY_JOBS = phrases_of(_JOBS["everyday"])

NATIONS, RELIGIONS = words_of(_PEOPLES["nations"]), words_of(_PEOPLES["religions"])
CONVICTIONS = words_of(_PEOPLES["convictions"])
PEOPLES = (*words_of(_PEOPLES["peoples"]), *CONVICTIONS)
MORE_NATIONS, MORE_BELIEFS = phrases_of(_PEOPLES["more_nations"]), phrases_of(_PEOPLES["more_beliefs"])

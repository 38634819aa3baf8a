"""Titles before a person's name in English texts: "Mr", "Dr.", "Frau", "Judge"."""

from __future__ import annotations

import regex

from sfumato.language.en.people import PARTICLE
from sfumato.language.language import Titles
from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import any_of


def _used(use: str) -> tuple[str, ...]:
    """Return the titles that ``use`` knows, in small letters."""
    return tuple(title for title, uses in lists_of("en", "titles").items() if use in words_of(uses))


TITLES = Titles(_used("name"), frozenset(_used("woman")), frozenset(_used("man")))
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

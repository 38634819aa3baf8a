"""Cities of a public list inside a sentence: what a tagger misses behind "in", an article or a comma."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex

from sfumato.detectors.english import names
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import matches
from sfumato.kinds.places.gazetteer import cities, key
from sfumato.language.en.words import is_everyday, is_stop_word

_WORD = r"\p{Lu}\p{Ll}[\p{L}\p{M}'’\u2011-]{0,40}+"
_PLACE = regex.compile(
    rf"(?:(?<=\b(?i:in|to|from|at|near|of|outside|around|towards?|via|visiting|leaving|a))[^\S\n]+|(?<=,)[^\S\n]+)\K"
    rf"{_WORD}(?:[^\S\n]{_WORD}){{0,2}}(?![\p{{L}}\p{{M}}\p{{N}}_@])"
)
"""Capitals behind a preposition of place, "a" or a comma. Behind "the" a city is a part of another name."""
_LAW = regex.compile(
    r"(?:[^\S\n][IVX]+)?[^\S\n](?:Act|Agreement|Code|Convention|Declaration|Protocol|Regulation|Rules?|Treaty)\b"
)
"""What is named by the city where it was signed identifies nobody."""


@lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    """Return the names of cities, without case and accents."""
    return frozenset(key(city.name) for city in cities() if len(city.name) > 3)


@lru_cache(maxsize=1 << 12)
def _is_city(words: str) -> bool:
    """Return whether a public list has ``words`` as a city, and English has them as no everyday word."""
    alone = " " not in words
    if alone and (is_stop_word(words) or is_everyday(words) or names.may_be_called(words)):
        return False
    return key(words) in _listed()


def listed_cities(text: str) -> Iterator[Found]:
    """Yield the cities of ``text``, each as long as the list has it."""
    for match in matches(_PLACE, text):
        ends = [match.end(), *(match.start() + place for place in _spaces(match.group()))]
        end = next((end for end in ends if _is_city(text[match.start() : end])), None)
        if end is not None and _LAW.match(text, end) is None:
            yield Found(match.start(), end, "LOCATION", 0.55)


def _spaces(text: str) -> list[int]:
    """Return where the white space in ``text`` is, the last one first."""
    return [place for place in range(len(text) - 1, 0, -1) if text[place].isspace()]

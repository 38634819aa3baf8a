"""Headings of columns and labels of fields in English, which say what a value is and are none themselves."""

from __future__ import annotations

import re
from functools import lru_cache

from sfumato.language.lists import lists_of, words_of

_TOKEN = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z]+|\d+")
_LEFT = re.compile(r"[\s:_/()\[\]#%*.,&?°²+-]*")
"""What may lie between words. Anything else, such as the apostrophe of "Anna's", may belong to a name."""
_LONGEST, _MOST_DIGITS = 60, 3


def is_heading(text: str) -> bool:
    """Return whether ``text`` has only words that name columns and fields, one of which names no person too."""
    if len(text) > _LONGEST or not _LEFT.fullmatch(_TOKEN.sub("", text)):
        return False
    words, also_names = _words()
    spelled = list[str]()
    for token in _TOKEN.findall(text):
        whole = token.casefold()
        spelled += [whole] if whole in words else [piece.casefold() for piece in _PIECE.findall(token)]
    others = [each for each in spelled if each not in words and each not in also_names and len(each) > 1]
    few = sum(map(len, filter(str.isdigit, spelled))) <= _MOST_DIGITS
    return few and not words.isdisjoint(spelled) and all(map(str.isdigit, others))


def may_be_heading(text: str) -> bool:
    """Return whether ``text`` is one word that names a column or a field, and people too: "Ward"."""
    return text.strip(" :").casefold() in _words()[1]


@lru_cache(maxsize=1)
def _words() -> tuple[frozenset[str], frozenset[str]]:
    lists = lists_of("en", "headings")
    return frozenset(words_of(lists["words"])), frozenset(words_of(lists["also_names"]))

"""Proof of removal: a written file is searched for every value that was marked in it.

A value that a released text of the file holds is not searched for: a draw may have given it to someone, or the
detector may have missed a mention, which the counts of what is still there tell. No other value may be in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sfumato.documents.formats import Seen, is_ending
from sfumato.language.en.words import is_everyday
from sfumato.text.occurrences import Occurrences

_SHORTEST = 3
"""A shorter value is looked for in what a reader sees, and not among the raw strings of a file."""
_SHORT = 6
"""A shorter word in small letters may be one of a format's own, such as "ole"."""
_BLOCK = 1 << 20
_BETWEEN = "\n\0\n"
"""What no value holds, so that none begins in one string and ends in the next. ASCII is searched faster."""


@dataclass(frozen=True)
class Proof:
    """What was searched for, and where it was found.

    Attributes:
        values: How many different values were searched for.
        still: How many were not, because a released text holds them.
        places: Where one was found, in numbers and fixed words.
    """

    values: int
    still: int
    places: tuple[str, ...]


def proved(strings: Iterable[Seen], values: Collection[str], released: Sequence[str]) -> Proof:
    """Search the ``strings`` of a written file for ``values``, unless one of the ``released`` texts holds them."""
    wanted = {value for value in values if value.strip()}
    known = Occurrences(wanted)
    there = {name for text in _blocks(released) for _, _, name in known.find(text)}
    gone = {value for value in wanted if not _names(known, value) <= there}
    search = Occurrences(gone)
    places = list[str]()
    for (place, raw), group in groupby(strings, key=lambda seen: (seen.place, seen.raw)):
        for text in _blocks(seen.text for seen in group):
            if gone and any(True for _ in _found(search, text, gone, raw)):
                places.append(place)
    return Proof(len(gone), len(wanted) - len(gone), tuple(dict.fromkeys(places)))


def _blocks(texts: Iterable[str]) -> Iterator[str]:
    """Yield ``texts`` joined in blocks, so that a long file is never in memory whole."""
    block, size = list[str](), 0
    for text in texts:
        block.append(text)
        size += len(text)
        if size > _BLOCK:
            yield _BETWEEN.join(block)
            block, size = [], 0
    yield _BETWEEN.join(block)


def _names(known: Occurrences, value: str) -> set[str]:
    return {name for _, _, name in known.find(value)} or {value}


def _found(search: Occurrences, text: str, gone: Collection[str], raw: bool) -> Iterator[str]:
    """Yield what is found in ``text``; among raw strings no words in small letters that a format may have.

    Those are everyday words, as "document" is the name of a part of each file, short ones that were not marked in
    small letters, and an ending behind its sign: "image1.png", "image/png".
    """
    for start, end, name in search.find(text):
        spelled = text[start:end]
        if raw and (len(spelled) < _SHORTEST or (spelled.islower() and _is_of_format(spelled, gone))):
            continue
        ending = text[start - 1 : start] in (".", "/") and is_ending(spelled)
        if not (raw and spelled.islower() and ending):
            yield name


def _is_of_format(spelled: str, gone: Collection[str]) -> bool:
    return is_everyday(spelled) or (spelled.isalpha() and len(spelled) < _SHORT and spelled not in gone)

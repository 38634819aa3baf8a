"""Carries a name that was found to every other mention in its record: by each part, in any case, inside words.

A part that is an everyday word as well ("Mark", "Will") needs a capital, because "mark" and "will" are not names.
A rare part is found inside longer words too: ``jquillfeather``, ``re_quillfeather.pdf``, the Quillfeathers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import regex

from sfumato.detectors.english.names import first_names, last_names
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import matches
from sfumato.language.en.people import CIVIL, is_title
from sfumato.language.en.words import frequency, is_everyday, is_stop_word
from sfumato.text.occurrences import adjectives

COMMON = 5.0
"""Zipf frequency from which a word is too common to be carried only because a tagger found it."""
_SELDOM, _RARE = 4.0, 3.0
_SURE = 0.9
_LONGEST = 40
_INSIDE = 5
"""The least length of a part that is looked for inside longer words."""
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’\-\u2011][\p{L}\p{M}]+)*+")
_POSSESSIVE = regex.compile(r"['’][sS]?\Z")
_HYPHENS = regex.compile(r"[-\u2011]")
_ALIKE = str.maketrans({"’": "'", "ʼ": "'", "\u2011": "-", "\u2010": "-"})
_WORD_BEFORE = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}])(\p{Lu}[\p{Ll}\p{M}]+(?:[-\u2011]\p{Lu}[\p{Ll}\p{M}]+)*)[^\S\n]+\Z"
)


def parts_of(text: str, spans: Iterable[Found]) -> set[str]:
    """Return the parts of the names in ``spans`` by which each can be recognised, to be carried.

    Of a name that only the tagger found, the parts must be uncommon in English, or on a public list of first names.
    """
    parts = set[str]()
    persons = [name for name in spans if name.label == "PERSON"]
    ends = dict(sorted((name.start, name.end) for name in persons))
    for name in persons:
        words = [match.group() for match in _WORD.finditer(text, name.start, name.end)]
        parts.update(_folded(word) for word in words if _is_part(word, sure=name.score > _SURE))
        if name.end == ends[name.start]:  # of "Mr Constable" and "Mr Constable Lee", the longer one
            parts.update(map(_folded, _titles_that_are_names(words)))
    return parts


def _titles_that_are_names(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a name that are titles or particles elsewhere: "Mr Constable", "Anna Major", "Ben Lee"."""
    if len(words) < 2:
        return
    first, last = _POSSESSIVE.sub("", words[0]), _POSSESSIVE.sub("", words[-1])
    is_first_name = first[:1].isupper() and first.lower() in first_names()
    if is_first_name and is_title(first):
        yield first
    if (is_first_name or first.lower() in CIVIL) and last[:1].isupper() and is_title(last):
        yield last


def carried(text: str, parts: Collection[str], known: Known | None = None) -> Iterator[Found]:
    """Yield every mention of a name by one of its ``parts``: a surname alone, a first name alone, a login.

    What is ``known`` of these parts holds for all texts of a record, which may have a hundred thousand.
    """
    if not parts:
        return
    known = Known.of(parts) if known is None else known
    for match in matches(_WORD, text):
        word = match.group()
        mention = known.words.get(word)
        if mention is None:
            known.words[word] = mention = _mention(word, parts, known.lengths)
        if mention is _Mention.BARE:
            bare = _POSSESSIVE.sub("", word)
            yield Found(_with_first_names(text, match.start()), match.start() + len(bare), "PERSON", 0.85)
        elif mention is _Mention.WHOLE:
            yield Found(match.start(), match.end(), "PERSON", 0.85)


class _Mention(Enum):
    """How much of a word is a mention of a name: nothing, all but its possessive ending, or all of it."""

    NONE = 0
    BARE = 1
    WHOLE = 2


class Known(NamedTuple):
    """The lengths of rare parts, and how much of each word that was seen is a mention. PRIVATE."""

    lengths: list[int]
    words: dict[str, _Mention]

    @classmethod
    def of(cls, parts: Collection[str]) -> Known:
        """Return what is known of ``parts`` before a text is read."""
        return cls(sorted({len(part) for part in parts if len(part) >= _INSIDE and frequency(part) < _RARE}), {})


def _mention(word: str, parts: Collection[str], lengths: Sequence[int]) -> _Mention:
    bare = _POSSESSIVE.sub("", word)
    if _is_mention(bare, parts):
        return _Mention.BARE
    pieces = _HYPHENS.split(bare)
    if (len(pieces) > 1 and any(_is_mention(piece, parts) for piece in pieces)) or _holds_part(word, parts, lengths):
        return _Mention.WHOLE
    return _Mention.NONE


def _is_mention(word: str, parts: Collection[str]) -> bool:
    """Return whether ``word`` is one of ``parts`` or, with a capital, the plural of one."""
    whole = _folded(word)
    capital = word[:1].isupper()
    if whole in parts:
        return capital or _caseless(word) or _tells_in_lower_case(whole)
    return capital and whole.endswith("s") and (whole[:-1] in parts or whole[:-2] in parts)


@lru_cache(maxsize=1 << 14)
def _tells_in_lower_case(part: str) -> bool:
    """Return whether ``part`` is a name without its capital too: no everyday word, and rare or on a list of names."""
    return not (is_everyday(part) or is_title(part) or part.lower() in adjectives()) and (
        part in first_names() or part in last_names() or frequency(part) < _RARE
    )


def _holds_part(word: str, parts: Collection[str], lengths: Iterable[int]) -> bool:
    """Return whether a rare part lies inside ``word``, which is rare itself."""
    whole = _folded(word)
    return any(
        whole[start : start + length] in parts and frequency(whole[start : start + length]) < _RARE
        for length in lengths
        for start in range(len(whole) - length + 1)
    ) and (len(whole) > _LONGEST or frequency(whole) < _RARE)


def _with_first_names(text: str, start: int) -> int:
    """Return where a name found at ``start`` begins: at the words before it that can hardly be anything but first
    names.
    """
    for _ in range(2):
        before = _WORD_BEFORE.search(text, max(0, start - _LONGEST), start)
        if before is None or not _is_part(before[1], sure=False) or frequency(before[1]) >= _SELDOM:
            return start
        start = int(before.start(1))
    return start


def _folded(word: str) -> str:
    """Return ``word`` without the difference between capitals, and between ways to write accents, ’ and hyphens."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word.casefold()).translate(_ALIKE)


def _caseless(word: str) -> bool:
    return word.lower() == word.upper()


def _is_part(word: str, sure: bool) -> bool:
    lower = word.lower()
    if len(word) < 2 or is_title(word) or is_stop_word(word):
        return False
    if _caseless(word):
        return True
    if word.islower() and "'" not in word and "’" not in word:
        return lower in first_names() or lower in last_names() or frequency(lower) < _RARE
    return sure or lower in first_names() or frequency(lower) < COMMON

"""Finds thousands of listed words and phrases in a text, by look-up of its words.

Whole words only, in any case, and tolerant where a miss would leak:

- Between the words of a phrase there may be any white space and common punctuation ("Ann Lee" finds
  "ANN-LEE", "Ann_Lee" and "Ann, Lee"); other characters must be the phrase's own ("R&D").
- Compatible spellings are equal: composed or decomposed accents, full-width letters; invisible format
  characters inside a word do not hide it.
- An apostrophe ends a word: "Smith" is found in "Smith's", "O'Brien" as "O’Brien". Only the ending "'t"
  does not count ("Don" is not found in "don't").
- In a script without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan), and
  in Korean, whose particles are written onto a name, the phrase is found anywhere.

Accents are not dropped: "Jose" does not find "José".
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import regex

from sfumato.detectors.words import LETTERS
from sfumato.text.marks import Span

_WORD = regex.compile(rf"[{LETTERS}](?:[{LETTERS}]|\p{{Cf}})*")
_ASCII_WORD = re.compile("[a-z0-9]+")
_INVISIBLE = regex.compile(r"\p{Cf}+")
_LOOSE = regex.compile(r"[\s\p{Pd}\p{Cf}\p{Cc}_.,;:'’ʼ\"“”()\[\]/\\·]+")
_LEADING = regex.compile(rf"^{_LOOSE.pattern}")
_TRAILING = regex.compile(rf"{_LOOSE.pattern}$")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
_NEGATION = regex.compile(r"['’ʼ]t(?![\p{L}\p{M}\p{N}])", regex.IGNORECASE)


class _Entry(NamedTuple):
    before: str
    gaps: tuple[str, ...]
    after: str
    label: str


class Phrases:
    """An index of ``(phrase, label)`` pairs. Every phrase must hold something to look up: ``has_word``."""

    def __init__(self, labelled: Iterable[tuple[str, str]]) -> None:
        self._entries: defaultdict[tuple[str, ...], list[_Entry]] = defaultdict(list)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        unspaced: defaultdict[str, set[str]] = defaultdict(set)
        for phrase, label in labelled:
            if _UNSPACED.search(phrase):
                unspaced[label].add(phrase)
                continue
            words, entry = _parsed(phrase, label)
            self._entries[words].append(entry)
            lengths[words[0]].add(len(words))
        self._lengths = {word: tuple(sorted(known)) for word, known in lengths.items()}
        self._unspaced: list[tuple[Any, str]] = [
            (regex.compile(r"\L<listed>", regex.IGNORECASE, listed=sorted(listed)), label)
            for label, listed in sorted(unspaced.items())
        ]

    def find(self, text: str) -> Iterator[Span]:
        """Yield every occurrence of a phrase in ``text``; they may overlap."""
        for pattern, label in self._unspaced:
            for match in pattern.finditer(text, overlapped=True):
                yield Span(match.start(), match.end(), label)
        if not self._entries:
            return
        bounds, words = _words(text)
        for number, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                entries = self._entries.get(tuple(words[number : number + length]), ())
                for entry in entries:
                    yield from _matched(text, bounds[number : number + length], entry)


def _words(text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the bounds of the words of ``text``, and the words as they are looked up."""
    if text.isascii():  # the same result, twice as fast
        lower = text.lower()
        bounds = [match.span() for match in _ASCII_WORD.finditer(lower)]
        return bounds, [lower[start:end] for start, end in bounds]
    bounds = [match.span() for match in _WORD.finditer(text)]
    return bounds, [_folded(text[start:end]) for start, end in bounds]


def has_word(phrase: str) -> bool:
    """Return whether ``phrase`` holds anything to look up."""
    return _WORD.search(phrase) is not None


def _matched(text: str, bounds: list[tuple[int, int]], entry: _Entry) -> Iterator[Span]:
    """Yield the span of ``entry`` if its words, which lie at ``bounds``, have the right characters around them."""
    for ((_, end), (start, _)), gap in zip(pairwise(bounds), entry.gaps, strict=True):
        if _LOOSE.sub("", text[end:start]) != gap:
            return
    start, end = bounds[0][0], bounds[-1][1]
    if not (text.endswith(entry.before, 0, start) and text.startswith(entry.after, end)):
        return
    if not entry.after and _NEGATION.match(text, end):
        return
    yield Span(start - len(entry.before), end + len(entry.after), entry.label)


def _parsed(phrase: str, label: str) -> tuple[tuple[str, ...], _Entry]:
    bounds, words = _words(phrase)
    gaps = [phrase[end:start] for (_, end), (start, _) in pairwise(bounds)]
    before = _LEADING.sub("", phrase[: bounds[0][0]])
    after = _TRAILING.sub("", phrase[bounds[-1][1] :])
    return tuple(words), _Entry(before, tuple(_LOOSE.sub("", gap) for gap in gaps), after, label)


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", str(_INVISIBLE.sub("", word))).casefold()

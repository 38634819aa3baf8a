"""Every word, or every word except the stop words.

A word is a maximal run of letters, combining marks and numbers of any script and ``_``. An apostrophe, a
zero-width joiner or a soft hyphen between two of them belongs to the word; a hyphen parts words. So that
nothing readable is missed, characters that can carry writing are taken for letters too: enclosed letters, Braille,
the letters of flags, private-use and unassigned characters, lone surrogates and the invisible tag characters.

Scanning is one table look-up for each character of a whole block of documents; the table with the 1.1 million
code points is made once a process, at first use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from sfumato.abstract.detector import Detector
from sfumato.language.en.words import stop_words
from sfumato.privacy.kernels import compiled
from sfumato.text.document import Document
from sfumato.text.marks import CODEC, WORD, Codes, Marks, Spans, laid_end_to_end
from sfumato.types import IntArray

Bounds = list[tuple[int, int]]

_SYMBOLS = (  # that spell: ™ №, ⒜, Braille, radicals, ㈱ ㎏, SignWriting, 🄰 🈚
    r"\u2100-\u214F\u249C-\u24B5\u2800-\u28FF\u2E80-\u2FDF\u3190-\u33FF\uFDFC\U0001D800-\U0001DAAF"
    r"\U0001F100-\U0001F2FF"
)
LETTERS = r"\p{L}\p{M}\p{N}\p{Alphabetic}\p{Regional_Indicator}\p{Co}\p{Cn}\p{Cs}\U000E0020-\U000E007F" + _SYMBOLS
"""The characters that count as letters, except ``_``: the inside of a character class of the ``regex`` package."""

_JOINERS = "'’\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{SOFT HYPHEN}"
_OTHER, _INSIDE, _JOINS = 0, 1, 2
_BLOCK = 250_000
_GAP = "\n"


@dataclass(frozen=True)
class Nothing(Detector):
    """No word at all: a method rewrites the text as it is."""

    @property
    def description(self) -> str:
        """Return that nothing is protected for certain."""
        return "nothing that a detector finds: the method alone decides"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected: everything."""
        return "whatever the method leaves"

    @property
    def known_labels(self) -> frozenset[str]:
        """Return no label."""
        return frozenset()

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return no span of any document."""
        return [Spans([]) for _ in documents]


@dataclass(frozen=True)
class Words(Detector):
    """Every word of any script."""

    @property
    def description(self) -> str:
        """Return what is protected."""
        return "every word (letters, combining marks and numbers of any script)"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return "white space, punctuation, symbols, emoji and control characters"

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about: every word is marked."""
        return "two texts with words at the same places and the text between equal"

    @property
    def reads_content(self) -> bool:
        """Return False: every word is marked."""
        return False

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the words of each document."""
        return [Spans(bounds, WORD) for bounds in word_bounds([document.text for document in documents])]

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the words of each document, by column."""
        return _marked([document.text for document in documents], frozenset())


@dataclass(frozen=True)
class ContentWords(Detector):
    """Every word that is not an English stop word of :func:`~sfumato.language.en.words.stop_words`.

    "The", "THE" and "the" are one word, and "don’t" is "don't". Which words are stop words does not depend on
    the text; that a word is one stays visible.
    """

    @property
    def description(self) -> str:
        """Return what is protected."""
        return "every word that is not an English stop word"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return (
            "white space, punctuation, symbols, emoji, control characters, and the English stop words in the "
            "spelling they have (also where one is a name or an initial, as in 'WHO', 'IT' or 'A.')"
        )

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about."""
        return f"{super().adjacency} (stop words are never replaced)"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the content words of each document."""
        texts = [document.text for document in documents]
        return [Spans(bounds, WORD) for bounds in word_bounds(texts, without=stop_words())]

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the content words of each document, by column."""
        return _marked([document.text for document in documents], stop_words())


def word_bounds(texts: Sequence[str], without: frozenset[str] = frozenset()) -> list[Bounds]:
    """Return half-open offsets of the words of each text, except the (lower-case) words of ``without``."""
    return [bounds for block in _blocks(texts) for bounds in _scan(block, without)]


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of whole texts of about 250,000 characters, which fit the processor's cache."""
    first, size = 0, 0
    for number, text in enumerate(texts):
        size += len(text) + len(_GAP)
        if size >= _BLOCK:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    if first < len(texts):
        yield texts[first:]


def _marked(texts: Sequence[str], without: frozenset[str]) -> Marks:
    """Return the words of ``texts``, except the (lower-case) words of ``without``."""
    codes, origins, lengths = laid_end_to_end(texts)
    starts, ends = _runs(codes, _kinds())
    if without:
        kept = ~np.fromiter(map(without.__contains__, _folded(codes, starts, ends)), bool, len(starts))
        starts, ends = starts[kept], ends[kept]
    counts = np.diff(np.searchsorted(starts, np.append(origins, len(codes))))
    return Marks(codes, origins, lengths, starts, ends, counts, WORD)


def _scan(texts: Sequence[str], without: frozenset[str]) -> Iterator[Bounds]:
    """Yield the words of each of ``texts``."""
    marks = _marked(texts, without)
    shift = np.repeat(marks.origins, marks.counts)
    pairs = list(zip((marks.starts - shift).tolist(), (marks.ends - shift).tolist(), strict=True))
    for first, last in pairwise([0, *np.cumsum(marks.counts).tolist()]):
        yield pairs[first:last]


@compiled
def _runs(codes: Codes, kinds: NDArray[np.uint8]) -> tuple[IntArray, IntArray]:
    """Return where words start and end in ``codes``, whose first and last code point are no part of a word."""
    starts, ends = np.empty(len(codes) // 2, dtype=np.int64), np.empty(len(codes) // 2, dtype=np.int64)
    count, within, kind = 0, False, _OTHER
    for index in range(1, len(codes)):
        before, kind = kind, kinds[codes[index]]
        inside = kind == _INSIDE or (
            kind == _JOINS and before == _INSIDE and index + 1 < len(codes) and kinds[codes[index + 1]] == _INSIDE
        )
        if inside and not within:
            starts[count] = index
        elif within and not inside:
            ends[count] = index
            count += 1
        within = inside
    return starts[:count].copy(), ends[:count].copy()


def _folded(codes: Codes, starts: IntArray, ends: IntArray) -> list[str]:
    """Return the words of ``codes`` without the difference between capitals, or between the two apostrophes."""
    joined = codes.tobytes().decode(CODEC, "surrogatepass")
    folded = joined.casefold().replace("’", "'")
    bounds = zip(starts.tolist(), ends.tolist(), strict=True)
    if len(folded) == len(joined):  # folding never shortens a character, so equal length means equal offsets
        return [folded[start:end] for start, end in bounds]
    return [joined[start:end].casefold().replace("’", "'") for start, end in bounds]


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """Return, for every code point, whether it is part of a word, joins two parts, or neither."""
    points = np.arange(sys.maxunicode + 1, dtype="<u4")
    every = points.tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.full(len(points), _OTHER, dtype=np.uint8)
    for run in regex.finditer(f"[{LETTERS}_]+", every):
        kinds[run.start() : run.end()] = _INSIDE
    for joiner in _JOINERS:
        kinds[ord(joiner)] = _JOINS
    kinds.setflags(write=False)
    return kinds

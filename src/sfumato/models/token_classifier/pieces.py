"""What the network reads of a text: pieces of words, and two things that their numbers do not tell.

The tokenizer of the encoder folds letters to lower case and takes all white space for one blank. Names begin with
capitals and end with lines, so each piece also carries the shape of its word and the gap before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

SHAPES = (
    "special",
    "lower",
    "title",
    "capital",
    "capitals",
    "mixed case",
    "digits",
    "digits and letters",
    "sign",
    "other",
)
GAPS = ("special", "none", "blank", "wide", "line", "paragraph")
_SHAPE = {name: number for number, name in enumerate(SHAPES)}
_GAP = {name: number for number, name in enumerate(GAPS)}


@dataclass(frozen=True)
class Pieces:
    """The pieces of a text, arrays of equal length (n,).

    ``ids`` are numbers of the vocabulary, ``shapes`` and ``gaps`` indices of ``SHAPES`` and ``GAPS``. ``starts`` and
    ``ends`` are half-open bounds in characters, and ``words`` says which pieces belong to one word.
    """

    ids: NDArray[np.int32]
    shapes: NDArray[np.int8]
    gaps: NDArray[np.int8]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    words: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)


def pieces_of(tokenizer: Tokenizer, texts: list[str]) -> list[Pieces]:
    """Return the pieces of each text, without the pieces that frame an input."""
    whole = [text.encode("utf-8", "replace").decode() for text in texts]  # halves of a surrogate pair are no text
    encodings = tokenizer.encode_batch(whole, add_special_tokens=False)
    return [_read(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]


def _read(text: str, encoding: Encoding) -> Pieces:
    bounds = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
    words = np.asarray(encoding.word_ids, dtype=np.int32)
    starts, ends = bounds[:, 0], bounds[:, 1]
    first = np.flatnonzero(np.diff(words, prepend=-1))
    last = np.append(first[1:], len(words))[: len(first)] - 1  # a text may have no word
    shapes, gaps = np.empty(len(first), dtype=np.int8), np.empty(len(first), dtype=np.int8)
    before = 0
    for index, (start, end) in enumerate(zip(starts[first].tolist(), ends[last].tolist(), strict=True)):
        shapes[index] = shape_of(text[start:end])
        gaps[index] = gap_of(text[before:start]) if start > before else _GAP["none" if start else "paragraph"]
        before = max(before, end)
    lengths = np.diff(np.append(first, len(words)))
    shapes, gaps = np.repeat(shapes, lengths), np.repeat(gaps, lengths)
    inside = np.ones(len(words), dtype=bool)
    inside[first] = False
    gaps[inside] = _GAP["none"]
    return Pieces(np.asarray(encoding.ids, dtype=np.int32), shapes, gaps, starts, ends, words)


@lru_cache(maxsize=1 << 15)
def shape_of(word: str) -> int:
    """Return the index in ``SHAPES`` of the shape of ``word``."""
    if word.isalpha():
        return _SHAPE[_case_of(word)]
    if word.isdigit():
        return _SHAPE["digits"]
    if any(character.isdigit() for character in word):
        return _SHAPE["digits and letters"]
    letters = "".join(character for character in word if character.isalpha())
    return _SHAPE[_case_of(letters) if letters else "sign"]


def _case_of(letters: str) -> str:
    if letters.islower():
        return "lower"
    if letters.isupper():
        return "capital" if len(letters) == 1 else "capitals"
    if letters.istitle() or (letters[0].isupper() and letters[1:].islower()):
        return "title"
    return "mixed case" if letters.lower() != letters.upper() else "other"


def gap_of(between: str) -> int:
    """Return the index in ``GAPS`` of what stands between two words."""
    lines = between.count("\n") + between.count("\r") - between.count("\r\n")
    if lines:
        return _GAP["line" if lines == 1 else "paragraph"]
    if "\t" in between or len(between) > 1:
        return _GAP["wide"]
    return _GAP["blank" if between else "none"]

"""Texts going in and texts going out.

The types keep the private side and the public side apart: a :class:`Document` and its :class:`Spans` are
private; a :class:`Release` holds only what an attacker may see (the released text, the labels and bounds of the
places that were replaced), so nothing computed from a release can look back at a private token.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from operator import eq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError

WORD = "WORD"
GAP_END = 16
CODEC = f"utf-32-{sys.byteorder[0]}e"
"""Four bytes a code point, in the order of this machine; use it with ``surrogatepass``."""
_BETWEEN = "\n"
_LONE = re.compile(r"[\ud800-\udfff]")

Codes = NDArray[np.uint32]
IntArray = NDArray[np.int64]


class Span(NamedTuple):
    """Half-open character offsets ``[start, end)`` into a text, with a label; what a detector finds."""

    start: int
    end: int
    label: str = WORD


class Finding(NamedTuple):
    """A span with what its finder says of it.

    ``score`` is how sure the finder is, from 0 to 1 on its own scale, or None where it does not say.
    """

    start: int
    end: int
    label: str = WORD
    score: float | None = None
    finder: str = ""


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of one document, in reading order and disjoint, stored by column.

    ``labels`` is one label for all of them, or a label each.
    """

    bounds: Sequence[tuple[int, int]]
    labels: str | Sequence[str] = WORD

    def __len__(self) -> int:
        return len(self.bounds)

    def __iter__(self) -> Iterator[Span]:
        for (start, end), label in zip(self.bounds, self.each_label(), strict=True):
            yield Span(start, end, label)

    def each_label(self) -> Sequence[str]:
        """A label for every span."""
        return [self.labels] * len(self.bounds) if isinstance(self.labels, str) else self.labels

    @classmethod
    def of(cls, spans: Iterable[Span | Finding]) -> Spans:
        """Return ``spans``, which are in reading order and disjoint, by column."""
        listed = list(spans)
        return cls([(span.start, span.end) for span in listed], [span.label for span in listed])

    @classmethod
    def checked(cls, spans: Sequence[Span], length: int, place: str) -> Spans:
        """Sort ``spans`` and refuse those that overlap, are empty, or lie outside a text of ``length``.

        ``place`` opens the error: where the spans stand, not whose they are. Raises :class:`InputError`.
        """
        ordered = sorted(spans)
        end_before = 0
        for number, span in enumerate(ordered):
            if not (0 <= span.start < span.end <= length):
                raise InputError(
                    f"{place}: span {number} ({span.start}, {span.end}) is empty or lies outside the text of "
                    f"{length} characters; correct the offsets (half-open, in characters)."
                )
            if span.start < end_before:
                raise InputError(
                    f"{place}: span {number} ({span.start}, {span.end}) overlaps the span before it; "
                    "merge the two or keep one."
                )
            end_before = span.end
        return cls.of(ordered)


def checked_bounds(spans: Spans, length: int, document: int | None = None) -> list[int]:
    """The bounds of what a detector found, end to end: start, end, start, end, ...

    Raises :class:`InputError` (about the document at the index ``document``) unless they are sorted, disjoint, not
    empty and inside a text of ``length``, with a label each: an overlap would release its text a second time.
    Costs 0.05 µs a span, so it is asked of every detector.
    """
    edges = list(chain.from_iterable(spans.bounds))
    fault = ""
    if len(edges) != 2 * len(spans.bounds):
        fault = "are not pairs of a start and an end"
    elif not isinstance(spans.labels, str) and len(spans.labels) != len(spans.bounds):
        fault = "are not as many as their labels"
    elif edges and (edges[0] < 0 or edges[-1] > length):
        fault = "do not lie inside the text"
    elif edges != sorted(edges):
        fault = "overlap or are not sorted"
    elif any(map(eq, edges[::2], edges[1::2])):
        fault = "hold an empty one"
    if fault:
        raise InputError(f"the spans found {fault}; correct the detector.", document)
    return edges


def readable(text: str) -> str:
    """Return ``text`` with U+FFFD in place of lone surrogates, which JSON can hold and no encoder reads.

    Every character keeps its place.
    """
    return _LONE.sub("\ufffd", text)


@dataclass(frozen=True, slots=True)
class Document:
    """One private text. ``id`` names it in errors and in the ledger; ``metadata`` holds the record's fields.

    ``origin`` holds the field and the id of the record that it was read from, where that was a file.
    """

    text: str
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    origin: tuple[str, ...] = field(default=(), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return its origin, else its id: what sets it apart from other texts of its data set, for keyed draws."""
        return self.origin or (self.id,)

    def __repr__(self) -> str:
        return f"Document(id={self.id!r}, {len(self.text)} characters)"


def records(documents: Sequence[Document]) -> list[range]:
    """Which ``documents``, by their numbers, belong to one record: neighbours that share their record's fields."""
    found: list[range] = []
    for number, document in enumerate(documents):
        before = documents[number - 1] if number else None
        if before is not None and document.metadata and document.metadata is before.metadata:
            found[-1] = range(found[-1].start, number + 1)
        else:
            found.append(range(number, number + 1))
    return found


class Replacement(NamedTuple):
    """One place that was replaced: offsets into the *released* text, its label and what was put in."""

    start: int
    end: int
    label: str
    output: str


def codes_of(text: str) -> Codes:
    """The code points of ``text``, lone surrogates among them."""
    return np.frombuffer(text.encode(CODEC, "surrogatepass"), dtype=np.uint32)


@dataclass(frozen=True, eq=False, repr=False)
class Marks:
    """The spans of many documents, by column.

    ``codes`` holds the documents' code points end to end with a line break before and after each; document d is
    ``codes[origins[d] : origins[d] + lengths[d]]`` and has ``counts[d]`` spans, sorted and disjoint. ``starts`` and
    ``ends`` (n,) are places in ``codes``. ``labels`` is one label for all spans, or the ``Spans.labels`` of each
    document.
    """

    codes: Codes
    origins: IntArray
    lengths: IntArray
    starts: IntArray
    ends: IntArray
    counts: IntArray
    labels: str | Sequence[str | Sequence[str]]

    @classmethod
    def of(cls, documents: Sequence[Document], spans: Sequence[Spans]) -> Marks:
        """The columns of ``spans``, a :class:`Spans` for each document.

        Raises :class:`InputError` where spans overlap, are empty or lie outside their document.
        """
        codes, origins, lengths = laid_end_to_end([document.text for document in documents])
        counts = np.array([len(one) for _, one in zip(documents, spans, strict=True)], dtype=np.int64)
        pairs = enumerate(zip(documents, spans, strict=True))
        edges = [
            edge for number, (document, one) in pairs for edge in checked_bounds(one, len(document.text), number)
        ]
        owners = np.repeat(np.arange(len(counts)), counts)
        starts, ends = (np.array(edges, dtype=np.int64).reshape(-1, 2) + origins[owners, None]).T.copy()
        return cls(codes, origins, lengths, starts, ends, counts, [one.labels for one in spans])


def laid_end_to_end(texts: Sequence[str]) -> tuple[Codes, IntArray, IntArray]:
    """The code points of ``texts`` with a line break before and after each, their origins and their lengths."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    origins = np.cumsum(lengths + len(_BETWEEN)) - lengths
    return codes_of(_BETWEEN.join(["", *texts, ""])), origins, lengths


@dataclass(frozen=True, slots=True)
class Release:
    """One sanitized text.

    ``bounds`` holds, replaced place after replaced place, where it starts and ends in ``text``; ``labels`` is one
    label for all places, or a label each. ``draws`` counts the random draws spent on the document.
    """

    id: str
    text: str
    bounds: Sequence[int] = field(repr=False)
    labels: str | Sequence[str]
    draws: int

    @classmethod
    def joined(cls, id: str, parts: Sequence[str], labels: str | Sequence[str], draws: int) -> Release:
        """The release made of ``parts``: text that was left as it stood (even places) and what was put in (odd)."""
        edges = list(accumulate(map(len, parts)))
        return cls(id, "".join(parts), array("q", edges[: len(parts) // 2 * 2]), labels, draws)

    @property
    def parts(self) -> tuple[str, ...]:
        """Text that was left as it stood (even places) and what was put in (odd places), in turns."""
        edges = [0, *self.bounds, len(self.text)]
        return tuple(self.text[start:end] for start, end in pairwise(edges))

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """Positions (in the released text), labels and outputs; never an original."""
        starts, ends = self.bounds[::2], self.bounds[1::2]
        labels = [self.labels] * len(starts) if isinstance(self.labels, str) else self.labels
        return tuple(
            Replacement(start, end, label, self.text[start:end])
            for start, end, label in zip(starts, ends, labels, strict=True)
        )


_STOPS, _CLOSERS, _OPENERS, _BULLETS = r".!?…", r"\"'”’)\]»", r"\"'“‘(\[«¿¡", r"#*>-"
_OPENS = re.compile(rf"(?:[{_STOPS}][{_CLOSERS}]*\s+|\n\s*)[{_OPENERS}]*$")
_FIRST = re.compile(rf"^[\s{_OPENERS}{_BULLETS}]*$")


def gap_characters() -> tuple[str, ...]:
    """What :func:`begins_sentence` tells apart: spaces, line breaks, openers, closers, stops, and what may lead."""
    classes = (r"\s", r"\n", _OPENERS, _CLOSERS, _STOPS, rf"\s{_OPENERS}{_BULLETS}")
    every = "".join(map(chr, range(0x3001)))  # the last space is U+3000
    return tuple("".join(re.findall(f"[{characters}]", every)) for characters in classes)


@lru_cache(maxsize=4096)
def begins_sentence(released_gap: str, first: bool) -> bool:
    """Whether what follows ``released_gap`` begins a sentence: the public rule for the case of an output.

    ``first`` says that the gap opens the text. Only text that is released anyway is looked at, and of a long
    gap only its end.
    """
    end = released_gap[-GAP_END:]
    return bool((first and _FIRST.match(end)) or _OPENS.search(end))


def capitalised(output: str) -> str:
    """``output`` with an upper-case first letter, for the start of a sentence.

    Every other output keeps the vocabulary's own spelling. The case of the private word is not an argument, so it
    cannot be copied.
    """
    return output[:1].upper() + output[1:]

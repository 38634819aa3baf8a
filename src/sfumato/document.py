"""Texts going in and texts going out.

The types keep the private side and the public side apart: a :class:`Document` and its :class:`Spans` are
private; a :class:`Release` holds only what an attacker may see (the parts of the released text, the labels of
the places that were replaced), so nothing computed from a release can look back at a private token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from operator import eq
from typing import Any, NamedTuple

from sfumato.errors import InputError

WORD = "WORD"
_GAP_END = 16


class Span(NamedTuple):
    """Half-open character offsets ``[start, end)`` into a text, with a label; what a detector finds."""

    start: int
    end: int
    label: str = WORD


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
        return cls([(s.start, s.end) for s in ordered], [s.label for s in ordered])


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
        raise InputError(f"the spans found {fault}; correct the detector, nothing was released.", document)
    return edges


@dataclass(frozen=True, slots=True)
class Document:
    """One private text. ``id`` names it in errors and in the ledger; ``metadata`` holds the record's fields."""

    text: str
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Document(id={self.id!r}, {len(self.text)} characters)"


class Replacement(NamedTuple):
    """One place that was replaced: offsets into the *released* text, its label and what was put in."""

    start: int
    end: int
    label: str
    output: str


@dataclass(frozen=True, slots=True)
class Release:
    """One sanitized text.

    ``parts`` alternates between text that was left as it stood (even places) and what was put in (odd places);
    ``labels`` names the label of each replaced place. ``draws`` counts the random draws spent on the document.
    """

    id: str
    parts: Sequence[str]
    labels: str | Sequence[str]
    draws: int

    @property
    def text(self) -> str:
        """The released text."""
        return "".join(self.parts)

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """Positions (in the released text), labels and outputs; never an original."""
        found: list[Replacement] = []
        at = 0
        for number, part in enumerate(self.parts):
            if number % 2:
                label = self.labels if isinstance(self.labels, str) else self.labels[number // 2]
                found.append(Replacement(at, at + len(part), label, part))
            at += len(part)
        return tuple(found)


_OPENS = re.compile(r"(?:[.!?…][\"'”’)\]»]*\s+|\n\s*)[\"'“‘(\[«¿¡]*$")
_FIRST = re.compile(r"^[\s\"'“‘(\[«¿¡#*>-]*$")


@lru_cache(maxsize=4096)
def begins_sentence(released_gap: str, first: bool) -> bool:
    """Whether what follows ``released_gap`` begins a sentence: the public rule for the case of an output.

    ``first`` says that the gap opens the text. Only text that is released anyway is looked at, and of a long
    gap only its end.
    """
    end = released_gap[-_GAP_END:]
    return bool((first and _FIRST.match(end)) or _OPENS.search(end))


def capitalised(output: str) -> str:
    """``output`` with an upper-case first letter, for the start of a sentence.

    Every other output keeps the vocabulary's own spelling. The case of the private word is not an argument, so it
    cannot be copied.
    """
    return output[:1].upper() + output[1:]

"""Texts going in and texts going out.

The types keep the private side and the public side apart: a :class:`Document` and its :class:`Spans` are
private; a :class:`Release` holds only what an attacker may see (the released text, the labels and bounds of the
places that were replaced), so nothing computed from a release can look back at a private token.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

_LONE = re.compile(r"[\ud800-\udfff]")


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

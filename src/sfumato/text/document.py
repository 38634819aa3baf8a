"""Private texts and released texts.

The types keep the private side and the public side apart. A :class:`Document` and its :class:`Spans` are private. A
:class:`Release` holds only what an attacker may see: the released text, and the labels and bounds of the spans that
were replaced. So nothing computed from a release can look back at a private token.
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
    """Return ``text`` with U+FFFD instead of each lone surrogate, which JSON can hold and no encoder reads.

    Every character keeps its offset.
    """
    return _LONE.sub("\ufffd", text)


@dataclass(frozen=True, slots=True)
class Document:
    """One private text. ``id`` names it in errors and in the ledger; ``metadata`` holds the record's fields.

    ``origin`` holds the field and the id of the record that the text was read from. It is empty for a text from no
    file.
    """

    text: str
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    origin: tuple[str, ...] = field(default=(), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the origin, or the id if there is no origin.

        The names set this text apart from the other texts of its data set, for keyed draws.
        """
        return self.origin or (self.id,)

    def __repr__(self) -> str:
        return f"Document(id={self.id!r}, {len(self.text)} characters)"


def records(documents: Sequence[Document]) -> list[range]:
    """Return the indices of the ``documents`` of each record: neighbours that share their record's fields."""
    groups: list[range] = []
    for number, document in enumerate(documents):
        before = documents[number - 1] if number else None
        if before is not None and document.metadata and document.metadata is before.metadata:
            groups[-1] = range(groups[-1].start, number + 1)
        else:
            groups.append(range(number, number + 1))
    return groups


class Replacement(NamedTuple):
    """One replaced span: offsets into the *released* text, the span's label and the output."""

    start: int
    end: int
    label: str
    output: str


@dataclass(frozen=True, slots=True)
class Release:
    """One sanitized text.

    ``bounds`` holds the start and the end of each replaced span in ``text``, in reading order. ``labels`` is one
    label for all spans, or one label for each. ``draws`` counts the random draws spent on the document.
    """

    id: str
    text: str
    bounds: Sequence[int] = field(repr=False)
    labels: str | Sequence[str]
    draws: int

    @classmethod
    def joined(cls, id: str, parts: Sequence[str], labels: str | Sequence[str], draws: int) -> Release:
        """Return the release made of ``parts``: text that was kept (even indices) and outputs (odd indices)."""
        edges = list(accumulate(map(len, parts)))
        return cls(id, "".join(parts), array("q", edges[: len(parts) // 2 * 2]), labels, draws)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return text that was kept (even indices) and outputs (odd indices), in turns."""
        edges = [0, *self.bounds, len(self.text)]
        return tuple(self.text[start:end] for start, end in pairwise(edges))

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """Return positions (in the released text), labels and outputs; never an original."""
        starts, ends = self.bounds[::2], self.bounds[1::2]
        labels = [self.labels] * len(starts) if isinstance(self.labels, str) else self.labels
        return tuple(
            Replacement(start, end, label, self.text[start:end])
            for start, end, label in zip(starts, ends, labels, strict=True)
        )

"""Records of JSON Lines, written again with other values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from json.encoder import encode_basestring
from typing import ClassVar

from sfumato.files.source import (
    Chunk,
    as_json,
    spans_as_json,
)
from sfumato.text.document import Release

SPANS = -1
ALONE: tuple[int, ...] = (0,)
"""The order of a record whose one text is all that is exchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLinesChunk(Chunk):
    """Documents with what stands around the exchanged values of each line.

    ``frames`` holds for every record the pieces of its line between the exchanged values; ``order`` says for
    every record which value stands at each gap: the number of a text of it, or -1 for the spans. ``tail``
    holds blank lines after the last record. ``lines`` are the lines as they came in, where a record may still have to
    be set aside.
    """

    per_record: ClassVar[tuple[str, ...]] = ("frames", "order", "lines")

    frames: list[list[str]]
    order: list[tuple[int, ...]]
    lines: list[bytes]
    tail: str

    def render(self, releases: Sequence[Release]) -> bytes:
        """The lines with the released texts (and spans) in place of the private ones."""
        if len(releases) == len(self.order) and self.order.count(ALONE) == len(self.order):
            try:
                return self._columns(releases).encode()
            except UnicodeEncodeError:  # a lone surrogate
                pass
        pieces: list[str] = []
        for frame, order, (first, end) in zip(self.frames, self.order, pairwise(self.edges), strict=True):
            own = releases[first:end]
            for piece, place in zip(frame, order, strict=False):
                pieces.append(piece)
                pieces.append(as_json(own[place].text) if place >= 0 else _spans(own))
            pieces.append(frame[-1])
        pieces.append(self.tail)
        return "".join(pieces).encode()

    def _columns(self, releases: Sequence[Release]) -> str:
        """Return the same, of records with one text each, in a third of the time."""
        pieces = [""] * (3 * len(releases))
        pieces[0::3] = [frame[0] for frame in self.frames]
        pieces[1::3] = [encode_basestring(release.text) for release in releases]
        pieces[2::3] = [frame[1] for frame in self.frames]
        return "".join([*pieces, self.tail])

    def raw(self, record: int) -> bytes:
        """The line as it came in."""
        return self.lines[record]


def _spans(releases: Sequence[Release]) -> str:
    """The released spans of a record, which has one text or none."""
    return spans_as_json(releases[0]) if releases else "[]"

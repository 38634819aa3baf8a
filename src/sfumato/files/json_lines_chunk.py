"""Records of JSON Lines: many lines read at once, and records written again with other values.

Lines that hold one text each in an outermost field, written as programs write it, are read as columns, in a third of
the time that they take one by one. They are read so only where nothing is left open; the reader of single lines has
the rest, and every refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, ClassVar

import orjson

from sfumato.files.json_text import DEEPEST
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


LINES = 512
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+")
_LONG = re.compile(r"\d{19}")
_ESCAPED_ASCII = re.compile(r"\\u00[2-7]")
_WRITERS: tuple[Callable[[str], str], ...] = (encode_basestring_ascii, encode_basestring)


@dataclass(frozen=True, slots=True)
class Block:
    """The records of some lines: fields, texts, ids if they have some, and what stands around each text."""

    records: list[dict[str, Any]]
    texts: list[str]
    ids: list[Any] | None
    frames: list[list[str]]


@dataclass(frozen=True, slots=True)
class BlockReader:
    """Reads blocks of lines with the text in the field ``key`` and the id, if any, in ``id_key``."""

    key: str
    id_key: str | None

    def read(self, lines: Sequence[bytes]) -> Block | None:
        """Return what ``lines`` hold; None if one of them must be read by itself.

        A key that is in a line once, quotation marks included, and that no escape can spell, is that of the
        outermost object if the object has it: inside a string, a quotation mark follows a backslash. So the text is
        what stands behind it, and nothing else has to be found.
        """
        names = [self.key] if self.id_key is None else [self.key, self.id_key]
        if not all(map(_PLAIN_NAME.fullmatch, names)):
            return None
        try:
            together = b"".join(lines).decode()
            records = [orjson.loads(line) for line in lines]
        except (UnicodeDecodeError, orjson.JSONDecodeError):  # or JSON that it does not know
            return None
        try:
            texts = [record[self.key] for record in records]
            ids = None if self.id_key is None else [record[self.id_key] for record in records]
        except (KeyError, TypeError):
            return None
        if set(map(type, records)) != {dict} or set(map(type, texts)) != {str}:
            return None
        if "\\u00" in together and _ESCAPED_ASCII.search(together):
            return None
        if any(together.count(f'"{name}"') != len(lines) for name in names):  # each line has each of them
            return None
        written = [line.decode() for line in lines]
        if together.count("[") + together.count("{") - len(lines) >= DEEPEST and any(
            line.count("[") + line.count("{") > DEEPEST for line in written
        ):
            return None
        if float in set(map(type, chain.from_iterable(map(dict.values, records)))) and any(
            map(_LONG.search, written)
        ):
            return None  # a whole number of so many digits is read as another number
        frames = self._frames(written, texts)
        return None if frames is None else Block(records, texts, ids, frames)

    def _frames(self, lines: Sequence[str], texts: Sequence[str]) -> list[list[str]] | None:
        """Return what stands before and behind the text of each line; None if one is written in another way."""
        for space in (" ", ""):
            opening = f'"{self.key}":{space}'
            if opening not in lines[0]:
                continue
            for writer in _WRITERS:
                cuts = [
                    line.partition(f'{opening}"{text}"' if "\\" not in line else opening + writer(text))
                    for line, text in zip(lines, texts, strict=True)
                ]
                if all(cut[1] for cut in cuts):
                    return [[head + opening, tail] for head, _, tail in cuts]
        return None

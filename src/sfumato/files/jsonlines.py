"""JSON Lines: only the raw strings of the text fields are exchanged, every other byte of a line stays."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from sfumato.errors import ConfigurationError, InputError
from sfumato.files import json_paths
from sfumato.files.json_paths import MISSING, Place, Steps
from sfumato.files.json_text import Part, scan_object
from sfumato.files.options import FileOptions, no_field_to_keep
from sfumato.files.reading import InputFile
from sfumato.files.source import (
    Chunk,
    Intake,
    RecordError,
    Source,
    Texts,
    documents_of,
    names_shown,
    spans_as_json,
)
from sfumato.text.document import Document, Release

_encode = json.JSONEncoder(ensure_ascii=False).encode
_SPANS = -1
_FIRST: tuple[int, ...] = (0,)


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
        pieces: list[str] = []
        for frame, order, (first, end) in zip(self.frames, self.order, pairwise(self.edges), strict=True):
            own = releases[first:end]
            for piece, place in zip(frame, order, strict=False):
                pieces.append(piece)
                pieces.append(_json_string(own[place].text) if place >= 0 else _spans(own))
            pieces.append(frame[-1])
        pieces.append(self.tail)
        return "".join(pieces).encode()

    def raw(self, record: int) -> bytes:
        """The line as it came in."""
        return self.lines[record]


def _json_string(text: str) -> str:
    """``text`` as a JSON string.

    Whether it is escaped depends on the released text alone: following the style of the private line would
    tell whether that line held a letter outside ASCII.
    """
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold only as an escape
        return json.dumps(text)
    return _encode(text)


def _spans(releases: Sequence[Release]) -> str:
    """The released spans of a record, which has one text or none."""
    return spans_as_json(releases[0]) if releases else "[]"


class JsonLinesSource(Source):
    """A .jsonl file: one JSON object a line. Blank lines are kept and are no records."""

    kind = "jsonl"

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, options)
        _Fields(options)  # refuses what is not a path before the file is read

    def chunks(self) -> Iterator[JsonLinesChunk]:
        """Chunks of lines."""
        if self.options.missing == "pass":
            self._check_names()
        intake = Intake(self.options, self.name)
        reader = _LineReader(self.options, intake)
        with InputFile(self.path, self.options.encoding) as file:
            chunk = self._empty(0, file.bom)
            lead = ""
            characters = 0
            index = -1
            for number, line in enumerate(file.lines(), 1):
                if line.isspace():
                    lead += line.decode()
                    continue
                index += 1
                try:
                    characters += reader.read(line, lead, index, chunk)
                    chunk.places.append(number)
                    lead = ""
                except RecordError as error:
                    intake.refuse(number, str(error), line)
                if intake.full(len(chunk.places), characters):
                    reader.check_kept(chunk)
                    yield self._closed(chunk, intake, file, "")
                    chunk, characters = self._empty(chunk.number + 1, b""), 0
            if chunk.places or intake.bad or lead or chunk.number == 0:
                reader.check_kept(chunk)
                yield self._closed(chunk, intake, file, lead)

    def _check_names(self) -> None:
        """Refuse a field in which no record has a text, where records without it pass: its name is misspelt.

        Asked before the first record is handed on, as what was not replaced must not be kept anywhere.
        """
        fields, left, records = _Fields(self.options), dict.fromkeys(self.options.fields), 0
        with InputFile(self.path, self.options.encoding) as file:
            for line in file.lines():
                records += not line.isspace()
                for name in [name for name in left if fields.has_text(line, name)]:
                    del left[name]
                if not left:
                    return
        if records:
            raise InputError(
                f"{self.name}: no record has the field {next(iter(left))!r} with a text in it; correct its name, or "
                "leave out --missing pass."
            )

    def _empty(self, number: int, head: bytes) -> JsonLinesChunk:
        return JsonLinesChunk(
            number=number,
            file=self.name,
            fields=self.options.fields,
            documents=[],
            texts=[],
            places=[],
            frames=[],
            order=[],
            lines=[],
            bad=[],
            done=0,
            head=head,
            tail="",
        )

    def _closed(self, chunk: JsonLinesChunk, intake: Intake, file: InputFile, tail: str) -> JsonLinesChunk:
        return replace(chunk, bad=intake.give_bad(), done=file.position(), tail=tail)


class _Fields:
    """Where the texts, the id and the spans of a record are, by the paths that name them."""

    def __init__(self, options: FileOptions) -> None:
        self.texts: dict[str, Steps] = {name: json_paths.parsed(name) for name in options.fields}
        self.others: dict[str, Steps] = {
            name: json_paths.parsed(name) for name in (options.id_field, options.spans_field) if name is not None
        }
        every = [*self.texts.values(), *self.others.values()]
        if len(set(every)) < len(every):
            raise ConfigurationError("Two names of fields lead to one value; name each field once.")
        if any(None in steps for steps in self.others.values()):
            raise ConfigurationError("The id and the spans of a record are one value; give a path without [].")
        self.first = frozenset(str(steps[0]) for steps in every)
        plain = options.spans_field is None and len(self.texts) == 1 and all(len(steps) == 1 for steps in every)
        self.plain = str(every[0][0]) if plain else None
        self.plain_id = str(every[1][0]) if plain and len(every) > 1 else None
        kept = None if options.keep is None else [*every, *map(json_paths.parsed, options.keep)]
        self.kept = None if kept is None else json_paths.tree(kept)

    def only_kept(self, line: str, record: dict[str, Any], end: int) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return the ``line`` of ``record`` with what stays alone, and where the outermost values stand in it."""
        assert self.kept is not None  # asked only where not everything stays
        left = json_paths.pruned(line, Part("", record, 0, 0, end), self.kept)
        text = f"{left}{line[len(line.rstrip()) :]}"
        return text, scan_object(text, self.first)[1]

    def has_text(self, line: bytes, name: str) -> bool:
        """Whether the record on ``line`` has a text in the field ``name``; not if it cannot be read."""
        try:
            text = line.decode()
            record, ranges, _ = scan_object(text, self.first)
            return any(isinstance(place.value, str) for place in self.places(text, record, ranges, self.texts[name]))
        except (UnicodeDecodeError, RecordError):
            return False

    def places(
        self, line: str, record: dict[str, Any], ranges: dict[str, tuple[int, int]], steps: Steps
    ) -> list[Place]:
        """Return the values that ``steps`` lead to in ``record``, whose outermost values stand at ``ranges``."""
        key = str(steps[0])
        name = json_paths.written(key)
        if key not in ranges:
            return [Place("", -1, -1, MISSING)]
        start, end = ranges[key]
        return list(json_paths.places(line, Part(key, record[key], start, start, end), steps[1:], name))


class _LineReader:
    """Turns one line into documents and the frame around their values."""

    def __init__(self, options: FileOptions, intake: Intake) -> None:
        self._options = options
        self._intake = intake
        self._fields = _Fields(options)
        self._keep_originals = options.on_error == "quarantine"
        self._usual = Texts(options.fields)

    def read(self, line: bytes, lead: str, index: int, chunk: JsonLinesChunk) -> int:
        """Add the record on ``line`` to ``chunk``; returns its number of characters."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise RecordError(f"the line is {self._options.not_valid}") from None
        fields = self._fields
        record, ranges, end = scan_object(text, fields.first)
        if end != len(text):
            raise RecordError("something follows the JSON object on its line")
        if fields.kept is not None:
            for steps in fields.texts.values():  # what is no path of this record is refused before it is cut away
                fields.places(text, record, ranges, steps)
            text, ranges = fields.only_kept(text, record, end)
        original = lead.encode() + line if self._keep_originals else b""
        if fields.plain is not None and isinstance(value := record.get(fields.plain), str):
            identity = str(index)
            if fields.plain_id is not None:
                if fields.plain_id not in record:
                    raise self._missing(str(self._options.id_field), record, index)
                identity = self._intake.checked_id(record[fields.plain_id])
            start, end = ranges[fields.plain]
            chunk.documents.append(Document(value, identity, record, (self._options.fields[0], identity)))
            frame, order, texts, size = [lead + text[:start], text[end:]], _FIRST, self._usual, len(value)
        else:
            frame, order, texts, size = self._taken(text, lead, record, ranges, index, chunk)
        chunk.frames.append(frame)
        chunk.order.append(order)
        chunk.texts.append(texts)
        chunk.lines.append(original)
        return size

    def _taken(
        self,
        line: str,
        lead: str,
        record: dict[str, Any],
        ranges: dict[str, tuple[int, int]],
        index: int,
        chunk: JsonLinesChunk,
    ) -> tuple[list[str], tuple[int, ...], Texts, int]:
        """Add the documents of the record; the answer is frame, order and texts of it, and how long the texts are."""
        fields, options = self._fields, self._options
        there: list[Place] = []
        absent = 0
        for name, steps in fields.texts.items():
            for place in fields.places(line, record, ranges, steps):
                if self._is_text(place, name, record, index):
                    there.append(place)
                else:
                    absent += 1
        exchanged = [(place.start, place.end, number) for number, place in enumerate(there)]
        identity = str(index)
        for name, steps in fields.others.items():
            (place,) = fields.places(line, record, ranges, steps)
            if place.value is MISSING:
                raise self._missing(name, record, index)
            if name == options.id_field:
                identity = self._intake.checked_id(place.value)
            else:
                record[name] = place.value  # where a detector looks for it
                exchanged.append((place.start, place.end, _SPANS))
        texts = Texts(tuple(place.name for place in there), absent)
        values = [place.value for place in there]
        chunk.documents.extend(documents_of(identity, texts.places, values, record, options.one_text))
        exchanged.sort()
        return _frame(line, exchanged, lead), tuple(slot for _, _, slot in exchanged), texts, sum(map(len, values))

    def _is_text(self, place: Place, name: str, record: dict[str, Any], index: int) -> bool:
        """Whether there is a text, or else None or nothing. Raises RecordError where that may not be."""
        if isinstance(place.value, str):
            return True
        if place.value is MISSING and self._options.missing == "stop":
            raise self._missing(place.name or name, record, index, "--missing pass lets such records through")
        if place.value is not None and place.value is not MISSING:
            raise RecordError(f"the field {place.name!r} is not a string")
        return False

    def _missing(self, name: str, record: dict[str, Any], index: int, way_out: str = "") -> RecordError:
        """That a field is missing; in the first record, where a misspelt name shows at once, with the usual ones."""
        shown = names_shown(name, list(record)) if index == 0 else None
        note = f"among those there: {shown}" if shown else way_out if self._options.adjustable else ""
        return RecordError(f"the field {name!r} is missing" + (f" ({note})" if note else ""))

    def check_kept(self, chunk: JsonLinesChunk) -> None:
        """Refuse a name to keep that no record of the first chunk has, where one is near to it: it is misspelt.

        Others may be of records that come later.
        """
        if chunk.number or not self._options.others_kept:
            return
        names = {name for document in chunk.documents for name in document.metadata}
        for wanted in self._options.others_kept:
            first = str(json_paths.parsed(wanted)[0])
            if first not in names and difflib.get_close_matches(first, names, n=1, cutoff=0.7):
                raise no_field_to_keep(wanted)


def _frame(text: str, places: list[tuple[int, int, int]], lead: str) -> list[str]:
    """The pieces of ``text`` around the values at ``places``."""
    pieces: list[str] = []
    at = 0
    for start, end, _ in places:
        pieces.append(lead + text[at:start])
        lead = ""
        at = end
    pieces.append(lead + text[at:])
    return pieces

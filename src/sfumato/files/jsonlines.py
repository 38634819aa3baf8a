"""JSON Lines: only the raw strings of the text fields are exchanged, every other byte of a line stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from sfumato.errors import InputError
from sfumato.files.json_lines_chunk import ALONE, LINES, SPANS, BlockReader, JsonLinesChunk
from sfumato.files.json_paths import MISSING, JsonFields, Place, check_kept
from sfumato.files.json_text import scan_object
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile
from sfumato.files.source import (
    Intake,
    RecordError,
    Source,
    Texts,
    documents_of,
    names_shown,
)
from sfumato.runtime import search_paused
from sfumato.text.document import Document


class JsonLinesSource(Source):
    """A .jsonl file: one JSON object a line. Blank lines are kept and are no records."""

    kind = "jsonl"

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, options)
        JsonFields(options)  # refuses what is not a path before the file is read

    def tasks(self) -> Iterator[JsonLinesChunk]:
        """The chunks. Raises ConfigurationError for a field to keep that no record has."""
        check_kept([self.path], self.options)
        return self.chunks()

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
            number = 0
            lines = file.lines()
            while block := list(islice(lines, LINES)):
                if (
                    not lead
                    and (size := reader.read_block(block, number + 1, index + 1, chunk, characters)) is not None
                ):
                    characters, number, index = characters + size, number + len(block), index + len(block)
                    continue
                for line in block:
                    number += 1
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
                        yield self._closed(chunk, intake, file, "")
                        chunk, characters = self._empty(chunk.number + 1, b""), 0
            if chunk.places or intake.bad or lead or chunk.number == 0:
                yield self._closed(chunk, intake, file, lead)

    def _check_names(self) -> None:
        """Refuse a field in which no record has a text, where records without it pass: its name is misspelt.

        Asked before the first record is handed on, as what was not replaced must not be kept anywhere.
        """
        fields, left, records = JsonFields(self.options), dict.fromkeys(self.options.fields), 0
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


class _LineReader:
    """Turns one line into documents and the frame around their values."""

    def __init__(self, options: FileOptions, intake: Intake) -> None:
        self._options = options
        self._intake = intake
        self._fields = JsonFields(options)
        self._keep_originals = options.on_error == "quarantine"
        self._usual = Texts(options.fields)
        plain, id_key = self._fields.plain, self._fields.plain_id
        self._blocks = BlockReader(plain, id_key) if plain is not None and options.keep is None else None

    def read_block(
        self, lines: list[bytes], number: int, index: int, chunk: JsonLinesChunk, before: int
    ) -> int | None:
        """Add the records on ``lines`` to ``chunk``, which holds so many characters ``before``, and return theirs.

        The first is line ``number`` and record ``index``. Return None, with nothing done, where one must be read by
        itself, and where the chunk would be full.
        """
        if self._blocks is None:
            return None
        with search_paused():
            block = self._blocks.read(lines)
            if block is None:
                return None
            lengths = list(map(len, block.texts))
            size = sum(lengths)
            if self._intake.full(len(chunk.places) + len(lines), before + size):
                return None
            if block.ids is None:
                ids: list[str] | None = list(map(str, range(index, index + len(lines))))
            else:
                ids = self._intake.new_ids(block.ids)
            if ids is None:
                return None
            [field] = self._options.fields
            origins = [(field, identity) for identity in ids]
            chunk.documents.extend(Document.several(block.texts, ids, block.records, origins))
            chunk.passing.note_all(len(chunk.frames), block.records, lengths, self._fields.first)
            chunk.places.extend(range(number, number + len(lines)))
            chunk.frames.extend(block.frames)
            chunk.order.extend([ALONE] * len(lines))
            chunk.texts.extend([self._usual] * len(lines))
            chunk.lines.extend(lines if self._keep_originals else [b""] * len(lines))
            return size

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
        passing = fields.passing(record)  # before what is inside is laid beside it for a detector
        original = lead.encode() + line if self._keep_originals else b""
        if fields.plain is not None and isinstance(value := record.get(fields.plain), str):
            identity = str(index)
            if fields.plain_id is not None:
                if fields.plain_id not in record:
                    raise self._missing(str(self._options.id_field), record, index)
                identity = self._intake.checked_id(record[fields.plain_id])
            start, end = ranges[fields.plain]
            chunk.documents.append(Document(value, identity, record, (self._options.fields[0], identity)))
            frame, order, texts, size = [lead + text[:start], text[end:]], ALONE, self._usual, len(value)
        else:
            frame, order, texts, size = self._taken(text, lead, record, ranges, index, chunk)
        chunk.passing.note(len(chunk.frames), passing, size, fields.kept is not None, fields.first)
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
                if name == options.spans_field:
                    raise RecordError(f"the field {name!r} is missing; {options.reads_spans}")
                raise self._missing(name, record, index)
            if name == options.id_field:
                identity = self._intake.checked_id(place.value)
            else:
                record[name] = place.value  # where a detector looks for it
                exchanged.append((place.start, place.end, SPANS))
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
        """Return the error for a missing field.

        In the first record, where a misspelt name shows at once, it says how many fields there are and quotes those
        that :func:`names_shown` allows: other keys may be names of people.
        """
        shown = names_shown(name, list(record)) if index == 0 else None
        fields = f"the record has {len(record):,} {'field' if len(record) == 1 else 'fields'}"
        hints = [f"is the name misspelt? {fields}" + (f", among them {shown}" if shown else "")] if index == 0 else []
        if self._options.adjustable:
            hints += [self._options.names_text] if index == 0 and name in self._fields.texts else []
            hints += [way_out] if way_out and not shown else []
        return RecordError(f"the field {name!r} is missing" + (f" ({'; '.join(hints)})" if hints else ""))


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

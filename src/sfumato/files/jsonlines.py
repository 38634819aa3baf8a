"""JSON Lines: only the raw strings of the text fields are exchanged, every other byte of a line stays."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]
from typing import Any, ClassVar

from sfumato.document import Document, Release
from sfumato.files.options import FileOptions, no_field_to_keep
from sfumato.files.reading import NOT_UTF8, InputFile
from sfumato.files.source import Chunk, Intake, RecordError, Source, documents_of, names_shown, spans_as_json

_scan_string: Callable[[str, int, bool], tuple[str, int]] = scanstring
_scan_value: Callable[[str, int], tuple[Any, int]] = JSONDecoder().scan_once  # type: ignore[attr-defined]
_OPENING = re.compile(r"[ \t\r\n]*\{[ \t\r\n]*")
_PLAIN_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\r\n]*:[ \t\r\n]*')
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_MARK = re.compile(r"[ \t\r\n]*([,}])[ \t\r\n]*")
_encode = json.JSONEncoder(ensure_ascii=False).encode
_FIRST = (0,)
NOT_JSON = "the line is not valid JSON"
NOT_OBJECT = "the line is not a JSON object"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLinesChunk(Chunk):
    """Documents with what stands around the exchanged values of each line.

    ``frames`` holds for every record the pieces of its line between the exchanged values; ``order`` says for
    every record which value stands at each gap: the place of a text field, or -1 for the spans. ``tail``
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
        width = len(self.fields)
        for record, (frame, order) in enumerate(zip(self.frames, self.order, strict=True)):
            for piece, place in zip(frame, order, strict=False):
                pieces.append(piece)
                release = releases[record * width + max(place, 0)]
                pieces.append(_json_string(release.text) if place >= 0 else spans_as_json(release))
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


def scan_object(line: str, wanted: frozenset[str]) -> tuple[dict[str, Any], dict[str, tuple[int, int]], int]:
    """Read the JSON object at the start of ``line``.

    Returns its fields, the character ranges of the values of the ``wanted`` fields, and where the object
    ends. Raises RecordError, without content, for anything else than one object, or a wanted field given
    twice.
    """
    fields: dict[str, Any] = {}
    ranges: dict[str, tuple[int, int]] = {}
    opening = _OPENING.match(line)
    if opening is None:
        raise RecordError(NOT_OBJECT if _is_json(line) else NOT_JSON)
    at = opening.end()
    if line[at : at + 1] == "}":
        return fields, ranges, len(line) if line[at + 1 :].isspace() else at + 1
    try:
        while True:
            key, start = _key(line, at)
            fields[key], at = _scan_value(line, start)
            if key in wanted:
                if key in ranges:
                    raise RecordError(f"the field {key!r} is given twice")
                ranges[key] = (start, at)
            mark = _MARK.match(line, at)
            if mark is None:
                raise RecordError(NOT_JSON)
            at = mark.end()
            if mark[1] == "}":
                return fields, ranges, at
    except (ValueError, StopIteration, RecursionError):
        raise RecordError(NOT_JSON) from None


def _key(line: str, at: int) -> tuple[str, int]:
    """The key that begins at ``at``, and where its value begins."""
    plain = _PLAIN_KEY.match(line, at)
    if plain is not None:
        return plain[1], plain.end()
    if line[at : at + 1] != '"':
        raise RecordError(NOT_JSON)
    key, at = _scan_string(line, at + 1, True)
    colon = _COLON.match(line, at)
    if colon is None:
        raise RecordError(NOT_JSON)
    return key, colon.end()


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


class JsonLinesSource(Source):
    """A .jsonl file: one JSON object a line. Blank lines are kept and are no records."""

    kind = "jsonl"

    def chunks(self) -> Iterator[JsonLinesChunk]:
        """Chunks of lines."""
        intake = Intake(self.options, self.name)
        reader = _LineReader(self.options, intake)
        with InputFile(self.path) as file:
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

    def _empty(self, number: int, head: bytes) -> JsonLinesChunk:
        return JsonLinesChunk(
            number=number,
            file=self.name,
            fields=self.options.fields,
            documents=[],
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
        self._fields = options.fields
        self._id_field = options.id_field
        self._keep_originals = options.on_error == "quarantine"
        self._wanted = frozenset(options.needed)
        exchanged = [(name, place) for place, name in enumerate(options.fields)]
        if options.spans_field is not None:
            exchanged.append((options.spans_field, -1))
        self._exchanged = exchanged
        self._only = options.fields[0] if len(exchanged) == 1 else None

    def read(self, line: bytes, lead: str, index: int, chunk: JsonLinesChunk) -> int:
        """Add the record on ``line`` to ``chunk``; returns its number of characters."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise RecordError(f"the line is {NOT_UTF8}") from None
        record, ranges, end = scan_object(text, self._wanted)
        if end != len(text):
            raise RecordError("something follows the JSON object on its line")
        if len(ranges) < len(self._wanted):
            missing = next(name for name in self._options.needed if name not in ranges)
            there = names_shown(missing, list(record)) if index == 0 else None  # a misspelt name shows at once
            raise RecordError(
                f"the field {missing!r} is missing" + (f" (among those there: {there})" if there else "")
            )
        texts = [record[name] for name in self._fields]
        if not all(isinstance(value, str) for value in texts):
            wrong = next(name for name in self._fields if not isinstance(record[name], str))
            raise RecordError(f"the field {wrong!r} is not a string")
        identity = str(index) if self._id_field is None else self._intake.checked_id(record[self._id_field])
        chunk.lines.append(lead.encode() + line if self._keep_originals else b"")
        if self._options.keep is not None:
            text = _without(text, self._options)
            _, ranges, _ = scan_object(text, self._wanted)
        if self._only is not None:  # the common case, without sorting
            start, end = ranges[self._only]
            chunk.frames.append([lead + text[:start], text[end:]])
            chunk.order.append(_FIRST)
            chunk.documents.append(Document(texts[0], identity, record, (self._fields[0], identity)))
            return len(texts[0])
        places = sorted((*ranges[name], place) for name, place in self._exchanged)
        chunk.frames.append(_frame(text, places, lead))
        chunk.order.append(tuple(place for _, _, place in places))
        chunk.documents.extend(documents_of(identity, self._fields, texts, record))
        return sum(map(len, texts))

    def check_kept(self, chunk: JsonLinesChunk) -> None:
        """Refuse a name to keep that no record of the first chunk has, where one is near to it: it is misspelt.

        Others may be of records that come later.
        """
        if chunk.number or not self._options.others_kept:
            return
        names = {name for document in chunk.documents for name in document.metadata}
        for wanted in self._options.others_kept:
            if wanted not in names and difflib.get_close_matches(wanted, names, n=1, cutoff=0.7):
                raise no_field_to_keep(wanted)


def _without(line: str, options: FileOptions) -> str:
    """The object on ``line``, which can be read, with the fields alone that stay, each as it is written."""
    members: list[str] = []
    before = _OPENING.match(line)
    while before is not None and before[0].strip() != "}":
        key, start = _key(line, before.end())
        _, end = _scan_value(line, start)
        if options.stays(key):
            members.append(line[before.end() : end])
        before = _MARK.match(line, end)
    return f"{{{', '.join(members)}}}{line[len(line.rstrip()) :]}"


def _frame(text: str, places: list[tuple[int, int, int]], lead: str) -> list[str]:
    """The pieces of ``text`` around the values at ``places``."""
    pieces: list[str] = []
    at = 0
    for start, end, _ in places:
        pieces.append(lead + text[at:start])
        lead = ""
        at = end
    pieces.append(text[at:])
    return pieces

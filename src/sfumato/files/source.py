"""What every format shares: the chunk, the source of chunks, and the intake that refuses bad records."""

from __future__ import annotations

import copy
import difflib
import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from sfumato.errors import InputError
from sfumato.files.kept_fields import KeptFields
from sfumato.files.options import FileOptions
from sfumato.text.document import Document, Release

T = TypeVar("T")
_encode = json.JSONEncoder(ensure_ascii=False).encode

_USUAL = frozenset({
    "abstract", "answer", "body", "comment", "content", "description", "document", "id", "label", "message", "note",
    "notes", "question", "record", "review", "sentence", "subject", "summary", "text", "title",
})  # fmt: skip


class RecordError(Exception):
    """One record cannot be read. The message is a reason without any of its content."""


def names_shown(wanted: str, names: Sequence[str]) -> str | None:
    """Which of ``names`` may be quoted where ``wanted`` is not among them, as the end of a hint; None if none may."""
    return ", ".join(map(repr, usual_or_near(wanted, names))) or None


def usual_or_near(wanted: str, names: Sequence[str]) -> list[str]:
    """Those of ``names`` that are near to ``wanted``, and usual ones. Others may not be quoted.

    The first line of a table without a header is a private row; the keys of an object may be names of people.
    """
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.7)
    return [name for name in dict.fromkeys(names) if name in near or name.lower() in _USUAL]


def no_column(file: str, name: str, names: Sequence[str], options: FileOptions, otherwise: str = "") -> InputError:
    """Return the error for a column that is not among ``names``, which are quoted as :func:`names_shown` allows.

    ``otherwise`` is what else may help where none of them is. The ``options`` say what the column is for.
    """
    there = names_shown(name, names)
    among = f" (among them {there})" if there else otherwise
    hints: dict[str | None, str] = dict.fromkeys(options.fields, options.names_text)
    hints[options.spans_field] = options.reads_spans
    more = f"; {hints[name]}" if name in hints and options.adjustable else ""
    return InputError(f"{file} has no column {name!r}; choose one of its {len(names)} columns{among}{more}.")


class Texts(NamedTuple):
    """Which texts a record has: the places of those that are documents, and how many others are null or missing."""

    places: tuple[str, ...]
    absent: int = 0


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was set aside: where it was, why, and its bytes (private)."""

    file: str
    line: int
    reason: str
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk(ABC):
    """A few thousand records, ready to be sanitized and then to be written.

    ``documents`` holds the texts of the records, record by record; ``texts`` says which texts each record has;
    ``places`` the line (or row) of each record; ``head`` the bytes that open the file (first chunk only); ``done``
    the bytes of input read so far; ``passing`` what stays of the records beside their texts, ids and spans.
    """

    per_record: ClassVar[tuple[str, ...]] = ()
    proves: ClassVar[bool] = False
    unit: ClassVar[str] = "line"

    number: int
    file: str
    fields: tuple[str, ...]
    documents: list[Document] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    done: int = 0
    head: bytes = b""
    passing: KeptFields = field(default_factory=KeptFields)

    @abstractmethod
    def render(self, releases: Sequence[Release]) -> bytes:
        """The output bytes of this chunk (without ``head``), given one release a document."""

    @abstractmethod
    def raw(self, record: int) -> bytes:
        """The bytes of one record as it came in. Private."""

    def with_values(self, values: Sequence[Sequence[str]]) -> Chunk:
        """This chunk, in whose documents these direct identifiers were marked, if it ``proves`` removal."""
        return self

    def where(self, record: int) -> str:
        """Where one record stands, for messages: file and line, never its id, which may be a name."""
        return f"{self.file}, {self.unit} {self.places[record]}"

    def where_text(self, record: int, number: int) -> str:
        """Where the text ``number`` of one record stands: its field too, where there may be several."""
        place = self.texts[record].places[number]
        return self.where(record) + ("" if self.fields == (place,) else f", field {place!r}")

    @property
    def shown(self) -> list[str]:
        """Where each text is, as a person knows it: its field. PRIVATE of documents: a sheet has a name."""
        return [place for own in self.texts for place in own.places]

    @property
    def edges(self) -> list[int]:
        """Where among the documents those of each record begin, and at last where all end."""
        return [0, *accumulate([len(texts.places) for texts in self.texts])]

    @property
    def absent(self) -> int:
        """How many texts are null or missing."""
        return sum(texts.absent for texts in self.texts)

    def without(self, dropped: Collection[int]) -> Self:
        """This chunk without the records at the places ``dropped``."""
        columns: dict[str, Any] = {name: kept(getattr(self, name), dropped) for name in self.per_record}
        return replace(
            self,
            documents=[
                document
                for record, (start, end) in enumerate(pairwise(self.edges))
                if record not in dropped
                for document in self.documents[start:end]
            ],
            texts=kept(self.texts, dropped),
            places=kept(self.places, dropped),
            **columns,
        )

    def set_aside(self, record: int, reason: str) -> BadRecord:
        """The record at place ``record`` as a bad record."""
        return BadRecord(self.file, self.places[record], reason, self.raw(record))


def kept(items: Sequence[T], dropped: Collection[int]) -> list[T]:
    """``items``, of which each record has one, without those of the records ``dropped``."""
    return [item for place, item in enumerate(items) if place not in dropped]


class Source(ABC):
    """One input: where it is, how large it is, and its chunks (at least one, every time the same)."""

    kind: ClassVar[str]

    def __init__(self, path: Path, options: FileOptions) -> None:
        self.path = path
        self.options = options

    def with_options(self, options: FileOptions) -> Self:
        """Return the same input, read as ``options`` says: other fields along, or chunks of another size."""
        other = copy.copy(self)
        other.options = options
        return other

    @property
    def name(self) -> str:
        """The name used in messages."""
        return self.path.name or str(self.path)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files and folders of this machine that hold it."""
        return (self.path,)

    @property
    def remote(self) -> tuple[tuple[int, Any], ...]:
        """The files of it that are on no disk of this machine: size, and what opens each."""
        return ()

    @property
    def stated(self) -> str:
        """What the statement calls the input: its format."""
        return self.kind

    @property
    def names_records(self) -> bool:
        """Whether each record has the name of its file, and no field is needed that names it."""
        return self.kind == "folder"

    @property
    def joins_texts(self) -> bool:
        """Whether the texts of a record are read as one by those who attack a release: paragraphs, cells."""
        return False

    @property
    def way_to_ids(self) -> str:
        """What to do where records need ids: the end of a sentence, with the names of options in braces."""
        return "name the field that holds it ({id_field})"

    @property
    def makes_folder(self) -> bool:
        """Whether the output is a folder."""
        return self.kind in ("folder", "shards")

    @property
    def size(self) -> int:
        """Bytes of input, as stored."""
        return self.path.stat().st_size

    @property
    def state(self) -> list[tuple[str, int, int]]:
        """Name, size and time of change of what will be read; tells whether the input changed."""
        status = self.path.stat()
        return [(self.path.name, status.st_size, status.st_mtime_ns)]

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """The chunks in order. Raises InputError, naming file and place, never content."""

    def tasks(self) -> Iterator[Any]:
        """What is sanitized one by one, and in the order of the output: the chunks, or the shards."""
        return self.chunks()


class Intake:
    """Gathers one chunk after the other: refuses or sets aside bad records, and refuses ids seen before."""

    def __init__(self, options: FileOptions, name: str, unit: str = "line") -> None:
        self._options = options
        self._name = name
        self._unit = unit
        self._seen: set[int] = set()
        self.bad: list[BadRecord] = []
        self.bad_bytes = 0

    def refuse(self, line: int, reason: str, raw: bytes, file: str | None = None) -> None:
        """Stop the run because of a bad record, or set it aside when the options say so."""
        file = self._name if file is None else file
        if self._options.on_error == "stop":
            aside = ", or set bad records aside with --on-error quarantine" if self._options.adjustable else ""
            raise InputError(f"{file}, {self._unit} {line}: {reason}; correct the record{aside}.")
        self.bad.append(BadRecord(file, line, reason, raw))
        self.bad_bytes += len(raw)

    def give_bad(self) -> list[BadRecord]:
        """The bad records since the last call."""
        given, self.bad, self.bad_bytes = self.bad, [], 0
        return given

    def full(self, records: int, characters: int) -> bool:
        """Whether a chunk with so many good records and characters should end here."""
        return (
            records + len(self.bad) >= self._options.chunk_records
            or characters + self.bad_bytes >= self._options.chunk_characters
        )

    def checked_id(self, value: object) -> str:
        """The id of a record as a string; raises RecordError unless it is a new string or whole number."""
        name = self._options.id_field
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise RecordError(f"the id field {name!r} is neither a string nor a whole number")
        text = str(value)
        # Only 8-byte hashes are kept, so that ids of millions of records fit in memory.
        mark = hash(text)
        if mark in self._seen:
            raise RecordError(f"the value of the id field {name!r} was used by an earlier record")
        self._seen.add(mark)
        return text

    def new_ids(self, values: Sequence[Any]) -> list[str] | None:
        """Return the ids of many records; None, with nothing noted, if :meth:`checked_id` may refuse one of them."""
        if not {str, int}.issuperset(map(type, values)):
            return None
        texts = list(map(str, values))
        marks = set(map(hash, texts))
        if len(marks) < len(texts) or not self._seen.isdisjoint(marks):
            return None
        self._seen |= marks
        return texts


def documents_of(
    identity: str, places: Sequence[str], texts: Sequence[str], metadata: dict[str, Any], alone: bool
) -> list[Document]:
    """Return one document a text; unless a record has one ``alone``, the id of each ends with its place."""
    ids = [identity if alone else f"{identity}/{place}" for place in places]
    rows = zip(texts, ids, places, strict=True)
    return [Document(text, name, metadata, (place, identity)) for text, name, place in rows]


def released_spans(release: Release) -> list[dict[str, Any]]:
    """Where the replaced places are in the *released* text."""
    return [{"start": r.start, "end": r.end, "label": r.label} for r in release.replacements]


def spans_as_json(release: Release) -> str:
    """The released spans as JSON."""
    return as_json(released_spans(release))


def as_json(value: Any) -> str:
    """``value`` as JSON.

    Whether it is escaped depends on what is released alone: following the style of the private line would tell
    whether that line held a letter outside ASCII.
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold only as an escape
        return json.dumps(value)
    return text

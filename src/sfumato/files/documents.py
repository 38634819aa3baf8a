"""Documents as an input: a file of a format that people have, a folder of such files, or a ZIP file of them.

A chunk keeps the released texts of some records. The files are written when all are there
(:mod:`sfumato.documents.writing`), by a second walk over the input.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.documents.files import FILE, FOLDER, Files, Opened
from sfumato.documents.formats import FORMATS, Format, suffix_of
from sfumato.documents.rules import REFUSE, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.walking import name_texts, walk
from sfumato.documents.writing import Row, rows_in, write
from sfumato.errors import ConfigurationError, InputError
from sfumato.files.options import EVERY, USUAL_FIELDS, FileOptions
from sfumato.files.parts import Assembly
from sfumato.files.read_before import HELD, ReadBefore, Records
from sfumato.files.source import BadRecord, Chunk, Intake, Source, Texts, documents_of
from sfumato.text.document import Release

_EVERY = (f"text{EVERY}",)
"""The field that means all texts of a document, so that one budget is not spent by each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsChunk(Chunk):
    """Records with the number and the name of the file of each, and its number there."""

    per_record: ClassVar[tuple[str, ...]] = ("rows",)
    proves: ClassVar[bool] = True

    rows: list[tuple[int, str, int]] = field(default_factory=list)
    values: list[list[str]] = field(default_factory=list, repr=False)
    known: list[str] = field(default_factory=list, repr=False)

    @property
    def shown(self) -> list[str]:
        """Return where each text is, as a person knows it: with the names of files and sheets. PRIVATE."""
        names = [name for (_, name, _), own in zip(self.rows, self.texts, strict=True) for _ in own.places]
        return [f"{name}: {place}" for name, place in zip(names, self.known, strict=True)]

    def render(self, releases: Sequence[Release]) -> bytes:
        """Return a line for each record: the parts of its texts, and what was marked in them. Private."""
        lines = []
        for (number, _, record), (first, end) in zip(self.rows, pairwise(self.edges), strict=True):
            values = sorted({value for own in self.values[first:end] for value in own})
            lines.append(Row(number, record, [list(own.parts) for own in releases[first:end]], values).line)
        return b"".join(lines)

    def without(self, dropped: Collection[int]) -> Self:
        """Return the same chunk without the records at the places ``dropped``."""
        left = super(DocumentsChunk, self).without(dropped)
        pairs = enumerate(pairwise(self.edges))
        known = [text for record, edge in pairs if record not in dropped for text in self.known[slice(*edge)]]
        return replace(left, known=known)

    def with_values(self, values: Sequence[Sequence[str]]) -> DocumentsChunk:
        """Return the same chunk, in whose documents these ``values`` were marked."""
        return replace(self, values=[list(own) for own in values])

    def raw(self, record: int) -> bytes:
        """Return nothing: the file is where it was."""
        return b""

    def where(self, record: int) -> str:
        """Return the name of the file, and which record of it is meant."""
        _, name, own = self.rows[record]
        return f"{name}, record {own + 1}" if own else name

    def set_aside(self, record: int, reason: str) -> BadRecord:
        """Return the record as a bad one, under the name of its file."""
        return BadRecord(self.rows[record][1], self.places[record], reason, b"")


class DocumentsSource(Source):
    """A document, a folder of documents, or a ZIP file of them. Hidden files are left alone."""

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, replace(options, fields=_EVERY))
        wrong = options.lines or options.id_field or options.spans_field or options.quoting
        if wrong or options.fields not in (USUAL_FIELDS, _EVERY) or options.keep:
            raise ConfigurationError(
                f"{self.name}: all texts of a document are read, and each is named by its place; leave out the "
                "fields, the id, the spans and what else is about fields."
            )
        refused = ""
        try:
            self._files = Files.at(path)
        except Refused as error:
            refused = str(error)
        if refused:
            raise InputError(f"{self.name}: {refused}.")
        self._files.check()
        if not any(map(self._files.form, self._files.names)):
            raise InputError(f"{self.name} holds no file of a known format ({', '.join(FORMATS)}); name another.")
        self.kind = self._kind()  # type: ignore[misc]
        self.names: Mapping[str, str] = {}
        self._before = ReadBefore()

    def _kind(self) -> str:
        form = self._files.form(self.path.name)
        return "documents" if self._files.kind == FOLDER else form.name if form is not None else "zip"

    def paired(self, original: Source, beside: Path) -> Self:
        """Return the same release, whose files have the names of those of ``original`` that they were.

        Which one a numbered file was is in the private file ``beside``.
        """
        if not isinstance(original, DocumentsSource):
            return self
        names = _names_in(beside)
        if self._files.kind == original._files.kind == FILE:
            names = {self._files.names[0]: original._files.names[0]}
        for name in original._files.names:
            form = self._files.form(name)
            if form is not None and form.suffix:
                names.setdefault(name.removesuffix(suffix_of(name)) + form.suffix, name)
        other = copy.copy(self)
        other.names = names
        return other

    @property
    def makes_folder(self) -> bool:
        """Return whether the output is a folder."""
        return self._files.kind == FOLDER

    @property
    def names_records(self) -> bool:
        """Whether each record is a file: rows and messages have numbers, which others get when one is put between."""
        forms = map(self._files.form, self._files.names)
        return not any(form.records for form in forms if form is not None)

    @property
    def joins_texts(self) -> bool:
        """Return that the texts of a record are one for those who attack a release."""
        return True

    @property
    def way_to_ids(self) -> str:
        """Return what to do where records need ids."""
        return "rows, messages and entries have none, so write them into a file with records, such as .csv or .jsonl"

    @property
    def endings(self) -> list[str]:
        """Return how the name of the output may end, where that is a file."""
        form = self._files.form(self.path.name)
        written = "" if form is None else form.suffix
        return [written] if written else [suffix for suffix, own in FORMATS.items() if own is form or own == form]

    @property
    def stated(self) -> str:
        """Return what a statement calls the input."""
        return {FILE: self.kind, FOLDER: "folder of documents"}.get(self._files.kind, "zip file of documents")

    @property
    def size(self) -> int:
        """Return the bytes of all files, as stored."""
        return sum(size for _, size, _ in self.state)

    @property
    def state(self) -> list[tuple[str, int, int]]:
        """Return name, size and time of change of each file."""
        paths = [(name, self.path / name) for name in self._files.names] if self.makes_folder else []
        rows = [(name, path.lstat()) for name, path in paths or [(self.path.name, self.path)]]
        return [(name, status.st_size, status.st_mtime_ns) for name, status in rows]

    def assemble(self, parts: Sequence[Path], target: Path, private: bool, names: Path) -> Assembly:
        """Write the files with the texts that ``parts`` keep; return what was done to which part of them.

        If they are numbered, which one each was is written to ``names``. PRIVATE.
        """
        rules, aside = self.options.rules, self.options.on_error == "quarantine"
        done = write(self._files, rules, rows_in(parts), target, private, names, aside)
        return done.told, [BadRecord(name, 1, reason, b"") for name, reason in done.set_aside.items()]

    def chunks(self) -> Iterator[DocumentsChunk]:
        """Yield chunks of whole records. Raise InputError, which names file and place."""
        intake = Intake(self.options, self.name, "record")
        gathered, characters, done, seen = self._empty(0), 0, 0, set[str]()
        for number, name, record, slots in self._records(intake):
            texts = [slot.text for slot in slots]
            metadata = self._metadata(name, slots)
            own_name = self.names.get(name, name)
            identity = f"{own_name}#{record}" if record else own_name
            own = documents_of(identity, [slot.place for slot in slots], texts, metadata, alone=False)
            # A detector is less sure of single words; what it takes for a name there is not looked for in the text.
            if self._files.kind != FILE:
                apart = {place for place, _ in name_texts(name)}
                own = [replace(each, metadata=dict(metadata)) if each.names[0] in apart else each for each in own]
            if gathered.number == 0:
                seen |= {key for slot in slots for key in slot.fields}
            gathered.documents.extend(
                replace(each, lead=slot.lead, public=slot.public) if slot.lead or slot.public else each
                for each, slot in zip(own, slots, strict=True)
            )
            gathered.known.extend(slot.shown or slot.place for slot in slots)
            gathered.texts.append(Texts(tuple(slot.place for slot in slots)))
            gathered.places.append(record + 1)
            gathered.rows.append((number, name, record))
            characters += sum(map(len, texts))
            if intake.full(len(gathered.places), characters):
                self._check_subject(gathered, seen)
                done += characters
                yield replace(gathered, bad=intake.give_bad(), done=min(done, self.size))
                gathered, characters = self._empty(gathered.number + 1), 0
        self._check_subject(gathered, seen)
        if gathered.places or intake.bad or gathered.number == 0:
            yield replace(gathered, bad=intake.give_bad(), done=self.size)

    def _check_subject(self, chunk: DocumentsChunk, seen: Collection[str]) -> None:
        """Raise InputError if the field that names people is not among those ``seen`` in the first ``chunk``."""
        subject = self.options.subject_field
        if chunk.number == 0 and chunk.places and subject not in (None, "file", "folder", *seen):
            raise InputError(
                f"No record of {self.name} has the field {subject!r}; name the heading of a column, file or folder."
            )

    def _records(self, intake: Intake) -> Iterator[tuple[int, str, int, list[Slot]]]:
        """Yield each record: the number and the name of its file, its own number, and its texts."""
        with self._files.opened() as opened:
            for number, name in enumerate(self._files.names):
                form, reason = self._files.form(name), ""
                try:
                    if form is None:
                        if self.options.rules.unknown == REFUSE:
                            raise Refused("it is of no known format, and [documents] refuses what is unknown")
                        continue
                    for record, own in self._held(opened, name, form):
                        yield number, name, record, own
                except Refused as error:
                    reason = str(error)
                if reason and self._files.kind == FILE:
                    raise InputError(f"{name}: {reason}.")
                if reason and self.options.on_error == "stop":
                    aside = ", or set bad files aside with --on-error quarantine" if self.options.adjustable else ""
                    raise InputError(f"{name}: {reason}{aside}.")
                if reason:
                    intake.refuse(1, reason, b"", name)

    def _held(self, opened: Opened, name: str, form: Format) -> Iterator[tuple[int, list[Slot]]]:
        """Yield number and texts of each record of a file, none before all of it was read: it may be refused.

        What a first look at the input has read is not read again.
        """
        path = self.path / name if self.makes_folder else self.path
        status = path.lstat() if os.path.lexists(path) else None
        key = (name, status and (status.st_size, status.st_mtime_ns), self.options.rules)
        held = self._before.records(key, lambda: self._whole(opened, name, form))
        if held is not None:
            yield from held
            return
        with opened.file(name) as file:
            for record, slots in self._walked(name, form, file):
                yield record, list(slots)

    def _whole(self, opened: Opened, name: str, form: Format) -> Records | None:
        """Walk over a whole file; return its records, or None where they are too many to be held."""
        held: Records | None = []
        count = 0
        with opened.file(name) as file:
            for record, slots in self._walked(name, form, file):
                own = list(slots)
                count += len(own)
                if form.records and count > HELD:
                    held = None
                if held is not None:
                    held.append((record, own))
        return held

    def _walked(self, name: str, form: Format, file: Any) -> Iterator[tuple[int, Iterator[Slot]]]:
        slots = walk(self._files, name, form, file, Visit(self.options.rules))
        return groupby(slots, key=lambda slot: slot.record)

    def _metadata(self, name: str, slots: Sequence[Slot]) -> dict[str, Any]:
        """Return the fields of a record: its file, the folder of that, and those that are read along."""
        fields = {key: value for slot in slots for key, value in slot.fields.items()}
        known = {"file": name, "folder": name.rpartition("/")[0] or name}
        subject = self.options.subject_field
        wanted = {key: fields[key] for key in self.options.labels if key in fields}
        return {**({} if subject is None else {subject: name}), **known, **wanted}

    def _empty(self, number: int) -> DocumentsChunk:
        return DocumentsChunk(number=number, file=self.name, fields=("",))


def _names_in(path: Path) -> dict[str, str]:
    """Return the name that each numbered file had, as the private file at ``path`` says; nothing without one."""
    if not path.is_file():
        return {}
    return {row["released"]: row["name"] for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}

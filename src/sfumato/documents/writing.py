"""Files written with their released texts, each proved before it counts, under names that tell nobody."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self, cast

from sfumato.documents.files import FILE, ZIP, Files, Opened, pack
from sfumato.documents.formats import Format, ending_of, ending_written
from sfumato.documents.proof import proved
from sfumato.documents.rules import DROP, KEEP, Refused, Rules, Visit
from sfumato.documents.slot import edits_of
from sfumato.documents.walking import name_texts, walk
from sfumato.errors import OutputError, SfumatoError
from sfumato.storage import created
from sfumato.storage.digests import digest_of
from sfumato.text.occurrences import Occurrences

_BLOCK = 1 << 20


class Row(NamedTuple):
    """A released record: the number of its file, its own, the parts of each text, and what was marked. PRIVATE."""

    file: int
    record: int
    texts: list[list[str]]
    values: list[str]

    @property
    def line(self) -> bytes:
        """Return it as a line of JSON."""
        return json.dumps(self).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Return what a ``line`` says."""
        return cls(*json.loads(line))


class _Missing(Exception):  # noqa: N818 (a record was set aside)
    """A record of the file was not released, so the file is not either."""

    def __init__(self) -> None:
        super().__init__("a record of it was set aside")


@dataclass
class Written:
    """What was written: files, what was done to their parts, and how many values the proof looked for.

    ``left_out`` counts files of no known format by their endings.
    ``numbered``: one of their names would change, so all of them are numbers. Otherwise a number would tell which
    name held somebody's.
    """

    files: int = 0
    values: int = 0
    still: int = 0
    numbered: bool = False
    left_out: Counter[str] = field(default_factory=Counter)
    parts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def told(self) -> dict[str, dict[str, int]]:
        """Return the counts as a statement holds them."""
        parts: dict[str, dict[str, int]] = {}
        for (part, action), count in sorted(self.parts.items()):
            parts.setdefault(part, {})[action] = count
        left_out = {"left out": dict(sorted(self.left_out.items()))} if self.left_out else {}
        searched = {"searched for": self.values, "still in a text": self.still}
        return {**parts, **left_out, "files": {"written": self.files}, "values": searched}


def write(
    files: Files, rules: Rules, rows: Iterable[Row], target: Path, private: bool = False, names: Path | None = None
) -> Written:
    """Write ``files`` to ``target`` with the texts of ``rows``, which are in the order of files and records.

    A file of which a record is missing is left out. If files are numbered, the owner finds at ``names`` which one
    each was. Raise OutputError, which names file and place, where a value is still in what was written.
    """
    written = Written()
    if files.kind == FILE:
        list(_each(files, rules, rows, target, written, private))
        return written
    folder = target.with_name(f"{target.name}.files")
    folder.mkdir(mode=0o700)
    try:
        made = list(_each(files, rules, rows, folder, written, private))
        numbered = written.numbered or rules.names == DROP
        written.parts["names", "numbered" if numbered else "kept"] += len(made)
        given = _numbers(made) if numbered else _kept(made)
        if files.kind == ZIP:
            pack([(given[file.name], file.path) for file in made], target)
        else:
            _lay_out([(given[file.name], file.path) for file in made], target, private)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if numbered and names is not None:
        with created(names, private=True) as file:
            for name, new in given.items():
                file.write(json.dumps({"name": name, "released": new}).encode() + b"\n")
    return written


def _each(
    files: Files, rules: Rules, rows: Iterable[Row], folder: Path, written: Written, private: bool
) -> Iterator[_Made]:
    """Write each file under a number in ``folder``, and yield it."""
    waiting, numbers = _Waiting(rows), dict[str, int]()
    with files.opened() as opened:
        for number, name in enumerate(files.names):
            path, form = folder if files.kind == FILE else folder / str(number), files.form(name)
            visit = Visit(rules, numbers=numbers)
            reason = None
            try:
                if form is not None:
                    released = _one(opened, name, form, waiting.of(number), visit, path, private)
                    written.numbered |= released.renamed
                    _prove(form, name, path, released, written)
                elif visit.rule("unknown") == KEEP:
                    _copy(opened, name, path, private)
                    written.numbered |= rules.names != KEEP  # nothing looked at its name
                else:
                    written.left_out[ending_of(name).lower()] += 1
                    continue
            except (_Missing, Refused) as error:
                reason = str(error)
            given = waiting.skip(number)
            if reason is not None:
                path.unlink(missing_ok=True)
                written.numbered |= rules.names != KEEP
                _check_set_aside(opened, name, rules, given, reason)
                continue
            written.parts += visit.notes
            written.files += form is not None
            yield _Made(name, ending_written(name), path)


def _check_set_aside(opened: Opened, name: str, rules: Rules, given: int, reason: str) -> None:
    """Raise OutputError, with the ``reason``, unless the file or a record of it was set aside when it was read.

    So many rows of it were ``given``. A file that is left out in silence would be missed by nobody.
    """
    form = opened.files.form(name)
    if form is not None and opened.files.kind != FILE:
        try:
            with opened.file(name) as file:
                records = len({slot.record for slot in walk(opened.files, name, form, file, Visit(rules))})
        except Refused:
            return
        if given < records:
            return
    raise OutputError(f"{name}: {reason}; nothing was released.")


class _Waiting:
    """The rows that are still to come; those of a file are given to its walk."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._next = next(self._rows, None)
        self._given = 0

    def has(self, number: int) -> bool:
        """Return whether the next row is of the file ``number``."""
        return self._next is not None and self._next.file == number

    def of(self, number: int) -> Iterator[Row]:
        """Yield the rows of the file ``number``."""
        while self.has(number):
            row, self._next = self._next, next(self._rows, None)
            self._given += 1
            yield cast(Row, row)

    def skip(self, number: int) -> int:
        """Leave out what is left of the file ``number``; return how many rows there were of it."""
        for _ in self.of(number):
            pass
        given, self._given = self._given, 0
        return given


class _Made(NamedTuple):
    """A file that was written: the name it had, the ending it has now, and where it is."""

    name: str
    ending: str
    path: Path


class _Released(NamedTuple):
    """The texts of a file as they are released, and what was marked in it."""

    texts: list[str]
    values: set[str]
    renamed: bool


def _one(
    opened: Opened, name: str, form: Format, rows: Iterator[Row], visit: Visit, path: Path, private: bool
) -> _Released:
    """Write one file to ``path``; return its released texts, and what was marked in it. Raise _Missing, Refused."""
    texts, values, record, renamed = list[str](), set[str](), -1, False
    names = {place for place, _ in name_texts(name)}
    parts: Iterator[list[str]] = iter(())
    with opened.file(name) as file, created(path, private) as target:
        for slot in walk(opened.files, name, form, file, visit, target):
            if slot.record != record:
                row = next(rows, None)
                if row is None or row.record != slot.record:
                    raise _Missing
                record, parts = slot.record, iter(row.texts)
                values |= set(row.values)
            if (own := next(parts, None)) is None:
                raise OutputError(f"{name} changed while it was read; run again when nothing writes to it.")
            slot.edits = list(edits_of(slot.text, own))
            renamed |= slot.place in names and bool(slot.edits)
            if slot.place not in names:
                texts.append(slot.new)
        if next(rows, None) is not None:
            raise _Missing
    names_held = Occurrences(values)
    renamed |= any(True for _, text in name_texts(name) for _ in names_held.find(text))
    return _Released(texts, values, renamed)


def _prove(form: Format, name: str, path: Path, released: _Released, written: Written) -> None:
    """Search what was written. Raise OutputError, which names the place, if a marked value is in it."""
    proof, failure = None, ""
    try:
        with path.open("rb") as file:
            proof = proved(form.strings(file), released.values, released.texts)
    except SfumatoError:
        raise
    except Exception as error:  # its message may quote a text
        failure = type(error).__name__
    if proof is None:
        raise OutputError(f"{name} cannot be read again ({failure}), so nothing was released; report it.")
    if proof.places:
        more = f" and {len(proof.places) - 1:,} other places" if len(proof.places) > 1 else ""
        raise OutputError(
            f"{name}: a marked value would still be at {proof.places[0]}{more}, so nothing was released; choose what "
            "becomes of that part in [documents], or leave the file out."
        )
    written.values += proof.values
    written.still += proof.still


def _copy(opened: Opened, name: str, path: Path, private: bool) -> None:
    with opened.file(name) as file, created(path, private) as target:
        shutil.copyfileobj(file, target, _BLOCK)


def _numbers(made: Sequence[_Made]) -> dict[str, str]:
    """Return a number for each file, and for each folder, by the name that it had.

    The order is that of digests of what was written: a function of the release alone. By their order, the numbers of
    private names would tell the names to a reader who has a list of them.
    """
    ordered = sorted(made, key=lambda file: digest_of(file.path))
    width, folders, given = max(3, len(str(len(made)))), dict[str, str](), dict[str, str]()
    for number, file in enumerate(ordered, 1):
        parts = file.name.split("/")[:-1]
        keys = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        above = [folders.setdefault(key, f"folder {len(folders) + 1}") for key in keys]
        given[file.name] = "/".join([*above, f"document {number:0{width}}{file.ending.lower()}"])
    return given


def _kept(made: Sequence[_Made]) -> dict[str, str]:
    """Return the name of each file, with the ending that it has now."""
    return {file.name: file.name.removesuffix(ending_of(file.name)) + file.ending for file in made}


def _lay_out(named: Sequence[tuple[str, Path]], target: Path, private: bool) -> None:
    """Move each file to its name in the new folder ``target``. Raise OutputError for two of one name.

    All get one time: the order in which they were written is that of their former names.
    """
    target.mkdir(mode=0o700 if private else 0o777)
    now = time.time()
    for name, path in named:
        final = target / name
        if final.exists():
            raise OutputError("Two files would have one name; give them names that differ.")
        final.parent.mkdir(parents=True, exist_ok=True)
        path.rename(final)
        os.utime(final, (now, now))


def rows_in(paths: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows that lie in files, in turn."""
    for path in paths:
        with path.open("rb") as lines:
            yield from map(Row.read, lines)

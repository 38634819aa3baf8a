"""Files written with their released texts, each proved before it counts, under names that tell nobody."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn, Self, cast

from sfumato.documents.files import FILE, ZIP, Files, Opened, pack
from sfumato.documents.formats import Format, ending_of, ending_written
from sfumato.documents.naming import Made, kept, lay_out, numbers
from sfumato.documents.proof import proved
from sfumato.documents.rules import DROP, KEEP, Numbers, Refused, Rules, Visit
from sfumato.documents.slot import edits_of
from sfumato.documents.walking import name_texts, walk
from sfumato.errors import OutputError, RefusedReleaseError, SfumatoError
from sfumato.runtime import forget_cycles
from sfumato.storage import created
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
    name held somebody's. ``set_aside`` says of each file that was read and could not be written why. PRIVATE.
    """

    files: int = 0
    values: int = 0
    still: int = 0
    numbered: bool = False
    left_out: Counter[str] = field(default_factory=Counter)
    parts: Counter[tuple[str, str]] = field(default_factory=Counter)
    set_aside: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def told(self) -> dict[str, dict[str, int]]:
        """Return the counts as a statement holds them."""
        parts: dict[str, dict[str, int]] = {}
        for (part, action), count in sorted(self.parts.items()):
            parts.setdefault(part, {})[action] = count
        left_out = {"left out": dict(sorted(self.left_out.items()))} if self.left_out else {}
        searched = {"searched for": self.values, "still in a text": self.still}
        files = {"written": self.files} | ({"set aside": len(self.set_aside)} if self.set_aside else {})
        return {**parts, **left_out, "files": files, "values": searched}


def write(
    files: Files, rules: Rules, rows: Iterable[Row], target: Path, private: bool = False, names: Path | None = None,
    aside: bool = False,
) -> Written:  # fmt: skip
    """Write ``files`` to ``target`` with the texts of ``rows``, which are in the order of files and records.

    A file of which a record is missing is left out. One of several that cannot be written is set ``aside``, or
    refuses all, as does a file alone. If files are numbered, the owner finds at ``names`` which one
    each was. Raise RefusedReleaseError, which names file and place, where a value is still in what was written.
    """
    written = Written()
    if files.kind == FILE:
        list(_each(files, rules, rows, target, written, private))
        return written
    folder = target.with_name(f"{target.name}.files")
    folder.mkdir(mode=0o700)
    try:
        made = list(_each(files, rules, rows, folder, written, private, aside))
        if written.set_aside and not made:
            _refuse(*written.set_aside.popitem())
        numbered = written.numbered or rules.names == DROP
        written.parts["names", "numbered" if numbered else "kept"] += len(made)
        given = numbers(made) if numbered else kept(made)
        if files.kind == ZIP:
            pack([(given[file.name], file.path) for file in made], target)
        else:
            lay_out([(given[file.name], file.path) for file in made], target, private)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if numbered and names is not None:
        with created(names, private=True) as file:
            for name, new in given.items():
                file.write(json.dumps({"name": name, "released": new}).encode() + b"\n")
    return written


def _each(
    files: Files, rules: Rules, rows: Iterable[Row], folder: Path, written: Written, private: bool,
    aside: bool = False,
) -> Iterator[Made]:  # fmt: skip
    """Write each file under a number in ``folder``, and yield it."""
    waiting, numbers = _Waiting(rows), Numbers(drawn=files.kind != FILE)
    with files.opened() as opened:
        for number, name in enumerate(files.names):
            path, form = folder if files.kind == FILE else folder / str(number), files.form(name)
            visit = Visit(rules, numbers=numbers)
            reason, refused = None, False
            try:
                if form is not None:
                    released = _one(opened, name, form, waiting.of(number), visit, path, private)
                    written.numbered |= released.renamed
                    _prove(form, name, path, released, written)
                    forget_cycles()
                elif visit.rule("unknown") == KEEP:
                    _copy(opened, name, path, private)
                    written.numbered |= rules.names != KEEP  # nothing looked at its name
                else:
                    written.left_out[ending_of(name).lower()] += 1
                    continue
            except (_Missing, Refused) as error:
                reason, refused = str(error), isinstance(error, Refused)
            given = waiting.skip(number)
            if reason is not None:
                path.unlink(missing_ok=True)
                written.numbered |= rules.names != KEEP
                if not _was_set_aside(opened, name, rules, given):
                    if not (aside and refused):
                        _refuse(name, reason)
                    written.set_aside[name] = reason
                continue
            written.parts += visit.notes
            written.files += form is not None
            yield Made(name, ending_written(name), path)


def _was_set_aside(opened: Opened, name: str, rules: Rules, given: int) -> bool:
    """Return whether a file, of which so many rows were ``given``, or a record of it was set aside when it was read.

    If neither was, it must not be left out in silence: nobody would miss it.
    """
    form = opened.files.form(name)
    if form is None or opened.files.kind == FILE:
        return False
    try:
        with opened.file(name) as file:
            records = len({slot.record for slot in walk(opened.files, name, form, file, Visit(rules))})
    except Refused:
        return True
    return given < records


def _refuse(name: str, reason: str) -> NoReturn:
    raise RefusedReleaseError(f"{name}: {reason}; nothing was released.")


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
    """Search what was written. Raise RefusedReleaseError, which names the place, if a marked value is in it."""
    proof, failure = None, ""
    try:
        with path.open("rb") as file:
            proof = proved(form.strings(file), released.values, released.texts)
    except SfumatoError:
        raise
    except Exception as error:  # its message may quote a text
        failure = type(error).__name__
    if proof is None:
        raise RefusedReleaseError(f"{name} cannot be read again ({failure}), so nothing was released; report it.")
    if proof.places:
        more = f" and {len(proof.places) - 1:,} other places" if len(proof.places) > 1 else ""
        raise RefusedReleaseError(
            f"{name}: a marked value would still be at {proof.places[0]}{more}, so nothing was released; choose what "
            "becomes of that part in [documents], or leave the file out."
        )
    written.values += proof.values
    written.still += proof.still


def _copy(opened: Opened, name: str, path: Path, private: bool) -> None:
    with opened.file(name) as file, created(path, private) as target:
        shutil.copyfileobj(file, target, _BLOCK)


def rows_in(paths: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows that lie in files, in turn."""
    for path in paths:
        with path.open("rb") as lines:
            yield from map(Row.read, lines)

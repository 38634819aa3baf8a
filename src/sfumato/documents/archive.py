"""A ZIP file inside another file: each member by its own format.

A ZIP file that is an input by itself is a folder of files (:mod:`sfumato.documents.files`): one that cannot be read
is set aside alone. Inside a mail or a folder it is one file: what refuses one of its members refuses all of it.
"""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from typing import IO

from sfumato.documents.formats import Seen, ending_of, ending_written, format_of, nested
from sfumato.documents.rules import DROP, TREAT, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.zipped import add, unzipped


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the names and the texts of the members of ``file``. If one name would change, all become numbers."""
    members, numbered = list[tuple[str, bytes]](), visit.rules.names == DROP
    with unzipped(file) as package:
        for number, member in enumerate((each for each in package.infolist() if not each.is_dir()), 1):
            name, where = member.filename, f"file {number}"
            slot = Slot(name.removesuffix(ending_of(name)), f"{where}, name")
            if visit.rule("names", where) == TREAT:
                yield slot
            content = yield from nested(name, package.read(member), visit, where)
            if target is not None and content is not None:
                members.append((name, content))
            numbered |= bool(slot.edits)
    if target is not None:
        with zipfile.ZipFile(target, "w") as made:
            for name, content in _named(members, numbered):
                add(made, name, content)


def _named(members: Sequence[tuple[str, bytes]], numbered: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the new name and the content of each member. Numbers are in an order of what was written."""
    taken = set[str]()
    if numbered:
        members = sorted(members, key=lambda member: blake2b(member[1]).digest())
    for number, (name, content) in enumerate(members, 1):
        stem = f"document {number}" if numbered else name.removesuffix(ending_of(name))
        taken.add(new := _free(stem, ending_written(name), taken))
        yield new, content


def _free(stem: str, suffix: str, taken: Collection[str]) -> str:
    """Return a name that is not ``taken``."""
    numbers = itertools.count(2)
    name = stem + suffix
    while name in taken:
        name = f"{stem} ({next(numbers)}){suffix}"
    return name


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the names of the members of a written file, and every string of each."""
    with unzipped(file) as package:
        for number, member in enumerate(package.infolist(), 1):
            where = f"file {number}"
            yield Seen(f"{where}, name", member.filename)
            form = format_of(member.filename)
            with package.open(member) as content:
                if form is None:
                    yield Seen(where, content.read().decode("utf-8", "replace"), raw=True)
                for seen in form.strings(content) if form is not None else ():
                    yield Seen(f"{where}, {seen.place}", seen.text, seen.raw)

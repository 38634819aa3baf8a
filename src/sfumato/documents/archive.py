"""A ZIP file inside another file: each member by its own format, in the order in which they are packed.

A ZIP file that is an input by itself is a folder of files (:mod:`sfumato.documents.files`): one that cannot be read
is set aside alone. Inside a mail or a folder it is one file: what refuses one of its members refuses all of it.
"""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO

from sfumato.documents.formats import Seen, ending_of, ending_written, format_of, nested
from sfumato.documents.rules import DROP, TREAT, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.zipped import add, unzipped


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the names and the texts of the members of ``file``. A name that would change becomes a number."""
    with ExitStack() as stack:
        package = stack.enter_context(unzipped(file))
        made = None if target is None else stack.enter_context(zipfile.ZipFile(target, "w"))
        for number, member in enumerate((each for each in package.infolist() if not each.is_dir()), 1):
            name, where = member.filename, f"file {number}"
            rule = visit.rule("names", where)
            slot = Slot(name.removesuffix(ending_of(name)), f"{where}, name")
            if rule == TREAT:
                yield slot
            content = yield from nested(name, package.read(member), visit, where)
            if made is None or content is None:
                continue
            stem = f"document {number}" if rule == DROP or slot.edits else slot.text
            add(made, _free(stem, ending_written(name), made.namelist()), content)


def _free(stem: str, suffix: str, taken: Sequence[str]) -> str:
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

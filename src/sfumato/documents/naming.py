"""The names of the files of a release, which tell nobody, and how the files get them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sfumato.documents.formats import ending_of
from sfumato.errors import OutputError
from sfumato.storage.digests import digest_of


class Made(NamedTuple):
    """A file that was written: the name it had, the ending it has now, and where it is."""

    name: str
    ending: str
    path: Path


def numbers(made: Sequence[Made]) -> dict[str, str]:
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


def kept(made: Sequence[Made]) -> dict[str, str]:
    """Return the name of each file, with the ending that it has now."""
    return {file.name: file.name.removesuffix(ending_of(file.name)) + file.ending for file in made}


def lay_out(named: Sequence[tuple[str, Path]], target: Path, private: bool) -> None:
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

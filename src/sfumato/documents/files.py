"""Files that are released together: one, those of a folder, or those in a ZIP file, in the order of their names."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from sfumato.documents.formats import Format, format_of
from sfumato.documents.rules import Refused
from sfumato.documents.zipped import adding, unzipped
from sfumato.errors import InputError

_HIDDEN = (".", "~$")
_OF_ARCHIVES = "__MACOSX"
FILE, FOLDER, ZIP = "file", "folder", "zip"


@dataclass(frozen=True)
class Files:
    """The files at a ``path``: itself, or what it holds. ``names`` are relative paths with "/", sorted."""

    path: Path
    kind: str
    names: tuple[str, ...]

    @classmethod
    def at(cls, path: Path) -> Files:
        """Return the files at ``path``. Raise Refused for a ZIP file that cannot be read, InputError for a folder."""
        if path.is_dir():
            return cls(path, FOLDER, tuple(sorted(_in_folder(path))))
        if path.name.lower().endswith(".zip"):
            with path.open("rb") as file, unzipped(file) as package:
                names = [member.filename for member in package.infolist() if not member.is_dir()]
            return cls(path, ZIP, tuple(sorted(name for name in names if not _is_hidden(name))))
        return cls(path, FILE, (path.name,))

    def check(self) -> None:
        """Raise MissingExtraError if a package is missing that a file of these needs."""
        for form in {id(form): form for form in map(self.form, self.names) if form is not None}.values():
            form.check()

    def form(self, name: str) -> Format | None:
        """Return the format of the file ``name``, or None if it is of no known one."""
        return format_of(name)

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Yield what opens each file."""
        with ExitStack() as stack:
            package = None
            if self.kind == ZIP:
                package = stack.enter_context(unzipped(stack.enter_context(self.path.open("rb"))))
            yield Opened(self, package)


@dataclass(frozen=True)
class Opened:
    """Opens the files, of a ZIP file that is open."""

    files: Files
    package: zipfile.ZipFile | None

    @contextmanager
    def file(self, name: str) -> Iterator[IO[bytes]]:
        """Yield the file ``name``, which can be read at any place. Raise Refused for what is no regular file."""
        if self.package is not None:
            yield BytesIO(self.package.read(name))
            return
        path = self.files.path / name if self.files.kind == FOLDER else self.files.path
        if path.is_symlink() and self.files.kind == FOLDER:
            raise Refused("it is a symbolic link, which is not followed; copy the file in")
        if not path.is_file():
            raise Refused("it is not a regular file; copy it in")
        with path.open("rb") as file:
            yield file


def pack(named: Sequence[tuple[str, Path]], target: Path) -> None:
    """Make a ZIP file at ``target`` of files and their names there, in the order of these."""
    with zipfile.ZipFile(target, "w") as package:
        for name, path in sorted(named):
            with adding(package, name) as member, path.open("rb") as content:
                shutil.copyfileobj(content, member, 1 << 20)


def _in_folder(folder: Path) -> Iterator[str]:
    def fail(error: OSError) -> None:
        raise InputError(f"A folder inside {folder.name} cannot be read ({error.strerror}); check its permissions.")

    for where, folders, names in os.walk(folder, onerror=fail):
        here = Path(where)
        folders[:] = [name for name in folders if not _is_hidden(name)]
        links = [name for name in folders if (here / name).is_symlink()]
        for name in (*links, *names):
            if not _is_hidden(name):
                yield (here / name).relative_to(folder).as_posix()


def _is_hidden(name: str) -> bool:
    *folders, last = name.split("/")
    return _OF_ARCHIVES in folders or any(part.startswith(_HIDDEN) for part in (*folders, last))

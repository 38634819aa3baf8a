"""One file of an object store, or of any file system that pyarrow knows, for the readers of files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from types import SimpleNamespace
from typing import IO, Any, cast

from pyarrow import fs

from sfumato.errors import ConfigurationError, InputError


@dataclass(frozen=True, slots=True)
class Location:
    """What the readers ask of a path, for the file ``path`` of the file system that ``root`` names by a URI."""

    root: str
    path: str

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Return the open file. Raise OSError."""
        if mode != "rb":
            raise ValueError(mode)
        return cast(IO[bytes], io.BufferedReader(file_system(self.root).open_input_file(self.path), 1 << 20))

    def stat(self) -> Any:
        """Return size and time of change, under the names that the operating system gives them."""
        info = file_system(self.root).get_file_info(self.path)
        return SimpleNamespace(st_size=info.size or 0, st_mtime_ns=info.mtime_ns or 0)


def file_system(uri: str) -> Any:
    """Return the file system of ``uri``. Raise ConfigurationError if pyarrow does not know it."""
    try:
        return fs.FileSystem.from_uri(uri)[0]
    except (ValueError, OSError, ImportError) as error:  # pyarrow's own errors are among these
        reason = type(error).__name__
    raise ConfigurationError(
        f"The address {uri.partition(':')[0]}:// cannot be opened ({reason}); name a file system that pyarrow knows, "
        "such as s3://, gs:// or file:///, and check its credentials."
    )


def listed(uri: str) -> list[tuple[Location, str, int, int]]:
    """Return the files at or below ``uri``: place, path below it, size, and time of change.

    Raise InputError if they cannot be listed.
    """
    system = file_system(uri)
    base = fs.FileSystem.from_uri(uri)[1].rstrip("/")
    try:
        info = system.get_file_info(base)
        infos = (
            [info] if info.type == fs.FileType.File else system.get_file_info(fs.FileSelector(base, recursive=True))
        )
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"The input cannot be listed ({reason}); check its address and your rights.") from None
    root = uri.partition("://")[0] + "://" + uri.partition("://")[2].partition("/")[0] + "/"
    found = []
    for info in infos:
        if info.type == fs.FileType.File:
            below = info.path[len(base) :].lstrip("/") or info.base_name
            found.append((Location(root, info.path), below, info.size, info.mtime_ns or 0))
    return found

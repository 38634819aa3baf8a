"""One file of an object store, or of any file system that pyarrow knows, for the readers of files."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from threading import RLock
from types import SimpleNamespace
from typing import IO, Any, cast

import pyarrow as pa
from pyarrow import fs

from sfumato.errors import ConfigurationError, InputError

_PATIENCE = 30
"""Seconds that Google's store tries again without an answer; by itself it would for a quarter of an hour."""
_GOOGLE = ("gs", "gcs")
_AZURE = ("abfs", "abfss")
_ERR = 2
_ONE_AT_A_TIME = RLock()


@contextmanager
def _answering(root: str) -> Iterator[None]:
    """Raise one OSError for everything that pyarrow raises of a store. Its own messages may quote an address."""
    try:
        with _quiet(root):
            yield
        return
    except OSError as error:
        if error.strerror:  # of a disk
            raise
    except (pa.ArrowException, ValueError):
        pass
    raise OSError(errno.EIO, "the store refused, or did not answer")


@contextmanager
def _quiet(root: str) -> Iterator[None]:
    """Keep from standard error what programs write there that Azure's library runs: "az: not found"."""
    if root.partition(":")[0] not in _AZURE:
        yield
        return
    with _ONE_AT_A_TIME, ExitStack() as undo:
        with suppress(OSError):  # there is no standard error
            kept, nothing = os.dup(_ERR), os.open(os.devnull, os.O_WRONLY)
            undo.callback(os.close, kept)
            undo.callback(os.dup2, kept, _ERR)
            os.dup2(nothing, _ERR)
            os.close(nothing)
        yield


class _Stream(io.RawIOBase):
    """An open file of the store at ``root``."""

    def __init__(self, file: Any, root: str) -> None:
        self._file, self._root = file, root

    def readable(self) -> bool:
        """Return whether it can be read: yes."""
        return True

    def seekable(self) -> bool:
        """Return whether it has places to go to: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` as far as there is something; 0 at the end. Raise OSError."""
        with _answering(self._root):
            return int(self._file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place, and return it. Raise OSError."""
        with _answering(self._root):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Return the place."""
        with _answering(self._root):
            return int(self._file.tell())

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()


@dataclass(frozen=True, slots=True)
class Location:
    """What the readers ask of a path, for the file ``path`` of the file system that ``root`` names by a URI.

    A URI may hold a key.
    """

    root: str = field(repr=False)
    path: str

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Return the open file. Raise OSError."""
        if mode != "rb":
            raise ValueError(mode)
        system = _file_system(self.root)[0]
        with _answering(self.root):
            return cast(IO[bytes], io.BufferedReader(_Stream(system.open_input_file(self.path), self.root), 1 << 20))

    def stat(self) -> Any:
        """Return size and time of change, under the names that the operating system gives them. Raise OSError."""
        system = _file_system(self.root)[0]
        with _answering(self.root):
            info = system.get_file_info(self.path)
        return SimpleNamespace(st_size=info.size or 0, st_mtime_ns=info.mtime_ns or 0)


def _file_system(uri: str) -> tuple[Any, str]:
    """Return the file system of ``uri``, and the path in it. Raise ConfigurationError if pyarrow does not know it."""
    scheme = uri.partition(":")[0]
    try:
        system, path = fs.FileSystem.from_uri(f"{uri}?retry_limit_seconds={_PATIENCE}" if scheme in _GOOGLE else uri)
        return system, str(path)
    except (ValueError, OSError, ImportError, pa.ArrowException) as error:
        reason = type(error).__name__
    raise ConfigurationError(
        f"The address {scheme}:// cannot be opened ({reason}); name a file system that pyarrow knows, "
        "such as s3://, gs:// or file:///, and check its credentials and the network."
    )


def listed(uri: str) -> list[tuple[Location, str, int, int]]:
    """Return the files at or below ``uri``: place, path below it, size, and time of change.

    Raise InputError if they cannot be listed.
    """
    system, base = _file_system(uri)
    base = base.rstrip("/")
    try:
        with _answering(uri):
            info = system.get_file_info(base)
            one = info.type == fs.FileType.File
            infos = [info] if one else system.get_file_info(fs.FileSelector(base, recursive=True))
    except OSError as error:
        raise InputError(
            f"The input cannot be listed ({error.strerror}); check its address, your rights and the network."
        ) from None
    root = uri.partition("://")[0] + "://" + uri.partition("://")[2].partition("/")[0] + "/"
    found = []
    for info in infos:
        if info.type == fs.FileType.File:
            below = info.path[len(base) :].lstrip("/") or info.base_name
            found.append((Location(root, info.path), below, info.size, info.mtime_ns or 0))
    return found

"""Writing one file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from sfumato.errors import OutputError, SfumatoError


@contextmanager
def whole(path: Path, private: bool = False, hidden: Path | None = None) -> Iterator[IO[bytes]]:
    """Give a file that gets the name ``path`` when the block ends, synced; where the block fails it is removed.

    A ``private`` file can be read by its owner only. Until then it is called ``hidden``: whoever owns that name
    leaves nothing behind when it is killed and run again; others share no name. Raises OSError.
    """
    if hidden is None:
        hidden = path.with_name(f".sfumato-{secrets.token_hex(8)}.tmp")  # never longer than a file's name may be
    with created(hidden, private) as file:
        yield file
    try:
        os.replace(hidden, path)
    except BaseException:
        _give_up(hidden)
        raise


@contextmanager
def created(path: Path, private: bool = False) -> Iterator[IO[bytes]]:
    """Give a new file at ``path`` in place of what is there, synced when the block ends; removed where it fails."""
    path.unlink(missing_ok=True)  # not written over: it may be open, or readable, to others
    mode = 0o600 if private else 0o666
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _give_up(path)
        raise


def _give_up(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def regular(path: Path) -> Path:
    """Return ``path``; raise OSError where it is a pipe or a device, which a reader would wait for."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "not a regular file")
    return path


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; do nothing where ``path`` is free."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Make the names in a folder outlast a power cut, where the system can."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a full disk or a refused write into an OutputError."""
    try:
        yield
    except SfumatoError:
        raise
    except OSError as error:
        raise OutputError(f"{path.name} cannot be written ({error.strerror or type(error).__name__}).") from None

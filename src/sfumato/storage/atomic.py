"""Write one file whole or not at all."""

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
from sfumato.storage.locations import check_path


@contextmanager
def whole(path: Path, private: bool = False, hidden: Path | None = None) -> Iterator[IO[bytes]]:
    """Give a file that gets the name ``path`` when the block ends, synced. If the block fails, the file is removed.

    Only its owner can read a ``private`` file. Until the block ends the file is called ``hidden``. A caller that owns
    that name leaves nothing behind if it is killed and run again; without one every call has a random name. Raise
    OSError.
    """
    if hidden is None:
        hidden = path.with_name(f".sfumato-{secrets.token_hex(8)}.tmp")  # short enough for any file system
    with created(hidden, private) as file:
        yield file
    try:
        os.replace(hidden, path)
    except BaseException:
        _give_up(hidden)
        raise


@contextmanager
def created(path: Path, private: bool = False) -> Iterator[IO[bytes]]:
    """Give a new file that replaces ``path``, synced when the block ends. If the block fails, the file is removed."""
    check_path(path)
    path.unlink(missing_ok=True)  # removed first: others may have it open, or be allowed to read it
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
    """Return ``path``. Raise OSError if it is a pipe or a device, which a reader would wait for."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "not a regular file")
    return path


def remove(path: Path) -> None:
    """Remove a file, or a folder with everything in it. Do nothing if ``path`` does not exist."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Make the names in a folder survive a power cut, if the system can."""
    if os.name == "nt":  # Windows cannot open a folder
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a full disk or a refused write into an OutputError that names ``path``."""
    try:
        yield
    except SfumatoError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"{path.name} cannot be written ({reason}); check the disk and the permissions.") from None

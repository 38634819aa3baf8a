"""Folders for the time of a request, which nobody else may read; what a killed process left of them is removed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sfumato.storage.locations import temporary_folder

_PREFIX, _LOCK = "sfumato-serve-", "lock"


@contextmanager
def private_folder() -> Iterator[Path]:
    """Give a folder, and remove it. As long as it is used it is locked."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=temporary_folder()) as made:
        folder = Path(made)
        with FileLock(folder / _LOCK):
            yield folder


def remove_left() -> int:
    """Remove the folders of this user that no process uses any more, and return how many these were."""
    count = 0
    for folder in temporary_folder().glob(f"{_PREFIX}*"):
        with suppress(OSError, Timeout):  # of another user, or removed at this moment
            if _is_own(folder):
                with FileLock(folder / _LOCK, timeout=0):
                    shutil.rmtree(folder)
                count += 1
    return count


def _is_own(folder: Path) -> bool:
    told = folder.lstat()
    return stat.S_ISDIR(told.st_mode) and (not hasattr(os, "getuid") or told.st_uid == os.getuid())

"""The folder in which a stream lies while a run needs it: for its owner only, and gone however the run ends.

A run that is asked to end unwinds (:mod:`sfumato.cli.endings`) and removes its folder. One that is killed outright
cannot. A lock beside the folder went with it, so the next run with a stream knows what is left, and removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.cli.endings import ignore_endings
from sfumato.errors import OutputError
from sfumato.storage import Place, owned, remove
from sfumato.storage.locations import temporary_folder

_NAME = re.compile(r"sfumato-stream-[0-9a-f]{16}")


@contextmanager
def passing_folder() -> Iterator[Path]:
    """Yield a new folder for its owner only, among the temporary files; it is gone when the block ends."""
    parent = temporary_folder()
    _remove_left_over(parent)
    folder = parent / f"sfumato-stream-{secrets.token_hex(8)}"
    with owned([Place(folder)]):  # the lock is there before the folder is, and after it
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            ignore_endings()
            remove(folder)


def _remove_left_over(parent: Path) -> None:
    """Remove the folders of this user's runs that were killed: those whose lock nobody holds any more."""
    for folder in parent.glob("sfumato-stream-*"):
        if (
            _NAME.fullmatch(folder.name)
            and _is_ours(folder, stat.S_ISDIR)
            and _is_ours(Place(folder).lock, stat.S_ISREG)
        ):
            # Where the lock is held, the run is alive; what cannot be removed is left to the next run.
            with suppress(OutputError, OSError), owned([Place(folder)]):
                remove(folder)


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether ``path`` is as a run of this user makes it: its kind and its owner."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    user = os.getuid() if hasattr(os, "getuid") else facts.st_uid
    return facts.st_uid == user and is_kind(facts.st_mode)

"""The folder in which a stream lies while a run needs it: for its owner only, and gone however the run ends.

A run that is asked to end (SIGTERM, SIGHUP) unwinds and removes its folder. One that is killed outright cannot; a
lock beside the folder went with it, and so the next run with a stream knows what is left, and removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from sfumato.errors import OutputError
from sfumato.storage import Place, owned, remove

_NAME = re.compile(r"sfumato-stream-[0-9a-f]{16}")
_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def passing_folder() -> Iterator[Path]:
    """Yield a new folder for its owner only, among the temporary files; it is gone when the block ends."""
    parent = Path(tempfile.gettempdir())
    _remove_left_over(parent)
    folder = parent / f"sfumato-stream-{secrets.token_hex(8)}"
    with unwinding(), owned([Place(folder)]):  # the lock is there before the folder is, and after it
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            _ignore_endings()  # the run ends in any case, and a second signal must not stop the removal
            remove(folder)


@contextmanager
def unwinding() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise SystemExit in the block, where they would end the process on the spot."""
    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:  # nohup has the run ignore SIGHUP
                signal.signal(number, _leave)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _: FrameType | None) -> None:
    _ignore_endings()
    sys.exit(128 + number)


def _ignore_endings() -> None:
    if threading.current_thread() is threading.main_thread():
        for number in _ENDINGS:
            signal.signal(number, signal.SIG_IGN)


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

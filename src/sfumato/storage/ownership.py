"""One run owns the files that it writes, until its process ends.

The lock is the operating system's (flock on Unix), so it ends with the process, whatever ends that. The existence of
the lock file means nothing. On a network file system the lock holds between machines if the server supports locks, as
NFS with its lock service does. If locks are not supported, the run is refused, because another run could write the
same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sfumato.errors import OutputError
from sfumato.storage.atomic import whole
from sfumato.storage.places import Place

_PATIENCE = 0.2  # seconds: a run that is about to end has removed its lock file and not yet closed it


@contextmanager
def owned(places: Iterable[Place]) -> Iterator[None]:
    """Own ``places`` for the length of the block. Raise OutputError if another run owns one of them."""
    files = {_resolved(place): place for place in places}
    with ExitStack() as held:
        for path in sorted(files):
            held.enter_context(_locked(path, files[path].path.name))
        yield


def _resolved(place: Place) -> Path:
    """Return the lock file in its resolved folder, so that two ways to one folder meet at one lock."""
    place.check()
    return place.path.parent.resolve() / place.lock.name


@contextmanager
def _locked(path: Path, name: str) -> Iterator[None]:
    lock = FileLock(path, timeout=_PATIENCE, mode=0o600, thread_local=False, fallback_to_soft=False)
    try:
        try:
            lock.acquire()
        except Timeout:
            if not os.path.lexists(path):  # no other run holds the lock, or the other run has ended
                with whole(path, private=True):
                    pass
            raise
    except Timeout:
        raise OutputError(
            f"Another run is writing {name} at this moment; wait until that run has ended, or choose another output."
        ) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{name} cannot be written, because its folder takes no lock against other runs ({reason}); check the "
            "folder's permissions, or choose a folder on a file system that supports locks."
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # while it is locked: a run that opened it meanwhile sees that it has lost its name
            os.unlink(path)
        lock.release()

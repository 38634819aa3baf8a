"""Files that appear whole or not at all: one alone, or several that one run owns and that get their names together.

What a refused run made before it was refused is removed again. The lock of a run is the operating system's (flock on
Unix), so it ends with the process, whatever ends that. The existence of the lock file means nothing. On a network
file system the lock holds between machines if the server supports locks, as NFS with its lock service does. If locks
are not supported, the run is refused, because another run could write the same files.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from sfumato.errors import OutputError, SfumatoError
from sfumato.storage.locations import check_path

_PATIENCE = 0.2  # seconds: a run that is about to end has removed its lock file and not yet closed it


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


@contextmanager
def undone(*made: Path) -> Iterator[None]:
    """Remove the files that were ``made`` if the block fails."""
    try:
        yield
    except BaseException:
        for path in made:
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


def put(path: Path, content: bytes, private: bool = False) -> None:
    """Write ``content`` at ``path``, whole or not at all. Raise OutputError if that fails."""
    with writing(path), whole(path, private) as file:
        file.write(content)


@dataclass(frozen=True, slots=True)
class Place:
    """A name, ``path``, that a run gives to a file or folder it makes.

    Every file on the way there is hidden beside it.
    """

    path: Path

    def __post_init__(self) -> None:
        check_path(self.path)
        if self.path.name in ("", ".."):
            raise OutputError(f"{self.path} is not a name for a new file or folder; choose another output.")

    @property
    def ready(self) -> Path:
        """Return the path of the complete file or folder that is to get the name."""
        return self._hidden("ready")

    @property
    def replaced(self) -> Path:
        """Return the path that keeps the earlier file or folder of this name, until the run has ended."""
        return self._hidden("replaced")

    @property
    def lock(self) -> Path:
        """Return the path of the lock against other runs."""
        return self._hidden("lock")

    def check(self) -> None:
        """Raise OutputError if the folder does not exist, or if it does not take the hidden names."""
        if not self.path.parent.is_dir():
            raise OutputError(f"The folder {self.path.parent} does not exist; create it first.")
        for name in (self.ready, self.replaced, self.lock):
            try:
                os.lstat(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise OutputError(
                    f"{self.path.name} cannot be written ({reason}): the run needs a hidden file beside it with a "
                    f"name {len(name.name) - len(self.path.name)} characters longer; choose a shorter name or "
                    "another folder."
                ) from None

    def forget(self) -> None:
        """Remove the replaced file, and a file that was made ready and not used."""
        remove(self.replaced)
        remove(self.ready)

    def _hidden(self, ending: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{ending}")


def publish(places: Sequence[Place]) -> None:
    """Give every ready file its name, in the order of ``places``. A place with nothing ready is emptied.

    The last place is emptied first and filled last. So if the machine stops, the other files exist before the last
    one does. If a step fails, the steps before it are undone, and the error is raised. Raise OutputError if they
    cannot be undone. Replaced files are kept until :meth:`Place.forget`.
    """
    steps: list[tuple[Path, Path]] = []

    def rename(source: Path, target: Path) -> None:
        steps.append((source, target))
        os.replace(source, target)
        sync_folder(target.parent)

    try:
        for place in reversed(places):
            if os.path.lexists(place.path):
                remove(place.replaced)
                rename(place.path, place.replaced)
        for place in places:
            if os.path.lexists(place.ready):
                rename(place.ready, place.path)
    except BaseException:
        _take_back(steps)
        raise


def withdraw(place: Place) -> None:
    """Give the name back to the file that had it before :func:`publish`, or to nothing. Raise OSError."""
    if os.path.lexists(place.replaced):
        os.replace(place.replaced, place.path)
    else:
        place.path.unlink(missing_ok=True)
    sync_folder(place.path.parent)


def _take_back(steps: Sequence[tuple[Path, Path]]) -> None:
    """Undo renames, the last one first. Raise OutputError if one cannot be undone."""
    stuck = []
    for source, target in reversed(steps):
        if os.path.lexists(source):  # the step that failed was not done
            continue
        with suppress(OSError):
            os.replace(target, source)
        if not os.path.lexists(source):
            stuck.append(target)
    if stuck:
        names = ", ".join(path.name for path in stuck)
        raise OutputError(
            f"Some files got their names ({names}), others did not, and this could not be undone; run the same "
            "command again; add --resume to sanitize."
        )


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


@contextmanager
def leaving_nothing(*paths: Path) -> Iterator[Callable[[], None]]:
    """Remove those of ``paths`` that the block made if it fails, with the folders that were made for them.

    A folder stays if it holds something. Yield what the block calls when a failure is no refusal any more: from then
    on everything stays.
    """
    whole = [path.absolute() for path in paths]
    every = {each for path in whole for each in (path, *path.parents)}
    new = sorted((path for path in every if not os.path.lexists(path)), key=lambda path: -len(path.parts))
    refusing = True

    def begin() -> None:
        nonlocal refusing
        refusing = False

    try:
        yield begin
    except BaseException:
        for path in new if refusing else ():
            with suppress(OSError):  # it was not made, or it holds something
                path.rmdir() if path.is_dir() else path.unlink()
        raise

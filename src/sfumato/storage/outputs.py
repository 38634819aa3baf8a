"""A file that is written where the user says: it replaces nothing that the run needs, and one run writes it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.storage.atomic import Place, owned
from sfumato.storage.locations import check_path


@dataclass(frozen=True)
class Output:
    """``what`` goes to ``path``, which the option ``flag`` names, apart from the ``others`` of the run."""

    path: Path
    what: str
    flag: str
    others: tuple[Path, ...]
    replace: bool

    @property
    def place(self) -> Place:
        """The name, and what is hidden beside it."""
        return Place(self.path)

    def check(self) -> None:
        """Raise OutputError where writing it would destroy something that the caller did not mean."""
        path = self.path
        check_path(path)
        if path.name in ("", "-", "..") or not path.parent.is_dir() or path.is_dir():
            raise OutputError(f"{self.what} must go to a file in a folder that exists; name one with {self.flag}.")
        place = self.place
        if any(meet(own, one) for own in (path, place.ready, place.replaced, place.lock) for one in self.others):
            raise OutputError(
                f"{self.what} must go to a file apart from the input and all else that the run reads or writes; name "
                f"another with {self.flag}."
            )
        if os.path.lexists(path) and not self.replace:
            raise OutputError(f"{path} exists; name another with {self.flag}, or allow it to be replaced (--force).")
        if os.path.lexists(path) and not path.is_file():
            raise OutputError(f"{path} is not a regular file and is not replaced; choose another output.")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Own it for the length of the block. Raises OutputError where another run does, and as :meth:`check`."""
        self.check()  # before a lock stands there, which might be one of the others
        with owned([self.place]):
            self.check()
            yield


def output_of(path: Path, what: str, flag: str, others: Iterable[Path | None], replace: bool) -> Output:
    """Return where ``what`` goes; those of ``others`` that were not given are None."""
    return Output(path, what, flag, tuple(one for one in others if one is not None), replace)


def meet(own: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, or ``own`` lies in the folder ``other``."""
    target, source = own.resolve(), other.resolve()
    if target == source or (source.is_dir() and source in target.parents):
        return True
    return os.path.exists(own) and os.path.exists(other) and own.samefile(other)

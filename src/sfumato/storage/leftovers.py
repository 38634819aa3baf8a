"""What a refused run made before it was refused is removed again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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

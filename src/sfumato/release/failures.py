"""Errors of a sanitizer or a detector, raised again with the place in the file and nothing of the text."""

from __future__ import annotations

import os
import traceback
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from sfumato import errors
from sfumato.errors import InputError, OutputError, SfumatoError
from sfumato.files import Chunk
from sfumato.missing import missing

T = TypeVar("T")


def place_of(error: BaseException) -> str:
    """Return the kind of ``error`` and where it was raised; its message may quote private text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def answered(
    ask: Callable[[], T], who: str, chunk: Chunk, edges: Sequence[int], first: int = 0, outcome: str = ""
) -> T:
    """Return what ``ask`` answers about the records of ``chunk`` from ``first`` on, whose documents ``edges`` part.

    Foreign errors are renamed, as failures of ``who`` with that ``outcome``, and sfumato's own made again: messages,
    contexts and notes of what lies under them may hold private text, and a worker process sends all of it along.
    """
    try:
        return ask()
    except SfumatoError as error:
        failure = _anew(error, chunk, edges, first)
    except Exception as error:
        last = first + len(edges) - 2
        failure = missing(error) or OutputError(
            f"{who} failed with {type(error).__name__} between {chunk.where(first)} and {chunk.where(last)}; "
            f"{outcome}report it."
        )
    # Raised outside the except block, so that no context drags the private message along.
    raise failure


def _anew(error: SfumatoError, chunk: Chunk, edges: Sequence[int], first: int) -> SfumatoError:
    """Return ``error`` with nothing but its message; an InputError also names the place in the file.

    The batch holds the documents between the ``edges`` of the records from ``first`` on.
    """
    if not isinstance(error, InputError):
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        return cast(SfumatoError, kind(str(error)))
    if error.document is None or not 0 <= error.document < edges[-1] - edges[0]:
        return InputError(f"{chunk.where(first)}: {error.reason}")
    document = edges[0] + error.document
    record = bisect_right(edges, document) - 1
    return InputError(f"{chunk.where_text(first + record, document - edges[record])}: {error.reason}")

"""Cuts a long text into windows that overlap, so that a tagger of limited length sees all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from sfumato.errors import InputError, SfumatoError
from sfumato.missing import missing
from sfumato.text.document import Document

_BATCH = 100_000
_MOST_WINDOWS = 256
_CUTS = (
    regex.compile(r"\n[^\S\n]*\n"),
    regex.compile(r"\n"),
    regex.compile(r"[.!?…。]['\"”’)\]]*\s"),
    regex.compile(r"\s"),
)
"""Where to cut, best first: paragraph, line, sentence, white space."""


def windows(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return half-open windows of at most ``size`` characters that cover ``text``.

    Neighbours share at least ``overlap // 2`` characters, so any stretch that is no longer lies whole in one of them.
    ``size`` must be at least ``4 * overlap``.
    """
    bounds: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        end = _cut_before(text, start + size // 2, start + size)
        bounds.append((start, end))
        start = _start_after(text, end - overlap, end - overlap // 2)
    bounds.append((start, len(text)))
    return bounds


def _cut_before(text: str, low: int, high: int) -> int:
    """Return the best end of a window between ``low`` and ``high``; ``high`` if the text has no break."""
    for cut in _CUTS:
        ends = [match.end() for match in cut.finditer(text, low, high)]
        if ends:
            return int(ends[-1])
    return high


def _start_after(text: str, low: int, high: int) -> int:
    """Return the first position after ``low`` where a window may begin without parting a word, or ``low``."""
    space = _CUTS[-1].search(text, low, high)
    return int(space.end()) if space is not None else low


def batches(documents: Sequence[Document], size: int, overlap: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the windows of all documents, each with its document's number, in batches that bound memory."""
    batch: list[tuple[int, int, int]] = []
    characters = 0
    for number, document in enumerate(documents):
        for start, end in windows(document.text, size, overlap):
            batch.append((number, start, end))
            characters += end - start + 1
            if characters >= _BATCH or len(batch) >= _MOST_WINDOWS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch


def failed(finder: str, error: Exception, batch: Sequence[tuple[int, int, int]]) -> SfumatoError:
    """Return the error that ``finder`` failed with ``error``, perhaps for lack of a package.

    It names the documents of the batch, and nothing of their texts.
    """
    if lost := missing(error):
        return lost
    kind, first, last = type(error).__name__, batch[0][0], batch[-1][0]
    if first == last:
        return InputError(f"{finder} failed ({kind}); nothing was detected.", first)
    return InputError(
        f"{finder[:1].upper()}{finder[1:]} failed in the documents {first + 1} to {last + 1} of the batch ({kind}); "
        "nothing was detected in them."
    )

"""Cuts a long text into windows that overlap, so that a tagger of limited length sees all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from sfumato.errors import InputError
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
    """Half-open windows of at most ``size`` characters that cover ``text``.

    Neighbours share at least ``overlap // 2`` characters, so whatever is no longer than that lies whole in
    one of them. Needs ``size >= 4 * overlap``.
    """
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        end = _cut_before(text, start + size // 2, start + size)
        found.append((start, end))
        start = _start_after(text, end - overlap, end - overlap // 2)
    found.append((start, len(text)))
    return found


def _cut_before(text: str, low: int, high: int) -> int:
    """The best place to end a window between ``low`` and ``high``; ``high`` where the text has no break."""
    for cut in _CUTS:
        ends = [match.end() for match in cut.finditer(text, low, high)]
        if ends:
            return int(ends[-1])
    return high


def _start_after(text: str, low: int, high: int) -> int:
    """The first place after ``low`` where a window may begin without parting a word, or ``low``."""
    space = _CUTS[-1].search(text, low, high)
    return int(space.end()) if space is not None else low


def batches(documents: Sequence[Document], size: int, overlap: int) -> Iterator[list[tuple[int, int, int]]]:
    """The windows of all documents, each behind its document's number, in batches that bound a tagger's memory."""
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


def failed(finder: str, kind: str, batch: Sequence[tuple[int, int, int]]) -> InputError:
    """That ``finder`` failed with an exception of ``kind`` in a batch of windows: where, and nothing of the text."""
    first, last = batch[0][0], batch[-1][0]
    if first == last:
        return InputError(f"{finder} failed ({kind}); nothing was detected.", first)
    return InputError(
        f"{finder[:1].upper()}{finder[1:]} failed in the documents {first + 1} to {last + 1} of the batch ({kind}); "
        "nothing was detected in them."
    )

"""What a release still shows of its input: draws that came back, names that are still there, figures between marks.

A draw may return what it replaced. How often it did so in this very release is a function of the private texts that
no ε covers, as is every count here. So these counts are for the owner: the closing lines, the summary of a run and
the owner's page have them. A statement goes with its release, and gives what the law says instead: how often a draw
gives a public word back.

Analysis. Nothing here decides a release: it is counted after the last draw, and no count enters the release, its
statement or a later draw. Two neighbouring inputs have different counts. So counts leave the owner only as what the
owner says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.detector import Detector
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import InputError, OutputError
from sfumato.kinds.labels import DIRECT, candidates
from sfumato.privacy.kernels import compiled
from sfumato.text.document import Document, Release
from sfumato.text.marks import Codes, Marks, Spans, codes_of
from sfumato.text.sentences import still_there
from sfumato.types import IntArray

DRAWN, SAME, UNREAD = "drawn", "unchanged", "unread"
NAMES, LEFT, READ_FOR = "names", "names left", "records read for names"
NUMBERS = "unmarked numbers"
_MOST = 100
"""The most texts of a chunk that are read for names, where the marks do not say what is one."""
_FOLDED = 0x3000
_BLANK, _DIGIT = 1, 2
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Remains:
    """What was counted of some texts.

    Attributes:
        draws: For each kind that is drawn (or "" for a method): how many places were drawn, how many of them read as
            before, and of how many what was there could not be read.
        counts: How many direct identifiers are marked, how many of them are still there, and numbers between marks.
        direct: The direct identifiers that are marked in each text, where their removal is to be proved. Private.
    """

    draws: Mapping[str, Mapping[str, int]]
    counts: Mapping[str, int]
    direct: Sequence[Sequence[str]] = ()


def remains(
    sanitizer: Sanitizer, documents: Sequence[Document], releases: Sequence[Release], marks: Marks | None
) -> Remains:
    """Return what ``releases`` still show of ``documents``, in which ``sanitizer`` replaced the ``marks``.

    ``marks`` are None where a method rewrites whole texts. Methods without a guarantee have none of these counts.
    """
    if not (sanitizer.treatments or sanitizer.guarantee):
        return Remains({}, {})
    counts: Counter[str] = Counter()
    draws: dict[str, dict[str, int]] = {}
    labels = None if marks is None else _labels(marks)
    if marks is not None:
        texts = [] if labels is None else list(_marked(documents, marks, labels))
        draws = _draws(sanitizer, labels, list(chain.from_iterable(texts)), unchanged(marks, releases))
        if sanitizer.guarantee is not None:
            counts[NUMBERS] = unmarked_numbers(marks)
        if labels is not None and sanitizer.names is None:
            counts.update(_names(texts, releases))
    if sanitizer.names is not None:
        read = documents[:_MOST]
        counts.update(_names(_found(sanitizer.names, read), releases))
        counts[READ_FOR] += len(read)
    return Remains(draws, {name: count for name, count in counts.items() if count})


def direct_identifiers(documents: Sequence[Document], marks: Marks | None) -> list[list[str]]:
    """Return what is marked as a direct identifier in each of ``documents``; nothing of marks without labels."""
    labels = None if marks is None else _labels(marks)
    if marks is None or labels is None:
        return [[] for _ in documents]
    rows = _marked(documents, marks, labels)
    return [[text for text, label in own if candidates(label)[-1] in DIRECT] for own in rows]


def told(returned: Mapping[str, Mapping[str, int]], counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what the owner is told: how many draws came back, what could not be read, and what is still there."""
    drawn, same = (sum(own.get(name, 0) for own in returned.values()) for name in (DRAWN, SAME))
    if drawn:
        often = sorted(((kind, own.get(SAME, 0)) for kind, own in returned.items()), key=lambda row: -row[1])
        each = ", ".join(f"{kind} {count:,}" for kind, count in often if kind and count)
        yield f"{same:,} of {drawn:,} replaced spans read as before{f' ({each})' if each else ''}"
    if unread := {kind: own[UNREAD] for kind, own in returned.items() if own.get(UNREAD)}:
        each = ", ".join(f"{kind} {count:,}" for kind, count in unread.items())
        yield f"{sum(unread.values()):,} could not be read, and a public stand-in was replaced ({each})"
    if counts.get(NAMES):
        read = f", in {counts[READ_FOR]:,} texts that were read for them" if READ_FOR in counts else ""
        marked = "found" if read else "marked"
        yield f"{counts.get(LEFT, 0):,} of {counts[NAMES]:,} {marked} names and codes are still there{read}"
    if counts.get(NUMBERS) and "" in returned:
        yield f"{counts[NUMBERS]:,} words with a digit are not marked, and stay"


def _labels(marks: Marks) -> list[str] | None:
    """Return the label of each mark; None if all have one."""
    if isinstance(marks.labels, str):
        return None
    rows = zip(marks.labels, marks.counts.tolist(), strict=True)
    return list(chain.from_iterable([own] * count if isinstance(own, str) else own for own, count in rows))


def _draws(
    sanitizer: Sanitizer, labels: Sequence[str] | None, texts: Sequence[tuple[str, str]], same: Flags
) -> dict[str, dict[str, int]]:
    """Return, for each kind that is drawn, how many places were drawn, how many read as before, and were not read."""
    if not sanitizer.treatments:
        if sanitizer.guarantee is None or not len(same):
            return {}
        return {"": {DRAWN: len(same), SAME: int(same.sum())}}
    every, alike = Counter(labels), Counter(label for label, own in zip(labels or (), same, strict=True) if own)
    drawn = {kind: own.built for kind in every if (own := sanitizer.treatment_of(kind)).guarantee is not None}
    unread = Counter(kind for text, kind in texts if kind in drawn and drawn[kind].fallback(kind, text) is not None)
    return {kind: {DRAWN: every[kind], SAME: alike[kind], UNREAD: unread[kind]} for kind in sorted(drawn)}


def _found(detector: Detector, documents: Sequence[Document]) -> Iterator[list[tuple[str, str]]]:
    """Yield what ``detector`` finds in each document; nothing of those that it cannot read."""
    for document in documents:
        try:
            [spans] = detector.detect([document])
        except InputError:
            spans = Spans([])
        yield [(document.text[start:end], label) for start, end, label in spans]


def _marked(documents: Sequence[Document], marks: Marks, labels: Sequence[str]) -> Iterable[list[tuple[str, str]]]:
    """Yield the marked texts of each document with their labels."""
    begins = marks.starts - np.repeat(marks.origins, marks.counts)
    bounds = zip(begins.tolist(), (begins + marks.ends - marks.starts).tolist(), labels, strict=True)
    for document, count in zip(documents, marks.counts.tolist(), strict=True):
        yield [(document.text[start:end], label) for _, (start, end, label) in zip(range(count), bounds)]  # noqa: B905


def _names(rows: Iterable[Sequence[tuple[str, str]]], releases: Sequence[Release]) -> Counter[str]:
    """Return how many direct identifiers are marked in the texts, each once a text, and how many are still there."""
    counts: Counter[str] = Counter()
    for own, release in zip(rows, releases):  # noqa: B905 (of the first texts alone, where not all are read)
        values = {text for text, label in own if candidates(label)[-1] in DIRECT}
        if values:
            counts[NAMES] += len(values)
            counts[LEFT] += len(still_there(values, release.text))
    return counts


def unchanged(marks: Marks, releases: Sequence[Release]) -> Flags:
    """Return for each mark whether the release reads as the text did there, in any case, shape (n,).

    Raise OutputError if the releases do not have a replacement for each mark.
    """
    out = codes_of("".join([release.text for release in releases]))
    lengths = np.fromiter((len(release.text) for release in releases), dtype=np.int64, count=len(releases))
    flat = [np.asarray(release.bounds, dtype=np.int64) for release in releases]
    bounds = (np.concatenate(flat) if flat else np.empty(0, dtype=np.int64)).reshape(-1, 2)
    begins = np.repeat(np.cumsum(lengths) - lengths, marks.counts)
    if len(bounds) != len(marks.starts):
        raise OutputError("A release has more or fewer replacements than there were marks; report it.")
    same = np.zeros(len(bounds), dtype=np.bool_)
    _compare(marks.codes, marks.starts, marks.ends, out, bounds[:, 0] + begins, bounds[:, 1] + begins, _folds(), same)
    return same


def unmarked_numbers(marks: Marks) -> int:
    """Return how many words with a digit are outside all marks."""
    return int(_numbers(marks.codes, marks.starts, marks.ends, _traits()))


@lru_cache(maxsize=1)
def _folds() -> IntArray:
    """Return the lower case of each of the first code points."""
    lowered = [chr(code).lower() for code in range(_FOLDED)]
    return np.array([ord(low) if len(low) == 1 else code for code, low in enumerate(lowered)], dtype=np.int64)


@lru_cache(maxsize=1)
def _traits() -> NDArray[np.uint8]:
    """Return which of the first code points are blanks or digits."""
    signs = map(chr, range(_FOLDED))
    return np.array([_BLANK * sign.isspace() | _DIGIT * sign.isdigit() for sign in signs], dtype=np.uint8)


@compiled
def _compare(
    codes: Codes, starts: IntArray, ends: IntArray, out: Codes, begins: IntArray, finishes: IntArray,
    folds: IntArray, same: Flags,
) -> None:  # fmt: skip
    for mark in range(len(starts)):
        size = ends[mark] - starts[mark]
        alike = size == finishes[mark] - begins[mark]
        index = 0
        while alike and index < size:
            before, after = np.int64(codes[starts[mark] + index]), np.int64(out[begins[mark] + index])
            before = folds[before] if before < len(folds) else before
            after = folds[after] if after < len(folds) else after
            alike = before == after
            index += 1
        same[mark] = alike


@compiled
def _numbers(codes: Codes, starts: IntArray, ends: IntArray, traits: NDArray[np.uint8]) -> int:
    count = mark = 0
    digit = False
    for index in range(len(codes)):
        while mark < len(starts) and ends[mark] <= index:
            mark += 1
        marked = mark < len(starts) and starts[mark] <= index
        trait = traits[codes[index]] if codes[index] < len(traits) else np.uint8(0)
        if marked or trait & 1:
            digit = False
        elif trait & 2 and not digit:
            digit = True
            count += 1
    return count

"""The classes of the network, and the most likely run of them: marks of whole words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.models.token_classifier.pieces import Pieces
from sfumato.privacy.kernels import compiled_alike

KINDS = (
    *("PERSON", "ORGANIZATION", "LOCATION", "DATE", "AGE", "CODE", "OCCUPATION", "GROUP", "QUANTITY", "MONEY"),
    *("PHONE", "EMAIL", "URL", "IP", "USERNAME", "MISC"),
)
CLASSES = 1 + 2 * len(KINDS)
"""Class 0 is no identifier; 1 + 2k begins kind k, and 2 + 2k continues with it."""
NO_NUMBER = "an answer of the network is not a number"
_LEAST = 1e-9


class Mark(NamedTuple):
    """A half-open span of characters, the index of its kind, and two probabilities.

    ``likely`` is the mean over its words that they belong to an identifier of any kind, ``telling`` that an annotator
    would want it replaced.
    """

    start: int
    end: int
    kind: int
    likely: float
    telling: float


def marks_of(
    pieces: Pieces, classes: NDArray[np.float32], telling: NDArray[np.float32], threshold: float
) -> list[Mark]:
    """Return the marks of a text from the probabilities of its pieces, ``classes`` (n, CLASSES) and ``telling`` (n,).

    A word has the mean of its pieces. The run of classes is the most likely in which a kind begins before it
    continues, after the odds of no identifier are multiplied by ``threshold / (1 - threshold)``. Raise ValueError
    unless all probabilities are finite: no comparison holds for NaN, so nothing would be marked.
    """
    if not (np.isfinite(classes).all() and np.isfinite(telling).all()):
        raise ValueError(NO_NUMBER)
    if not len(pieces):
        return []
    first, words = words_of(pieces, classes)
    lengths = np.diff(np.append(first, len(pieces)))
    odds = np.maximum(words, _LEAST)
    odds[:, 0] *= threshold / (1 - threshold)
    labels = likeliest(odds)
    told = np.add.reduceat(telling, first) / lengths
    starts, ends = pieces.starts[first], pieces.ends[np.append(first[1:], len(pieces)) - 1]
    marks: list[Mark] = []
    marked = np.flatnonzero(labels)
    begins = np.flatnonzero(labels[marked] % 2 == 1)
    for low, high in zip(begins, np.append(begins, len(marked))[1:], strict=True):
        run = marked[low:high]
        likely, tells = float(1 - words[run, 0].mean()), float(told[run].max())
        marks.append(Mark(int(starts[run[0]]), int(ends[run[-1]]), int(labels[run[0]] - 1) // 2, likely, tells))
    return marks


def words_of(pieces: Pieces, classes: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the first piece of each word, and the probabilities (words, CLASSES) of the words; one at least."""
    first = np.flatnonzero(np.diff(pieces.words, prepend=-1))
    lengths = np.diff(np.append(first, len(pieces)))
    words = np.add.reduceat(classes, first, axis=0) / lengths[:, None]
    words[:, 1::2] = classes[first, 1::2]  # only the first piece of a word can begin a mark
    return first, words


@compiled_alike
def likeliest(odds: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the classes (n,) of highest product of ``odds`` (n, classes) where no kind continues without a begin.

    A sum of logarithms would do as well, but not every processor rounds a logarithm alike.
    """
    count, classes = odds.shape
    before = np.empty((count, classes), dtype=np.int8)
    products = odds[0].copy()
    for number in range(2, classes, 2):
        products[number] = 0
    for row in range(1, count):
        best = 0
        for number in range(1, classes):
            if products[number] > products[best]:
                best = number
        following, largest = np.empty_like(products), products[best]
        for number in range(classes):
            origin = best
            if number and number % 2 == 0:
                origin = number if products[number] > products[number - 1] else number - 1
            before[row, number] = origin
            following[number] = products[origin] / largest * odds[row, number]
        products = following
    labels = np.empty(count, dtype=np.int8)
    label = 0
    for number in range(1, classes):
        if products[number] > products[label]:
            label = number
    for row in range(count - 1, -1, -1):
        labels[row] = label
        label = before[row, label]
    return labels

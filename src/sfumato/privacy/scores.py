"""The scores of some draws, and what the law by rank asks of them, on the host or on the device that computed them.

A rank is drawn on the host, from the randomness of the run and without the scores. What remains is to look up which
outcome has that rank: the highest score first, equal scores in the public order of the outcomes. :class:`ScoreRows`
says what there is to look up. :class:`HostScores` does it with numpy, and a model on a GPU answers with rows of its
own, so that not every score has to be copied. All of them must answer alike to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.types import FloatArray, IntArray

Scores = NDArray[np.floating[Any]]


class ScoreRows(Protocol):
    """Scores (n, V) of n draws over V outcomes, wherever they are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (n, V)."""

    def all_numbers(self) -> bool:
        """Return whether no score is NaN."""

    def of_ranks(self, ranks: IntArray) -> IntArray:
        """Return the outcome of each row's rank, both (n,).

        Ranks count from 0, from the highest score. Equal scores are in the order of the outcomes; -0 equals 0.
        """

    def gaps(self, firsts: IntArray) -> FloatArray:
        """Return by how much each row's last score of the ``firsts`` (n,) exceeds the next one, shape (n,).

        It is 0 for equal scores, infinities among them, and infinite where all V are first.
        """

    def replaced(self, rows: IntArray, scores: Scores) -> AnyScores:
        """Return the same with other ``scores`` (m, V) in ``rows`` (m,)."""

    def numpy(self) -> Scores:
        """Return all scores on the host."""


AnyScores = Scores | ScoreRows


@dataclass(frozen=True, slots=True, eq=False)
class HostScores:
    """Scores (n, V) in an array of numpy's."""

    scores: Scores

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (n, V)."""
        return self.scores.shape

    def all_numbers(self) -> bool:
        """Return whether no score is NaN."""
        return not np.isnan(self.scores).any()

    def of_ranks(self, ranks: IntArray) -> IntArray:
        """Return the outcome of each row's rank."""
        return np.array([_of_rank(row, int(rank)) for row, rank in zip(self.scores, ranks, strict=True)], np.int64)

    def gaps(self, firsts: IntArray) -> FloatArray:
        """Return by how much each row's last score of the ``firsts`` exceeds the next one."""
        return np.array([_gap(row, int(first)) for row, first in zip(self.scores, firsts, strict=True)], np.float64)

    def replaced(self, rows: IntArray, scores: Scores) -> Scores:
        """Return an array with other ``scores`` in ``rows``."""
        made = np.array(self.scores)
        made[rows] = scores
        return made

    def numpy(self) -> Scores:
        """Return the array."""
        return self.scores


def rows_of(scores: AnyScores) -> ScoreRows:
    """Return ``scores`` with what the law by rank asks of them."""
    return HostScores(scores) if isinstance(scores, np.ndarray) else scores


def on_host(scores: AnyScores) -> Scores:
    """Return ``scores`` as an array."""
    return scores if isinstance(scores, np.ndarray) else scores.numpy()


def _gap(scores: Scores, first: int) -> float:
    """Return by how much the last of the ``first`` ranks of ``scores`` (V,) exceeds the next one; 0 for equals."""
    if first >= len(scores):
        return float("inf")  # all ranks are alike
    place = len(scores) - first
    above, below = np.partition(scores, (place - 1, place))[[place, place - 1]].astype(np.float64)
    return 0.0 if above == below else float(above - below)


def _of_rank(scores: Scores, rank: int) -> int:
    """Return the outcome of ``rank`` (from 0) among ``scores`` (V,), the highest first, equals in their order."""
    if rank == 0:
        return int(np.argmax(scores))  # the first among equals
    place = len(scores) - 1 - rank
    threshold = np.partition(scores, place)[place]
    above = int(np.count_nonzero(scores > threshold))
    return int(np.flatnonzero(scores == threshold)[rank - above])

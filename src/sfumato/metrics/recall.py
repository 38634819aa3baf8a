"""Recall at a precision: how many people an attacker names who keeps silent where a guess is likely to be wrong.

A rate of right guesses counts an attacker who must guess about everybody. One who may abstain says how sure each
guess is, and acts only above a threshold. Large-scale online deanonymization with LLMs (arXiv 2602.16800) reports the
recall at 90 % precision: the share of all people who are named rightly at the threshold where nine of ten names are
right.

The threshold is never chosen on the people who are counted. They are cut into two halves at random, and each half is
measured at the threshold that the other half sets: the lowest at which the precision there is high enough; with none,
nobody is named. So the precision reached may be another one, and is a figure of its own. The intervals are those of
shares of people at given thresholds; how the thresholds vary with the halves is not in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, share
from sfumato.types import FloatArray

PRECISION = 0.9
_HALVES = 41


class Recall(NamedTuple):
    """Who is ``named`` (n,), the ``recall`` over all people, and the ``precision`` reached over those named."""

    named: NDArray[np.bool_]
    recall: Estimate
    precision: Estimate


def recall_at_precision(
    sure: FloatArray, right: NDArray[np.bool_], precision: float = PRECISION, seed: int = 0
) -> Recall:
    """Return the recall of guesses that are ``right`` (n,), at thresholds on how ``sure`` (n,) they are.

    A guess of which the attacker is 0 sure is an abstention: it is never named. Raise ConfigurationError for a
    precision that is not above 0 and at most 1, and for a sureness that is not finite.
    """
    if not 0.0 < precision <= 1.0:
        raise ConfigurationError("A precision is above 0 and at most 1.")
    if not np.isfinite(sure).all():
        raise ConfigurationError("How sure a guess is must be a finite number.")
    order = np.random.default_rng([seed, _HALVES]).permutation(len(sure))
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    named = np.zeros(len(sure), dtype=bool)
    for own, other in (halves, halves[::-1]):
        named[own] = sure[own] >= _threshold(sure[other], right[other], precision)
    hits = int((named & right).sum())
    return Recall(named, share(hits, len(sure)), share(hits, int(named.sum())))


def _threshold(sure: FloatArray, right: NDArray[np.bool_], precision: float) -> float:
    """Return the lowest sureness at and above which the precision is high enough; infinity if there is none."""
    order = np.argsort(-sure, kind="stable")
    levels, hits = sure[order], np.cumsum(right[order])
    whole = np.append(levels[1:] < levels[:-1], True)  # equally sure guesses are named together
    enough = whole & (hits >= precision * np.arange(1, len(levels) + 1) - 1e-9) & (levels > 0.0)
    return float(levels[np.flatnonzero(enough)[-1]]) if enough.any() else float("inf")

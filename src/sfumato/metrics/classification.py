"""How well guessed labels fit the true ones: accuracy, macro F1, advantage over the commonest label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.metrics.estimates import Estimate, mean, of_resamples, resampled

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def accuracy(guesses: IntArray, labels: IntArray, seed: int) -> Estimate:
    """Share of right guesses."""
    return mean(np.asarray(guesses == labels, dtype=np.float64), seed)


def advantage(guesses: IntArray, labels: IntArray, seed: int) -> Estimate:
    """Accuracy above that of always guessing the commonest label, resampled together."""
    right = np.asarray(guesses == labels, dtype=np.float64)
    classes = np.eye(int(labels.max()) + 1)[labels]

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray((weights @ right - (weights @ classes).max(axis=1)) / len(labels))

    value = float(right.mean() - classes.mean(axis=0).max())
    return of_resamples(value, resampled(len(labels), seed, statistic), len(labels))


def macro_f1(guesses: IntArray, labels: IntArray, seed: int) -> Estimate:
    """The mean over the labels of F1 (0 for a label that was neither guessed nor there)."""
    count = int(max(labels.max(), guesses.max())) + 1
    true, guessed = np.eye(count)[labels], np.eye(count)[guesses]
    both, either = true * guessed, true + guessed

    def statistic(weights: FloatArray) -> FloatArray:
        hits, total = weights @ both, weights @ either
        return np.asarray(np.divide(2 * hits, total, out=np.zeros_like(hits), where=total > 0).mean(axis=1))

    value = float(statistic(np.ones((1, len(labels))))[0])
    return of_resamples(value, resampled(len(labels), seed, statistic), len(labels))

"""How well guessed labels fit the true ones: accuracy, macro F1, advantage over the most common label."""

from __future__ import annotations

import numpy as np

from sfumato.metrics.estimates import Estimate, Resampled, of_resamples, of_statistic, resampled, share
from sfumato.types import FloatArray, IntArray


def accuracy(guesses: IntArray, labels: IntArray) -> Estimate:
    """Return the share of right guesses, with the Clopper-Pearson interval."""
    return share(int((guesses == labels).sum()), len(labels))


def advantage(guesses: IntArray, labels: IntArray, seed: int) -> Estimate:
    """Return the accuracy less that of always guessing the most common label, resampled together."""
    right = np.asarray(guesses == labels, dtype=np.float64)
    classes = np.eye(int(labels.max()) + 1)[labels]

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray((weights @ right - (weights @ classes).max(axis=1)) / len(labels))

    value = float(right.mean() - classes.mean(axis=0).max())
    return of_resamples(value, resampled(len(labels), seed, statistic), len(labels))


def macro_f1(guesses: IntArray, labels: IntArray, seed: int) -> Resampled:
    """Return the mean of F1 over the labels that were guessed or occur; 0 for a label that a resample lacks."""
    _, coded = np.unique(np.concatenate([labels, guesses]), return_inverse=True)
    one_hot = np.eye(int(coded.max()) + 1)
    true, guessed = one_hot[coded[: len(labels)]], one_hot[coded[len(labels) :]]
    both, either = true * guessed, true + guessed

    def statistic(weights: FloatArray) -> FloatArray:
        hits, total = weights @ both, weights @ either
        return np.asarray(np.divide(2 * hits, total, out=np.zeros_like(hits), where=total > 0).mean(axis=1))

    return of_statistic(statistic, len(labels), seed)


def relative_gain(use: Resampled, use_before: Resampled, read: Resampled, read_before: Resampled) -> Resampled:
    """Return U_r/U_o - P_r/P_o (DP-MLM paper, §5.2): the share of utility kept, less the share of inference kept.

    Figures of the same records and seed are resampled together; figures of different records, each by itself.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        resamples = use.resamples / use_before.resamples - read.resamples / read_before.resamples
    return Resampled(use.value / use_before.value - read.value / read_before.value, resamples, min(use.n, read.n))

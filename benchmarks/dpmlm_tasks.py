"""The five tasks of GLUE that are here, and a light classifier on them, for reproduction_dpmlm.py.

A record is one sentence or two, with a label; of STS-B, a number from 0 to 5.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from recording import DATA

from sfumato.abstract.models import Encoder
from sfumato.attacks.attribute_inference import EmbeddingClassifier, inferred
from sfumato.metrics.estimates import Resampled, of_statistic
from sfumato.metrics.guesses import pearson, spearman
from sfumato.types import FloatArray

NUMBERS = "STSB"
"""The task whose labels are numbers."""
FOLD_SEEDS = 3


class Record(NamedTuple):
    """The sentences of a record, and its label."""

    texts: tuple[str, ...]
    label: str


class Source(NamedTuple):
    """A file of a task: where it is, whether it has a header, the columns of its sentences and of its label."""

    path: str
    header: bool
    sentences: tuple[int, ...]
    label: int
    size: int
    """How many records are drawn, unless the run says otherwise."""
    most_words: int = 1000
    """Records of more words are left out, in all sentences together."""
    least_words: int = 1


SOURCES = {
    "CoLA": Source("cola/train.tsv", False, (3,), 1, 150),
    "SST2": Source("sst2/train.tsv", True, (0,), 1, 100, 30, 6),
    "MRPC": Source("mrpc/train.tsv", True, (3, 4), 0, 40, 36),
    "RTE": Source("rte/train.tsv", True, (1, 2), 3, 40, 30),
    "STSB": Source("stsb/sts-train.csv", False, (5, 6), 4, 50, 30),
}


def records(task: str, size: int | None = None, root: Path = DATA) -> list[Record]:
    """Return ``size`` records of ``task``, drawn at random. Raise SystemExit for a line without its fields."""
    source = SOURCES[task]
    with (root / source.path).open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[int(source.header) :]
    if any(len(line) <= max(*source.sentences, source.label) for line in lines):
        raise SystemExit(f"A line of {source.path} lacks a sentence or its label; give the whole file of the task.")
    every = [Record(tuple(line[column].strip() for column in source.sentences), line[source.label]) for line in lines]
    fitting = [one for one in every if source.least_words <= words_of(one) <= source.most_words]
    order = np.random.default_rng(0).permutation(len(fitting))
    return [fitting[index] for index in order[: source.size if size is None else size]]


def words_of(record: Record) -> int:
    """Return the words of all sentences of ``record``, cut at white space."""
    return sum(len(text.split()) for text in record.texts)


def numbers(task: str, some: Sequence[Record]) -> Any:
    """Return the labels of ``some`` records: numbers of the labels, or the numbers that they are."""
    labels = [record.label for record in some]
    if task == NUMBERS:
        return np.array([float(label) for label in labels])
    return np.unique(labels, return_inverse=True)[1]


def rows(encoder: Encoder, texts: Sequence[tuple[str, ...]]) -> FloatArray:
    """Return what the classifier reads of each record (n, d): a vector, or how two vectors agree and differ."""
    first = encoder.encode([own[0] for own in texts])
    if len(texts[0]) == 1:
        return first
    second = encoder.encode([own[1] for own in texts])
    agree = first * second
    return np.hstack([agree.sum(axis=1, keepdims=True), agree, np.abs(first - second)])


def guesses(encoder: Encoder, before: FloatArray, after: FloatArray, truth: Any) -> list[list[float]]:
    """Return for each of three foldings the guess for each record, learned from and read in ``after``.

    ``before`` are the rows of the originals, which have the same folds.
    """
    numeric = truth.dtype.kind == "f"
    classifier = EmbeddingClassifier(encoder)
    return [inferred(classifier, before, after, truth, numeric, seed).adaptive.tolist() for seed in range(FOLD_SEEDS)]


def score(task: str, own: Sequence[Sequence[float]], truth: Any, seed: int) -> Resampled:
    """Return the score of the guesses ``own`` (foldings, n) in per cent, resampled by record.

    It is the accuracy; of STS-B the mean of Pearson's and Spearman's correlation, as in GLUE.
    """
    if task != NUMBERS:
        right = 100.0 * (np.array(own) == truth).mean(axis=0)
        return of_statistic(lambda weights: np.asarray(weights @ right / len(right)), len(right), seed)
    every = [measure(np.array(guess), truth, seed) for guess in own for measure in (pearson, spearman)]
    value, resamples = np.mean([one.value for one in every]), np.mean([one.resamples for one in every], axis=0)
    return Resampled(100.0 * float(value), 100.0 * resamples, len(truth))


def most_common(truth: Any) -> float:
    """Return the share of the most common label."""
    return float(np.unique(truth, return_counts=True)[1].max() / len(truth))


def less(first: Resampled, second: Resampled) -> Resampled:
    """Return ``first`` less ``second``, of the same records and seed, resampled together."""
    return Resampled(first.value - second.value, first.resamples - second.resamples, first.n)


def average(some: Sequence[Resampled]) -> Resampled:
    """Return the mean of figures of different records, each resampled by itself."""
    value, resamples = np.mean([one.value for one in some]), np.mean([one.resamples for one in some], axis=0)
    return Resampled(float(value), resamples, sum(one.n for one in some))

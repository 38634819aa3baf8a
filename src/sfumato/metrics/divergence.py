"""Neighboring Distribution Divergence: how much an edit changes a masked model's predictions of the words around it.

Paper: Semantics-preserved distortion (§3.2), after Peng, Li and Zhao (2021). Every unedited word k is masked in the
text before the edit and in the text after it; the model's distributions over its words, d and d', are compared, and

    NDD(W, W') = sum over k of a_k · div(d'_k, d_k),

with div the Kullback-Leibler divergence (nats) or the Hellinger distance (0 to 1), and a_k either one over the number
of unedited words (mean pooling, the paper's choice for its tests) or μ^(distance of k to the nearest edited place).

Differences from the paper: words instead of subwords, one mask a word; the distributions are over the model's whole
words; the unedited words of two texts are those in the matching blocks that difflib finds, so that any two texts can
be compared; text beyond the model's window is left out, and the nearest text is kept. ``block`` unedited words, far
from each other, are masked in one pass, which is faster and hides a few neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.models.masked.windows import questions_in_blocks, units
from sfumato.types import FloatArray, Progress, in_batches

Divergence = Literal["hellinger", "kl"]
_AT_ONCE = 64
_LEAST = 1e-12  # a lower probability counts as this, so that a Kullback-Leibler divergence stays finite


class Edit(NamedTuple):
    """A text before and after."""

    before: str
    after: str


class Unedited(NamedTuple):
    """An unedited word: its index in the text before, in the text after, and the nearest edit's distance (words)."""

    before: int
    after: int
    distance: int


@dataclass(frozen=True, eq=False)
class NeighboringDivergence:
    """NDD by ``model``. ``decay`` is μ (None: mean pooling); ``block`` is the number of words masked in one pass.

    Raises ConfigurationError for an invalid setting.
    """

    model: MaskedModel
    divergence: Divergence = "hellinger"
    decay: float | None = None
    block: int = 1

    def __post_init__(self) -> None:
        if self.divergence not in ("hellinger", "kl"):
            raise ConfigurationError(f"The divergence must be hellinger or kl, not {self.divergence!r}.")
        if self.decay is not None and not 0.0 < self.decay <= 1.0:
            raise ConfigurationError(f"The decay of the weights must be above 0 and at most 1, not {self.decay!r}.")
        if self.block < 1:
            raise ConfigurationError(f"A block must have at least one word, not {self.block}.")

    def of(self, edits: Sequence[Edit], progress: Progress | None = None) -> FloatArray:
        """Return the NDD of each edit, shape (n,); 0 for an edit that changes nothing or keeps no word.

        The unit is nats for "kl", and "hellinger" distances lie between 0 and 1. Consecutive edits of the same text
        share the questions about it. ``progress`` receives the finished share.
        """
        divergences = np.zeros(len(edits))
        first = 0
        while first < len(edits):
            last = first + 1
            while last < len(edits) and edits[last].before == edits[first].before:
                last += 1
            divergences[first:last] = self._of_one(edits[first].before, [edit.after for edit in edits[first:last]])
            first = last
            if progress is not None:
                progress(first / len(edits))
        return divergences

    def _of_one(self, before: str, after: Sequence[str]) -> FloatArray:
        """Return the NDD of several edits of one text."""
        old = units(before)
        kept = [aligned(old, units(text)) if text != before else [] for text in after]
        indices = sorted({word.before for own in kept for word in own})
        expected = dict(zip(indices, self._expected([(old, indices)]), strict=True))
        divergences = np.zeros(len(after))
        for batch in in_batches(range(len(after)), _AT_ONCE):
            texts = [(units(after[number]), [word.after for word in kept[number]]) for number in batch]
            new = iter(self._expected(texts))
            for number in batch:
                own = [(self._between(next(new), expected[word.before]), word.distance) for word in kept[number]]
                divergences[number] = self._pooled(own)
        return divergences

    def _expected(self, texts: Sequence[tuple[Sequence[str], Sequence[int]]]) -> list[FloatArray]:
        """Return the model's predictions for the given words (indices, ascending) of texts, in order.

        A row is a distribution for "kl", and the roots of one, a vector of length 1, for "hellinger".
        """
        weighed = _roots if self.divergence == "hellinger" else _softmax
        clozes, order = [], []
        for text, (words, indices) in enumerate(texts):
            pieces = self.model.pieces(words)
            for question, inside in questions_in_blocks(pieces, indices, self.model.window, self.block):
                clozes.append(question)
                order += [(text, index) for index in inside]
        answers: dict[tuple[int, int], FloatArray] = {}
        done = 0
        for batch in in_batches(clozes, _AT_ONCE):
            rows = weighed(self.model.scores(batch))
            answers |= dict(zip(order[done : done + len(rows)], rows, strict=True))
            done += len(rows)
        return [answers[text, index] for text, (_, indices) in enumerate(texts) for index in indices]

    def _between(self, new: FloatArray, old: FloatArray) -> float:
        if self.divergence == "hellinger":
            apart = new - old  # not 1 less their product, which loses its digits for rows that hardly differ
            return float(np.sqrt(min(1.0, 0.5 * float(apart @ apart))))
        new, old = np.maximum(new, _LEAST), np.maximum(old, _LEAST)
        return float(max(0.0, (new * np.log(new / old)).sum()))

    def _pooled(self, own: Sequence[tuple[float, int]]) -> float:
        if not own:
            return 0.0
        if self.decay is None:
            return float(np.mean([divergence for divergence, _ in own]))
        return float(sum(self.decay**distance * divergence for divergence, distance in own))


def aligned(before: Sequence[str], after: Sequence[str]) -> list[Unedited]:
    """Return the words that both hold in the same order, and the distance of each from an edit (in words, from 1)."""
    old, new = ([word.strip().casefold() for word in words] for words in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    pairs = [(a + step, b + step) for a, b, size in matcher.get_matching_blocks() for step in range(size)]
    edges = _edges(pairs, len(old), len(new))
    if not edges:
        return []
    marks = np.array(edges)
    return [Unedited(a, b, max(1, int(np.ceil(np.abs(marks - a).min())))) for a, b in pairs]


def _edges(pairs: Sequence[tuple[int, int]], old: int, new: int) -> list[float]:
    """Return the positions of edits in the text before; an insertion lies between two words."""
    kept = {a for a, _ in pairs}
    positions: list[float] = [index for index in range(old) if index not in kept]
    ends = [(-1, -1), *pairs, (old, new)]
    for (a, b), (c, d) in pairwise(ends):
        if c == a + 1 and d > b + 1:
            positions.append(a + 0.5)
    return positions


def _roots(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the roots of the distributions, in the scores' own format and with one exponential: much faster."""
    raised = scores - scores.max(axis=1, keepdims=True)
    raised *= 0.5
    np.exp(raised, out=raised)
    raised /= np.sqrt(np.square(raised).sum(axis=1, keepdims=True))
    return np.asarray(raised)


def _softmax(scores: NDArray[np.floating]) -> FloatArray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))  # in the scores' own format: much faster
    return np.asarray(raised / raised.sum(axis=1, keepdims=True, dtype=np.float64))

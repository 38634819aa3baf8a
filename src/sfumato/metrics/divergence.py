"""Neighboring Distribution Divergence: how much an edit changes what a masked model expects of the words around it.

Paper: Semantics-preserved distortion (§3.2), after Peng, Li and Zhao (2021). Every unedited word k is masked in the
text before the edit and in the text after it; the model's distributions over its words, d and d', are compared, and

    NDD(W, W') = sum over k of a_k · div(d'_k, d_k),

with div the Kullback-Leibler divergence (nats) or the Hellinger distance (0 to 1), and a_k either one over the number
of unedited words (mean pooling, the paper's choice for its tests) or μ^(distance of k to the nearest edited place).

Differences from the paper: words instead of subwords, one mask a word; the distributions are over the model's whole
words; the unedited words of two texts are those in the matching blocks that difflib finds, so that any two texts can
be compared; text beyond the model's window is left out around each word, the nearest kept. ``block``
unedited words, far from each other, are masked in one pass, which is quicker and sees fewer neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.models.masked.windows import questions
from sfumato.types import FloatArray, Progress

Divergence = Literal["hellinger", "kl"]
_UNIT = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_AT_ONCE = 64
_LEAST = 1e-12  # a probability below it counts as this: a Kullback-Leibler divergence stays finite


class Edit(NamedTuple):
    """A text before and after."""

    before: str
    after: str


class Kept(NamedTuple):
    """An unedited word: its place in the text before, in the text after, and how far the nearest edit is (words)."""

    before: int
    after: int
    distance: int


@dataclass(frozen=True, eq=False)
class NeighboringDivergence:
    """NDD by ``model``. ``decay`` is μ (None: mean pooling); ``block`` how many words are masked in one pass.

    Raises ConfigurationError for a setting that cannot be.
    """

    model: MaskedModel
    divergence: Divergence = "hellinger"
    decay: float | None = None
    block: int = 1

    def __post_init__(self) -> None:
        if self.divergence not in ("hellinger", "kl"):
            raise ConfigurationError(f"The divergence is hellinger or kl, not {self.divergence!r}.")
        if self.decay is not None and not 0.0 < self.decay <= 1.0:
            raise ConfigurationError(f"The decay of the weights lies above 0 and up to 1, not {self.decay!r}.")
        if self.block < 1:
            raise ConfigurationError(f"A block has at least one word, not {self.block}.")

    def of(self, edits: Sequence[Edit], progress: Progress | None = None) -> FloatArray:
        """NDD of each edit, shape (n,); 0 for an edit that changes nothing or leaves no word as it was.

        Edits of the same text that stand beside each other share what is asked about it.
        """
        found = np.zeros(len(edits))
        first = 0
        while first < len(edits):
            last = first + 1
            while last < len(edits) and edits[last].before == edits[first].before:
                last += 1
            found[first:last] = self._of_one(edits[first].before, [edit.after for edit in edits[first:last]])
            first = last
            if progress is not None:
                progress(first / len(edits))
        return found

    def _of_one(self, before: str, after: Sequence[str]) -> FloatArray:
        """NDD of several edits of one text."""
        old = units(before)
        kept = [aligned(old, units(text)) if text != before else [] for text in after]
        places = sorted({one.before for own in kept for one in own})
        known = dict(zip(places, self._expected([(old, places)]), strict=True))
        found = np.zeros(len(after))
        for first in range(0, len(after), _AT_ONCE):
            some = range(first, min(first + _AT_ONCE, len(after)))
            asked = [(units(after[number]), [one.after for one in kept[number]]) for number in some]
            new = iter(self._expected(asked))
            for number in some:
                own = [(self._between(next(new), known[one.before]), one.distance) for one in kept[number]]
                found[number] = self._pooled(own)
        return found

    def _expected(self, asked: Sequence[tuple[Sequence[str], Sequence[int]]]) -> list[FloatArray]:
        """What the model expects at the given places (ascending) of texts, in order.

        A row is a distribution for "kl", and the roots of one, a vector of length 1, for "hellinger".
        """
        weighed = _roots if self.divergence == "hellinger" else _softmax
        made, order = [], []
        for text, (words, places) in enumerate(asked):
            pieces = self.model.pieces(words)
            step = -(-len(places) // self.block) if places else 1
            for start in range(step):
                for question, inside in questions(pieces, places[start::step], self.model.window):
                    made.append(question)
                    order += [(text, place) for place in inside]
        answers: dict[tuple[int, int], FloatArray] = {}
        at = 0
        for first in range(0, len(made), _AT_ONCE):
            rows = weighed(self.model.scores(made[first : first + _AT_ONCE]))
            answers |= dict(zip(order[at : at + len(rows)], rows, strict=True))
            at += len(rows)
        return [answers[text, place] for text, (_, places) in enumerate(asked) for place in places]

    def _between(self, new: FloatArray, old: FloatArray) -> float:
        if self.divergence == "hellinger":
            apart = new - old  # not 1 less their product: of rows that hardly differ nothing would be left
            return float(np.sqrt(min(1.0, 0.5 * float(apart @ apart))))
        new, old = np.maximum(new, _LEAST), np.maximum(old, _LEAST)
        return float(max(0.0, (new * np.log(new / old)).sum()))

    def _pooled(self, own: Sequence[tuple[float, int]]) -> float:
        if not own:
            return 0.0
        if self.decay is None:
            return float(np.mean([one for one, _ in own]))
        return float(sum(self.decay**distance * one for one, distance in own))


def units(text: str) -> list[str]:
    """The words and signs of ``text``, each with the space before it, if there is one."""
    return [
        f" {unit.group()}" if unit.start() and text[unit.start() - 1].isspace() else unit.group()
        for unit in _UNIT.finditer(text)
    ]


def aligned(before: Sequence[str], after: Sequence[str]) -> list[Kept]:
    """The words that both hold in the same order, and how far each is from what was edited (in words, from 1)."""
    old, new = ([one.strip().casefold() for one in words] for words in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    pairs = [(a + step, b + step) for a, b, size in matcher.get_matching_blocks() for step in range(size)]
    edges = _edges(pairs, len(old), len(new))
    if not edges:
        return []
    marks = np.array(edges)
    return [Kept(a, b, max(1, int(np.ceil(np.abs(marks - a).min())))) for a, b in pairs]


def _edges(pairs: Sequence[tuple[int, int]], old: int, new: int) -> list[float]:
    """Where something was edited, as places in the text before; an insertion stands between two of them."""
    kept = {a for a, _ in pairs}
    found: list[float] = [place for place in range(old) if place not in kept]
    ends = [(-1, -1), *pairs, (old, new)]
    for (a, b), (c, d) in pairwise(ends):
        if c == a + 1 and d > b + 1:
            found.append(a + 0.5)
    return found


def _roots(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """The roots of the distributions, in the scores' own format and with one exponential: much quicker."""
    raised = scores - scores.max(axis=1, keepdims=True)
    raised *= 0.5
    np.exp(raised, out=raised)
    raised /= np.sqrt(np.square(raised).sum(axis=1, keepdims=True))
    return np.asarray(raised)


def _softmax(scores: NDArray[np.floating]) -> FloatArray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))  # in the scores' own format: much quicker
    return np.asarray(raised / raised.sum(axis=1, keepdims=True, dtype=np.float64))

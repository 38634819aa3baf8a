"""Texts drawn from a causal model, many at a time: temperature, then the fewest pieces that are probable enough.

What is drawn here protects nothing: the model is private already, or has no guarantee. Each text has a generator of
its own, seeded by its number, so that it does not depend on which texts are drawn beside it (except for rounding).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel
from sfumato.types import FloatArray, IntArray

_SORTED_FIRST = 1024
_TRIES = 8


@dataclass(frozen=True)
class Decoding:
    """How texts are drawn: ``length`` bounds the pieces of one, ``top_p`` is the nucleus's probability."""

    length: int
    temperature: float
    top_p: float

    def write(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], numbers: Sequence[int], seed: int
    ) -> list[str]:
        """Return a text after each prompt; ``numbers`` are the texts' own. An empty text is drawn again, 8 times.

        A text that is empty even then stays empty.
        """
        texts = [""] * len(prompts)
        for attempt in range(_TRIES):
            empty = [index for index, text in enumerate(texts) if not text.strip()]
            if not empty:
                break
            dice = [np.random.default_rng([seed, numbers[index], attempt]) for index in empty]
            drawn = self._drawn(model, [prompts[index] for index in empty], dice)
            for index, pieces in zip(empty, drawn, strict=True):
                texts[index] = model.text(pieces)
        return texts

    def _drawn(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], dice: Sequence[np.random.Generator]
    ) -> list[list[int]]:
        """Return the pieces after each prompt, without the end."""
        session, outcomes = model.begin(prompts), model.outcomes
        texts: list[list[int]] = [[] for _ in prompts]
        going = list(range(len(prompts)))
        for _ in range(self.length):
            if not going:
                break
            uniforms = np.array([dice[index].random() for index in going])
            picked = nucleus(session.scores(), self.temperature, self.top_p, uniforms)
            ended = picked == (-1 if model.end is None else model.end)
            session.take([None if over else int(outcome) for outcome, over in zip(picked, ended, strict=True)])
            for index, outcome, over in zip(going, picked, ended, strict=True):
                if not over:
                    texts[index].append(int(outcomes[outcome]))
            going = [index for index, over in zip(going, ended, strict=True) if not over]
        return texts


def nucleus(scores: NDArray[np.floating[Any]], temperature: float, top_p: float, uniforms: FloatArray) -> IntArray:
    """Return an outcome for each row of ``scores``, drawn from the most probable ones, which have ``top_p`` together.

    The 1,024 most probable ones are sorted first; where they have less, all of the row are.
    """
    logits = scores.astype(np.float32) / np.float32(temperature)
    logits -= logits.max(axis=1, keepdims=True)
    totals = np.exp(logits).sum(axis=1, dtype=np.float64)
    few = min(_SORTED_FIRST, logits.shape[1])
    places = np.argpartition(logits, -few, axis=1)[:, -few:]
    picked = np.empty(len(logits), dtype=np.int64)
    for row, uniform in enumerate(uniforms):
        candidates = places[row]
        weights = np.exp(logits[row, candidates], dtype=np.float64)
        if weights.sum() < top_p * totals[row] and few < logits.shape[1]:
            candidates = np.arange(logits.shape[1])
            weights = np.exp(logits[row], dtype=np.float64)
        order = np.argsort(-weights, kind="stable")
        running = np.cumsum(weights[order])
        size = min(len(running), int(np.searchsorted(running, top_p * totals[row])) + 1)
        chosen = min(size - 1, int(np.searchsorted(running[:size], uniform * running[size - 1], side="right")))
        picked[row] = candidates[order[chosen]]
    return picked

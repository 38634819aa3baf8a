"""Exact laws of whole texts under private prediction, their Rényi divergences, and laws with published mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.synthesis.predict.law import TokenLaw
from sfumato.types import FloatArray, IntArray

ORDERS = (1.001, 1.5, 2.0, 4.0, 8.0, 32.0, 128.0)
Scorer = Callable[[tuple[int, ...]], FloatArray]
"""The scores (V,) after the outcomes drawn so far."""
Laws = Mapping[Any, float]


def law_of_texts(
    law: TokenLaw, public: Scorer, members: Sequence[Scorer], end: int | None, length: int
) -> dict[Any, float]:
    """The probability of every text of at most ``length`` outcomes, that of a text that ended with the end."""
    finished: dict[Any, float] = {}

    def go(written: tuple[int, ...], probability: float) -> None:
        if len(written) == length or (written and written[-1] == end):
            finished[written] = finished.get(written, 0.0) + probability
            return
        common = public(written)
        scores = np.array([member(written) for member in members]).reshape(len(members), len(common))
        able, weights = law.choices(common, scores, end, not written)
        for outcome, weight in zip(able, weights / weights.sum(), strict=True):
            go((*written, int(outcome)), probability * float(weight))

    go((), 1.0)
    return finished


def divergence(p: Laws, q: Laws, order: float) -> float:
    """The Rényi divergence of ``order`` of ``p`` from ``q``."""
    possible = [outcome for outcome, probability in p.items() if probability > 0.0]
    if any(q.get(outcome, 0.0) == 0.0 for outcome in possible):
        return float("inf")
    of_p, of_q = (np.log([law[outcome] for outcome in possible]) for law in (p, q))
    return float(np.logaddexp.reduce(order * of_p + (1.0 - order) * of_q) / (order - 1.0))


def worst_share(p: Laws, q: Laws, rho: float) -> float:
    """The largest share of the claim ρ·α that any order in either direction takes; above 1 it is refuted."""
    return max(max(divergence(p, q, order), divergence(q, p, order)) / (rho * order) for order in ORDERS)


@dataclass(frozen=True)
class DividesByTheActualSize(TokenLaw):
    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        return TokenLaw.shift(replace(self, group_size=max(1, len(members))), public, members)


@dataclass(frozen=True)
class ClipsTheMean(TokenLaw):
    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        assert self.clip is not None
        return np.clip(TokenLaw.shift(replace(self, clip=1e6), public, members), -self.clip, self.clip)


@dataclass(frozen=True)
class CentresTogether(TokenLaw):
    """Clips around what all members have in common, so that one moves the contributions of others."""

    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        assert self.clip is not None
        moved = members - members.sum(axis=0) / self.group_size if len(members) else members
        total: FloatArray = np.clip(moved, -self.clip, self.clip).sum(axis=0) / self.group_size
        return total


@dataclass(frozen=True)
class TopOfPrivateScores(TokenLaw):
    def choices(self, public: Any, members: Any, end: int | None, first: bool) -> tuple[IntArray, FloatArray]:
        mean = public if not len(members) else public + members.sum(axis=0) / self.group_size
        able = self.outcomes(mean, end)
        able = able[able != end] if first else able
        return able, self.weights(public[able], members[:, able])


@dataclass(frozen=True)
class CentresAfterTheClip(TokenLaw):
    """Clips first, and takes the public scores and the median off what is left: up to C on either side, and more."""

    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        assert self.clip is not None
        moved = np.clip(members, -self.clip, self.clip) - public
        moved -= np.median(moved, axis=1, keepdims=True)
        total: FloatArray = moved.sum(axis=0) / self.group_size
        return total


MISTAKES = (
    DividesByTheActualSize, ClipsTheMean, CentresTogether, TopOfPrivateScores, CentresAfterTheClip,
)  # fmt: skip

"""The result of an audit in one run: what was claimed, what the guesses show, and whether they refute the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.one_run import Guessed, guessed, lower_bound
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.findings import PROVES
from sfumato.types import FloatArray

PARTS = (0.6, 0.3, 0.1)
"""Shares of the canaries that are guessed about: many where little noise hides them, few where much does."""


@dataclass(frozen=True)
class OneRun:
    """The result of an audit in one run.

    Attributes:
        name: What was audited.
        claim: The ε that was claimed, in nats, for one unit more or less.
        delta: The δ that was claimed.
        outcomes: For each number of guesses, how many were right.
        confidence: With this probability the bound does not exceed the true ε, for all numbers of guesses together.
        setting: The public parameters of the run, as JSON types.
    """

    name: str
    claim: float
    delta: float
    outcomes: tuple[Guessed, ...]
    confidence: float = 0.95
    setting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bound(self) -> float:
        """Return the lower bound on ε: the best of all numbers of guesses, each with its part of the doubt."""
        return max(lower_bound(outcome, self.delta, self._each) for outcome in self.outcomes)

    @property
    def most(self) -> float:
        """Return the largest bound that so many guesses can show, where all are right."""
        return max_bound([(canaries, guesses) for canaries, guesses, _ in self.outcomes], self.delta, self._each)

    @property
    def refuted(self) -> bool:
        """Return whether the claim is refuted."""
        return self.bound > self.claim

    @property
    def remarks(self) -> list[str]:
        """Return how far the bound can be trusted, a sentence each."""
        canaries = self.outcomes[0].canaries
        return [
            f"{canaries:,} canaries, each included by a fair coin of its own, in one run.",
            f"With {self.confidence:.4g} confidence the bound is not too large; so many guesses show at most "
            f"{self.most:.3g}.",
            PROVES,
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as JSON types."""
        return {
            "audited": self.name,
            "claim": self.claim,
            "delta": self.delta,
            "confidence": self.confidence,
            "lower_bound": self.bound,
            "most_that_can_be_shown": self.most,
            "guesses": [dict(outcome._asdict()) for outcome in self.outcomes],
            "setting": dict(self.setting),
            "refuted": self.refuted,
        }

    @property
    def _each(self) -> float:
        return 1.0 - (1.0 - self.confidence) / len(self.outcomes)


def numbers_of_guesses(canaries: int) -> tuple[int, ...]:
    """Return the even numbers of guesses that are tried: :data:`PARTS` of so many canaries, each once."""
    return tuple(dict.fromkeys(max(2, 2 * round(part * canaries / 2)) for part in PARTS))


def max_bound(sizes: Sequence[tuple[int, int]], delta: float, confidence: float) -> float:
    """Return the largest bound that canaries and guesses of these ``sizes`` can show."""
    return max(lower_bound(Guessed(canaries, guesses, guesses), delta, confidence) for canaries, guesses in sizes)


def check_claim(claim: float, delta: float, canaries: int, confidence: float) -> None:
    """Refuse (ConfigurationError) a claim that so many canaries could not refute, whatever was audited."""
    if not 0.0 <= claim < float("inf"):
        raise ConfigurationError("A claim is a finite epsilon of 0 or more.")
    if canaries < 10:
        raise ConfigurationError("An audit in one run takes 10 canaries or more; 1,000 are usual.")
    sizes = [(canaries, guesses) for guesses in numbers_of_guesses(canaries)]
    most = max_bound(sizes, delta, 1.0 - (1.0 - confidence) / len(sizes))
    if claim >= most:
        raise ConfigurationError(
            f"{canaries:,} canaries show an epsilon of at most {most:.3g}, so they could not refute {claim:g}; take "
            "more canaries, or audit a smaller claim with the same code."
        )


def one_run(
    name: str, scores: FloatArray, included: NDArray[np.bool_], claim: float, delta: float = 0.0,
    confidence: float = 0.95, setting: Mapping[str, Any] | None = None,
) -> OneRun:  # fmt: skip
    """Return the audit of a run in which the canaries ``included`` (m,) took part and have these ``scores`` (m,).

    A higher score says rather that a canary took part; scores may depend on everything except the coins.
    """
    check_claim(claim, delta, len(scores), confidence)
    outcomes = tuple(guessed(scores, included, guesses) for guesses in numbers_of_guesses(len(scores)))
    return OneRun(name, claim, delta, outcomes, confidence, setting or {})

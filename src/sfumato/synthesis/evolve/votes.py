"""Votes of private units for public candidates, and the noise on their sum: the only file that reads private texts.

A unit votes for the nearest candidate of each of its texts, among the candidates of the text's own control code. Let
c_j be how many of its texts are nearest to candidate j. Its vote is v_j = ⌊W·c_j / ‖c‖₂⌋, in integers of which W make
one vote (:data:`WHOLE`). Hence ‖v‖₂ ≤ W, however many texts the unit has: one
unit more or less moves the sum of all votes by at most W in the Euclidean norm. With independent discrete Gaussian
noise of σ·W on each count a round is 1/(2σ²)-zero-concentrated DP.

That proof needs the vote of a unit to depend on that unit alone (:mod:`sfumato.synthesis.vectors`). A text's vector
is compared with the candidates by sums whose order is fixed.

What a run of evolve does, fixed from what is public.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.abstract.synthesizer import Order, Schedule, Unit, Workspace
from sfumato.errors import InputError
from sfumato.privacy.accounting import Concentrated, check_delta, smallest_sigma
from sfumato.privacy.discrete_noise import discrete_gaussian
from sfumato.synthesis.vectors import has_words, vector_of
from sfumato.types import FloatArray, IntArray, Progress, in_batches


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of a round: ``texts`` of the language model, each with the index of its control code."""

    codes: tuple[int, ...]
    texts: tuple[str, ...]

    def of(self, code: int) -> IntArray:
        """Return the indices of the candidates of ``code``."""
        return np.flatnonzero(np.array(self.codes, dtype=np.int64) == code)


@dataclass(frozen=True, slots=True)
class Voter:
    """A unit's texts as vectors, shape (texts, D), with their codes. PRIVATE: held in memory alone."""

    vectors: FloatArray = field(repr=False)
    codes: tuple[int, ...] = field(repr=False)


def voters(units: Sequence[Unit], order: Order, encoder: Encoder, progress: Progress | None = None) -> list[Voter]:
    """Return the vectors of each unit's texts; a text without a letter or digit has none, and does not vote.

    Raise InputError, which names a place and holds no text, where a code is not in ``order`` or the encoder fails.
    """
    made = []
    for [(number, unit)] in in_batches(list(enumerate(units)), 1, progress):
        pairs = list(zip(unit.texts, unit.codes, strict=True))[: order.texts_per_unit]
        if not all(0 <= code < len(order.codes) for _, code in pairs):
            raise InputError(f"Unit {number + 1} has a control code that was not declared.")
        pairs = [(text, code) for text, code in pairs if has_words(text)]
        vectors = [vector_of(text, encoder, number) for text, _ in pairs]
        rows = np.array(vectors).reshape(len(pairs), encoder.dimensions)
        made.append(Voter(rows, tuple(code for _, code in pairs)))
    return made


@dataclass(frozen=True, eq=False)
class Ballot:
    """The candidates of ``pool`` with their ``vectors`` (C, D): what units vote on."""

    pool: Pool
    vectors: FloatArray

    def vote(self, voter: Voter) -> dict[int, int]:
        """Return the vote of one unit, by candidate, in parts of a vote. Its Euclidean norm is at most ``WHOLE``."""
        chosen: dict[int, int] = {}
        for vector, code in zip(voter.vectors, voter.codes, strict=True):
            members = self.pool.of(code)
            if len(members):
                nearest = int(members[np.argmin(((self.vectors[members] - vector) ** 2).sum(axis=1))])
                chosen[nearest] = chosen.get(nearest, 0) + 1
        squares = sum(count * count for count in chosen.values())
        return {index: isqrt(WHOLE * WHOLE * count * count // squares) for index, count in chosen.items()}

    def votes(self, voting: Sequence[Voter]) -> IntArray:
        """Return the sum of all votes, shape (C,). PRIVATE."""
        total = np.zeros(len(self.pool.texts), dtype=np.int64)
        for voter in voting:
            for index, parts in self.vote(voter).items():
                total[index] += parts
        return total


def noisy(votes: IntArray, pool: Pool, schedule: EvolveSchedule, number: int, workspace: Workspace) -> IntArray:
    """Return ``votes`` with noise on every count, those of candidates without a vote included, shape (C,).

    A keyed source draws other noise for other candidates and for other votes. Without a guarantee there is none.
    """
    if schedule.variance is None:
        return votes
    seen = json.dumps([pool.codes, pool.texts, votes.tolist()]).encode()
    words = workspace.words(f"evolve: noise on votes {hashlib.sha256(seen).hexdigest()}", number)
    return votes + discrete_gaussian(schedule.variance, len(votes), words)


WHOLE = 64
"""The weight of a unit's vote: its votes are integers whose Euclidean norm is at most this."""


@dataclass(frozen=True)
class EvolveSchedule(Schedule):
    """The rounds of a run, and the noise of each.

    Attributes:
        rounds: How often private units vote.
        candidates: How many texts of each control code they vote on.
        codes: How many control codes there are; where values are still to be found, how many at least.
        units: About how many units vote.
        sigma: The σ of the discrete Gaussian noise of one count, in votes; None: no noise.
    """

    rounds: int
    candidates: int
    codes: int
    units: int
    sigma: float | None

    @property
    def variance(self) -> Fraction | None:
        """Return the σ² of the noise, in the integers in which votes are counted; None: no noise."""
        return None if self.sigma is None else (Fraction(self.sigma) * WHOLE) ** 2

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters of the run as JSON types, for the statement and a dry run."""
        return {
            "rounds": self.rounds,
            "candidates_of_a_code": self.candidates,
            "noise": None if self.sigma is None else "discrete Gaussian",
            "noise_multiplier": self.sigma,
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a warning where the noise of a count is larger than the votes that a candidate gets on average."""
        candidates = self.candidates * self.codes
        average = self.units / candidates
        if average >= max(1.0, self.sigma or 0.0):
            return ()
        noise = "" if self.sigma is None else f", and the noise of each count is {self.sigma:.1f}"
        return (
            f"About {self.units:,} units vote on {candidates:,} candidates: {average:.1f} votes for each{noise}. "
            "Votes will say little; take fewer candidates, rounds or codes, or a larger epsilon.",
        )


def scheduled(order: Order, rounds: int, candidates: int) -> EvolveSchedule:
    """Return the schedule with the least noise that ``order`` allows.

    Raise GuaranteeError where no noise is enough, ConfigurationError for a delta that protects nobody.
    """
    events: tuple[Concentrated, ...] = ()
    sigma = None
    if order.epsilon is not None:
        check_delta(order.delta, order.units)
        sigma = smallest_sigma(lambda tried: (*order.spent, cost(tried, rounds)), order.epsilon, order.delta)
        events = (cost(sigma, rounds),)
    return EvolveSchedule(events, rounds, candidates, order.least_codes, order.units, sigma)


def cost(sigma: float, rounds: int) -> Concentrated:
    """Return the event of ``rounds`` histograms with discrete Gaussian noise of ``sigma`` votes.

    Each is 1/(2σ²)-zero-concentrated DP for one unit (:mod:`sfumato.privacy.discrete_noise`), rounded up.
    """
    return Concentrated(math.nextafter(0.5 / sigma / sigma, math.inf) * (1.0 + 2.0**-50), rounds)

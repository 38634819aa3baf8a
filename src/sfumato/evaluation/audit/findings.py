"""The result of an audit: the claim, a verdict on each pair, and what can be inferred from one draw.

The public prior is how often words are used in English (wordfreq), over the tokens that the guarantee covers. A large
vocabulary is cut to its most frequent tokens: both the attacker and the figures then assume that the token is one of
them. This is a prior like any other, and is stated with every figure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.attacks.token_attacks import BayesAttack, bayes_attack, permitted, permitted_by_distance
from sfumato.errors import ConfigurationError
from sfumato.privacy.distances import Adjacency
from sfumato.text import notebook
from sfumato.types import FloatArray, Progress

PRIOR_TOKENS = 2000
_VACUOUS = 0.99
PROVES = (
    "A lower bound within the claim proves nothing: it is what these draws showed for these pairs. A bound above the "
    "claim refutes it."
)
CONSISTENT, REFUTED, UNCOVERED = "consistent with the claim", "REFUTES the claim", "not covered by the claim"
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Prior:
    """``weights`` (V,) sum to 1 and are 0 for the tokens left out; ``tokens`` counts the rest, ``description`` names
    them.
    """

    weights: FloatArray
    tokens: int
    description: str


@dataclass(frozen=True, eq=False)
class Inference:
    """Success rates of attackers who know ``prior``: ``guessing`` of one who names the most common token without
    looking, ``permitted`` the highest that any law with this guarantee permits (an upper bound on it for metric
    guarantees), ``attack`` that of the attack on this law (None: it has no closed form). ``farthest`` is the largest
    distance inside the prior.
    """

    prior: Prior
    guessing: float
    permitted: float
    farthest: float | None
    attack: BayesAttack | None

    @property
    def vacuous(self) -> bool:
        """Return whether the guarantee permits nearly every guess to be right, so that it does not limit guessing."""
        return self.permitted >= _VACUOUS

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Return the three success rates with what they are, for a table."""
        known = "not computed" if self.attack is None else f"{self.attack.success:.4f}"
        return [
            ("without looking: the most common token", f"{self.guessing:.4f}"),
            ("by the strongest attacker, who knows the law", known),
            ("as the guarantee permits, by any law", f"{self.permitted:.4f}"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON types."""
        return {
            "prior": self.prior.description,
            "prior_tokens": self.prior.tokens,
            "guessing": self.guessing,
            "bayes_success": None if self.attack is None else self.attack.success,
            "permitted": self.permitted,
            "permitted_is_vacuous": self.vacuous,
            "largest_distance": self.farthest,
        }


def unigram_prior(mechanism: Mechanism, most: int = PRIOR_TOKENS) -> Prior:
    """Return the prior over the ``most`` frequent tokens (0: all) that the guarantee of ``mechanism`` covers.

    Raise ConfigurationError if ``most`` is negative.
    """
    from wordfreq import word_frequency  # reads its lists when first asked

    if most < 0:
        raise ConfigurationError("The prior holds some number of tokens from 1 on, or 0 for all of them.")
    tokens = mechanism.vocabulary.tokens
    covered = np.arange(len(tokens)) if mechanism.protected is None else mechanism.protected
    often = np.zeros(len(tokens))
    often[covered] = [word_frequency(tokens[token], "en") for token in covered]
    used = int(np.count_nonzero(often))
    named = "how often English uses them (wordfreq)"
    if not used:
        often[covered], used, named = 1.0, len(covered), "all equally likely, for wordfreq knows none of them"
    if not most or used <= most:
        return Prior(often / often.sum(), used, f"{used:,} tokens, {named}")
    kept = np.argsort(-often, kind="stable")[:most]
    weights = np.zeros(len(tokens))
    weights[kept] = often[kept]
    return Prior(weights / weights.sum(), most, f"the {most:,} most frequent of {used:,} tokens, {named}")


def even_prior(mechanism: Mechanism, most: int = PRIOR_TOKENS) -> Prior:
    """Return a prior under which values are equally likely: all that the guarantee covers, or ``most`` (0: all).

    Of more values those nearest to the middle of the domain are taken, because far ones are told apart more easily.
    Raise ConfigurationError if ``most`` is negative.
    """
    if most < 0:
        raise ConfigurationError("The prior holds some number of tokens from 1 on, or 0 for all of them.")
    vocabulary, covered = mechanism.vocabulary, mechanism.covered
    weights = np.zeros(len(vocabulary))
    if not most or len(covered) <= most:
        weights[covered] = 1.0 / len(covered)
        return Prior(weights, len(covered), f"{len(covered):,} values, all equally likely")
    middle = vocabulary.medoid(covered)
    apart = np.linalg.norm(vocabulary.vectors[covered] - vocabulary.vectors[middle], axis=1)
    weights[covered[np.argsort(apart, kind="stable")[:most]]] = 1.0 / most
    named = f"nearest to {vocabulary.tokens[middle]}, all equally likely"
    return Prior(weights, most, f"of {len(covered):,} values the {most:,} {named}")


def inference(mechanism: Mechanism, prior: Prior, progress: Progress | None = None) -> Inference:
    """Return guessing, the Bayes-optimal attack (if the law is known), and what the guarantee permits."""
    adjacency = mechanism.adjacency()
    attack = None
    if mechanism.certify().kind != "analytic":
        attack = bayes_attack(mechanism.law, prior.weights, len(prior.weights), progress)
    allowed, farthest = _permitted(mechanism, adjacency, prior)
    return Inference(prior, float(prior.weights.max()), allowed, farthest, attack)


def _permitted(mechanism: Mechanism, adjacency: Adjacency, prior: Prior) -> tuple[float, float | None]:
    """Return what the guarantee permits, and the largest distance inside the prior (None for LDP)."""
    epsilon = mechanism.guarantee.epsilon
    if adjacency.points is None:
        return permitted(prior.weights, epsilon, adjacency.groups), None
    seen = [0.0]

    def distances(rows: Any, columns: Any) -> FloatArray:
        block = adjacency.distances(rows, columns)
        seen.append(float(block.max()))
        return block

    return permitted_by_distance(prior.weights, epsilon, distances), max(seen)


@dataclass(frozen=True)
class PairVerdict:
    """The verdict on one pair: ``bound`` on the loss from draws, ``exact`` from the law (None: not known).

    Both are in nats per unit of ``distance``, and so is ``claim``. ``names`` are tokens of the public vocabulary, or
    words for the two inputs. ``why`` is the reason why the pair was tested.
    """

    names: tuple[str, str]
    why: str
    claim: float
    distance: float
    exact: float | None
    bound: float | None

    @property
    def refuted(self) -> bool:
        """Return whether draws, or the law itself, show a larger loss than was claimed."""
        most = max(loss for loss in (self.bound, self.exact, 0.0) if loss is not None)
        return self.bound is not None and most > self.claim * (1.0 + _ROUNDING)

    @property
    def says(self) -> str:
        """Return the verdict in words."""
        return UNCOVERED if self.bound is None else REFUTED if self.refuted else CONSISTENT

    @property
    def row(self) -> list[str]:
        """Return the pair, the reason, the distance, the claim, the loss, the bound and the verdict for a table."""
        numbers = (self.distance, self.claim, self.exact, self.bound)
        shown = ["–" if number is None else f"{number:.4g}" for number in numbers]
        return [", ".join(self.names), self.why, *shown, self.says]

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON types; an infinite number becomes the string "infinity"."""
        numbers = {"claim": self.claim, "distance": self.distance, "exact": self.exact, "lower_bound": self.bound}
        return {
            "pair": list(self.names),
            "why": self.why,
            **{name: "infinity" if number == float("inf") else number for name, number in numbers.items()},
            "verdict": self.says,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of an audit. `sfumato.audit` returns one; a notebook shows it as tables.

    Attributes:
        name: The mechanism, or `command` or `function` for a black box.
        auditor: How many samples were drawn, and at which confidence no bound is too large.
        verdicts: For each pair of inputs: distance, claim, exact loss (if the law is known), lower bound from draws.
        guarantee: The claim in words; None for a black box.
        certificate: The certificate as JSON types; None for a black box.
        randomness: Where the draws came from; None for a black box.
        label: The label whose vocabulary was audited, if one was named.
        vocabulary: Where the vocabulary comes from, for a mechanism over tokens.
        inferred: What an attacker infers from one draw, for a mechanism over tokens.
        queries: For each token, after how many draws it leads with 95 % confidence; infinity: never.
        outcomes: How many different outputs a black box gave.
    """

    name: str
    auditor: Distinguishing
    verdicts: Sequence[PairVerdict]
    guarantee: str | None = None
    certificate: Mapping[str, Any] | None = None
    randomness: str | None = None
    label: str | None = None
    vocabulary: str | None = None
    inferred: Inference | None = None
    queries: Mapping[str, float] = field(default_factory=dict)
    outcomes: int | None = None

    @property
    def refuted(self) -> bool:
        """Return whether a pair refutes the claim."""
        return any(verdict.refuted for verdict in self.verdicts)

    @property
    def weak(self) -> bool:
        """Return whether outputs hardly ever repeat, so that their frequencies say little."""
        return self.outcomes is not None and self.outcomes > self.auditor.samples // 10

    @property
    def remarks(self) -> list[str]:
        """Return the claim, the certificate, and how far the bounds can be trusted, a sentence each."""
        remarks = []
        if self.guarantee is not None and self.certificate is not None:
            remarks += [f"Claim: {self.guarantee}."]
            remarks += [f"Certificate: {self.certificate['certified']:.6g} ({self.certificate['kind']})."]
        draws, confidence = (
            f"{self.auditor.samples:,} draws of each input",
            f"{self.auditor.confidence:.4g} confidence",
        )
        remarks.append(f"{draws}; with {confidence} no bound is too large.")
        if self.weak:
            remarks.append(f"{self.outcomes:,} different outcomes: they hardly repeat, so the bound is weak.")
        if self.outcomes == 1:
            remarks.append("Every answer was the same, to either input: is it the tool that was meant?")
        return remarks

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as JSON types; an infinite number becomes the string "infinity"."""
        content: dict[str, Any] = {
            "audited": self.name,
            "label": self.label,
            "guarantee": self.guarantee,
            "vocabulary": self.vocabulary,
            "certificate": self.certificate,
            "samples": self.auditor.samples,
            "confidence": self.auditor.confidence,
            "randomness": self.randomness,
            "outcomes": self.outcomes,
            "pairs": [verdict.as_dict() for verdict in self.verdicts],
            "refuted": self.refuted,
        }
        if self.inferred is not None:
            content["inference"] = self.inferred.as_dict()
            content["queries"] = {
                token: "infinity" if math.isinf(count) else int(count) for token, count in self.queries.items()
            }
        return {name: value for name, value in content.items() if value is not None}

    def __repr__(self) -> str:
        refuted = sum(verdict.refuted for verdict in self.verdicts)
        said = f"{refuted} of {len(self.verdicts)} pairs refute the claim" if refuted else "consistent with the claim"
        return f"Audit({self.name}, {self.auditor.samples:,} samples: {said})"

    def _repr_html_(self) -> str:
        header = ("pair", "why", "distance", "claim", "exact loss", "lower bound", "verdict")
        rows = [verdict.row for verdict in self.verdicts]
        parts = [notebook.caption(self.name), notebook.table(rows, header)]
        if self.inferred is not None:
            parts.append(notebook.table(self.inferred.rows, ("naming the token behind one draw", "right")))
        return "".join([*parts, *(f"<p>{notebook.escaped(remark)}</p>" for remark in (*self.remarks, PROVES))])

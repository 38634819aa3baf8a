"""What the strongest attacker infers from one draw of a word-level mechanism, and what its guarantee permits.

The public prior is how often words are used in English (wordfreq), over the tokens that the guarantee covers. A large
vocabulary is cut to its most frequent tokens: both the attacker and the figures then assume that the token is one of
them. This is a prior like any other, and is stated with every figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.token_attacks import BayesAttack, bayes_attack, permitted, permitted_by_distance
from sfumato.errors import ConfigurationError
from sfumato.privacy.adjacency import Adjacency
from sfumato.types import FloatArray, Progress

PRIOR_TOKENS = 2000
_VACUOUS = 0.99


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

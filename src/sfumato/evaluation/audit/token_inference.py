"""What the strongest attacker infers from one draw of a word-level mechanism, beside what its guarantee permits.

The public prior is how often words are used in English (wordfreq), over the tokens that the guarantee covers. A large
vocabulary is cut to its most frequent tokens: both the attacker and the figures then take for granted that the token
is one of them, which is a prior like any other and is said beside every figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.bayes import BayesAttack, bayes_attack, permitted, permitted_by_distance
from sfumato.errors import ConfigurationError
from sfumato.privacy.adjacency import Adjacency
from sfumato.types import FloatArray, Progress

PRIOR_TOKENS = 2000
_VACUOUS = 0.99


@dataclass(frozen=True, eq=False)
class Prior:
    """``weights`` (V,) sum to 1 and are 0 for tokens that are left out; ``description`` says what they are."""

    weights: FloatArray
    tokens: int
    description: str


@dataclass(frozen=True, eq=False)
class Inference:
    """``guessing`` is the success of naming the commonest token without looking, ``permitted`` the most that any law
    with this guarantee could leave (an upper bound on it for metric guarantees), ``attack`` what the attacker does
    against this very law (None: it has no closed form). ``farthest`` is the largest distance inside the prior.
    """

    prior: Prior
    guessing: float
    permitted: float
    farthest: float | None
    attack: BayesAttack | None

    @property
    def vacuous(self) -> bool:
        """Whether the guarantee permits nearly every guess to be right, so that it says nothing about guessing."""
        return self.permitted >= _VACUOUS

    def as_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "prior": self.prior.description,
            "prior_tokens": self.prior.tokens,
            "guessing": self.guessing,
            "bayes_success": None if self.attack is None else self.attack.success,
            "permitted": self.permitted,
            "permitted_is_vacuous": self.vacuous,
            "largest_distance": self.farthest,
        }


def unigram_prior(made: Mechanism, most: int = PRIOR_TOKENS) -> Prior:
    """The prior over the ``most`` frequent tokens (0: all) that the guarantee of ``made`` covers."""
    from wordfreq import word_frequency  # reads its lists when first asked

    if most < 0:
        raise ConfigurationError("The prior holds some number of tokens from 1 on, or 0 for all of them.")
    tokens = made.vocabulary.tokens
    covered = np.arange(len(tokens)) if made.protected is None else made.protected
    often = np.zeros(len(tokens))
    often[covered] = [word_frequency(tokens[at], "en") for at in covered]
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


def inference(made: Mechanism, prior: Prior, progress: Progress | None = None) -> Inference:
    """Guessing, the Bayes-optimal attack where the law of ``made`` is known, and what its guarantee permits."""
    found = made.adjacency()
    attack = None
    if made.certify().kind != "analytic":
        attack = bayes_attack(made.law, prior.weights, len(prior.weights), progress)
    allowed, farthest = _permitted(made, found, prior)
    return Inference(prior, float(prior.weights.max()), allowed, farthest, attack)


def _permitted(made: Mechanism, found: Adjacency, prior: Prior) -> tuple[float, float | None]:
    """What the guarantee permits, and the largest distance inside the prior (None for LDP)."""
    epsilon = made.guarantee.epsilon
    if found.points is None:
        return permitted(prior.weights, epsilon, found.groups), None
    seen = [0.0]

    def distances(rows: Any, columns: Any) -> FloatArray:
        block = found.distances(rows, columns)
        seen.append(float(block.max()))
        return block

    return permitted_by_distance(prior.weights, epsilon, distances), max(seen)

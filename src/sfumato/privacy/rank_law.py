"""Outcomes drawn by their rank: the scores only order the outcomes, and a public profile says how likely a rank is.

P(v | text) = q_r, where r is the rank of v among the V public outcomes by the scores of the text, the highest first,
equal scores in the public order of the outcomes; and q_1 >= ... >= q_V is a public profile
(:mod:`sfumato.privacy.rank_profile`).

Analysis. Whatever the scores are, each outcome has some rank, so q_V <= P(v | text) <= q_1 for every text: the log
ratio of any two texts at any outcome is at most ln(q_1 / q_V). It is attained, by two texts that rank an outcome
first and last. So a draw is ε-LDP with ε = ln(q_1 / q_V): pure, for every adjacency, with no range to clip to and
nothing paid for a normaliser, which costs the clipped softmax up to ln V.

With one rank on top this is k-ary randomized response on the model's first choice (Warner 1965; Kairouz, Bonawitz and
Ramage 2016). With a plateau of m it is the transpose of subset selection (Wang et al. 2016; Ye and Barg 2018), which
gives a subset for an outcome: here the model gives the subset, and an outcome is drawn. It is also an exponential
mechanism (McSherry and Talwar 2007) whose utility is ln q of the rank.

The price of many draws. Two texts may order the outcomes by any two permutations. Of Σ q_i^α · q_π(i)^(1-α) the
largest over all permutations π is the one that reverses the order: the first factors fall with i and the second rise
with π(i), and a sum of products of two sequences is largest where both are sorted alike (rearrangement inequality).
So the Rényi divergence of a draw is known exactly, for every order α > 1.

Rounding. Scores round differently beside other texts, and where two scores at the edge of the profile's first step
are nearly equal, rounding would decide which outcome is the likelier one by e^ε. :meth:`RankLaw.unclear` names such
rows, and the engine computes them again, each by itself, so that a text's law depends on no other text. A model whose
scores are the same bits in any company needs none of this.

Ties. Equal scores must be ordered by something public. An order that looked at the private word, such as preferring
it among equals, would not change ε either, but nothing here sees that word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.privacy.composition import of_pure_loss
from sfumato.privacy.guarantee import Certificate, checked_epsilon
from sfumato.privacy.integer_law import BITS, TOTAL, numbers_below_total
from sfumato.privacy.rank_profile import Profile, RankGains, plateau
from sfumato.privacy.score_law import AnyScores, ScoreLaw, on_host, rows_of
from sfumato.types import FloatArray, IntArray, Uniforms

MARGIN = 2.0**-13
"""Scores that differ by less may change places when they are computed beside others. Measured in float32 with the
embedded model: scores of one text differ by 1e-5 at most."""


@dataclass(frozen=True, slots=True)
class RankLaw(ScoreLaw):
    """The law over ``outcomes`` public outcomes (V) by rank, with the plateau that ``gains`` prefer at each ε."""

    name: ClassVar[str] = "rank"
    gains: RankGains
    outcomes: int

    def __post_init__(self) -> None:
        if self.outcomes < 2:
            raise ConfigurationError("A law needs at least two outcomes; the model has too few whole words.")
        if self.gains.ranks != self.outcomes:
            raise ConfigurationError(
                f"The gains by rank are about {self.gains.ranks} outcomes, and the model has {self.outcomes}; "
                "measure them for this model."
            )

    def profile(self, epsilon: float) -> Profile:
        """Return the profile at ``epsilon`` nats. Raise GuaranteeError if no profile is within it."""
        nats = checked_epsilon(epsilon)
        return plateau(self.outcomes, self.gains.best(nats), nats).checked(nats)

    def scale(self, epsilon: float) -> float:
        """Return ln(q_1 / q_V) of the profile at ``epsilon`` nats, which is at most ε and at most 62·ln 2."""
        return self.profile(epsilon).loss

    def certificate(self, epsilon: float) -> Certificate:
        """Return the exact loss at ``epsilon`` nats, over all orders of the outcomes: that of first against last."""
        profile = self.profile(epsilon)
        first = self.gains.best(epsilon)
        conditions = {
            "law": self.name,
            "outcomes": self.outcomes,
            "first_ranks": first,
            "weight_first": profile.weights[0],
            "weight_last": profile.weights[-1],
            "weights_out_of": f"2^{BITS}",
            "probability_of_the_first_ranks": 1.0 - (self.outcomes - first) * profile.weights[-1] / TOTAL,
            "chosen_by": self.gains.source,
        }
        return Certificate("LDP", epsilon, profile.loss, "exact", profile.loss, 0.5 * epsilon, conditions)

    def law(self, scores: AnyScores, epsilon: float) -> FloatArray:
        """Return P(v) for each row of ``scores`` (n, V) at ``epsilon`` nats, shape (n, V), float64."""
        self.check(scores)
        law = np.empty(scores.shape)
        order = np.argsort(-on_host(scores).astype(np.float64), axis=1, kind="stable")
        np.put_along_axis(law, order, self.profile(epsilon).probabilities[None], axis=1)
        return law

    def draw(self, scores: AnyScores, epsilons: Sequence[float], uniforms: Uniforms) -> IntArray:
        """Return one outcome for each row of ``scores`` (n, V), shape (n,).

        The ranks are drawn here, without the scores. Which outcome has a rank is looked up where the scores are.
        """
        self.check(scores)
        numbers = numbers_below_total(uniforms.words(1)[:, 0])
        ranks, every = np.empty(scores.shape[0], dtype=np.int64), np.asarray(epsilons, dtype=np.float64)
        for epsilon in set(every.tolist()):
            rows = every == epsilon
            ranks[rows] = self.profile(epsilon).drawn(numbers[rows])
        return rows_of(scores).of_ranks(ranks)

    def unclear(self, scores: AnyScores, epsilons: Sequence[float]) -> IntArray:
        """Return the rows of ``scores`` (n, V) in which the last of the first ranks hardly differs from the next one.

        Only what is among the first ranks decides the law, not their order.
        """
        firsts = np.array([self.gains.best(epsilon) for epsilon in epsilons], dtype=np.int64)
        return np.flatnonzero(rows_of(scores).gaps(firsts) < MARGIN)

    def scores_with(self, law: FloatArray, epsilon: float) -> FloatArray:
        """Return scores (V,) with the law ``law`` (V,): the law itself, which orders the outcomes as it should."""
        return law

    def rho(self, epsilon: float) -> float | None:
        """Return None: the curve of :meth:`renyi` says more than a ρ."""
        return None

    def renyi(self, epsilon: float, orders: FloatArray) -> FloatArray:
        """Return the Rényi divergence of a draw at ``epsilon`` nats at ``orders`` (A,) > 1, (A,), rounded up."""
        profile = self.profile(epsilon)
        ends, back = np.cumsum(profile.counts), np.cumsum(profile.counts[::-1])
        edges = np.union1d(ends, back)
        first = np.log(np.array(profile.weights, dtype=np.float64) / TOTAL)
        ahead, behind = first[np.searchsorted(ends, edges)], first[::-1][np.searchsorted(back, edges)]
        counts = np.log(np.diff(edges, prepend=0).astype(np.float64))
        terms = counts[:, None] + orders[None] * ahead[:, None] + (1.0 - orders[None]) * behind[:, None]
        most = terms.max(axis=0)
        total = most + np.log(np.exp(terms - most).sum(axis=0))
        rounding = 2.0**-48 * (1.0 + orders * float(np.abs(first).max()))  # of terms that cancel where ε is tiny
        exact = np.maximum(total + rounding, 0.0) / (orders - 1.0)
        return np.asarray(np.minimum(exact, of_pure_loss(profile.loss, orders)))

    @property
    def relative_error(self) -> float:
        """Return 0: what is drawn is the law that is certified."""
        return 0.0

    def proof(self, theorem: str, place: str) -> str:
        """Return where the law by rank is proved: the published theorem is about another law."""
        return "ratio of the first to the last rank: docs/mechanisms.md#the-law-by-rank"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return the digest of what ranks are worth."""
        return {"law": self.name, "gains": self.gains.digest}

    @property
    def public_facts(self) -> Mapping[str, Any]:
        """Return how the profile is chosen."""
        return {"ranking": {"outcomes": self.outcomes, "source": self.gains.source}}

    def unchanged(self, epsilon: float) -> Mapping[str, Any]:
        """Return how often a draw at ``epsilon`` gives a word back, at most and over the public text of the gains.

        A word has some rank, whatever the scores are, so no word comes back more often than the first rank is drawn.
        """
        profile = self.profile(epsilon)
        first, last = profile.weights[0] / TOTAL, profile.weights[-1] / TOTAL
        if not self.gains.own:
            return {"at_most": first}
        own = self.gains.own[self.gains.firsts.index(self.gains.best(epsilon))]
        over = self.gains.source.rpartition("over ")[2]
        return {"at_most": first, "expected": own * first + (1.0 - own) * last, "over": over}

    @property
    def public_text(self) -> tuple[str, int] | None:
        """Return SHA-256 and size of the file that the gains were measured on."""
        return self.gains.text

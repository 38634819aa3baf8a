"""What a policy asks, held against what was measured: each limit against the end of a 95 % interval.

Every attacker who looks for people is judged, also one for whom the policy sets no limit: then 10 % is the most that
is called safe. Limits are named that a policy has loosened: what the shipped policy asks that it was made from, and
what it asks itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.metrics.estimates import Estimate
from sfumato.policy import Policy
from sfumato.policy.limits import ATTACKERS
from sfumato.policy.tables import shipped_names

SAFE = 0.1
"""The most people whom an attacker without a limit may find and still be called harmless."""
_BRIEFLY = {
    **{name: f"people found by {name}" for name in ATTACKERS},
    "token_guess_upper": "replaced words guessed",
    "identifiers_left_upper": "people with a name, code or number left",
    "population_unique_upper": "people whom nobody else shares what is shown with",
    "missed_upper": "records with something missed",
    "membership_upper": "the area by which members are told",
    "copied_upper": "people of whom 20 words are copied",
    "canaries_upper": "planted secrets that came out again",
    "utility_lower": "similarity to the original",
}
_WORDS = {
    **{name: f"People found by {name}, {knowing}" for name, knowing in ATTACKERS.items()},
    "token_guess_upper": "Replaced words guessed",
    "identifiers_left_upper": (
        "People of whom a marked name, code or number is still there (what was not marked is not counted)"
    ),
    "population_unique_upper": "People whom nobody else in the population shares what the release shows with",
    "missed_upper": "Records with something missed",
    "membership_upper": "Area under the curve by which members are told from people held out (0.5: not at all)",
    "canaries_upper": "Planted secrets that came out again whole",
    "copied_upper": "People of whom 20 words in a row are copied, beyond people held out",
    "utility_lower": "Similarity to the original, or of a record that was held out to the nearest synthetic one",
}


@dataclass(frozen=True)
class Judged:
    """One limit.

    Attributes:
        name: The attacker, or the key in ``[accept]``.
        limit: The value that the policy sets; for an attacker without a limit, :data:`SAFE`.
        measured: What was measured, with its interval; None if nothing was.
        by: The way to attack, or the measure, that the figure is of.
        is_asked: Whether the policy sets the limit. What it does not ask decides nothing.
        why: Why it sets none.
    """

    name: str
    limit: float
    measured: Estimate | None
    by: str = ""
    is_asked: bool = True
    why: str = ""

    @property
    def is_attacker(self) -> bool:
        """Return whether it is about someone who looks for people."""
        return self.name in ATTACKERS

    @property
    def state(self) -> str:
        """Return the judgement in one or two words."""
        if not self.is_attacker:
            return "holds" if self.holds else "does not hold"
        return "safe" if self.holds else "not safe" if math.isfinite(self.end) else "not measured"

    @property
    def end(self) -> float:
        """Return the end of the interval that counts; NaN if nothing was measured."""
        if self.measured is None:
            return math.nan
        return self.measured.low if self.is_floor else self.measured.high

    @property
    def is_floor(self) -> bool:
        """Return whether the limit is a least value."""
        return self.name.endswith("_lower")

    @property
    def holds(self) -> bool:
        """Return whether the limit is kept. What was not measured is not."""
        return self.end >= self.limit if self.is_floor else self.end <= self.limit

    @property
    def title(self) -> str:
        """Return what is limited, in a few words."""
        return _WORDS[self.name]

    @property
    def brief(self) -> str:
        """Return what is limited, inside a sentence."""
        return _BRIEFLY[self.name]

    @property
    def shortfall(self) -> float:
        """Return how far the end of the interval is beyond the limit; 0 if it holds, 1 if nothing was measured."""
        if not math.isfinite(self.end):
            return 1.0
        return max(0.0, self.limit - self.end if self.is_floor else self.end - self.limit)

    @property
    def finding(self) -> str:
        """Return what was measured and what was asked."""
        if self.measured is None or not math.isfinite(self.end):
            if not self.is_asked:
                return f"not measured; {self._asked}."
            return f"not measured, so that the limit of {percent(self.limit)} does not hold."
        return f"{percent(self.measured.value)}, {self._within(self.end)}"

    def _within(self, end: float) -> str:
        """Return a sentence's end: what ``end`` of the interval bounds, and what was asked."""
        bound = "at least" if self.is_floor else "at most"
        return f"{bound} {percent(end)} at 95 %; {self._asked}."

    @property
    def _asked(self) -> str:
        if self.is_asked:
            return f"asked: {'at least' if self.is_floor else 'at most'} {percent(self.limit)}"
        return f"the policy sets no limit ({self.why or 'it does not say why'}), and {percent(self.limit)} is safe"

    @property
    def sentence(self) -> str:
        """Return the judgement in words."""
        return self._titled(self.finding)

    def _titled(self, finding: str) -> str:
        return f"{self.title}{f' ({self.by})' if self.by else ''}: {finding}"

    @property
    def for_readers(self) -> Judged:
        """Return the judgement with a :func:`coarse` figure.

        An end that keeps the limit is not rounded beyond it: that the limit holds is published.
        """
        if self.measured is None or not self.holds:
            return self if self.measured is None else replace(self, measured=coarse(self.measured))
        kept = {"least": self.limit} if self.is_floor else {"most": self.limit}
        return replace(self, measured=coarse(self.measured, **kept))

    def as_json(self) -> dict[str, object]:
        """Return the judgement for files that leave: of what was measured, only the ends of :attr:`for_readers`."""
        told = self.for_readers
        measured, finding = None, told.finding
        if told.measured is not None and math.isfinite(told.end):
            measured = {"low": told.measured.low, "high": told.measured.high, "of": told.measured.of}
            finding = told._within(told.end)
        return {
            "limit": self.name, "asked": self.limit if self.is_asked else None, "measured": measured, "by": self.by,
            "holds": self.holds, "state": self.state, "sentence": self._titled(finding),
        }  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """What the attacks on a release found.

    Attributes:
        found_again: How often each attacker finds people, by the attacker and then by the way.
        token_guess: How many replaced words a masked model guesses.
        identifiers_left: How many records still hold an identifier of their original.
        missed: In how many records a person's review of a random sample found a miss; None without a review.
        utility: The average cosine similarity between a record and its release; of synthetic records, between a
            record that was held out and the nearest of them.
        membership: Of synthetic records, the area under the curve of the best guess who took part.
        copied: Of synthetic records, how many people are copied, beyond people held out.
        canaries: Of synthetic records, how many planted secrets are in them whole.
        unique: How many people share with nobody else, in a table of a population, what the release shows of them.
    """

    found_again: Mapping[str, Mapping[str, Estimate]]
    token_guess: Estimate | None
    identifiers_left: Estimate | None
    missed: Estimate | None
    utility: Estimate | None
    membership: Estimate | None = None
    copied: Estimate | None = None
    canaries: Estimate | None = None
    unique: Estimate | None = None


def judged(policy: Policy, measured: Measured) -> tuple[Judged, ...]:
    """Return a judgement for each attacker, and for each other limit of ``policy``, in its order."""
    return (*_attackers(policy, measured), *_others(policy, measured))


def _attackers(policy: Policy, measured: Measured) -> Iterator[Judged]:
    for name in ATTACKERS:
        way, estimate = _worst(measured.found_again.get(name, {})) or ("", None)
        limit = policy.against.limits.get(name)
        if limit is None:
            yield Judged(name, SAFE, estimate, way, is_asked=False, why=policy.against.unlimited)
        else:
            yield Judged(name, limit, estimate, way)


def _others(policy: Policy, measured: Measured) -> Iterator[Judged]:
    single: dict[str, tuple[Estimate | None, str]] = {
        "token_guess_upper": (measured.token_guess, "a masked model"),
        "identifiers_left_upper": (measured.identifiers_left, ""),
        "population_unique_upper": (measured.unique, "a public table of a population"),
        "missed_upper": (measured.missed, "a person's review of a random sample"),
        "membership_upper": (measured.membership, "the best of several guesses"),
        "copied_upper": (measured.copied, ""),
        "canaries_upper": (measured.canaries, ""),
        "utility_lower": (measured.utility, "cosine similarity"),
    }
    for name, limit in policy.accept.limits.items():
        estimate, by = single[name]
        yield Judged(name, limit, estimate, by)


def _worst(rates: Mapping[str, Estimate]) -> tuple[str, Estimate] | None:
    """Return the attacker with the highest upper end. One that could not be measured is the worst."""
    ranked = sorted(rates.items(), key=lambda item: item[1].high if math.isfinite(item[1].high) else math.inf)
    return ranked[-1] if ranked else None


def failing(judgements: Sequence[Judged]) -> tuple[Judged, ...]:
    """Return those that the policy asks for and that do not hold."""
    return tuple(judgement for judgement in judgements if judgement.is_asked and not judgement.holds)


def outward(low: float, high: float) -> tuple[float, float]:
    """Return an interval that holds the given one, with ends on a grid whose step is at least half its width.

    The step is 1, 2 or 5 times a power of ten. An interval without width has the finest step, a millionth.
    """
    half = max((high - low) / 2, 1e-6)
    ten = 10.0 ** math.floor(math.log10(half))
    step = next(ten * factor for factor in (1, 2, 5, 10) if ten * factor >= half * (1 - 1e-9))
    below, above = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return round(below * step, 9), round(above * step, 9)


def coarse(estimate: Estimate, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """Return an estimate for readers of a release: ends rounded outward, and their middle for the value.

    Exact figures of two near releases would tell whether one person more is found. No end is rounded beyond ``least``
    and ``most``. Readers get no figure without an interval, and no count (``n`` is 0).
    """
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return replace(estimate, value=math.nan, low=math.nan, high=math.nan, n=0)
    low, high = outward(estimate.low, estimate.high)
    low, high = max(low, least), min(high, most)
    return replace(estimate, value=(low + high) / 2, low=low, high=high, n=0)


def percent(share: float) -> str:
    """Return a share in per cent, with three digits."""
    return f"{100 * share:.3g} %"


@dataclass(frozen=True)
class Loosened:
    """A limit that is looser than that of the shipped policy ``base``. Values are None where there is no limit."""

    name: str
    base: str
    shipped: float
    asked: float | None

    @property
    def sentence(self) -> str:
        """Return the difference in a sentence."""
        own = "there is no such limit" if self.asked is None else f"it is {percent(self.asked)}"
        return f"The limit {self.name} was loosened: {own}; the policy {self.base} asks {percent(self.shipped)}."

    def as_json(self) -> dict[str, object]:
        """Return the difference for files."""
        return {
            "limit": self.name, "policy": self.base, "shipped": self.shipped, "asked": self.asked,
            "sentence": self.sentence,
        }  # fmt: skip


def loosened(policy: Policy) -> tuple[Loosened, ...]:
    """Return the limits of ``policy`` that are looser than those of the shipped policy that it was made from.

    That is the one whose name it has, or the one that treats all kinds alike. A policy that neither describes was
    written by its owner, and is compared with none.
    """
    base = next((known for name in shipped_names() if _made_from(policy, known := Policy.load(name))), None)
    return () if base is None else tuple(_loosened(policy, base))


def _made_from(policy: Policy, known: Policy) -> bool:
    if policy.synthesize or known.synthesize:
        return bool(policy.synthesize) and bool(known.synthesize)
    return policy.name == known.name or (policy.treat, policy.treat_others) == (known.treat, known.treat_others)


def _loosened(policy: Policy, base: Policy) -> Iterator[Loosened]:
    for name, limit in base.limits.items():
        asked = policy.limits.get(name)
        if asked is None or (asked < limit if name.endswith("_lower") else asked > limit):
            yield Loosened(name, base.name, limit, asked)

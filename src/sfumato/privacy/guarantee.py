"""Guarantees and certificates: small frozen values, apart from the code that spends them.

Definitions (natural logarithms, ``P(y|x)`` the law of one draw; guarantees are worst cases over all outputs y):

* ``LDP``: ``|log P(y|x) - log P(y|x')| <= epsilon`` for every two inputs that the adjacency names.
* ``metric-LDP``: ``|log P(y|x) - log P(y|x')| <= epsilon * d(x, x')`` for the named distance.
* ``DP``: ``P(S|D) <= e^epsilon * P(S|D') + delta`` for every set S of outputs and all D, D' that the adjacency names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sfumato.errors import ConfigurationError
from sfumato.text import notebook

Definition = Literal["LDP", "metric-LDP", "DP"]
Kind = Literal["exact", "upper-bound", "analytic"]
Calibration = Literal["exact", "paper"]
SetCalibration = Literal["exact", "paper", "optimal"]


MOST_EPSILON = 1e6
"""The largest ε that anyone may name, in nats: a ledger holds no larger amount, and it promises nothing."""
MENTION = "mention"
"""A draw is for a single mention, so that equal tokens do not show."""
TOKENS = "tokens"
OF_KINDS = "as the same kinds"
"""How marks are alike where each kind of value has a treatment of its own."""
RECORDS = {"record": "two records", "subject": "two versions of the records of a subject"}
"""What is compared where a draw is for a record, or for a subject."""
_WORDS = {"e-fold": "e-fold (a ratio of 2.72)"}


def checked_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float. Raise ConfigurationError unless it is above 0 and at most MOST_EPSILON."""
    try:
        value = float("true" if isinstance(epsilon, bool) else epsilon)
    except OverflowError:
        value = math.inf
    except (TypeError, ValueError):
        raise ConfigurationError("epsilon must be a number, for example 8.0.") from None
    if not math.isfinite(value) or value <= 0:
        raise ConfigurationError(f"epsilon must be finite and greater than 0, not {value!r}; try 8.0.")
    if value > MOST_EPSILON:
        raise ConfigurationError(
            f"epsilon must be at most {MOST_EPSILON:,.0f}, because more promises nothing; try 8.0."
        )
    return value


def checked_calibration(calibration: str, optimal: bool = False) -> None:
    """Raise :class:`ConfigurationError` unless ``calibration`` is one that a mechanism may have."""
    if optimal and calibration == "optimal":
        return
    if calibration == "optimal":
        raise ConfigurationError(
            "calibration optimal is for laws inside small sets: custext, custext+, and clusant with k = inf; "
            "use exact here."
        )
    if calibration not in ("exact", "paper"):
        choices = "exact, paper or optimal" if optimal else "exact or paper"
        raise ConfigurationError(f"calibration must be {choices}, not {calibration!r}.")


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What one draw guarantees. `str()` puts it into one sentence.

    Attributes:
        definition: `LDP`, `metric-LDP`, or `DP` for what is made from many records together.
        epsilon: The ε in nats; per unit of `distance` for metric-LDP.
        unit: What one ε pays for.
        adjacency: Which inputs are hard to distinguish.
        distance: The name of the distance, for metric-LDP; else None.
        proof: Where the proof is.
        assumes: What must be true for the guarantee to hold.
        rho: The ρ of zero-concentrated DP of one draw, if the analysis gives less than the ε²/2 that ε implies.
        delta: The δ of DP; None for the other definitions, which have none.
        per: The unit of the distance, if it has one: "day" or "km".
    """

    definition: Definition
    epsilon: float
    unit: str
    adjacency: str
    distance: str | None
    proof: str
    assumes: tuple[str, ...] = ()
    rho: float | None = None
    delta: float | None = None
    per: str = ""

    @classmethod
    def of_any_two_tokens(cls, epsilon: float, distance: str, proof: str, *assumes: str, per: str = "") -> Guarantee:
        """Return ε-metric-LDP for one token, between any two tokens of a public vocabulary."""
        given = ("vocabulary and vectors are public", "draws are independent", *assumes)
        unit, adjacency = "one token", "any two tokens of the vocabulary"
        return cls("metric-LDP", epsilon, unit, adjacency, distance, proof, given, per=per)

    @property
    def _measured(self) -> str:
        if self.delta is not None:
            return f", delta {self.delta:g}"
        if self.per:
            return f" per {self.per} ({self.distance} distance)"
        return f" per unit of {self.distance} distance" if self.distance else ""

    @property
    def measured(self) -> str:
        """Return ε with the unit that it is for: "0.0333 per day"."""
        return f"{self.epsilon:.4g}{self._measured}"

    def __str__(self) -> str:
        spent = f"{self.definition}, epsilon {self.epsilon:g}{self._measured}"
        return f"{spent}, for {self.unit}; adjacency: {self.adjacency}"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, object]] = [
            ("for", self.unit),
            ("adjacency", self.adjacency),
            ("proof", self.proof),
            *(("assumes", assumption) for assumption in self.assumes),
        ]
        return notebook.caption(f"{self.definition}, ε {self.epsilon:g}{self._measured}") + notebook.table(rows)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The numerical check of a guarantee on the actual public vocabulary. `str()` puts it into one sentence.

    Attributes:
        definition: `LDP` or `metric-LDP`.
        claimed: The ε of the guarantee, in nats (per unit of its distance for metric-LDP).
        certified: The largest privacy loss found, in the same unit.
        kind: `exact` (the maximum over all pairs and outputs), `upper-bound` (a bound on it), or `analytic` (from the
            density of the noise; there is nothing finite to check).
        scale: The scale that the law uses.
        paper_scale: The scale that the published formula would use.
        conditions: What the check found and depends on, by name.
        pair: The two tokens with the largest loss, as indices into the vocabulary, if the analysis finds them.
    """

    definition: Definition
    claimed: float
    certified: float
    kind: Kind
    scale: float
    paper_scale: float
    conditions: Mapping[str, Any] = field(default_factory=dict)
    pair: tuple[int, int] | None = None

    def __str__(self) -> str:
        return f"{self.definition}: claimed {self.claimed:g}, certified {self.certified:.9g} ({self.kind})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, object]] = [
            ("scale of the law", f"{self.scale:.6g}"),
            ("scale of the published formula", f"{self.paper_scale:.6g}"),
            *((name.replace("_", " "), value) for name, value in self.conditions.items()),
        ]
        return notebook.caption(self) + notebook.table(rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON types (an infinite number becomes the string "infinity")."""
        return {
            "definition": self.definition,
            "claimed": self.claimed,
            "certified": _plain(self.certified),
            "kind": self.kind,
            "scale": _plain(self.scale),
            "paper_scale": _plain(self.paper_scale),
            "worst_pair": None if self.pair is None else list(self.pair),
            "conditions": {key: _plain(value) for key, value in self.conditions.items()},
        }


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isinf(value):
        return "infinity"
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def marked_alike(inputs: str = "two texts", marks: str = "with the same labels") -> str:
    """Return the clause of two ``inputs`` in which a detector marks the same places in the same way."""
    return f"{inputs} in which the same places are marked {marks} and the text between is equal"


def compared(
    texts: str, differ: str, *, drawn_for: str = MENTION, of: str = TOKENS, sharing: Sequence[str] = ()
) -> str:
    """Return which inputs a guarantee compares.

    ``texts`` says which texts they are, and ``differ`` how two tokens at one place differ. A draw is for a mention,
    or for all that is taken for one token in a document, record or subject (``drawn_for``): then it shows which
    places are. Unequal texts may be taken for one: parts of a person's name, or two words that the vocabulary lacks.
    ``of`` names the tokens, and ``sharing`` lists what the two at one place have in common.
    """
    pattern = "" if drawn_for == MENTION else f", with the same places in each {drawn_for} taken for equal {of}"
    named = " ".join([of, " and ".join(sharing)]).strip() if sharing or of != TOKENS else ""
    return f"{texts}{pattern}; where they differ, {f'{named}, ' if named else ''}{differ}"


def unit_in_words(unit: str) -> str:
    """Return ``unit``, with a few words beside it if not everyone knows it."""
    return _WORDS.get(unit, unit)

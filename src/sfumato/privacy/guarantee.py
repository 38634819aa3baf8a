"""Guarantees and certificates: small frozen values, apart from the code that spends them.

Definitions (natural logarithms, ``P(y|x)`` the law of one draw; guarantees are worst cases over all outputs y):

* ``LDP``: ``|log P(y|x) - log P(y|x')| <= epsilon`` for every two inputs that the adjacency names.
* ``metric-LDP``: ``|log P(y|x) - log P(y|x')| <= epsilon * d(x, x')`` for the named distance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sfumato.errors import ConfigurationError

Definition = Literal["LDP", "metric-LDP"]
Kind = Literal["exact", "upper-bound", "analytic"]
Calibration = Literal["exact", "paper"]


def checked_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float. Raise :class:`ConfigurationError` unless it is finite and positive."""
    try:
        value = float(epsilon)
    except (TypeError, ValueError):
        raise ConfigurationError("epsilon must be a number, for example 8.0.") from None
    if not math.isfinite(value) or value <= 0:
        raise ConfigurationError(f"epsilon must be finite and greater than 0, not {value!r}; try 8.0.")
    return value


def checked_calibration(calibration: str) -> None:
    """Raise :class:`ConfigurationError` unless ``calibration`` is ``exact`` or ``paper``."""
    if calibration not in ("exact", "paper"):
        raise ConfigurationError(f"calibration must be exact or paper, not {calibration!r}.")


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise about one draw.

    ``epsilon`` is in nats (per unit of ``distance`` for metric-LDP). ``adjacency`` says which inputs are hard to
    distinguish. ``unit`` says what one epsilon pays for. ``assumes`` lists what must be true. ``proof`` says where
    the proof is.
    """

    definition: Definition
    epsilon: float
    unit: str
    adjacency: str
    distance: str | None
    proof: str
    assumes: tuple[str, ...] = ()
    rho: float | None = None
    """Zero-concentrated DP of one draw, if the analysis gives less than the ε²/2 that ε alone implies."""

    def __str__(self) -> str:
        per = f" per unit of {self.distance} distance" if self.distance else ""
        return f"{self.definition}, epsilon {self.epsilon:g}{per}, for {self.unit}; adjacency: {self.adjacency}"


@dataclass(frozen=True, slots=True)
class Certificate:
    """The numerical check of a claim on the actual public vocabulary.

    ``claimed`` and ``certified`` are in nats (per unit of distance for metric-LDP). ``certified`` is the largest
    privacy loss found. ``kind`` says whether it is ``exact`` (the maximum over all pairs and outputs), an
    ``upper-bound`` on it, or ``analytic`` (from the noise density, nothing finite to check). ``scale`` is the scale
    that the law runs at, ``paper_scale`` the one of the published formula. ``pair`` holds the two tokens (by their
    numbers in the vocabulary) whose loss is the largest, if the analysis finds one.
    """

    definition: Definition
    claimed: float
    certified: float
    kind: Kind
    scale: float
    paper_scale: float
    conditions: Mapping[str, Any] = field(default_factory=dict)
    pair: tuple[int, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON types (an infinite loss becomes the string ``"infinity"``)."""
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

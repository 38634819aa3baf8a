"""Methods at equal success: the epsilon of each at which the strongest attacker succeeds equally often.

Success rises with epsilon, so the measured rates of a method are first made to rise (isotonic regression; Barlow and
Brunk 1972), and then joined by straight lines over the logarithm of epsilon. The interval holds every epsilon whose
band of 95 % intervals, joined in the same way, holds the success asked for. Nothing is said beyond the epsilons that
were run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.evaluation.comparison.measures import Point, between, by_method, rest
from sfumato.metrics.estimates import Estimate
from sfumato.types import FloatArray

_EXACT = 1e-9


@dataclass(frozen=True)
class Match:
    """The ``epsilon`` of a method at which the attacks behind ``measure`` have the rate ``success``.

    ``low`` and ``high`` are the ends of its interval; an end beyond the epsilons that were run, ``tried`` from the
    smallest to the largest, is None. ``values`` are the other measures there, interpolated between the two nearest
    points. Without an ``epsilon``, ``why`` gives the reason.
    """

    method: str
    measure: str
    success: float
    epsilon: float | None = None
    low: float | None = None
    high: float | None = None
    values: Mapping[str, Estimate] = field(default_factory=dict)
    why: str | None = None
    tried: tuple[float, ...] = ()
    budget_name: str = "epsilon"

    @property
    def shown(self) -> str:
        """Return the epsilon with its interval, or the reason why there is none."""
        if self.epsilon is None:
            return str(self.why)
        low = f"below {self.tried[0]:g}" if self.low is None else f"{self.low:.3g}"
        high = f"above {self.tried[-1]:g}" if self.high is None else f"{self.high:.3g}"
        return f"{self.epsilon:.3g} ({low} to {high}{'' if self.budget_name == 'epsilon' else ', for a document'})"

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``frontier.json``."""
        content: dict[str, Any] = {"method": self.method, "measure": self.measure, "success": self.success}
        if self.epsilon is None:
            return {**content, "epsilon": None, "why": self.why}
        ends = {"budget": self.budget_name, "epsilon": self.epsilon, "low": self.low, "high": self.high}
        measures = {name: value.as_json() for name, value in self.values.items()}
        return {**content, **ends, "tried": list(self.tried), "measures": measures}


def matched(points: Sequence[Point], success: float, measure: str) -> list[Match]:
    """Return a match for each method of ``points``, and for each release of another tool."""
    return [_match(name, own, success, measure) for name, own in by_method(points).items()]


def _match(method: str, points: Sequence[Point], success: float, measure: str) -> Match:
    able = [point for point in points if measure in point.values]
    if not able:
        return Match(method, measure, success, why=f"{measure} was not measured")
    rates = [rest(point.values[measure]) for point in able]
    if any(point.budget is None for point in able):
        return Match(
            method, measure, success, why=f"it has no epsilon to choose; its success is {rates[0].value:.2f}"
        )
    budgets = [float(point.budget or 0.0) for point in able]
    if len(able) < 2:
        why = f"it has one epsilon only, {budgets[0]:g}, with success {rates[0].value:.2f}; give the plan two or more"
        return Match(method, measure, success, why=why)
    levels, lows, highs = (_rising([getattr(rate, part) for rate in rates]) for part in ("value", "low", "high"))
    crossing = _crossing(levels, success)
    if crossing is None:
        return Match(method, measure, success, why=_beyond(budgets, levels, success), tried=tuple(budgets))
    low, high = (None if (end := _crossing(edge, success)) is None else _at(budgets, end) for edge in (highs, lows))
    return Match(
        method, measure, success, _at(budgets, crossing), low, high, _between(able, crossing, measure),
        tried=tuple(budgets), budget_name=able[0].budget_name,
    )  # fmt: skip


def _rising(rates: Sequence[float]) -> FloatArray:
    from scipy.optimize import isotonic_regression  # slow to import

    return np.asarray(isotonic_regression(rates).x)


def _crossing(rates: FloatArray, success: float) -> float | None:
    """Return where the rising ``rates`` first reach ``success``, as an index with a fraction; None beyond them."""
    if not rates[0] - _EXACT <= success <= rates[-1] + _EXACT:
        return None
    reached = int(np.argmax(rates >= success - _EXACT))
    if reached == 0:
        return 0.0
    below, above = rates[reached - 1], rates[reached]
    return float(reached - 1 + min(1.0, (success - below) / (above - below)))


def _at(budgets: Sequence[float], crossing: float) -> float:
    """Return the epsilon at an index with a fraction, on the line over its logarithm."""
    return math.exp(float(np.interp(crossing, range(len(budgets)), np.log(budgets))))


def _between(points: Sequence[Point], crossing: float, matched_by: str) -> dict[str, Estimate]:
    """Return the other measures at an index with a fraction, between the two points beside it."""
    before, after = points[math.floor(crossing)], points[math.ceil(crossing)]
    share, values = crossing - math.floor(crossing), {}
    for name, first in before.values.items():
        second = after.values.get(name)
        if second is not None and name != matched_by:
            values[name] = between([first, second], [1 - share, share])
    return values


def _beyond(budgets: Sequence[float], levels: FloatArray, success: float) -> str:
    if success < levels[0]:
        return f"the success is {levels[0]:.2f} already at the smallest epsilon, {budgets[0]:g}; add smaller ones"
    return f"the success is only {levels[-1]:.2f} at the largest epsilon, {budgets[-1]:g}; add larger ones"

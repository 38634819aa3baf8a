"""A point of a comparison: a method at a budget, with the mean of each measure over its seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.metrics.estimates import Estimate

NO_GUARANTEE = "no formal guarantee"


@dataclass(frozen=True)
class Point:
    """A method at a budget: the mean over its seeds of each measure, by the measure's name.

    ``kind`` is "method", "baseline" or "file". ``seeds`` are those with results, ``values`` the means with their
    intervals, and ``spread`` holds the smallest and the largest value of the seeds. ``attackers`` names the strongest
    attacker of each measure of privacy; where the seeds have several, all of them. ``budget_name`` is "epsilon" or
    "document_epsilon".
    """

    method: str
    kind: str
    budget: float | None
    seeds: tuple[int, ...]
    values: Mapping[str, Estimate]
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    attackers: Mapping[str, str] = field(default_factory=dict)
    budget_name: str = "epsilon"

    @property
    def label(self) -> str:
        """Return the label of the point in a plot: the budget, or the name; nothing for a file, which the legend
        names.
        """
        name = "" if self.kind == "file" else self.method
        return name if self.budget is None else f"{self.budget:g}"

    @property
    def spent(self) -> str:
        """Return the budget for a table, or the words for a method without one."""
        if self.budget is not None:
            return f"{self.budget:g}{'' if self.budget_name == 'epsilon' else ' for a document'}"
        return NO_GUARANTEE if self.kind == "method" else "–"

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``frontier.json``."""
        content = {"method": self.method, "kind": self.kind, "budget": self.budget, "seeds": list(self.seeds)}
        spread = {name: list(values) for name, values in self.spread.items()}
        measures = {name: value.as_json() for name, value in self.values.items()}
        return {**content, "measures": measures, "seeds_from_to": spread, "strongest_attackers": dict(self.attackers)}


def means(rows: Sequence[Mapping[str, Estimate]]) -> tuple[dict[str, Estimate], dict[str, tuple[float, float]]]:
    """Return the mean over seeds of each measure, and its spread.

    The interval is the mean of the seeds' intervals. It is too wide rather than too narrow: each holds the
    randomness of the draws as well as that of the records, and a mean of several varies no more than they do on
    average.
    """
    values, spread = {}, {}
    for name in dict.fromkeys(name for row in rows for name in row):
        estimates = [row[name] for row in rows if name in row]
        value, low, high = (
            sum(getattr(estimate, part) for estimate in estimates) / len(estimates)
            for part in ("value", "low", "high")
        )
        values[name] = Estimate(value, low, high, min(estimate.n for estimate in estimates), estimates[0].of)
        spread[name] = (min(estimate.value for estimate in estimates), max(estimate.value for estimate in estimates))
    return values, spread


def most_often(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the names of the strongest attackers of each measure over seeds, the most frequent one first."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for measure, attacker in row.items():
            counts.setdefault(measure, Counter())[attacker] += 1
    return {measure: " or ".join(name for name, _ in own.most_common()) for measure, own in counts.items()}

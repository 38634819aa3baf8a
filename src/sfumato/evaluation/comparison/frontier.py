"""Privacy against utility: the figures of a comparison on one scale, their means over seeds, and which are best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from sfumato import version
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.comparison.plan import Comparison
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.attributes import ACCURACY, ADAPTIVE, STATIC
from sfumato.evaluation.studies.divergence import NDD
from sfumato.evaluation.studies.linkage import RATE, SEMANTIC
from sfumato.evaluation.studies.tokens import GUESSED
from sfumato.evaluation.studies.utility import COSINE, KEPT, ROUGE
from sfumato.metrics.estimates import Estimate

Side = Literal["privacy", "utility"]
NO_GUARANTEE = "no formal guarantee"


@dataclass(frozen=True)
class Measure:
    """One way to say how private or useful a release is, from 0 to 1, where 1 is best."""

    name: str
    how: str
    side: Side


@dataclass(frozen=True)
class Point:
    """A method at a budget: the mean over its seeds of each measure, by the measure's name.

    ``spread`` holds the smallest and the largest value of the seeds.
    """

    method: str
    kind: str
    budget: float | None
    seeds: tuple[int, ...]
    values: Mapping[str, Estimate]
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What stands beside it in a plot: the budget, or the name; nothing for a file, which the legend names."""
        named = "" if self.kind == "file" else self.method
        return named if self.budget is None else f"{self.budget:g}"

    @property
    def spent(self) -> str:
        """Its budget for a table; a method that has none says so."""
        if self.budget is not None:
            return f"{self.budget:g}"
        return NO_GUARANTEE if self.kind == "method" else "–"


@dataclass(frozen=True)
class Frontier:
    """What a comparison found. ``rows`` holds the measures of every outcome that has results, else None."""

    asked: Comparison
    outcomes: Sequence[Outcome]
    measures: Sequence[Measure]
    rows: Sequence[Mapping[str, Estimate] | None]
    points: Sequence[Point]

    @property
    def pairs(self) -> list[tuple[Measure, Measure]]:
        """Utility and privacy of each plot that has at least one point, the usual one first."""
        useful, private = ([one for one in self.measures if one.side == side] for side in ("utility", "privacy"))
        pairs = [(x, y) for x in useful for y in private]
        return [(x, y) for x, y in pairs if any({x.name, y.name} <= set(one.values) for one in self.points)]

    def best(self, x: Measure, y: Measure) -> list[Point]:
        """The points that no other beats in both measures (baselines aside, which are the two corners)."""
        there = [one for one in self.points if one.kind != "baseline" and {x.name, y.name} <= set(one.values)]
        places = [(one.values[x.name].value, one.values[y.name].value) for one in there]

        def beaten(one: tuple[float, float]) -> bool:
            return any(a >= one[0] and b >= one[1] and (a, b) != one for a, b in places)

        return [one for one, place in zip(there, places, strict=True) if not beaten(place)]

    def as_json(self) -> dict[str, Any]:
        """``frontier.json``, without a hash of the input, by which a guess of its content could be confirmed."""
        first = next((one.results.facts for one in self.outcomes if one.results is not None), {})
        original = {key: value for key, value in dict(first.get("original", {})).items() if key != "sha256"}
        return {
            "version": version.VERSION,
            "original": original or {"name": self.asked.file.name},
            "evaluation": self.asked.evaluation.setting,
            "measures": [{"name": one.name, "how": one.how, "side": one.side} for one in self.measures],
            "runs": [_run(*one) for one in zip(self.outcomes, self.rows, strict=True)],
            "points": [_point(one) for one in self.points],
            "plots": [
                {"x": x.name, "y": y.name, "best": [[one.method, one.budget] for one in self.best(x, y)]}
                for x, y in self.pairs
            ],
        }


def as_json(found: Sequence[Frontier]) -> dict[str, Any]:
    """``frontier.json``: that of the only input, or one for each under "inputs"."""
    if len(found) == 1:
        return found[0].as_json()
    inputs = [{"input": one.asked.name, **one.as_json()} for one in found]
    return {"version": version.VERSION, "inputs": inputs}


def frontier(asked: Comparison, outcomes: Sequence[Outcome]) -> Frontier:
    """The measures of every outcome, and the points of the plots."""
    found: dict[Measure, None] = {}
    rows: list[Mapping[str, Estimate] | None] = []
    for one in outcomes:
        own = {} if one.results is None else measured(one.results.studies, asked.evaluation)
        found.update(dict.fromkeys(own))
        rows.append(None if one.results is None else {measure.name: value for measure, value in own.items()})
    pairs = list(zip(outcomes, rows, strict=True))
    points = []
    for (method, budget), group in groupby(pairs, lambda one: (one[0].run.source.name, one[0].run.budget)):
        own_rows = [(one.run, row) for one, row in group if row is not None]
        if own_rows:
            seeds = tuple(run.seed for run, _ in own_rows if run.seed is not None)
            values, spread = _means([row for _, row in own_rows])
            points.append(Point(method, own_rows[0][0].kind, budget, seeds, values, spread))
    return Frontier(asked, outcomes, list(found), rows, points)


def measured(studies: Sequence[Study], plan: Plan) -> dict[Measure, Estimate]:
    """What the studies of one release say, as measures. Of several attackers the strongest counts."""
    by_name = {study.name: study for study in studies}
    found: dict[Measure, Estimate] = {}

    def put(name: str, how: str, side: Side, value: Estimate | None) -> None:
        if value is not None and math.isfinite(value.value):
            found[Measure(name, how, side)] = value

    near = by_name.get("utility", Study("utility"))
    for figure, name in ((COSINE, "cosine similarity"), (ROUGE, "ROUGE-L"), (KEPT, "words kept")):
        put(name, "of each record and its original", "utility", _of(near.figure(figure)))
    moved = by_name.get("divergence", Study("divergence")).figure(NDD)
    put("words around unmoved", f"1 − {NDD}, by the masked model", "utility", _rest(_of(moved)))
    guesses = [one for one in by_name.get("attributes", Study("")).figures if one.name == ACCURACY]
    for task in plan.tasks:
        right = _highest(guesses, field=task, role="task", attacker=[ADAPTIVE])
        put(f"use for {task}", "share guessed right by the best classifier, trained on the release", "utility", right)
    link = by_name.get("linkage", Study(""))
    rate = _highest([one for one in link.figures if one.name == RATE], knowledge=plan.knowledge, k=plan.claims)
    put("not found again", f"1 − {RATE} by the best linker, {plan.claims} facts known", "privacy", _rest(rate))
    put("facts not told", f"{SEMANTIC} by the record found", "privacy", _of(link.figure(SEMANTIC)))
    words = by_name.get("tokens", Study("")).figure(GUESSED, of="release")
    put("words not guessed", f"1 − {GUESSED} by the masked model", "privacy", _rest(_of(words)))
    for label in plan.labels:
        right = _highest(guesses, field=label, role="target", attacker=[STATIC, ADAPTIVE])
        put(f"{label} not guessed", "1 − accuracy of the best classifier", "privacy", _rest(right))
    return found


def _highest(figures: Sequence[Figure], **setting: Any) -> Estimate | None:
    """The largest figure whose setting is one of those asked for."""
    asked = {key: value if isinstance(value, list) else [value] for key, value in setting.items()}
    fitting = [one.estimate for one in figures if all(one.setting.get(key) in value for key, value in asked.items())]
    return max((one for one in fitting if math.isfinite(one.value)), key=lambda one: one.value, default=None)


def _of(figure: Figure | None) -> Estimate | None:
    return None if figure is None else figure.estimate


def _rest(one: Estimate | None) -> Estimate | None:
    return None if one is None else Estimate(1 - one.value, 1 - one.high, 1 - one.low, one.n, one.of)


def _means(rows: Sequence[Mapping[str, Estimate]]) -> tuple[dict[str, Estimate], dict[str, tuple[float, float]]]:
    """The mean over seeds of each measure, and its spread.

    The interval is the mean of the seeds' intervals. It is rather too wide than too narrow: each holds the luck of
    the draws as well as that of the records, and a mean of several varies no more than they do on average.
    """
    values, spread = {}, {}
    for name in dict.fromkeys(name for row in rows for name in row):
        own = [row[name] for row in rows if name in row]
        value, low, high = (sum(getattr(one, part) for one in own) / len(own) for part in ("value", "low", "high"))
        values[name] = Estimate(value, low, high, min(one.n for one in own), own[0].of)
        spread[name] = (min(one.value for one in own), max(one.value for one in own))
    return values, spread


def _run(one: Outcome, row: Mapping[str, Estimate] | None) -> dict[str, Any]:
    run = one.run
    found: dict[str, Any] = {"method": run.source.name, "kind": run.kind, "budget": run.budget, "seed": run.seed}
    if one.reason is not None or row is None:
        return {**found, "failed": one.reason}
    studies = [] if one.results is None else one.results.studies
    skipped = [{"what": left.what, "why": left.why} for study in studies for left in study.skipped]
    facts = {} if one.results is None else one.results.facts
    counts = {"missing": facts.get("missing", 0), "strays": facts.get("strays", 0)}
    return {**found, "promise": one.promise, **counts, "measures": _values(row), "skipped": skipped}


def _point(one: Point) -> dict[str, Any]:
    spread = {name: list(values) for name, values in one.spread.items()}
    own = {"method": one.method, "kind": one.kind, "budget": one.budget, "seeds": list(one.seeds)}
    return {**own, "measures": _values(one.values), "seeds_from_to": spread}


def _values(row: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: value.as_json() for name, value in row.items()}

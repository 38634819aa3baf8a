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
    """A measure of how private or useful a release is, from 0 to 1, where 1 is best.

    ``how`` says what it measures; ``side`` is "privacy" or "utility".
    """

    name: str
    how: str
    side: Side


@dataclass(frozen=True)
class Point:
    """A method at a budget: the mean over its seeds of each measure, by the measure's name.

    ``kind`` is "method", "baseline" or "file". ``seeds`` are those with results, ``values`` the means with their
    intervals, and ``spread`` holds the smallest and the largest value of the seeds.
    """

    method: str
    kind: str
    budget: float | None
    seeds: tuple[int, ...]
    values: Mapping[str, Estimate]
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)

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
            return f"{self.budget:g}"
        return NO_GUARANTEE if self.kind == "method" else "–"


@dataclass(frozen=True)
class Frontier:
    """The results of a comparison on one input.

    ``rows`` holds, for every outcome, its measures by name, or None if it has no results. ``measures`` are all that
    some outcome has, and ``points`` are the means over seeds.
    """

    comparison: Comparison
    outcomes: Sequence[Outcome]
    measures: Sequence[Measure]
    rows: Sequence[Mapping[str, Estimate] | None]
    points: Sequence[Point]

    @property
    def pairs(self) -> list[tuple[Measure, Measure]]:
        """Return utility and privacy of each plot that has at least one point, the usual one first."""
        useful, private = (
            [measure for measure in self.measures if measure.side == side] for side in ("utility", "privacy")
        )
        pairs = [(x, y) for x in useful for y in private]
        return [(x, y) for x, y in pairs if any({x.name, y.name} <= set(point.values) for point in self.points)]

    def best(self, x: Measure, y: Measure) -> list[Point]:
        """Return the points that no other beats in both measures (without baselines, which are the two corners)."""
        points = [
            point for point in self.points if point.kind != "baseline" and {x.name, y.name} <= set(point.values)
        ]
        values = [(point.values[x.name].value, point.values[y.name].value) for point in points]

        def beaten(pair: tuple[float, float]) -> bool:
            return any(a >= pair[0] and b >= pair[1] and (a, b) != pair for a, b in values)

        return [point for point, pair in zip(points, values, strict=True) if not beaten(pair)]

    def as_json(self) -> dict[str, Any]:
        """Return ``frontier.json``, without a hash of the input, which would confirm a guess of its content."""
        first = next((outcome.results.facts for outcome in self.outcomes if outcome.results is not None), {})
        original = {key: value for key, value in dict(first.get("original", {})).items() if key != "sha256"}
        return {
            "version": version.VERSION,
            "original": original or {"name": self.comparison.file.name},
            "evaluation": self.comparison.evaluation.setting,
            "measures": [
                {"name": measure.name, "how": measure.how, "side": measure.side} for measure in self.measures
            ],
            "runs": [_run(*pair) for pair in zip(self.outcomes, self.rows, strict=True)],
            "points": [_point(point) for point in self.points],
            "plots": [
                {"x": x.name, "y": y.name, "best": [[point.method, point.budget] for point in self.best(x, y)]}
                for x, y in self.pairs
            ],
        }


def as_json(frontiers: Sequence[Frontier]) -> dict[str, Any]:
    """Return ``frontier.json``: that of the only input, or one for each under "inputs"."""
    if len(frontiers) == 1:
        return frontiers[0].as_json()
    inputs = [{"input": part.comparison.name, **part.as_json()} for part in frontiers]
    return {"version": version.VERSION, "inputs": inputs}


def frontier(comparison: Comparison, outcomes: Sequence[Outcome]) -> Frontier:
    """Return the measures of every outcome, and the points of the plots."""
    measures: dict[Measure, None] = {}
    rows: list[Mapping[str, Estimate] | None] = []
    for outcome in outcomes:
        values = {} if outcome.results is None else measured(outcome.results.studies, comparison.evaluation)
        measures.update(dict.fromkeys(values))
        rows.append(None if outcome.results is None else {measure.name: value for measure, value in values.items()})
    pairs = list(zip(outcomes, rows, strict=True))
    points = []
    for (method, budget), group in groupby(pairs, lambda pair: (pair[0].run.source.name, pair[0].run.budget)):
        own_rows = [(outcome.run, row) for outcome, row in group if row is not None]
        if own_rows:
            seeds = tuple(run.seed for run, _ in own_rows if run.seed is not None)
            means, spread = _means([row for _, row in own_rows])
            points.append(Point(method, own_rows[0][0].kind, budget, seeds, means, spread))
    return Frontier(comparison, outcomes, list(measures), rows, points)


def measured(studies: Sequence[Study], plan: Plan) -> dict[Measure, Estimate]:
    """Return the results of one release as measures. Of several attackers the strongest counts."""
    by_name = {study.name: study for study in studies}
    measures: dict[Measure, Estimate] = {}

    def put(name: str, how: str, side: Side, value: Estimate | None) -> None:
        if value is not None and math.isfinite(value.value):
            measures[Measure(name, how, side)] = value

    near = by_name.get("utility", Study("utility"))
    for figure, name in ((COSINE, "cosine similarity"), (ROUGE, "ROUGE-L"), (KEPT, "words kept")):
        put(name, "of each record and its original", "utility", _of(near.figure(figure)))
    moved = by_name.get("divergence", Study("divergence")).figure(NDD)
    put("words around unchanged", f"1 − {NDD}, by the masked model", "utility", _rest(_of(moved)))
    guesses = [figure for figure in by_name.get("attributes", Study("")).figures if figure.name == ACCURACY]
    for task in plan.tasks:
        right = _highest(guesses, field=task, role="task", attacker=[ADAPTIVE])
        put(f"use for {task}", "share guessed right by the best classifier, trained on the release", "utility", right)
    link = by_name.get("linkage", Study(""))
    rate = _highest(
        [figure for figure in link.figures if figure.name == RATE], knowledge=plan.knowledge, k=plan.claims
    )
    put("not re-identified", f"1 − {RATE} by the best linker, {plan.claims} facts known", "privacy", _rest(rate))
    put("facts not disclosed", f"{SEMANTIC} by the record found", "privacy", _of(link.figure(SEMANTIC)))
    words = by_name.get("tokens", Study("")).figure(GUESSED, of="release")
    put("words not guessed", f"1 − {GUESSED} by the masked model", "privacy", _rest(_of(words)))
    for label in plan.labels:
        right = _highest(guesses, field=label, role="target", attacker=[STATIC, ADAPTIVE])
        put(f"{label} not guessed", "1 − accuracy of the best classifier", "privacy", _rest(right))
    return measures


def _highest(figures: Sequence[Figure], **setting: Any) -> Estimate | None:
    """Return the largest figure with one of the given values for each key of the setting; None if there is none."""
    wanted = {key: value if isinstance(value, list) else [value] for key, value in setting.items()}
    fitting = [
        figure.estimate
        for figure in figures
        if all(figure.setting.get(key) in value for key, value in wanted.items())
    ]
    return max((best for best in fitting if math.isfinite(best.value)), key=lambda best: best.value, default=None)


def _of(figure: Figure | None) -> Estimate | None:
    return None if figure is None else figure.estimate


def _rest(estimate: Estimate | None) -> Estimate | None:
    if estimate is None:
        return None
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low, estimate.n, estimate.of)


def _means(rows: Sequence[Mapping[str, Estimate]]) -> tuple[dict[str, Estimate], dict[str, tuple[float, float]]]:
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


def _run(outcome: Outcome, row: Mapping[str, Estimate] | None) -> dict[str, Any]:
    run = outcome.run
    content: dict[str, Any] = {"method": run.source.name, "kind": run.kind, "budget": run.budget, "seed": run.seed}
    if outcome.reason is not None or row is None:
        return {**content, "failed": outcome.reason}
    studies = [] if outcome.results is None else outcome.results.studies
    skipped = [{"what": left.what, "why": left.why} for study in studies for left in study.skipped]
    facts = {} if outcome.results is None else outcome.results.facts
    counts = {"missing": facts.get("missing", 0), "strays": facts.get("strays", 0)}
    return {**content, "promise": outcome.promise, **counts, "measures": _values(row), "skipped": skipped}


def _point(point: Point) -> dict[str, Any]:
    spread = {name: list(values) for name, values in point.spread.items()}
    content = {"method": point.method, "kind": point.kind, "budget": point.budget, "seeds": list(point.seeds)}
    return {**content, "measures": _values(point.values), "seeds_from_to": spread}


def _values(row: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: value.as_json() for name, value in row.items()}

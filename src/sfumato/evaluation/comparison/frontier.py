"""Privacy against utility: every run as points and as a table, which points are best, and what was not measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from sfumato import registry, version
from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.comparison.matching import Match, matched
from sfumato.evaluation.comparison.measures import FOUND, Measure, Point, means, measured, most_often, strongest
from sfumato.evaluation.comparison.methods import Method
from sfumato.evaluation.comparison.plan import Comparison
from sfumato.evaluation.plan import USUAL_ATTACKS, USUAL_METRICS, Plan
from sfumato.metrics.estimates import Estimate

_WHY_LEFT_OUT: Mapping[str, str] = {
    "labels": "the plan names no label and no task for this input",
    "chat": "it asks a language model, which a comparison does not",
    "release": "the releases of a comparison are seeded, so no guarantee holds for them",
}
Row = tuple[Outcome, Mapping[str, Estimate] | None, Mapping[str, str]]
_COLUMNS = {
    "input": "string", "method": "string", "kind": "string", "budget": "string", "epsilon": "float64",
    "seed": "int64", "measure": "string", "side": "string", "value": "float64", "low": "float64", "high": "float64",
    "n": "int64", "of": "string", "attacker": "string", "failed": "string",
}  # fmt: skip


@dataclass(frozen=True)
class Frontier:
    """The results of a comparison on one input.

    ``rows`` holds, for every outcome, its measures by name, or None if it has no results. ``measures`` are all that
    some outcome has, and ``points`` are the means over seeds. ``attackers`` names, for every outcome, the strongest
    attacker of each measure of privacy.
    """

    comparison: Comparison
    outcomes: Sequence[Outcome]
    measures: Sequence[Measure]
    rows: Sequence[Mapping[str, Estimate] | None]
    points: Sequence[Point]
    attackers: Sequence[Mapping[str, str]] = ()

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

    @property
    def headline(self) -> str | None:
        """Return the measure whose strongest attackers the tables name: that of [match], or the first of privacy."""
        wanted = self.comparison.match.measure if self.comparison.match is not None else None
        names = [measure.name for measure in self.measures if measure.side == "privacy"]
        return wanted if wanted in names else next(iter(names), None)

    @property
    def not_measured(self) -> list[NotMeasured]:
        """Return what was not measured, why, and in which runs."""
        return not_measured(self.comparison.evaluation, self.outcomes)

    @property
    def matches(self) -> list[Match]:
        """Return the epsilons at which methods have the success that [match] asks for; none without it."""
        asked = self.comparison.match
        every = [] if asked is None else [matched(self.points, rate, asked.measure) for rate in asked.success]
        return [match for matches in every for match in matches]

    def matched(self, success: float, measure: str | None = None) -> list[Match]:
        """Return for each method the epsilon at which the strongest attacker has the rate ``success``.

        ``measure`` is the measure of privacy that the attacker lowers, by default that of re-identification. The
        epsilon is interpolated, never extrapolated: a match without one says why. Raise ConfigurationError for a rate
        that is not between 0 and 1, and for a measure that is not one of privacy.
        """
        names = [known.name for known in self.measures if known.side == "privacy"]
        if not 0.0 < success < 1.0:
            raise ConfigurationError("The success of an attacker is a rate between 0 and 1.")
        if measure is not None and measure not in names:
            raise ConfigurationError(
                f"No privacy measure is called {measure!r}; there is {', '.join(names) or 'none'}."
            )
        return matched(self.points, success, measure or next(iter(names), FOUND))

    def as_json(self) -> dict[str, Any]:
        """Return ``frontier.json``, without a hash of the input, which would confirm a guess of its content."""
        first = next((outcome.results.facts for outcome in self.outcomes if outcome.results is not None), {})
        original = {key: value for key, value in dict(first.get("original", {})).items() if key != "sha256"}
        return {
            "version": version.VERSION,
            "original": original or {"name": self.comparison.file.name},
            "evaluation": self.comparison.evaluation.setting,
            "measures": [asdict(measure) for measure in self.measures],
            "runs": [_run(*own) for own in zip(self.outcomes, self.rows, self.attackers, strict=True)],
            "points": [point.as_json() for point in self.points],
            "not_measured": [left.as_json() for left in self.not_measured],
            "matches": [match.as_json() for match in self.matches],
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
    attackers: list[Mapping[str, str]] = []
    for outcome in outcomes:
        studies = [] if outcome.results is None else outcome.results.studies
        values = measured(studies, comparison.evaluation)
        measures.update(dict.fromkeys(values))
        rows.append(None if outcome.results is None else {measure.name: value for measure, value in values.items()})
        attackers.append({best.measure.name: best.name for best in strongest(studies, comparison.evaluation)})
    points = _points(zip(outcomes, rows, attackers, strict=True))
    return Frontier(comparison, outcomes, list(measures), rows, points, attackers)


def _points(rows: Iterable[Row]) -> list[Point]:
    """Return the mean over the seeds of each method at each budget."""
    points = []
    for (method, budget), group in groupby(rows, lambda row: (row[0].run.source.name, row[0].run.budget)):
        own = [(outcome.run, values, by) for outcome, values, by in group if values is not None]
        if own:
            run = own[0][0]
            seeds = tuple(each.seed for each, _, _ in own if each.seed is not None)
            values, spread = means([values for _, values, _ in own])
            by, name = most_often([by for _, _, by in own]), getattr(run.source, "budget", "epsilon")
            points.append(Point(method, run.kind, budget, seeds, values, spread, by, name))
    return points


def _run(outcome: Outcome, row: Mapping[str, Estimate] | None, attackers: Mapping[str, str]) -> dict[str, Any]:
    run = outcome.run
    content: dict[str, Any] = {"method": run.source.name, "kind": run.kind, "budget": run.budget, "seed": run.seed}
    if outcome.reason is not None or row is None:
        return {**content, "failed": outcome.reason}
    studies = [] if outcome.results is None else outcome.results.studies
    skipped = [{"what": left.what, "why": left.why} for study in studies for left in study.skipped]
    facts = {} if outcome.results is None else outcome.results.facts
    counts = {"missing": facts.get("missing", 0), "strays": facts.get("strays", 0)}
    figures = {
        "measures": {name: value.as_json() for name, value in row.items()},
        "strongest_attackers": dict(attackers),
        "skipped": skipped,
    }
    return {**content, "promise": outcome.promise, **counts, **figures}


@dataclass(frozen=True)
class NotMeasured:
    """Something that was not measured (``what``), and ``why``, in the ``runs`` with these titles; empty: in all."""

    what: str
    why: str
    runs: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return all of it in a line."""
        return f"{self.what}: {self.why} ({'; '.join(self.runs) or 'all runs'})"

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``frontier.json``; no run is named if all are meant."""
        return {"what": self.what, "why": self.why, "runs": list(self.runs)}


def not_measured(plan: Plan, outcomes: Sequence[Outcome]) -> list[NotMeasured]:
    """Return what was not measured in ``outcomes``: first the studies that no run has, then parts of the others."""
    by_reason: dict[tuple[str, str], dict[str, None]] = {}  # several attackers of a run may miss the same
    for outcome in outcomes:
        for study in outcome.results.studies if outcome.results else []:
            for left in study.skipped:
                by_reason.setdefault((left.what, left.why), {})[outcome.run.title] = None
    every = sum(outcome.results is not None for outcome in outcomes)
    parts = [
        NotMeasured(what, why, () if len(titles) == every else tuple(titles))
        for (what, why), titles in by_reason.items()
    ]
    return [*_left_out(plan), *parts]


def _left_out(plan: Plan) -> list[NotMeasured]:
    """Return the studies that the plan names and that lack something.

    A plan that names none asks for all. Of these, only the ones that another plan could run are listed.
    """
    asked = {
        name: named in (USUAL_ATTACKS, USUAL_METRICS) for named in (plan.attacks, plan.metrics) for name in named
    }
    left = []
    for name, usual in asked.items():
        lacking = [need for need in registry.study_class(name).needs if need in _WHY_LEFT_OUT]
        if "labels" in lacking and (plan.labels or plan.tasks):
            lacking.remove("labels")
        if lacking and (not usual or "labels" in lacking):
            left.append(NotMeasured(name, _WHY_LEFT_OUT[lacking[0]]))
    return left


def as_table(frontiers: Sequence[Frontier]) -> Any:
    """Return a table of Arrow: for each run and measure the ``value`` with its interval from ``low`` to ``high``.

    ``attacker`` names the strongest attacker of a measure of privacy. A run without results has one row, whose
    ``failed`` is the reason. It holds no text of a record.
    """
    import pyarrow as pa

    rows = [row for part in frontiers for row in _rows(part)]
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in _COLUMNS.items()])
    return pa.Table.from_pylist(rows, schema=schema)


def as_csv(frontiers: Sequence[Frontier]) -> str:
    """Return :func:`as_table` as CSV with a header; what is not known is empty."""
    import pyarrow as pa
    from pyarrow import csv

    stream = pa.BufferOutputStream()
    csv.write_csv(as_table(frontiers), stream)
    return str(stream.getvalue().to_pybytes(), "utf-8")


def _rows(part: Frontier) -> Iterator[dict[str, Any]]:
    sides = {measure.name: measure.side for measure in part.measures}
    for outcome, values, attackers in zip(part.outcomes, part.rows, part.attackers, strict=True):
        run = outcome.run
        own: dict[str, Any] = {"input": part.comparison.name, "method": run.source.name, "kind": run.kind}
        own["seed"] = run.seed
        if isinstance(run.source, Method) and run.budget is not None:
            own |= {"budget": run.source.budget, "epsilon": run.budget}
        if values is None:
            yield {**own, "failed": outcome.reason}
        for name, value in (values or {}).items():
            figures = {"value": value.value, "low": value.low, "high": value.high, "n": value.n, "of": value.of}
            yield {**own, "measure": name, "side": sides[name], "attacker": attackers.get(name), **figures}

"""``frontier.html``: privacy against utility of everything that was compared, for somebody who was not there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

from sfumato import version
from sfumato.errors import MissingExtraError
from sfumato.evaluation.comparison.frontier import Frontier, Measure, Point
from sfumato.evaluation.comparison.methods import BASELINES
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots

_KINDS = {"method": "–", "baseline": "a corner", "file": "another tool's"}


def frontier_page(*inputs: Frontier) -> str:
    """The whole page, self-contained, with a part for each input. It holds no text of a record."""
    try:
        from jinja2 import Environment
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    template = (resources.files("sfumato") / "data" / "frontier.html.j2").read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template).render(
        version=version.VERSION, inputs=[_part(one) for one in inputs], facts=inputs[0].as_json(),
        title=", ".join(_title(one) for one in inputs),
    )  # fmt: skip


def _title(found: Frontier) -> str:
    return str(found.as_json()["original"]["name"])


def _part(found: Frontier) -> dict[str, Any]:
    """What the page says of one input."""
    groups = [
        (x.name, [(picture(found, x, y), f"{_capital(y.name)}: {y.how}") for one, y in found.pairs if one is x])
        for x in dict.fromkeys(x for x, _ in found.pairs)
    ]
    return {
        "title": _title(found), "facts": found.as_json(), "groups": groups, "sentences": sentences(found),
        "measures": found.measures, "points": [_row(found, one) for one in found.points], "runs": _runs(found),
        "failed": [(one.run.title, one.reason) for one in found.outcomes if one.reason is not None],
        "skipped": _skipped(found), "promises": _promises(found), "baselines": _baselines(found),
    }  # fmt: skip


def picture(found: Frontier, x: Measure, y: Measure) -> str:
    """Return the plot of two measures as SVG: a line for each method through its points."""
    best = found.best(x, y)

    def spots(points: Sequence[Point]) -> list[plots.Spot]:
        there = [one for one in points if {x.name, y.name} <= set(one.values)]
        return [plots.Spot(one.values[x.name], one.values[y.name], one.label, one in best) for one in there]

    by_method: dict[str, list[Point]] = {}
    for one in found.points:
        if one.kind != "baseline":
            by_method.setdefault(one.method, []).append(one)
    ordered = {name: sorted(own, key=lambda one: one.budget or 0.0) for name, own in by_method.items()}
    lines = [(name, spots(own)) for name, own in ordered.items()]
    corners = spots([one for one in found.points if one.kind == "baseline"])
    return plots.frontier([(name, own) for name, own in lines if own], corners, x.name, y.name)


def sentences(found: Frontier) -> list[str]:
    """Return what the first plot says, in words."""
    if not found.pairs:
        return ["No release has both a figure of privacy and one of utility, so there is nothing to draw."]
    x, y = found.pairs[0]
    best = sorted(found.best(x, y), key=lambda one: one.values[x.name].value)
    named = [
        f"{_called(one)} ({y.name} {one.values[y.name].value:.2f}, {x.name} {one.values[x.name].value:.2f})"
        for one in best
    ]
    return [f"No other release is better in both: {'; '.join(named)}."] if named else []


def _row(found: Frontier, one: Point) -> list[str]:
    """A line of the table of points."""
    cells = [_cell(one.values.get(measure.name)) for measure in found.measures]
    seeds = ", ".join(map(str, one.seeds)) or _KINDS[one.kind]
    best = any(one in found.best(x, y) for x, y in found.pairs[:1])
    return [one.method, one.spent, seeds, *cells, "yes" if best else ""]


def _runs(found: Frontier) -> list[list[str]]:
    """A line for every run."""
    rows = []
    for outcome, row in zip(found.outcomes, found.rows, strict=True):
        run = outcome.run
        facts = outcome.results.facts if outcome.results else {}
        cells = ["–"] * len(found.measures) if row is None else [_cell(row.get(m.name)) for m in found.measures]
        missing = "failed" if row is None else str(facts.get("missing", 0))
        rows.append([run.title, *cells, missing])
    return rows


def _cell(value: Estimate | None) -> str:
    return "–" if value is None else f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def _skipped(found: Frontier) -> list[tuple[str, str]]:
    """What was not measured, with the runs that it holds for."""
    by_reason: dict[tuple[str, str], dict[str, None]] = {}  # several attackers of a run may miss the same
    for outcome in found.outcomes:
        for study in outcome.results.studies if outcome.results else []:
            for one in study.skipped:
                by_reason.setdefault((one.what, one.why), {})[outcome.run.title] = None
    every = sum(one.results is not None for one in found.outcomes)
    return [
        (f"{what}: {why}", "all runs" if len(runs) == every else "; ".join(runs))
        for (what, why), runs in by_reason.items()
    ]


def _promises(found: Frontier) -> list[tuple[str, str]]:
    """What the statement beside the first release of each method and budget says."""
    told: dict[str, str] = {}
    for one in found.outcomes:
        if one.promise is not None:
            title = one.run.source.name + ("" if one.run.budget is None else f", epsilon {one.run.budget:g}")
            told.setdefault(title, one.promise)
    return list(told.items())


def _baselines(found: Frontier) -> list[tuple[str, str]]:
    names = dict.fromkeys(one.method for one in found.points if one.kind == "baseline")
    given = {one.name: one.mechanism for one in found.comparison.methods}
    return [(name, BASELINES[given[name]]) for name in names]


def _called(one: Point) -> str:
    return one.method if one.budget is None else f"{one.method} at epsilon {one.budget:g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

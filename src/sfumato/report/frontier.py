"""``frontier.html``: privacy against utility of all compared releases, for readers who do not know the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato import version
from sfumato.evaluation.comparison.frontier import Frontier
from sfumato.evaluation.comparison.measures import Measure, Point, rest
from sfumato.evaluation.comparison.methods import BASELINES
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots
from sfumato.report.rendering import rendered
from sfumato.text.sentences import capitalised

_KINDS = {"method": "–", "baseline": "a corner", "file": "another tool's"}


def frontier_page(*inputs: Frontier) -> str:
    """Return the whole page, self-contained, with a part for each input. It holds no text of a record."""
    return rendered(
        "frontier.html.j2", version=version.VERSION, inputs=[_part(frontier) for frontier in inputs],
        facts=inputs[0].as_json(), title=", ".join(_title(frontier) for frontier in inputs),
    )  # fmt: skip


def _title(frontier: Frontier) -> str:
    return str(frontier.as_json()["original"]["name"])


def _part(frontier: Frontier) -> dict[str, Any]:
    """Return the content of the page for one input."""
    captioned = [(x, (picture(frontier, x, y), f"{capitalised(y.name)}: {y.how}")) for x, y in frontier.pairs]
    groups = [(x.name, [drawn for of, drawn in captioned if of is x]) for x in dict.fromkeys(x for x, _ in captioned)]
    points = [_row(frontier, point) for point in frontier.points]
    failed = [(outcome.run.title, outcome.reason) for outcome in frontier.outcomes if outcome.reason is not None]
    names, sided = [m.name for m in frontier.measures], [f"{m.name} ({m.side})" for m in frontier.measures]
    return {
        "heads": ["method", "epsilon", "seeds", *_attacker_head(frontier), *sided, "ringed in the first plot"],
        "run_heads": ["run", *_attacker_head(frontier), *names, "records missing"],
        "matches": _matches(frontier), "not_measured": [left.sentence for left in frontier.not_measured],
        "title": _title(frontier), "facts": frontier.as_json(), "groups": groups, "sentences": sentences(frontier),
        "measures": frontier.measures, "points": points, "runs": _runs(frontier), "failed": failed,
        "promises": _promises(frontier), "baselines": _baselines(frontier),
    }  # fmt: skip


def picture(frontier: Frontier, x: Measure, y: Measure) -> str:
    """Return the plot of two measures as SVG: a line for each method through its points."""
    best = frontier.best(x, y)

    def spots(points: Sequence[Point]) -> list[plots.Spot]:
        there = [point for point in points if {x.name, y.name} <= set(point.values)]
        return [plots.Spot(point.values[x.name], point.values[y.name], point.label, point in best) for point in there]

    by_method: dict[str, list[Point]] = {}
    for point in frontier.points:
        if point.kind != "baseline":
            by_method.setdefault(point.method, []).append(point)
    ordered = {name: sorted(own, key=lambda point: point.budget or 0.0) for name, own in by_method.items()}
    lines = [(name, spots(own)) for name, own in ordered.items()]
    corners = spots([point for point in frontier.points if point.kind == "baseline"])
    return plots.frontier([(name, own) for name, own in lines if own], corners, x.name, y.name)


def sentences(frontier: Frontier) -> list[str]:
    """Return the result of the first plot, in words."""
    if not frontier.pairs:
        return ["No release has both a figure of privacy and one of utility, so there is nothing to draw."]
    x, y = frontier.pairs[0]
    best = sorted(frontier.best(x, y), key=lambda point: point.values[x.name].value)
    named = [
        f"{_called(point)} ({y.name} {point.values[y.name].value:.2f}, {x.name} {point.values[x.name].value:.2f})"
        for point in best
    ]
    return [f"No other release is better in both: {'; '.join(named)}."] if named else []


def _row(frontier: Frontier, point: Point) -> list[str]:
    """Return a line of the table of points."""
    cells = [_cell(point.values.get(measure.name)) for measure in frontier.measures]
    seeds = ", ".join(map(str, point.seeds)) or _KINDS[point.kind]
    best = any(point in frontier.best(x, y) for x, y in frontier.pairs[:1])
    attacker = [strongest(frontier, point.values, point.attackers)] if frontier.headline else []
    return [point.method, point.spent, seeds, *attacker, *cells, "yes" if best else ""]


def strongest(frontier: Frontier, values: Mapping[str, Estimate], attackers: Mapping[str, str]) -> str:
    """Return the name of the strongest attacker of the headline's measure, and the success rate."""
    name = frontier.headline or ""
    if name not in values or name not in attackers:
        return "–"
    return f"{attackers[name]}: {rest(values[name]).value:.2f}"


def attacker_title(frontier: Frontier) -> str:
    """Return the title of the column that names the strongest attacker: it says which measure is meant."""
    return f"strongest attacker of “{frontier.headline}”, success"


def _attacker_head(frontier: Frontier) -> list[str]:
    return [attacker_title(frontier)] if frontier.headline else []


def _matches(frontier: Frontier) -> dict[str, Any] | None:
    """Return the table of methods at equal success; None if the plan asks for no match."""
    asked = frontier.comparison.match
    if asked is None:
        return None
    useful = [measure.name for measure in frontier.measures if measure.side == "utility"]
    rows = [
        [f"{match.success:g}", match.method, match.shown, *(_cell(match.values.get(name)) for name in useful)]
        for match in frontier.matches
    ]
    heads = ["success", "method", "epsilon (95 % interval), or why there is none", *useful]
    return {"measure": asked.measure, "heads": heads, "rows": rows}


def _runs(frontier: Frontier) -> list[list[str]]:
    """Return a line for every run."""
    rows = []
    for outcome, row, attackers in zip(frontier.outcomes, frontier.rows, frontier.attackers, strict=True):
        run = outcome.run
        facts = outcome.results.facts if outcome.results else {}
        attacker = [strongest(frontier, row or {}, attackers)] if frontier.headline else []
        cells = ["–"] * len(frontier.measures) if row is None else [_cell(row.get(m.name)) for m in frontier.measures]
        missing = "failed" if row is None else str(facts.get("missing", 0))
        rows.append([run.title, *attacker, *cells, missing])
    return rows


def _cell(value: Estimate | None) -> str:
    return "–" if value is None else f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def _promises(frontier: Frontier) -> list[tuple[str, str]]:
    """Return the summary of the statement beside the first release of each method and budget."""
    summaries: dict[str, str] = {}
    for outcome in frontier.outcomes:
        if outcome.promise is not None:
            summaries.setdefault(outcome.run.title.removesuffix(f", seed {outcome.run.seed}"), outcome.promise)
    return list(summaries.items())


def _baselines(frontier: Frontier) -> list[tuple[str, str]]:
    names = dict.fromkeys(point.method for point in frontier.points if point.kind == "baseline")
    given = {method.name: method.mechanism for method in frontier.comparison.methods}
    return [(name, BASELINES[given[name]]) for name in names]


def _called(point: Point) -> str:
    return point.method if point.budget is None else f"{point.method} at epsilon {point.spent}"

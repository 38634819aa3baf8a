"""A comparison from its plan to the page: what `sfumato compare` and Python both call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.abstract.choice import MethodChoice
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.evaluation.bench import write
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.comparison.frontier import Frontier, as_csv, as_json, as_table
from sfumato.evaluation.comparison.matching import Match
from sfumato.evaluation.comparison.measures import Measure, Point, by_method, rest
from sfumato.evaluation.comparison.methods import BASELINES
from sfumato.evaluation.comparison.plan import Comparison, check_inputs, read_comparisons
from sfumato.evaluation.comparison.search import searched
from sfumato.evaluation.results import as_text
from sfumato.metrics.estimates import Estimate
from sfumato.options.typed import typed
from sfumato.report import plots
from sfumato.report.section import rendered
from sfumato.text import notebook
from sfumato.text.sentences import capitalised
from sfumato.types import Stages

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

    lines = [(name, spots(own)) for name, own in by_method(frontier.points).items()]
    corners = spots([point for point in frontier.points if point.kind == "baseline"])
    return plots.frontier([(name, own) for name, own in lines if own], corners, x.name, y.name)


def sentences(frontier: Frontier) -> list[str]:
    """Return the result of the first plot, in words."""
    if not frontier.pairs:
        return ["No release has both a figure of privacy and one of utility, so there is nothing to draw."]
    x, y = frontier.pairs[0]
    best = sorted(frontier.best(x, y), key=lambda point: point.values[x.name].value)
    named = [
        f"{point.method}{'' if point.budget is None else f' at epsilon {point.spent}'} "
        f"({y.name} {point.values[y.name].value:.2f}, {x.name} {point.values[x.name].value:.2f})"
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


@dataclass(frozen=True, repr=False)
class Compared:
    """The result of a comparison. `sfumato.compare` returns one; a notebook shows the frontier and its figures.

    It holds no text of a record.

    Attributes:
        folder: Where frontier.html, frontier.json, frontier.csv, the releases and their results are.
        frontiers: For each input of the plan, every run with its measures, and the points of the plots.
    """

    folder: Path
    frontiers: Sequence[Frontier]

    @property
    def outcomes(self) -> list[Outcome]:
        """Return the outcome of every run: its results, or why there are none."""
        return [outcome for part in self.frontiers for outcome in part.outcomes]

    @property
    def failed(self) -> list[tuple[str, str]]:
        """Return the runs without results, each with the reason."""
        return [(outcome.run.title, outcome.reason) for outcome in self.outcomes if outcome.reason is not None]

    @property
    def table(self) -> Any:
        """Return all figures as a table of Arrow, with a row for each input, run and measure, as in frontier.csv."""
        return as_table(self.frontiers)

    def frame(self) -> Any:
        """Return `table` as a DataFrame of pandas. Raise MissingExtraError if pandas is not installed."""
        if find_spec("pandas") is None:
            raise MissingExtraError("A frame needs pandas; type: pip install pandas, or take `table`.")
        return self.table.to_pandas()

    @typed
    def matched(self, success: float, measure: str | None = None) -> dict[str, list[Match]]:
        """Return for each input and method the epsilon at which the strongest attacker has the rate ``success``.

        The epsilon is interpolated between those that were run. A match without an epsilon says why.

        Args:
            success: The rate of the attacker, between 0 and 1.
            measure: The measure of privacy that the attacker lowers; by default "not re-identified".

        Raises:
            ConfigurationError: The rate or the measure is unknown.
        """
        return {part.comparison.name: part.matched(success, measure) for part in self.frontiers}

    def as_text(self) -> str:
        """Return the text of frontier.json."""
        return as_text(as_json(self.frontiers))

    def __repr__(self) -> str:
        names = ", ".join(part.comparison.file.name for part in self.frontiers)
        return f"Compared({names}: {len(self.outcomes)} runs, {len(self.failed)} failed)"

    def _repr_html_(self) -> str:
        failed = [notebook.escaped(f"Failed: {title}: {reason}") for title, reason in self.failed]
        last = ["The releases of a comparison are seeded: never share them.", *failed]
        return "".join([*map(_shown, self.frontiers), *(f"<p>{line}</p>" for line in last)])


@typed
def compare(
    plan: Path | str | Sequence[Comparison],
    output: Path | str | None = None,
    *,
    input: Path | str | None = None,
    methods: Sequence[MethodChoice | str] = (),
    progress: Stages | None = None,
) -> Compared:
    """Run the methods of a plan, attack and measure each release in the same way, and draw privacy against utility.

    Every run is kept, so that a stopped comparison resumes and a longer plan makes only what is new. The releases
    are seeded: never share them.

    Args:
        plan: A .toml file with inputs, methods, epsilons and seeds; or what `read_comparisons` made of one.
        output: The folder for everything; by default the plan's name with `-comparison`.
        input: A file of your own in place of the plan's inputs.
        methods: Methods in place of the plan's: typed ones, such as `CusText(epsilon=6.0)`, or names of methods and
            corners without an epsilon.
        progress: Called with the name of the input and the share of it that is done, from 0 to 1.

    Raises:
        ConfigurationError: The plan cannot work (the error names the key and its place), or every run failed.
        InputError: A file cannot be read.
        OutputError: The folder cannot be written.
        MissingExtraError: A package that the page needs is not installed.
    """
    if isinstance(plan, str | Path):
        comparisons = read_comparisons(Path(plan), None if input is None else Path(input), methods)
        folder = Path(output) if output is not None else Path(f"{Path(plan).stem}-comparison")
    elif output is None or input is not None or methods:
        raise ConfigurationError("A plan that was read already needs an output, and has its inputs and methods.")
    else:
        comparisons, folder = tuple(plan), Path(output)
    check_inputs(comparisons)
    frontiers = []
    for comparison, its_folder in zip(comparisons, places(comparisons, folder), strict=True):
        report = None if progress is None else partial(progress, f"Comparing on {comparison.file.name}")
        frontiers.append(searched(comparison, its_folder, report))
    done = Compared(folder, frontiers)
    write(folder / "frontier.json", done.as_text())
    write(folder / "frontier.csv", as_csv(frontiers))
    write(folder / "frontier.html", frontier_page(*frontiers))
    if len(done.failed) == len(done.outcomes):
        raise ConfigurationError(
            f"No run could be made of {len(done.outcomes):,}; the first: {done.failed[0][1] if done.failed else ''}"
        )
    return done


def places(comparisons: Sequence[Comparison], folder: Path) -> list[Path]:
    """Return the folder of each comparison: its own if there are several."""
    return [folder / comparison.name if len(comparisons) > 1 else folder for comparison in comparisons]


def _shown(result: Frontier) -> str:
    """Return the first plot of a frontier, its result in words, and its figures."""
    named = [attacker_title(result)] if result.headline else []
    header = ("method", "epsilon", *named, *(measure.name for measure in result.measures))
    rows = []
    for point in result.points:
        attacker = [strongest(result, point.values, point.attackers)] if result.headline else []
        values = [point.values.get(measure.name) for measure in result.measures]
        figures = ("–" if value is None else f"{value.value:.2f}" for value in values)
        rows.append((point.method, point.spent, *attacker, *figures))
    lines = "".join(f"<p>{notebook.escaped(line)}</p>" for line in sentences(result))
    try:
        plot = "".join(f"<div>{picture(result, x, y)}</div>" for x, y in result.pairs[:1])
    except MissingExtraError:
        plot = ""
    return f"{notebook.caption(result.comparison.file.name)}{plot}{lines}{notebook.table(rows, header)}"

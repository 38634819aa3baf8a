"""A comparison from its plan to the page: what `sfumato compare` and Python both call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.comparison.frontier import Frontier, as_json
from sfumato.evaluation.comparison.matching import Match
from sfumato.evaluation.comparison.plan import Comparison, check_inputs, read_comparisons
from sfumato.evaluation.comparison.search import searched
from sfumato.evaluation.comparison.table import as_csv, as_table
from sfumato.evaluation.results import as_text
from sfumato.evaluation.run import write
from sfumato.options.typed import typed
from sfumato.report.frontier import attacker_title, frontier_page, picture, sentences, strongest
from sfumato.text import notebook
from sfumato.types import Stages


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
            ConfigurationError: The rate or the measure is none.
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
    progress: Stages | None = None,
) -> Compared:
    """Run the methods of a plan, attack and measure each release in the same way, and draw privacy against utility.

    Every run is kept, so that a stopped comparison resumes and a longer plan makes only what is new. The releases
    are seeded: never share them.

    Args:
        plan: A .toml file with inputs, methods, epsilons and seeds; or what `read_comparisons` made of one.
        output: The folder for everything; by default the plan's name with `-comparison`.
        input: A file of your own in place of the plan's inputs.
        progress: Called with the name of the input and the share of it that is done, from 0 to 1.

    Raises:
        ConfigurationError: The plan cannot work (the error names the key and its place), or every run failed.
        InputError: A file cannot be read.
        OutputError: The folder cannot be written.
        MissingExtraError: A package that the page needs is not installed.
    """
    if isinstance(plan, str | Path):
        comparisons = read_comparisons(Path(plan), None if input is None else Path(input))
        folder = Path(output) if output is not None else Path(f"{Path(plan).stem}-comparison")
    elif output is None or input is not None:
        raise ConfigurationError("A plan that was read already needs an output, and has its inputs.")
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

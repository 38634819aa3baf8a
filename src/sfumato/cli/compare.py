"""``sfumato compare``: mechanisms by epsilons and seeds on one input; privacy against utility on one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from sfumato.cli import options as choices
from sfumato.cli.options import counted
from sfumato.cli.printing import named, printing, staged, tell
from sfumato.evaluation.comparison.frontier import Frontier
from sfumato.evaluation.comparison.measures import Measure
from sfumato.evaluation.comparison.plan import Comparison, check_inputs, read_comparisons
from sfumato.evaluation.comparison.runs import Runs
from sfumato.evaluation.results import Skipped
from sfumato.report.compare import Compared, places, strongest
from sfumato.report.compare import compare as compared

_ATTACKER = 17
"""Columns of a terminal for the strongest attacker."""


def compare(
    plan: Annotated[Path, typer.Argument(help="A .toml file: input, methods, epsilons, seeds.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=named, help="Folder for everything; else the plan's name."),
    ] = None,
    instead: Annotated[Path | None, typer.Option("--input", help="A file in place of the plan's inputs.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check plan and inputs, and list the runs.")] = False,
    json_asked: choices.Json = False,
) -> None:
    """Compare mechanisms: each is run, attacked and measured in the same way, beside finished files of other tools.

    OUTPUT/frontier.html opens without a network; frontier.json and frontier.csv hold its figures. Every run is kept,
    so that a stopped comparison resumes, a failed run is tried again, and a longer plan makes only what is new. The
    releases are seeded: never share them.
    """
    folder = output or Path(f"{plan.stem}-comparison")
    if dry_run:
        asked = read_comparisons(plan, instead)
        left = [(part.name, skip) for part, skips in check_inputs(asked) for skip in skips]
        _list(asked, _states(asked, folder), left, folder, json_asked)
        return
    try:
        with staged(json_asked) as stages:
            done = compared(plan, folder, input=instead, progress=stages)
    except (KeyboardInterrupt, SystemExit):
        states = [state for *_, state in _states(read_comparisons(plan, instead), folder)]
        kept = f"{states.count('there')} of {counted(len(states), 'run')}"
        typer.echo(f"Stopped; {kept} are kept; the same command resumes.", err=True)
        raise
    with printing(folder / "frontier.json", folder / "frontier.html"):
        if json_asked:
            typer.echo(done.as_text())
        else:
            _close(done, folder)


def _states(asked: Sequence[Comparison], folder: Path) -> list[tuple[str, str, str]]:
    """Return title, name and state of every run: "there", "to make", "to evaluate" or "missing"."""
    states = list[tuple[str, str, str]]()
    for comparison, place in zip(asked, places(asked, folder), strict=True):
        runs, before = Runs(comparison, place), f"{comparison.name}: " if len(asked) > 1 else ""
        states += [(f"{before}{run.title}", run.name, runs.state(run)) for run in runs]
    return states


def _list(
    asked: Sequence[Comparison], states: Sequence[tuple[str, str, str]], left: Sequence[tuple[str, Skipped]],
    folder: Path, json_asked: bool,
) -> None:  # fmt: skip
    if json_asked:
        rows = [{"run": title, "name": name, "state": state} for title, name, state in states]
        skipped = [{"input": name, "what": skip.what, "why": skip.why} for name, skip in left]
        tell({"runs": rows, "not_measured": skipped}, (), json_asked)
        return
    table = Table("run", "state")
    for title, _, state in states:
        table.add_row(title, state)
    Console(highlight=False, markup=False).print(table)
    for name, skip in left:
        typer.echo(f"{name}: {skip.what} will not be measured: {skip.why}")
    match = asked[0].match
    if match is not None and match.tries:
        typer.echo(f"[match] adds up to {match.tries} epsilons of each method, for each success.")
    typer.echo(f"{counted(len(states), 'run')}, {sum(state == 'there' for *_, state in states)} of them in {folder}.")


def _close(done: Compared, folder: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for part in done.frontiers:
        _print_figures(part, console)
        _print_matches(part, console)
        for left in part.not_measured:
            console.print(f"Not measured: {left.sentence}")
        for outcome in part.outcomes:
            if outcome.reason is not None:
                console.print(f"Failed: {outcome.run.title}: {outcome.reason}")
    outcomes = done.outcomes
    failed = sum(outcome.reason is not None for outcome in outcomes)
    new = sum(outcome.new and outcome.reason is None for outcome in outcomes)
    again = f" {failed} failed, and the same command tries them again." if failed else ""
    console.print(
        f"{counted(len(outcomes), 'run')}, {new} of them new.{again} The releases are seeded: never share them."
    )
    html, figures, table = (folder / f"frontier.{end}" for end in ("html", "json", "csv"))
    console.print(f"Open {html} in a browser; its figures are in {figures}, and as a table in {table}.")


def _print_figures(part: Frontier, console: Console) -> None:
    """Print the measures that fit, the two of the first plot first, and name those that are on the page alone."""
    first = [measure for pair in part.pairs[:1] for measure in pair]
    ordered = [*first, *(measure for measure in part.measures if measure not in first)]
    longest = max((len(point.method) for point in part.points), default=0)
    columns = [
        Column("method", overflow="fold", width=max(len("method"), min(20, longest))),
        Column("epsilon", width=_widest("epsilon", *(point.spent for point in part.points))),
    ]
    named = [Column("strongest attacker: success", width=_ATTACKER)] if part.headline else []
    room = console.width - 1 - sum((column.width or 0) + 3 for column in [*columns, *named])
    shown: list[Measure] = []
    for measure in ordered:
        room -= _widest(measure.name) + 3
        if room < 0 and shown:
            break
        shown.append(measure)
    columns += [Column(measure.name, width=_widest(measure.name)) for measure in shown]
    table = Table(*columns, *named, title=part.comparison.file.name)
    for point in part.points:
        values = [point.values.get(measure.name) for measure in shown]
        attacker = [strongest(part, point.values, point.attackers)] if part.headline else []
        figures = ("–" if value is None else f"{value.value:.3f}" for value in values)
        table.add_row(point.method, point.spent, *figures, *attacker)
    console.print(table)
    if part.headline:
        console.print(f"The strongest attacker is that of “{part.headline}”.")
    if more := [measure.name for measure in ordered if measure not in shown]:
        console.print(f"On the page too: {', '.join(more)}.")


def _widest(*texts: str) -> int:
    """Return the length of the longest word, which a column must not break."""
    return max(len(word) for text in texts for word in text.split())


def _print_matches(part: Frontier, console: Console) -> None:
    asked = part.comparison.match
    for success in asked.success if asked is not None else ():
        console.print(f"At success {success:g} of the strongest attacker of “{asked.measure if asked else ''}”:")
        for match in part.matches:
            if match.success == success:
                console.print(f"  {match.method}: {'epsilon ' if match.epsilon is not None else ''}{match.shown}")

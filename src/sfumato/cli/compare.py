"""``sfumato compare``: mechanisms by epsilons and seeds on one input; privacy against utility on one page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from sfumato.cli import options as choices
from sfumato.cli.options import counted
from sfumato.cli.outputs import named
from sfumato.cli.printing import printing
from sfumato.cli.progress import staged
from sfumato.evaluation.comparison.plan import read_comparisons
from sfumato.evaluation.comparison.runs import Runs
from sfumato.report.compare import Compared, places
from sfumato.report.compare import compare as compared


def compare(
    plan: Annotated[Path, typer.Argument(help="A .toml file: input, methods, epsilons, seeds.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=named, help="Folder for everything; else the plan's name."),
    ] = None,
    instead: Annotated[
        Path | None, typer.Option("--input", help="A file of your own in place of the plan's inputs.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs, and which are there already.")] = False,
    json_asked: choices.Json = False,
) -> None:
    """Compare mechanisms: each is run, attacked and measured in the same way, beside finished files of other tools.

    OUTPUT/frontier.html opens without a network; frontier.json holds its figures. Every run is kept, so that a
    stopped comparison goes on and a longer plan makes only what is new. The releases are seeded: never share them.
    """
    folder = output or Path(f"{plan.stem}-comparison")
    if dry_run:
        _list(_states(plan, instead, folder), folder, json_asked)
        return
    try:
        with staged(json_asked) as stages:
            done = compared(plan, folder, input=instead, progress=stages)
    except (KeyboardInterrupt, SystemExit):
        states = [state for *_, state in _states(plan, instead, folder)]
        kept = f"{states.count('there')} of {counted(len(states), 'run')}"
        typer.echo(f"Stopped; {kept} are kept; the same command goes on.", err=True)
        raise
    with printing(folder / "frontier.json", folder / "frontier.html"):
        if json_asked:
            typer.echo(done.as_text())
        else:
            _close(done, folder)


def _states(plan: Path, instead: Path | None, folder: Path) -> list[tuple[str, str, str]]:
    """Return title, name and state of every run: "there", "to make", "to evaluate" or "missing"."""
    asked, states = read_comparisons(plan, instead), list[tuple[str, str, str]]()
    for comparison, place in zip(asked, places(asked, folder), strict=True):
        runs, before = Runs(comparison, place), f"{comparison.name}: " if len(asked) > 1 else ""
        states += [(f"{before}{run.title}", run.name, runs.state(run)) for run in runs]
    return states


def _list(states: Sequence[tuple[str, str, str]], folder: Path, json_asked: bool) -> None:
    if json_asked:
        rows = [{"run": title, "name": name, "state": state} for title, name, state in states]
        typer.echo(json.dumps({"runs": rows}, ensure_ascii=False))
        return
    table = Table("run", "state")
    for title, _, state in states:
        table.add_row(title, state)
    Console(highlight=False, markup=False).print(table)
    typer.echo(f"{counted(len(states), 'run')}, {sum(state == 'there' for *_, state in states)} of them in {folder}.")


def _close(done: Compared, folder: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for own in done.frontiers:
        shown = own.measures[:6]  # that fit on a terminal
        longest = max((len(one.method) for one in own.points), default=0)
        names = Column("method", overflow="fold", min_width=min(20, longest))
        table = Table(names, "epsilon", *(one.name for one in shown), title=own.comparison.file.name)
        for point in own.points:
            values = [point.values.get(one.name) for one in shown]
            table.add_row(point.method, point.spent, *("–" if one is None else f"{one.value:.3f}" for one in values))
        console.print(table)
        for one in own.outcomes:
            if one.reason is not None:
                console.print(f"Failed: {one.run.title}: {one.reason}")
    outcomes = done.outcomes
    new = sum(one.new and one.reason is None for one in outcomes)
    console.print(f"{counted(len(outcomes), 'run')}, {new} of them new. The releases are seeded: never share them.")
    console.print(f"Open {folder / 'frontier.html'} in a browser; its figures are in {folder / 'frontier.json'}.")

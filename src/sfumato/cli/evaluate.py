"""``sfumato evaluate``: an original and a release in; what can still be inferred, and what is left of use, out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sfumato.abstract import Progress
from sfumato.cli import choices
from sfumato.cli.choices import progress_bar
from sfumato.evaluation.plan import ATTACKS, METRICS, Plan, check_folder, evaluate_pairs, read_files
from sfumato.evaluation.run import Results, write
from sfumato.report.page import page


def evaluate(
    original: Annotated[Path, typer.Argument(help="What was sanitized: .jsonl, .csv, .parquet, .txt, a folder.")],
    release: Annotated[Path, typer.Argument(help="What came of it, by sfumato or anything else; the same kind.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for results.json and report.html.")],
    id_field: Annotated[
        str | None, typer.Option("--id", help="Field that joins the records; else their order.")
    ] = None,
    field: Annotated[str, typer.Option("--field", help="Text field of the originals.")] = "text",
    released_field: Annotated[
        str | None, typer.Option("--released-field", help="Text field of the release, where it has another name.")
    ] = None,
    attacks: Annotated[str, typer.Option("--attacks", help="What is tried, by commas.")] = ",".join(ATTACKS),
    metrics: Annotated[str, typer.Option("--metrics", help="What is compared, by commas.")] = ",".join(METRICS),
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Field that an attacker infers (repeatable).")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Field that the release is to be used for (repeatable).")
    ] = None,
    knowledge: Annotated[str, typer.Option("--knowledge", help="The claims held: first, random or last.")] = "random",
    claims: Annotated[int, typer.Option("--claims", help="How many claims the attacker holds.")] = 3,
    sample: Annotated[int, typer.Option("--sample", help="Records for what takes longest, drawn at random.")] = 1000,
    dense: Annotated[bool, typer.Option("--dense", help="Link by embeddings too, however many records.")] = False,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="No released record belongs to one original.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of everything that is drawn here.")] = 0,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show the records that tell most on the page, which is private then.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Attack a release: can people be found again, what is learned of them, what is the text still good for?

    OUTPUT/report.html opens without a network; results.json holds every figure with its interval. Neither holds text
    of a record. Finished studies are kept, so that a stopped run goes on.
    """
    plan = Plan(
        _names(attacks), _names(metrics), id_field, field, released_field,
        tuple(label or ()), tuple(task or ()), knowledge, claims, sample, dense, not synthetic, seed,  # type: ignore[arg-type]
    )  # fmt: skip
    check_folder(output)
    pairs = read_files(original, release, plan)
    with ExitStack() as bars:
        results = evaluate_pairs(pairs, output, plan, _told(bars, as_json))
    rows = zip(pairs.ids, pairs.originals, pairs.texts, strict=True)
    texts = {name: (before, after) for name, before, after in rows} if show_text else None
    write(output / "report.html", page(results.studies, results.facts, texts))
    _close(results, output, as_json)


def _names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _told(bars: ExitStack, silent: bool) -> Callable[[str], Progress | None]:
    """A bar for each study, the one before it closed."""

    def told(name: str) -> Progress | None:
        bars.close()
        return bars.enter_context(progress_bar(f"Measuring: {name}", silent))

    return told


def _close(results: Results, output: Path, as_json: bool) -> None:
    if as_json:
        typer.echo(results.as_text())
        return
    console = Console(highlight=False)
    table = Table("what", "how", "value", "95 % interval")
    for study in results.studies:
        for one in study.figures:
            how = ", ".join(str(value) for value in one.setting.values())
            e = one.estimate
            table.add_row(one.name, how, f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}")
    console.print(table)
    for study in results.studies:
        for left in study.skipped:
            console.print(f"Not measured: {left.what}: {left.why}.", markup=False)
    console.print(
        f"Open {output / 'report.html'} in a browser; every figure is in {output / 'results.json'}.",
        markup=False, soft_wrap=True,
    )  # fmt: skip

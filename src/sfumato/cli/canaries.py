"""``sfumato canaries``: plant made-up secrets in a file, to see whether a synthesis gives them away again."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from sfumato.attacks.canary_planting import new_key, planted
from sfumato.cli import options as choices
from sfumato.cli.flags import command
from sfumato.cli.options import TextOptions, counted
from sfumato.cli.printing import named, printing, tell
from sfumato.errors import ConfigurationError, OutputError


@command
def canaries(
    input: Annotated[Path, typer.Argument(help=".jsonl, .csv, .tsv, .parquet (each also .gz), .txt with --lines.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", callback=named, help="Where the planted records go; same kind; private.")
    ],
    texts: TextOptions,
    key: Annotated[
        Path | None, typer.Option(help="Where it is noted what was planted (OUTPUT.canaries.json).")
    ] = None,
    count: Annotated[int, typer.Option(help="How many canaries.")] = 20,
    kind: Annotated[str, typer.Option(help="phone, words, or names with conditions.")] = "phone",
    opening: Annotated[
        list[str] | None, typer.Option(help="What stands before a secret, as records of yours begin (repeatable).")
    ] = None,
    repeats: Annotated[
        str, typer.Option(help="In how many records a canary stands; several with commas, in turn.")
    ] = "1",
    seed: Annotated[
        int | None, typer.Option(help="The same seed makes the same canaries; otherwise they are new.")
    ] = None,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Plant canaries: made-up secrets, each at the beginning of a record. Synthesize from OUTPUT and look for them.

    `sfumato evaluate --synthetic --canaries KEY` reports how far they are exposed. OUTPUT holds the private records.
    """
    place = key or output.with_name(f"{output.name}.canaries.json")
    if place == output or os.path.lexists(place):
        wrong = "is the output" if place == output else "exists"
        raise OutputError(f"{place.name} {wrong}; name a new file for the key with --key.")
    if seed is not None and seed < 0:
        raise ConfigurationError("A seed is 0 or more.")
    chosen = secrets.randbelow(1 << 32) if seed is None else seed
    made = new_key(kind, count, opening or (), _numbers(repeats), chosen)
    made.save(place)
    try:
        hosts = planted(input, output, made.canaries, texts.files(None), chosen)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    with printing(output, place):
        facts = {"output": str(output), "key": str(place), "canaries": len(made.canaries), "records": len(hosts)}
        told = "canary" if len(made.canaries) == 1 else "canaries"
        lines = (
            f"{len(made.canaries):,} {told} in {counted(len(hosts), 'record')} -> {output} (private!)",
            f"Key: {place}; look for them with `sfumato evaluate --synthetic --canaries`.",
        )
        tell(facts, lines, as_json, quiet)


def _numbers(typed: str) -> tuple[int, ...]:
    """Return whole numbers with commas between. Raise ConfigurationError."""
    try:
        return tuple(int(part) for part in typed.split(","))
    except ValueError:
        raise ConfigurationError("--repeats takes whole numbers with commas between, such as 1,10.") from None

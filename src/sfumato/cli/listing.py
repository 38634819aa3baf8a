"""``sfumato list``: what exists."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from sfumato.cli import options as choices
from sfumato.registry import CONTEXTUAL, DETECTORS, EDITINGS, mechanisms
from sfumato.vocabularies.builtin import FAMILIES

_FILES = {
    ".txt": "one document; with --lines a document a line",
    "folder": "every .txt in it, paths kept",
    ".jsonl .csv .tsv .parquet": "a record a line or row; other fields pass through, or those of --keep-field",
    ".gz": "may follow any of them",
    "-": "standard input or output; --format says what it holds",
}


def list_everything(as_json: choices.Json = False) -> None:
    """List mechanisms, detectors, built-in vocabularies and file kinds."""
    found = {
        "mechanisms": {name: about for name, (_, about) in {**mechanisms(), **CONTEXTUAL}.items()},
        "methods_without_a_guarantee": {name: about for name, (_, about) in EDITINGS.items()},
        "detectors": {name: about for name, (_, about) in DETECTORS.items()},
        "builtin_vocabularies": {name: f"{made.size:,} {made.description}" for name, made in FAMILIES.items()},
        "files": _FILES,
    }
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for title, rows in found.items():
        table = Table(title=title.replace("_", " ").capitalize(), show_header=False, title_justify="left")
        table.add_column("name", style="bold")
        table.add_column("about")
        for name, about in rows.items():
            table.add_row(name, about)
        console.print(table)

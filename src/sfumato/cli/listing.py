"""``sfumato list``: what exists, and the options of one of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from sfumato import registry
from sfumato.building.offers import Offer
from sfumato.building.option_groups import DetectionOptions
from sfumato.building.synthesizers import synthesis_options
from sfumato.cli import options as choices
from sfumato.errors import ConfigurationError
from sfumato.evaluation.plan import Plan
from sfumato.options.option import Described, options_of
from sfumato.vocabularies.builtin import FAMILIES

_FILES = {
    ".txt": "one document; with --lines a document a line",
    "folder": "every .txt in it, paths kept",
    ".jsonl .csv .tsv .parquet": "a record a line or row; other fields pass through, or those of --keep-field",
    ".gz": "may follow any of them",
    "-": "standard input or output; --format says what it holds",
}
OWN, WORKS_WITH, REPLACED, EVALUATION = "its own", "what it works with", "what is replaced", "of an evaluation"


def list_everything(
    name: Annotated[
        str | None, typer.Argument(help="A method, detector or study whose options are shown; else all names.")
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """List methods, detectors, studies, vocabularies and file kinds; with NAME the options of one of them."""
    if name is not None:
        _show_options(name, as_json)
        return
    tables = {
        "mechanisms": registry.methods(registry.TOKENS, registry.CONTEXTUAL),
        "methods_without_a_guarantee": registry.methods(registry.HEURISTICS),
        "synthesis": registry.synthesizers(),
        "detectors": registry.detectors(),
        "attacks": registry.studies(registry.ATTACK),
        "metrics": registry.studies(registry.METRIC),
        "notes_of_a_method": registry.studies(registry.NOTED),
    }
    listed = {
        **{title: {name: row.about for name, row in rows.items()} for title, rows in tables.items()},
        "builtin_vocabularies": {name: f"{made.size:,} {made.description}" for name, made in FAMILIES.items()},
        "files": _FILES,
    }
    if as_json:
        typer.echo(json.dumps(listed, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for title, rows in listed.items():
        title = title.replace("_", " ").capitalize()
        table = Table(Column("name", style="bold"), "about", title=title, show_header=False, title_justify="left")
        for each, about in rows.items():
            table.add_row(each, about)
        console.print(table)


def groups_of(name: str) -> tuple[registry.Row, dict[str, Sequence[Described]]]:
    """Return the row of a method, detector or study, and its options by whose they are. Raises ConfigurationError."""
    methods, detectors, studies = registry.methods(), registry.detectors(), registry.studies()
    if name.lower() in methods:
        offer = Offer(name)
        own = options_of(offer.method)
        others, spans = offer.options[len(own) :], options_of(DetectionOptions)
        groups: dict[str, Sequence[Described]] = {OWN: own, WORKS_WITH: others, REPLACED: spans}
        return methods[name.lower()], groups
    if name in detectors:
        return detectors[name], {OWN: [one.of_detector() for one in options_of(registry.detector_class(name))]}
    if name.lower() in registry.synthesizers():
        own = options_of(registry.synthesizer_class(name))
        others = synthesis_options(name)[len(own) :]
        return registry.synthesizers()[name.lower()], {OWN: own, WORKS_WITH: others}
    if name.lower() in studies:
        return studies[name.lower()], {EVALUATION: options_of(Plan)}
    known = registry.suggestion(name, [*methods, *registry.synthesizers(), *detectors, *studies])
    raise ConfigurationError(f"There is no method, detector or study {name!r}{known}")


def _show_options(name: str, as_json: bool) -> None:
    row, groups = groups_of(name)
    if as_json:
        options = {title: [each.as_json() for each in some] for title, some in groups.items()}
        typer.echo(json.dumps({"name": name, "family": row.family, "about": row.about, "options": options}))
        return
    console = Console(highlight=False, markup=False)
    console.print(f"{name}: {row.about}", soft_wrap=True)
    for title, some in groups.items():
        if not some:
            console.print(f"Options, {title}: none.")
            continue
        table = Table("option", "value", "default", "what it does", title=f"Options, {title}", title_justify="left")
        for one in some:
            table.add_row(one.spelled, one.kind, one.shown_default, one.option.help)
        console.print(table)

"""``sfumato certify``: the numerical check of a claim on the actual vocabulary."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato.cli import choices
from sfumato.cli.choices import Choice, progress_bar


def certify(
    mechanism: choices.MechanismName,
    epsilon: choices.Epsilon = 8.0,
    vocabulary: choices.VocabularyFile = None,
    lower: choices.Lower = False,
    encoder: choices.Encoder = None,
    k: choices.Amplification = None,
    clusters: choices.Clusters = None,
    set_size: choices.SetSize = None,
    calibration: choices.CalibrationName = "exact",
    option: choices.Extra = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Label of the span, where labels have vocabularies.")
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Check the claimed epsilon on the actual vocabulary: exact where the law is finite, analytic for noise.

    Slow once for a large vocabulary, then remembered by its hash. Fails where the claim does not hold.
    """
    choice = Choice(mechanism, epsilon, vocabulary, encoder, k, clusters, set_size, calibration, option, lower)
    with progress_bar("Certifying", as_json) as told:
        made = choice.one_mechanism(label, told)
        found: dict[str, Any] = {
            **made.certify(told).as_dict(),
            "mechanism": made.name,
            "calibration": calibration,
            "guarantee": str(made.guarantee),
            "vocabulary": made.vocabulary.provenance,
            "vocabulary_hash": made.vocabulary.hash,
        }
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    table = Table(
        title=f"{made.name}: claimed {found['claimed']:g}, certified {found['certified']:.9g} ({found['kind']})"
    )
    table.add_column("")
    table.add_column("", justify="right")
    for key, value in {**found, **found.pop("conditions")}.items():
        if key not in ("conditions", "claimed", "certified", "kind"):
            table.add_row(key.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
    Console(highlight=False).print(table)

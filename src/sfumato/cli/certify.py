"""``sfumato certify``: the numerical check of a claim on the actual vocabulary."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato.cli import options as choices
from sfumato.cli.explain_model import certificate_of_model
from sfumato.cli.options import Choice, ModelChoice
from sfumato.cli.progress import progress_bar


def certify(
    mechanism: choices.MechanismName,
    epsilon: choices.Epsilon = None,
    vocabulary: choices.VocabularyFile = None,
    lower: choices.Lower = False,
    encoder: choices.Encoder = None,
    k: choices.Amplification = None,
    clusters: choices.Clusters = None,
    set_size: choices.SetSize = None,
    calibration: choices.CalibrationName = "exact",
    option: choices.Extra = None,
    model: choices.ModelName = None,
    document_epsilon: choices.DocumentEpsilon = None,
    block: choices.Block = None,
    clip: choices.ClipOf = None,
    number_format: choices.NumberFormat = None,
    device: choices.Device = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Label of the span, where labels have vocabularies.")
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Check the claimed epsilon on the actual vocabulary: exact where the law is finite, analytic for noise.

    Slow once for a large vocabulary, then remembered by its hash. Fails where the claim does not hold.
    """
    network = ModelChoice(model, clip, document_epsilon, block, number_format, device)
    choice = Choice(
        mechanism, epsilon, vocabulary, encoder, k, clusters, set_size, calibration, option, lower, network
    ).explaining()
    with progress_bar("Certifying", as_json) as told:
        if choice.contextual:
            _print(certificate_of_model(choice, told), as_json)
            return
        made = choice.one_mechanism(label, told)
        found: dict[str, Any] = {
            **made.certify(told).as_dict(),
            "mechanism": made.name,
            "calibration": calibration,
            "guarantee": str(made.guarantee),
            "vocabulary": made.vocabulary.provenance,
            "vocabulary_hash": made.vocabulary.hash,
        }
    _print(found, as_json)


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    claim = f"claimed {found['claimed']:g}, certified {found['certified']:.9g} ({found['kind']})"
    table = Table(title=f"{found['mechanism']}: {claim}")
    table.add_column("")
    table.add_column("", justify="right")
    for key, value in {**found, **found.pop("conditions")}.items():
        if key not in ("conditions", "claimed", "certified", "kind"):
            table.add_row(key.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
    Console(highlight=False).print(table)

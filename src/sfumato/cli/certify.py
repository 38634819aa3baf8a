"""``sfumato certify``: the numerical check of a claim on the actual vocabulary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato import registry
from sfumato.cli import options as choices
from sfumato.cli.checking import check_statement
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.policy_laws import PolicyName, certificates_of_policy, opened, print_certificates
from sfumato.cli.progress import progress_bar
from sfumato.errors import ConfigurationError
from sfumato.types import Progress


@command
def certify(
    method: MethodOptions,
    label: Annotated[
        str | None, typer.Option("--label", help="Label of the span, if labels have their own vocabularies.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="Recompute the loss that this STATEMENT names, by a checker of its own."),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="With --against: every pair of tokens, not the worst alone.")
    ] = False,
    policy: PolicyName = None,
    as_json: choices.Json = False,
) -> None:
    """Check the claimed epsilon on the actual vocabulary: exact where the law is finite, analytic for noise.

    Slow once for a large vocabulary, then remembered by its hash. Fails where the claim does not hold.

    With --against, a checker that shares nothing with this analysis recomputes what a statement says; exit code 1
    where it disagrees, 2 for a statement that it cannot check.
    """
    if against is not None:
        if policy is not None:
            raise ConfigurationError(
                "The statement says which policy ran; --against checks it, and --policy certifies a policy: give one."
            )
        check_statement(against, method, label, all_pairs, as_json)
        return
    if policy is not None and not (all_pairs or method.mechanism):
        with progress_bar("Certifying", as_json) as told:
            certified = certificates_of_policy(opened(policy, method.set), told)
        print_certificates(certified, as_json)
        return
    if all_pairs or policy is not None or not method.mechanism:
        raise ConfigurationError(
            "What is to be certified? Give --mechanism or --policy, or a statement with --against."
        )
    explained = method.explaining()
    with progress_bar("Certifying", as_json) as told:
        _print(_CERTIFICATES[explained.family](explained, label, told), as_json)


def _of_words(method: MethodOptions, label: str | None, told: Progress | None) -> dict[str, Any]:
    """The certificate of a mechanism over tokens, on its vocabulary."""
    made = method.one_mechanism(label, told)
    found = made.certify(told).as_dict()
    if found.get("worst_pair"):
        found["worst_pair"] = [made.vocabulary.tokens[index] for index in found["worst_pair"]]  # public
    return {
        **found,
        "mechanism": made.name,
        "calibration": made.parameters.get("calibration"),
        "guarantee": str(made.guarantee),
        "vocabulary": made.vocabulary.provenance,
        "vocabulary_hash": made.vocabulary.hash,
    }


def _in_context(method: MethodOptions, _: str | None, told: Progress | None) -> dict[str, Any]:
    """The certificate of one draw of a mechanism in context."""
    return certificate_of_model(method, told)


_CERTIFICATES = {registry.TOKENS: _of_words, registry.CONTEXTUAL: _in_context}


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    claim = f"claimed {found['claimed']:g}, certified {found['certified']:.9g} ({found['kind']})"
    table = Table(title=f"{found['mechanism']}: {claim}")
    table.add_column("")
    table.add_column("", justify="right")
    for key, value in {**found, **found.pop("conditions")}.items():
        if key not in ("conditions", "claimed", "certified", "kind") and not isinstance(value, dict):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            table.add_row(key.replace("_", " "), f"{shown:.6g}" if isinstance(shown, float) else str(shown))
    Console(highlight=False, markup=False).print(table)


def certificate_of_model(method: MethodOptions, told: Progress | None) -> dict[str, Any]:
    """Return the certificate of one draw, with outcomes and clip range."""
    rewriter = method.rewriter(told)
    certificate, described = rewriter.certificate().as_dict(), rewriter.statement_fields()
    for name in ("parameters", "epsilon_per_draw", "epsilon_per_document"):
        described.pop(name, None)
    return {
        **certificate,
        "certified_for": "one document" if rewriter.spends_by_document else "one draw",
        "guarantee": str(rewriter.guarantee),
        "outcomes": certificate["conditions"]["outcomes"],
        **described,
    }

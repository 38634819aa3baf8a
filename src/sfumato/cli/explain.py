"""``sfumato explain``: the law of one token, so that anybody can see what a guarantee means in practice."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from sfumato.abstract.mechanism import Mechanism
from sfumato.cli import options as choices
from sfumato.cli.explain_model import law_in_context
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.progress import progress_bar
from sfumato.engines.tokens import Route
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.randomness import SystemRandomness
from sfumato.registry import CONTEXTUAL
from sfumato.types import FloatArray

_DRAWS = 20_000
_SHOWN = 20


@command
def explain(
    method: MethodOptions,
    token: Annotated[str | None, typer.Option("--token", help="The word or phrase whose law is shown.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="dp-mlm: the document that the word stands in.")] = None,
    position: Annotated[int | None, typer.Option("--position", help="dp-mlm: which word of it, from 0.")] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Label of the span, where labels have vocabularies.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"The full support, not the {_SHOWN} most likely.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Show what a token becomes and how likely: the law of one draw.

    Noise mechanisms have no law in closed form; theirs is estimated from draws and says so.
    """
    method = method.explaining()
    with progress_bar("Preparing the law", as_json) as told:
        if method.family == CONTEXTUAL:
            _print(law_in_context(method, text, position, None if everything else _SHOWN, told), as_json)
            return
        if token is None:
            raise ConfigurationError("Which word's law is to be shown? Give --token WORD.")
        made = method.one_mechanism(label, told)
        made.certify(told)
        unknown = made.vocabulary.find(token) is None
        rule = Route(made, "surrogate" if made.vocabulary.encoder is None else "nearest")
        index = int(rule.tokens([token])[0])
        law, kind = _law(made, index)
    found = _as_dict(made, token, index, law, kind, everything, rule.rule if unknown else None)
    _print(found, as_json)


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        _show(found)


def _law(mechanism: Mechanism, token: int) -> tuple[FloatArray, str]:
    try:
        return mechanism.law(token), "exact"
    except GuaranteeError:
        if mechanism.certify().kind != "analytic":
            raise
    counts = np.zeros(len(mechanism.vocabulary))
    randomness = SystemRandomness()
    for _ in range(-(-_DRAWS // mechanism.draws_at_once)):
        tokens = np.full(mechanism.draws_at_once, token)
        drawn = mechanism.draw(tokens, partial(randomness.uniforms, len(tokens)))
        counts += np.bincount(drawn, minlength=len(counts))
    return counts / counts.sum(), f"estimated from {int(counts.sum())} draws"


def _as_dict(
    mechanism: Mechanism, asked: str, token: int, law: FloatArray, kind: str, everything: bool, rule: str | None
) -> dict[str, Any]:
    tokens = mechanism.vocabulary.tokens
    support = np.argsort(-law, kind="stable")
    shown = support[law[support] > 0] if everything else support[:_SHOWN][law[support[:_SHOWN]] > 0]
    certificate = mechanism.certify()
    found = {
        "token": tokens[token],
        "law": [{"token": tokens[i], "probability": float(law[i])} for i in shown],
        "law_kind": kind,
        "support": int(np.count_nonzero(law)),
        "mechanism": mechanism.name,
        "epsilon": mechanism.epsilon,
        "scale": certificate.scale,
        "guarantee": str(mechanism.guarantee),
        "vocabulary": mechanism.vocabulary.provenance,
        "vocabulary_hash": mechanism.vocabulary.hash,
    }
    if rule is not None:
        found["asked"], found["unknown"] = asked, rule
    return found


def _show(found: dict[str, Any]) -> None:
    console = Console(highlight=False)
    if "unknown" in found:
        console.print(f"Not in the vocabulary: {found['unknown']}.", markup=False)
    what = found.get("token", f"Word {found.get('position')}")
    table = Table(title=f"{what} under {found['mechanism']}, epsilon {found['epsilon']:g}")
    table.add_column("becomes")
    table.add_column("probability", justify="right")
    table.add_column("")
    most = max((row["probability"] for row in found["law"]), default=1.0)
    for row in found["law"]:
        bar = "█" * max(1, round(30 * row["probability"] / most))
        table.add_row(row["token"], f"{row['probability']:.3g}", bar)
    console.print(table)
    rest = found["support"] - len(found["law"])
    shown = sum(row["probability"] for row in found["law"])
    console.print(f"{rest:,} other outcomes share {max(0.0, 1 - shown):.3g}. Law: {found['law_kind']}.", markup=False)
    console.print(found["guarantee"], markup=False)

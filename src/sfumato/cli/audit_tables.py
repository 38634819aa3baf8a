"""What an audit prints: the claim, what the draws showed, and what can be inferred."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato.evaluation.audit.findings import PROVES, Audit, Inference


def show(audits: Sequence[Audit], as_json: bool) -> None:
    """Print ``audits``: one JSON object, or tables with what they mean."""
    if as_json:
        whole: Any = audits[0].as_dict() if len(audits) == 1 else {"audits": [audit.as_dict() for audit in audits]}
        typer.echo(json.dumps(whole, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for audit in audits:
        _show(audit, console)
    _say(console, PROVES)


def _show(audit: Audit, console: Console) -> None:
    console.print(_played(audit))
    for remark in audit.remarks:
        _say(console, remark)
    if audit.inferred is not None:
        console.print(_guessed(audit.inferred))
        _about(audit.inferred, console)
        console.print(_asked(audit.queries, audit.inferred.attack is None))


def _played(audit: Audit) -> Table:
    about = f", {audit.label}" if audit.label else ""
    table = Table("pair", "distance", "claim", "exact loss", "lower bound", "verdict", title=f"{audit.name}{about}")
    for verdict in audit.verdicts:
        numbers = (verdict.distance, verdict.claim, verdict.exact, verdict.bound)
        pair = f"{verdict.names[0]}, {verdict.names[1]} ({verdict.why})"
        table.add_row(_plain(pair), *("-" if number is None else f"{number:.4g}" for number in numbers), verdict.says)
    return table


def _guessed(inferred: Inference) -> Table:
    table = Table("naming the token behind one draw", "right")
    for row in inferred.rows:
        table.add_row(*row)
    return table


def _about(inferred: Inference, console: Console) -> None:
    far = "" if inferred.farthest is None else f"; no two of them are farther apart than {inferred.farthest:.4g}"
    _say(console, f"Prior: {inferred.prior.description}{far}.")
    if inferred.attack is None:
        _say(console, "The law has no closed form, so the strongest attacker is not computed.")
    if inferred.vacuous:
        _say(console, "The guarantee alone permits nearly every guess to be right: on guessing it is vacuous here.")


def _asked(queries: Mapping[str, float], estimated: bool) -> Table:
    """After how many draws each token leads; from draws alone (``estimated``) it may be that none was found."""
    table = Table(f"draws after which a token leads (95 %{', estimated from draws' if estimated else ''})", "draws")
    for token, count in queries.items():
        hopeless = "none found" if estimated else "does not lead"
        table.add_row(_plain(token), hopeless if math.isinf(count) else f"{int(count):,}")
    return table


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _say(console: Console, sentence: str) -> None:
    console.print(sentence, markup=False, soft_wrap=True)

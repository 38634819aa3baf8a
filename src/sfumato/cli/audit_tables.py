"""What an audit prints: the claim, what the draws showed, and what can be inferred."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato.attacks.distinguishing import Distinguishing
from sfumato.evaluation.audit.auditing import Verdict
from sfumato.evaluation.audit.token_inference import Inference

_PROVES = (
    "A lower bound within the claim proves nothing: it is what these draws showed of these pairs. A bound above the "
    "claim refutes it."
)


@dataclass(frozen=True, eq=False)
class Audit:
    """One audited mechanism: over a vocabulary, in context, or a black box (``outcomes``: how many differed)."""

    name: str
    auditor: Distinguishing
    verdicts: Sequence[Verdict]
    guarantee: str | None = None
    certificate: Mapping[str, Any] | None = None
    randomness: str | None = None
    label: str | None = None
    vocabulary: str | None = None
    inferred: Inference | None = None
    queries: Mapping[str, float] = field(default_factory=dict)
    outcomes: int | None = None

    @property
    def refuted(self) -> bool:
        """Whether a pair refutes the claim."""
        return any(one.refuted for one in self.verdicts)

    @property
    def weak(self) -> bool:
        """Whether outcomes hardly ever repeat, so that frequencies say little."""
        return self.outcomes is not None and self.outcomes > self.auditor.samples // 10

    def as_dict(self) -> dict[str, Any]:
        """As JSON types."""
        found: dict[str, Any] = {
            "audited": self.name,
            "label": self.label,
            "guarantee": self.guarantee,
            "vocabulary": self.vocabulary,
            "certificate": self.certificate,
            "samples": self.auditor.samples,
            "confidence": self.auditor.confidence,
            "randomness": self.randomness,
            "outcomes": self.outcomes,
            "pairs": [one.as_dict() for one in self.verdicts],
            "refuted": self.refuted,
        }
        if self.inferred is not None:
            found["inference"] = self.inferred.as_dict()
            found["queries"] = {
                token: "infinity" if math.isinf(one) else int(one) for token, one in self.queries.items()
            }
        return {name: one for name, one in found.items() if one is not None}


def show(audits: Sequence[Audit], as_json: bool) -> None:
    """Print ``audits``: one JSON object, or tables with what they mean."""
    if as_json:
        whole: Any = audits[0].as_dict() if len(audits) == 1 else {"audits": [one.as_dict() for one in audits]}
        typer.echo(json.dumps(whole, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for one in audits:
        _show(one, console)
    _say(console, _PROVES)


def _show(found: Audit, console: Console) -> None:
    console.print(_played(found))
    certificate = found.certificate
    if found.guarantee is not None and certificate is not None:
        _say(console, f"Claim: {found.guarantee}.")
        _say(console, f"Certificate: {certificate['certified']:.6g} ({certificate['kind']}).")
    auditor = found.auditor
    _say(
        console,
        f"{auditor.samples:,} draws of each input; with {auditor.confidence:.4g} confidence no bound is too large.",
    )
    if found.weak:
        _say(console, f"{found.outcomes:,} different outcomes: they hardly repeat, so that the bound is weak.")
    if found.outcomes == 1:
        _say(console, "Every answer was the same, to either input: is it the tool that was meant?")
    if found.inferred is not None:
        console.print(_guessed(found.inferred))
        _about(found.inferred, console)
        console.print(_asked(found.queries, found.inferred.attack is None))


def _played(found: Audit) -> Table:
    about = f", {found.label}" if found.label else ""
    table = Table("pair", "distance", "claim", "exact loss", "lower bound", "verdict", title=f"{found.name}{about}")
    for one in found.verdicts:
        numbers = (one.distance, one.claim, one.exact, one.bound)
        pair = f"{one.names[0]}, {one.names[1]} ({one.why})"
        table.add_row(_plain(pair), *("-" if number is None else f"{number:.4g}" for number in numbers), one.says)
    return table


def _guessed(inferred: Inference) -> Table:
    table = Table("naming the token behind one draw", "right")
    table.add_row("without looking: the commonest token", f"{inferred.guessing:.4f}")
    known = "not computed" if inferred.attack is None else f"{inferred.attack.success:.4f}"
    table.add_row("by the strongest attacker, who knows the law", known)
    table.add_row("as the guarantee permits, by any law", f"{inferred.permitted:.4f}")
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

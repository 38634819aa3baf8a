"""``sfumato audit``: draws played against the claim of a mechanism, a command or a function, and what they show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sfumato import registry
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.building.policies import treatment_of_kind
from sfumato.cli import options as choices
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.cli.printing import staged, tell
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.audit import BlackBox, audit_black_box, audit_treatment
from sfumato.evaluation.audit.auditing import audit_text, audit_words
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, PROVES, Audit, Inference
from sfumato.evaluation.audit.training import OneRun, TrainingAudit
from sfumato.privacy.randomness import Randomness
from sfumato.report.audit import write_page
from sfumato.types import Stages


@dataclass(frozen=True)
class TrainingOptions:
    """What is trained for the audit of a synthesizer."""

    delta: Annotated[
        float | None, typer.Option(help=f"finetune: the delta of the claim ({TrainingAudit.delta:g}).")
    ] = None
    canaries: Annotated[
        int | None, typer.Option(help=f"finetune: canaries in the training ({TrainingAudit.canaries}).")
    ] = None
    steps: Annotated[int | None, typer.Option(help=f"finetune: training steps ({TrainingAudit.steps}).")] = None

    @property
    def given(self) -> dict[str, float | int]:
        """Return what was typed."""
        return {name: value for name, value in vars(self).items() if value is not None}


def _of_training(
    name: str, epsilon: float | None, training: TrainingOptions, played: Played, stages: Stages
) -> OneRun:
    """Return the audit of the training steps of the synthesizer ``name``. Raises ConfigurationError."""
    if name != "finetune":
        raise ConfigurationError(
            f"{name} trains nothing; its laws are checked by the tests, and its records by `sfumato evaluate "
            "--synthetic`."
        )
    if epsilon is None:
        raise ConfigurationError("Which claim is to be audited? Give --epsilon, for example 3.")
    audit = TrainingAudit(epsilon, confidence=played.confidence, **training.given)  # type: ignore[arg-type]
    return audit.run(played.seed or 0, played.randomness, partial(stages, "Training"))


@dataclass(frozen=True)
class AuditedPolicy(PolicyFlags):
    """One kind of a policy, or none: then something else is audited."""

    kind: Annotated[str | None, typer.Option(help="--policy: the kind of value, e.g. DATE.")] = None

    @property
    def given(self) -> bool:
        """Return whether any of its flags is there."""
        return self.policy is not None or self.kind is not None


@dataclass(frozen=True)
class BoxOptions:
    """Anyone's program or function, and the two inputs that its claim is about."""

    command: Annotated[str | None, typer.Option(help="Any program: a line for each line.")] = None
    python: Annotated[str | None, typer.Option(help="Any module:function, called with (text, n).")] = None
    given: Annotated[list[str] | None, typer.Option("--input", help="--command, --python: an input (give two).")] = (
        None
    )
    distance: Annotated[float, typer.Option(help="Distance of the two inputs.")] = 1.0
    timeout: Annotated[float, typer.Option(help="Seconds for all samples of an input.")] = 600.0

    @property
    def named(self) -> bool:
        """Return whether there is one."""
        return self.command is not None or self.python is not None


@dataclass(frozen=True)
class Played:
    """What is played against the claim, how often, and how sure a bound is."""

    tokens: Annotated[str | None, typer.Option(help="Words to compare, by commas.")] = None
    text: Annotated[list[str] | None, typer.Option(help="dp-…: the two documents (give it twice).")] = None
    position: Annotated[int, typer.Option(help="dp-…: which word of them, from 0.")] = 0
    samples: Annotated[int, typer.Option(help="Draws of each input.")] = 100_000
    confidence: Annotated[float, typer.Option(help="Confidence that all bounds hold.")] = 0.99
    prior_tokens: Annotated[int, typer.Option(help="Tokens that the Bayes attacker considers (0: all).")] = (
        PRIOR_TOKENS
    )
    label: Annotated[list[str] | None, typer.Option(help="Label whose vocabulary is audited (repeatable).")] = None
    seed: Annotated[int | None, typer.Option(help="Repeatable draws; else system randomness.")] = None

    @property
    def auditor(self) -> Distinguishing:
        """Return who plays. Raises ConfigurationError."""
        return Distinguishing(self.confidence, self.samples)

    @property
    def randomness(self) -> Randomness | None:
        """Return where random numbers come from; None: the system."""
        return choices.seeded(self.seed)

    @property
    def asked(self) -> list[str]:
        """Return the words to tell apart."""
        return [token.strip() for token in (self.tokens or "").split(",") if token.strip()]


SHOWN = (
    "mechanism epsilon set policy kind command python given tokens text position samples confidence label seed page "
    "as_json"
)
"""The options that the help lists; --help-all lists every one."""


@partial(command, shown=SHOWN)
def audit(
    method: MethodOptions,
    policy: AuditedPolicy,
    box: BoxOptions,
    played: Played,
    training: TrainingOptions,
    page: Annotated[Path | None, typer.Option(help="Write the audit as a page too (.html).")] = None,
    as_json: choices.Json = False,
) -> None:
    """Test the claim with draws: a lower bound on the epsilon that a mechanism really has.

    Exit code 1 where the claim is refuted. A bound within the claim proves nothing; a certificate does. Beside it:
    how often the strongest attacker names the token behind a draw, and after how many draws a token leads.
    """
    if sum(map(bool, (method.mechanism, box.command is not None, box.python is not None, policy.given))) != 1:
        raise ConfigurationError(
            "What is to be audited? Give one of --mechanism, --policy with --kind, --command and --python."
        )
    if page is not None and page.suffix != ".html":
        raise ConfigurationError("The page of --page needs a name that ends in .html.")
    if method.set and (box.named or method.mechanism in registry.synthesizers()):
        raise ConfigurationError("--set is for a mechanism over tokens, one in context, or a policy; leave it out.")
    if method.mechanism in registry.synthesizers():
        if page is not None:
            raise ConfigurationError("The audit of training has no page; leave out --page.")
        with staged(as_json) as stages:
            made = _of_training(method.mechanism, method.epsilon, training, played, stages)
        verdict = "REFUTES the claim" if made.refuted else "is consistent with the claim"
        line = f"{made.name}: a lower bound of {made.bound:.3g} on epsilon {verdict} of {made.claim:g}."
        tell(made.as_dict(), [line, *made.remarks], as_json)
        if made.refuted:
            raise SystemExit(1)
        return
    if training.given:
        raise ConfigurationError(f"--{next(iter(training.given))} belongs to the audit of finetune.")
    if not policy.given and method.epsilon is None and (box.named or method.document_epsilon is None):
        raise ConfigurationError("Which claim is to be audited? Give --epsilon.")
    with staged(as_json) as stages:
        if box.named:
            audits = [_black_box(box, method.epsilon, played, stages)]
        elif policy.given:
            audits = _of_policy(policy, method, box, played, stages)
        else:
            if box.given:
                raise ConfigurationError(
                    "--input belongs to --command and --python; give --tokens (or --text for dp-…)."
                )
            audits = _AUDITS[method.explaining().family](method, played, stages)
    if page is not None:
        write_page(page, audits)
    show(audits, as_json)
    if any(one.refuted for one in audits):
        raise SystemExit(1)


def _black_box(box: BoxOptions, claim: float | None, played: Played, stages: Stages) -> Audit:
    if played.seed is not None:
        raise ConfigurationError("--seed is for --mechanism; a black box brings its own randomness.")
    if box.given is None or len(box.given) != 2:
        raise ConfigurationError("A black box is asked about two inputs that its claim covers: give --input twice.")
    asked = BlackBox((box.given[0], box.given[1]), box.command, box.python, box.distance, box.timeout)
    return audit_black_box(asked, claim, played.auditor, stages)


def _of_policy(
    policy: AuditedPolicy, method: MethodOptions, box: BoxOptions, played: Played, stages: Stages
) -> list[Audit]:
    """Return the audits of the treatment of one kind: one, or one for each language with domains of its own.

    Raise ConfigurationError for flags of something else.
    """
    if policy.policy is None or policy.kind is None:
        raise ConfigurationError("A policy treats kinds differently: give --policy and the --kind that is audited.")
    others = {"epsilon": method.epsilon, "input": box.given, "text": played.text, "label": played.label}
    if taken := [name for name, value in others.items() if value]:
        raise ConfigurationError(f"The policy says how a kind is treated; leave out --{taken[0]}, or use --set.")
    treatment = treatment_of_kind(policy.loaded(), policy.kind)
    stages("Preparing", 0.0)
    treatment.prepare(partial(stages, "Certifying"))
    every = treatment.apart(played.asked)
    audits = list[Audit]()
    for code, own in every.items():
        chosen = own, played.asked, played.auditor, played.prior_tokens, played.randomness
        audit = audit_treatment(*chosen, stages, len(every))
        audits.append(replace(audit, label=f"{audit.label}, {code}") if len(every) > 1 else audit)
    return audits


def _in_context(method: MethodOptions, played: Played, stages: Stages) -> list[Audit]:
    if played.text is None or len(played.text) != 2:
        raise ConfigurationError(
            f"The law of {method.mechanism} depends on the document; give two documents with --text, and the "
            "--position of the word that is drawn."
        )
    rewriter = method.rewriter(partial(stages, "Preparing"))
    return [audit_text(rewriter, played.text, played.position, played.auditor, played.randomness, stages)]


def _of_words(method: MethodOptions, played: Played, stages: Stages) -> list[Audit]:
    if played.text:
        raise ConfigurationError(f"{method.mechanism} draws for a word, whatever is around it; give --tokens.")
    labels: list[str | None] = list(played.label) if played.label else [None]
    audits = []
    for name in labels:
        made = method.one_mechanism(name, partial(stages, "Preparing"))
        chosen = made, played.asked, played.auditor, played.prior_tokens, played.randomness
        audits.append(audit_words(*chosen, stages, name, len(labels)))
    return audits


_AUDITS: Mapping[str, Any] = {registry.TOKENS: _of_words, registry.CONTEXTUAL: _in_context}


def show(audits: Sequence[Audit], as_json: bool) -> None:
    """Print ``audits``: one JSON object, or tables with what they mean."""
    if as_json:
        tell(
            audits[0].as_dict() if len(audits) == 1 else {"audits": [each.as_dict() for each in audits]}, (), as_json
        )
        return
    console = Console(highlight=False)
    for audit in audits:
        _show(audit, console)
    typer.echo(PROVES)


def _show(audit: Audit, console: Console) -> None:
    console.print(_played(audit))
    for remark in audit.remarks:
        typer.echo(remark)
    if audit.inferred is not None:
        console.print(_guessed(audit.inferred))
        _about(audit.inferred)
        console.print(_asked(audit.queries, audit.inferred.attack is None))


def _played(audit: Audit) -> Table:
    about = f", {audit.label}" if audit.label else ""
    table = Table("pair", "distance", "claim", "exact loss", "lower bound", "verdict", title=f"{audit.name}{about}")
    for verdict in audit.verdicts:
        numbers = (verdict.distance, verdict.claim, verdict.exact, verdict.bound)
        pair = f"{verdict.names[0]}, {verdict.names[1]} ({verdict.why})"
        table.add_row(escape(pair), *("-" if number is None else f"{number:.4g}" for number in numbers), verdict.says)
    return table


def _guessed(inferred: Inference) -> Table:
    table = Table("naming the token behind one draw", "right")
    for row in inferred.rows:
        table.add_row(*row)
    return table


def _about(inferred: Inference) -> None:
    far = "" if inferred.farthest is None else f"; no two of them are farther apart than {inferred.farthest:.4g}"
    typer.echo(f"Prior: {inferred.prior.description}{far}.")
    if inferred.attack is None:
        typer.echo("The law has no closed form, so the strongest attacker is not computed.")
    if inferred.vacuous:
        typer.echo("The guarantee alone permits nearly every guess to be right: on guessing it is vacuous here.")


def _asked(queries: Mapping[str, float], estimated: bool) -> Table:
    """After how many draws each token leads; from draws alone (``estimated``) it may be that none was found."""
    table = Table(f"draws after which a token leads (95 %{', estimated from draws' if estimated else ''})", "draws")
    for token, count in queries.items():
        hopeless = "none found" if estimated else "does not lead"
        table.add_row(escape(token), hopeless if math.isinf(count) else f"{int(count):,}")
    return table

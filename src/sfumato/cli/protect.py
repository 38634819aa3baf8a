"""``sfumato protect``: originals and a policy in; a release that was attacked, accepted and signed out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options as choices
from sfumato.cli import stopping
from sfumato.cli.flags import command
from sfumato.cli.options import TextOptions
from sfumato.cli.outputs import named
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.cli.progress import staged
from sfumato.errors import ConfigurationError
from sfumato.files import kind_of
from sfumato.run.request import read_as
from sfumato.storage import Place
from sfumato.types import Stages

if TYPE_CHECKING:
    from sfumato.protection.outcome import Outcome
    from sfumato.protection.request import Request

_SAMPLE = 200
"""Records in the random sample of a review."""
NOT_ACCEPTED = 4
"""The exit code of an attempt that was not accepted."""


@dataclass(frozen=True)
class ProtectFlags:
    """How a release is made and judged, beside the policy."""

    key: Annotated[Path | None, typer.Option("--key", help="Signing key, made at its first use.")] = None
    keep_field: Annotated[
        list[str] | None,
        typer.Option("--keep-field", help="Only other field that is kept (repeatable)."),
    ] = None
    subject_field: Annotated[
        str | None, typer.Option("--subject-field", help="Field that names a record's person.")
    ] = None
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Field that an attacker infers (repeatable).")
    ] = None
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="Reserve the cost here: FILE or postgresql://...")
    ] = None
    ledger_key: Annotated[Path | None, typer.Option("--ledger-key", help="The ledger's key (its name and .key).")] = (
        None
    )
    decisions: Annotated[Path | None, typer.Option("--decisions", help="The file of a `sfumato review`.")] = None
    review: Annotated[bool, typer.Option("--review", help="Open the review page first.")] = False
    on_error: Annotated[str, typer.Option("--on-error", help="A broken record: stop, or quarantine it.")] = "stop"
    workers: Annotated[int, typer.Option("--workers", help="Processes that sanitize.")] = 1
    sample: Annotated[int, typer.Option("--sample", help="Records for the slowest attacks, drawn at random.")] = 500
    trials: Annotated[bool, typer.Option("--trials/--no-trials", help="Try changes of a policy that fails.")] = True
    anyway: Annotated[bool, typer.Option("--anyway", help="Go on with too few records.")] = False
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume a stopped attempt that was paid."),
    ] = False
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier NAME.release.")] = False
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Report costs and needs; draw nothing."),
    ] = False


SHOWN = (
    "output policy set field id_field keep_field subject_field key ledger label decisions review trials resume force "
    "dry_run as_json quiet"
)
"""The options that the help lists; --help-all lists every one."""


@partial(command, shown=SHOWN)
def protect(
    input: Annotated[Path, typer.Argument(help="The originals: .jsonl, .csv, .tsv, .parquet, .txt, or a folder.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", callback=named, help="NAME: NAME.release for readers, NAME.private for the owner."
        ),
    ],
    policy: PolicyFlags,
    texts: TextOptions,
    flags: ProtectFlags,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Sanitize by a policy, attack that very release, judge it, and sign it if it is accepted.

    The limits are in the policy's [accept]. Exit 4: not accepted; nothing is released, and the page in NAME.private
    says who is found by what, and which change of the policy would help.
    """
    from sfumato.protection.costs import costs
    from sfumato.protection.protecting import protect_request

    if policy.policy is None:
        raise ConfigurationError("Name a policy with --policy, such as clinical: `sfumato policy show clinical`.")
    request = _request(input, output, policy, texts, flags)
    stopping.paid_in(Place(request.release).ready)
    if flags.review and not flags.dry_run:
        request = _reviewed(request, texts)
    with staged(quiet or as_json) as stages:
        told: Stages = stages
        if flags.dry_run:
            expected = costs(request, told)
        else:
            outcome = protect_request(request, told, None if quiet or as_json else partial(typer.echo, err=True))
    if flags.dry_run:
        typer.echo(json.dumps(expected.as_json()) if as_json else "\n".join(expected.lines()))
        return
    _close(request, outcome, as_json, quiet)
    if not outcome.accepted:
        raise SystemExit(NOT_ACCEPTED)


def _request(input: Path, output: Path, policy: PolicyFlags, texts: TextOptions, flags: ProtectFlags) -> Request:
    from sfumato.protection.request import Request
    from sfumato.protection.signing import own_key

    named = {"keep": flags.keep_field, "subject_field": flags.subject_field, "on_error": flags.on_error}
    loaded, files = read_as(policy.loaded(), {**texts.typed, **named})
    return Request(
        input, loaded, output, files, flags.key or own_key(), flags.workers,
        flags.force, tuple(flags.label or ()), flags.sample, trials=flags.trials,
        ledger=flags.ledger, ledger_key=flags.ledger_key, decisions=flags.decisions, anyway=flags.anyway,
        resume=flags.resume,
    )  # fmt: skip


def _reviewed(request: Request, texts: TextOptions) -> Request:
    """Have a person review the originals, and return the request with the decisions."""
    from sfumato.cli.review import review_on_page
    from sfumato.protection.attempts import made_private
    from sfumato.protection.needs import checked_needs
    from sfumato.protection.originals import read_originals
    from sfumato.storage.atomic import leaving_nothing

    if request.decisions is not None:
        raise ConfigurationError("--review makes decisions and --decisions names some; give one of them.")
    path = request.private / "decisions.jsonl"
    if request.resume:  # what was stopped was reviewed before
        return replace(request, decisions=path)
    checked_needs(replace(request, decisions=path), read_originals(request.input, request.files))
    with leaving_nothing(request.private):
        made_private(request.private)
        review_on_page(request.input, request.policy, texts, path, _SAMPLE)
    return replace(request, decisions=path)


def _close(request: Request, outcome: Outcome, as_json: bool, quiet: bool) -> None:
    if as_json:
        facts = {**outcome.as_json(), "release": str(outcome.folder) if outcome.folder else None}
        typer.echo(json.dumps({**facts, "page": str(outcome.page)}, ensure_ascii=False))
        return
    if quiet:
        return
    typer.echo(f"{outcome.title}.")
    for judgement in outcome.judgements:
        typer.echo(f"{'holds' if judgement.holds else 'FAILS'}  {judgement.sentence}")
    for each in outcome.loosened:
        typer.echo(each.sentence)
    for line in outcome.unlimited(request.policy.accept):
        typer.echo(line)
    for line in outcome.advice():
        typer.echo(f"Tried on a sample: {line}")
    if outcome.folder is None:
        typer.echo(f"Nothing was released. Open {outcome.page} (private).")
    else:
        typer.echo(f"Release: {outcome.folder}. For you alone: {request.private}.")
        if kind_of(request.input) not in (None, "txt"):
            typer.echo(f"Fields in it: {', '.join(request.fields)}. --keep-field names others that stay.")
        typer.echo(f"Readers check it with: sfumato verify {outcome.folder} --key {request.key}.pub")

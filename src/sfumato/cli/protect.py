"""``sfumato protect`` and ``sfumato verify``: a release that is attacked, accepted and signed, and its check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options as choices
from sfumato.cli import signals
from sfumato.cli.flags import command
from sfumato.cli.options import ReleaseFlags, TextOptions
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.cli.printing import named, staged, tell
from sfumato.errors import ConfigurationError
from sfumato.files import has_fields
from sfumato.run.request import read_as
from sfumato.storage import Place

if TYPE_CHECKING:
    from sfumato.protection.outcome import Outcome
    from sfumato.protection.request import Request


_SAMPLE = 200
"""Records in the random sample of a review."""
NOT_ACCEPTED = 4
"""The exit code of an attempt that was not accepted."""


@dataclass(frozen=True)
class ProtectFlags(ReleaseFlags):
    """How a release is made and judged, beside the policy."""

    key: Annotated[Path | None, typer.Option(help="Signing key, made at its first use.")] = None
    label: Annotated[list[str] | None, typer.Option(help="Field that an attacker infers (repeatable).")] = None
    review: Annotated[bool, typer.Option("--review", help="Open the review page first.")] = False
    sample: Annotated[int, typer.Option(help="Records for the slowest attacks, drawn at random.")] = 500
    trials: Annotated[bool, typer.Option("--trials/--no-trials", help="Try changes of a policy that fails.")] = True
    anyway: Annotated[bool, typer.Option("--anyway", help="Go on with too few records.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report costs and needs; draw nothing.")] = False


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

    The limits are in the policy's [against] and [accept]. Exit 4: not accepted; nothing is released, and the page in
    NAME.private says who is found by what, and which change of the policy would help.
    """
    from sfumato.protection.costs import costs
    from sfumato.protection.protecting import protect_request

    if policy.policy is None:
        raise ConfigurationError("Name a policy with --policy, such as clinical: `sfumato policy show clinical`.")
    request = _request(input, output, policy, texts, flags)
    signals.paid_in(Place(request.release).ready)
    if flags.review and not flags.dry_run:
        request = _reviewed(request, texts)
    silent = quiet or as_json
    if flags.dry_run:
        with staged(silent) as stages:
            expected = costs(request, stages)
        tell(expected.as_json(), expected.lines(), as_json)
        return
    with staged(silent) as stages:
        outcome = protect_request(request, stages, None if silent else partial(typer.echo, err=True))
    facts = {**outcome.as_json(), "release": str(outcome.folder) if outcome.folder else None}
    tell({**facts, "page": str(outcome.page)}, _lines(request, outcome), as_json, quiet)
    if not outcome.accepted:
        raise SystemExit(NOT_ACCEPTED)


def _request(input: Path, output: Path, policy: PolicyFlags, texts: TextOptions, flags: ProtectFlags) -> Request:
    from sfumato.protection.request import Request
    from sfumato.protection.signing import own_key

    loaded, files = read_as(policy.loaded(), {**texts.typed, **flags.reading})
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


def _lines(request: Request, outcome: Outcome) -> Iterator[str]:
    """Yield what was judged, what would help, and where the release is."""
    yield f"{outcome.title}."
    for judgement in outcome.judgements:
        state = judgement.state if judgement.holds else judgement.state.upper()
        yield f"{state}: {judgement.sentence}"
    yield from (each.sentence for each in outcome.loosened)
    if outcome.remains:
        yield f"For you alone, counted from the originals: {'; '.join(outcome.remains)}."
    yield from (f"Advice: {line}" for line in outcome.advice())
    if outcome.folder is None:
        yield f"Nothing was released. Open {outcome.page} (private)."
        return
    yield f"Release: {outcome.folder}. For you alone: {request.private}."
    if has_fields(request.input):
        yield f"Fields in it: {', '.join(request.fields)}. --keep-field names others that stay."
    yield f"Readers check it with: sfumato verify {outcome.folder} --key {request.key}.pub"


@command
def verify(
    folder: Annotated[Path, typer.Argument(help="The folder NAME.release.")],
    key: Annotated[
        Path | None, typer.Option(help="The signer's public key, from the signer; else the one in the folder.")
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Check a release against its signature. Exit 0: nothing differs. Exit 1: says what does.

    If nothing differs, it gives the signed verdict, and each limit that is looser than in the shipped policy.
    Without --key it is not checked who signed, and that is said on standard error.
    """
    from sfumato.protection.verifying import verify as verified

    checked = verified(folder, key)
    names = ("holds", "differences", "key", "signed_by", "verdict", "loosened")
    lines = [f"{folder.name}: {difference}." for difference in checked.differences]
    if checked.holds:
        files = 0 if checked.envelope is None else len(checked.envelope.digests) + 1
        lines = [
            f"{folder.name}: nothing differs from what was signed ({files} files, key {checked.key[:16]}).",
            "No verdict was signed." if checked.verdict is None else f"Signed verdict: {checked.verdict}.",
            *(
                ["It was not signed whether a limit is looser than in the shipped policy."]
                if checked.loosened is None
                else checked.loosened
            ),
        ]
    tell({name: getattr(checked, name) for name in names}, lines, as_json)
    if not checked.holds:
        raise SystemExit(1)
    if checked.signed_by is None:
        typer.echo(
            "The files agree with the signed statement. WHO SIGNED WAS NOT CHECKED: the key lies in the folder, and "
            "anyone can put one there. Give the signer's public key with --key.",
            err=True,
        )

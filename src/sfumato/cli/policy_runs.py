"""A run of sanitize by a policy, and the advice for a run that names neither a policy nor a method."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sfumato.building.detectors import read_spans
from sfumato.building.secrets import check_secrets
from sfumato.cli import stopping, streams
from sfumato.cli.closing import GO, NAMED, finish
from sfumato.cli.options import FoundOptions, MethodOptions, TextOptions
from sfumato.cli.progress import file_bar, progress_bar
from sfumato.cli.run_flags import RunFlags, check_streams
from sfumato.cli.settings import Setting
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.release.files import prepared, suiting
from sfumato.release.first_records import check_first_records
from sfumato.release.job import Job, opened
from sfumato.release.run import resumable

if TYPE_CHECKING:
    from sfumato.engines.engine import Engine
    from sfumato.policy import Policy

_CUES = {
    "clinical": r"patient|mrn|diagnos|note|ward|icd|clinic|hospital|medic",
    "court": r"applicant|court|judg|case|verdict|docket",
    "chat": r"messages?|role|conversation|dialogu?e|utterance",
    "support": r"ticket|customer|agent|issue|request|subject",
}
_REASONS = {
    "clinical": "its fields are named like those of clinical notes",
    "court": "its fields are named like those of court files",
    "chat": "its fields are named like those of conversations",
    "support": "nothing in the names of its fields says more, and this policy suits most texts about people",
}
_HEAD = 65_536


@dataclass(frozen=True)
class PolicyFlags:
    """A policy, and changes of it."""

    policy: Annotated[
        str | None,
        typer.Option("--policy", help="How each kind is treated: NAME or FILE."),
    ] = None
    set: Setting = None

    def loaded(self) -> Policy:
        """Return the policy with its changes. Raises ConfigurationError."""
        from sfumato.policy import Policy  # the kinds of value take a while to import
        from sfumato.policy.changes import typed_changes

        policy = Policy.load(str(self.policy))
        return policy.with_changes(typed_changes(self.set)) if self.set else policy


def check_alone(method: MethodOptions, found: FoundOptions, *groups: Any) -> None:
    """Refuse what belongs to a run with one method."""
    others = [
        name for group in groups for name, value in vars(group).items() if value not in (None, False, "", [], ())
    ]
    unusual = [name for name in others if name in ("map_file", "map_key", "chat_model", "rounds", "dry_run")]
    given = [*(["mechanism"] if method.mechanism else []), *(["epsilon"] if method.epsilon is not None else [])]
    given += [*(["detect"] if found.detect else []), *unusual]
    if given:
        name = given[0].removesuffix("_options").replace("_", "-")
        raise ConfigurationError(
            f"--policy says what is looked for and how it is treated; leave out --{name}, or change the policy with "
            "--set."
        )


def sanitize_by_policy(
    context: typer.Context, input: Path, output: Path, flags: PolicyFlags, texts: TextOptions,
    stream: streams.StreamOptions, run: RunFlags, decisions: Path | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Sanitize ``input`` into ``output`` as the policy says; options of the command line go before its fields."""
    from sfumato.building.policies import build_policy

    silent = quiet or as_json
    policy, files = read_as(flags.loaded(), texts, run.keep_field, run.subject_field, run.on_error)
    policy.check_files()
    run = replace(run, pin=run.pin or policy.pin)
    options = run.options(files, to_stream=output == streams.STANDARD)
    if streams.STANDARD in (input, output):
        check_streams(output == streams.STANDARD, options)
    if decisions is not None and decisions.resolve() in (output.resolve(), input.resolve()):
        raise ConfigurationError("--decisions names the input or the output; name the file of the review.")
    read = [*policy.files, run.pin, decisions]
    doors = streams.doors(input, output, stream.form, stream.statement, run.force, read, texts.name_fields(files))
    way = context.with_resource(doors)
    job = context.with_resource(opened(way.input, way.output, options, policy.files))
    run.check_pin(files.id_field, job.source.kind)
    spending = policy.budget.budget
    kept = run.opened_ledger(output == streams.STANDARD, policy.ledger, policy.ledger_key, spending)
    ledger = context.with_resource(kept)
    check_secrets([run.pin], [*job.source.paths, *policy.files])
    randomness = run.randomness()
    check_first_records(job.source, not read_spans(policy.find.detect))
    with progress_bar("Preparing the policy", silent) as told:
        sanitizer = build_policy(policy, progress=told)
    if decisions is not None:
        sanitizer = _reviewed(sanitizer, decisions, job)
    with progress_bar("Certifying the guarantees", silent) as told:
        ready = prepared(job, sanitizer, randomness, told)
    if not resumable(sanitizer, randomness):
        stopping.never_resumes()
    with file_bar(silent, job.source.size) as bar:
        released = ready.release(bar, [], None if bar is None else bar.draws, ledger)
    finish(way, released, sanitizer, None, None, as_json, quiet, GO if not files.keep else NAMED)


def read_as(
    policy: Policy, texts: TextOptions, keep: list[str] | None = None, subject: str | None = None,
    on_error: str = "stop",
) -> tuple[Policy, FileOptions]:  # fmt: skip
    """Return how a file is read: as the options say, and as the policy's fields do where they do not."""
    from sfumato.building.policies import read_by

    kept = None if keep is None else tuple(keep)
    typed = {**texts.typed, "keep": kept, "subject_field": subject, "on_error": on_error}
    policy, options = read_by(policy, typed)
    return policy, FileOptions(**options)


def _reviewed(sanitizer: Engine, path: Path, job: Job) -> Engine:
    """Return ``sanitizer`` with the decisions at ``path``. Raise InputError if one meets no text of ``job``."""
    from sfumato.review import Reviewed, check_decisions, decisions_from, texts_of

    decisions = decisions_from(path)
    source = job.source.with_options(suiting(sanitizer, job.options.files))  # as the run reads it
    check_decisions(decisions, texts_of(source))
    return replace(sanitizer, detector=Reviewed(sanitizer.detector, decisions))


def advise(input: Path, encoding: str) -> NoReturn:
    """Say in three lines what a run that names no method would take, and why; exit with code 2."""
    name = _suited(input, encoding)
    typer.echo(
        "Nothing was done: say how what is found is to be treated.\n"
        f"For this input take --policy {name}, because {_REASONS[name]}: `sfumato policy show {name}`.\n"
        "Or take one method for everything, as -m redaction (no guarantee) or -m dp-mlm -e 10: `sfumato list`.",
        err=True,
    )
    raise SystemExit(2)


def _suited(input: Path, encoding: str) -> str:
    """Return the policy that suits the names of the fields of ``input``, in its first lines; never its values."""
    try:
        with input.open("rb") as file:
            head = file.read(_HEAD).decode(encoding, "replace")
    except (OSError, LookupError):
        head = ""
    names: list[str] = []
    if input.suffix == ".jsonl":
        names = re.findall(r'"([^"\n]{1,40})"\s*:', head)
    elif input.suffix in (".csv", ".tsv"):
        names = re.split(r"[,;\t]", head.partition("\n")[0])
    for name, cue in _CUES.items():
        if any(re.search(cue, field, re.IGNORECASE) for field in names):
            return name
    return "support"

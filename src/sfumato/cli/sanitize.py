"""``sfumato sanitize``: a file in, a file of the same kind out, a privacy statement beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.offers import Offer
from sfumato.cli import chat_options as asking
from sfumato.cli import options as choices
from sfumato.cli import streams
from sfumato.cli.detection_options import FoundOptions, TextOptions
from sfumato.cli.flags import command
from sfumato.cli.options import AnyMethodOptions, counted
from sfumato.cli.printing import printing
from sfumato.cli.progress import file_bar, progress_bar
from sfumato.cli.promised import costs_told
from sfumato.cli.redaction_options import MapOptions, map_writer
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SeededRandomness, SystemRandomness
from sfumato.release.companions import rounds_beside
from sfumato.release.files import Released, prepared
from sfumato.release.job import opened
from sfumato.release.options import RunOptions, RunSummary

_PREPARED = {
    registry.TOKENS: "vocabulary", registry.CONTEXTUAL: "language model", registry.HEURISTICS: "method",
}  # fmt: skip


@dataclass(frozen=True)
class RunFlags:
    """How a run goes: what stays, what is replaced, by how many processes, with which random numbers."""

    keep_field: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-field",
            help="Another field that stays (repeatable); all that are not named are left out. Without it all stay.",
        ),
    ] = None
    subject_field: Annotated[
        str | None,
        typer.Option(
            "--subject-field", help="Field that names a record's person; costs are added up over a person's records."
        ),
    ] = None
    on_error: Annotated[str, typer.Option("--on-error", help="A broken record: stop, or quarantine it.")] = "stop"
    workers: Annotated[int, typer.Option("--workers", help="Processes that sanitize.")] = 1
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped run; finished chunks are kept.")] = (
        False
    )
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.")] = False
    seed: Annotated[int | None, typer.Option("--seed", help="Reproducible and NOT private: for tests.")] = None
    pin: Annotated[Path | None, typer.Option("--pin", help="Secret key file: repeats give the same release.")] = None

    def randomness(self) -> Randomness:
        """Return where random numbers come from. Raises ConfigurationError."""
        if self.seed is not None and self.pin is not None:
            raise ConfigurationError(
                "--seed and --pin exclude each other: a seed is for tests, a key for private runs."
            )
        if self.seed is not None:
            return SeededRandomness(self.seed)
        path = choices.existing(self.pin, "The key file")
        return SystemRandomness() if path is None else PinnedRandomness(path.read_bytes())

    def check_pin(self, id_field: str | None, kind: str) -> None:
        """Refuse a pin where a record has no id of its own."""
        if self.pin is not None and id_field is None and kind != "folder":
            raise ConfigurationError(
                "--pin needs --id-field: draws are tied to the record's id, and a record's place in the file is none "
                "(two files would share their draws)."
            )


SHOWN = (
    *("output", "mechanism", "epsilon", "detect", "option", "field", "id_field", "subject_field", "keep_field"),
    *("on_error", "workers", "resume", "force", "pin", "seed", "dry_run", "as_json", "quiet"),
)
"""The options that most runs need; the help lists these alone."""


@partial(command, shown=SHOWN)
def sanitize(
    context: typer.Context,
    input: Annotated[
        Path,
        typer.Argument(help=".txt, .jsonl, .csv, .tsv, .parquet (each also .gz), a folder, or - (standard input)."),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Where the release goes; same kind as the input. - is standard output."),
    ],
    method: AnyMethodOptions,
    found: FoundOptions,
    texts: TextOptions,
    chat: asking.NotedChatOptions,
    sealed: MapOptions,
    stream: streams.StreamOptions,
    run: RunFlags,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Sanitize a file: replace what a detector marks by draws from a public vocabulary, with a privacy statement.

    Beside OUTPUT stands OUTPUT.privacy.json: what is promised, what it cost, what stays visible.
    """
    usual, silent = method.method.default_detector, quiet or as_json
    method.check_budget()
    offer = Offer(method.mechanism, found.names(usual))
    given = {**method.given(offer.detectors), **found.given(usual)}
    asks = chat.needed(offer, run.workers)
    files = replace(texts.files(found.spans_field, run.keep_field, run.on_error), subject_field=run.subject_field)
    options = RunOptions(files, run.workers, run.force, run.resume, private=output == streams.STANDARD)
    if streams.STANDARD in (input, output):
        _check_streams(output == streams.STANDARD, options, asks and not chat.dry_run)
    secret = [sealed.map_file, sealed.map_key, method.key, run.pin]
    read = [*method.files, *found.files(usual), *secret, chat.rounds]
    way = context.with_resource(streams.doors(input, output, stream.form, stream.statement, run.force, read))
    job = context.with_resource(opened(way.input, way.output, options, method.files))
    run.check_pin(texts.id_field, job.source.kind)
    map_beside = map_writer(sealed.map_file, sealed.map_key, job.input, job.output, run.force or run.resume)
    randomness = run.randomness()
    _check_secrets(secret, [job.input, *method.files, *found.files(usual)])
    use = None
    if asks:
        beside = [path for path in secret if path is not None]
        use = given["chat_model"] = chat.use(offer, job.input, job.output, run.force, run.resume, beside)
    with progress_bar(f"Preparing the {_PREPARED[method.family]}", silent) as told:
        sanitizer = build(method.mechanism, method.epsilon, progress=told, **given)
    companions = [map_beside(sanitizer)] if map_beside else []
    with progress_bar("Certifying the guarantee", silent) as told:
        ready = prepared(job, sanitizer, randomness, told)
    if chat.dry_run:
        typer.echo(asking.estimated(sanitizer, ready.job.source, chat.cost))
        return
    companions += [] if use is None else rounds_beside(use)
    with file_bar(silent, job.source.size) as bar:
        released = ready.release(bar, companions, None if bar is None else bar.draws)
    passing = run.keep_field is None and job.source.kind not in ("txt", "folder")
    _finish(way, released, sanitizer, use, chat, as_json, quiet, passing)


def _check_secrets(secrets: Iterable[Path | None], read: Sequence[Path]) -> None:
    """Refuse a key in a file that the run reads for something else: whoever has that file has the key."""
    keys = [path for path in secrets if path is not None and path.is_file()]
    for key in keys:
        for path in read:
            inside = path.is_dir() and key.resolve().is_relative_to(path.resolve())
            if inside or (path.exists() and key.samefile(path)):
                raise ConfigurationError(
                    f"{key.name} is no secret key: this run reads it for something else. Make one with "
                    "`sfumato key FILE`."
                )


def _finish(
    way: streams.Doors, released: Released, sanitizer: Sanitizer, use: ChatUse | None, chat: asking.ChatOptions,
    as_json: bool, quiet: bool, passing: bool,
) -> None:  # fmt: skip
    """Give a stream its release and its statement, and tell what was done."""
    if way.statement is not None:
        way.deliver(released.statement_path)
        released = released._replace(output=streams.STANDARD, statement_path=way.statement.path)
    labels = sanitizer.detector.public_labels and not sanitizer.rewrites_whole_text
    with printing(released.output, released.statement_path):
        _close(released, as_json, quiet, labels, way.statement is not None, passing)
        if use is not None and not (quiet or as_json) and released.summary is not None:
            for line in asking.told(use, chat.cost):
                typer.echo(line)


def _check_streams(to_stream: bool, options: RunOptions, asks: bool) -> None:
    """Refuse what needs a file beside the input or the output, where that is a stream."""
    if options.resume:
        raise ConfigurationError("A run from or to a stream cannot be resumed; leave out --resume, or name files.")
    if to_stream and options.files.on_error == "quarantine":
        raise ConfigurationError("Records are set aside in a file beside the output; name one with -o.")
    if to_stream and asks:
        raise ConfigurationError("What a language model found is noted beside the output; name a file with -o.")


def _close(released: Released, as_json: bool, quiet: bool, labels: bool, aside: bool, passing: bool) -> None:
    """Tell what was done; ``labels`` says whether how many spans have which label may be told.

    It is told on standard error where ``aside``: standard output holds the release. ``passing``: other fields of the
    records stay.
    """
    done, promised, tell = released.summary, released.statement, partial(typer.echo, err=aside)
    if as_json:
        facts: dict[str, Any] = {"output": str(released.output), "statement": str(released.statement_path)}
        facts |= {} if done is None else {"seconds": round(done.seconds, 3), "characters": done.characters}
        if labels and done is not None:
            facts |= {"replaced": dict(done.labels), "untouched": done.untouched}
        tell(json.dumps({**facts, "privacy": promised}, ensure_ascii=False))
        return
    if quiet:
        return
    if done is None:
        typer.echo(f"{released.output} and its statement are complete since an earlier run; nothing was left to do.")
        return
    certificate = promised.get("certificate")
    draws = f", {done.draws:,} draws" if certificate else ""
    where = "standard output" if released.output == streams.STANDARD else released.output
    tell(f"{counted(done.records, 'record')}{draws} in {done.seconds:.1f} s -> {where}")
    if done.quarantined:
        tell(
            f"{counted(done.quarantined, 'broken record')} set aside in {released.output}.quarantine.jsonl (private!)"
        )
    if done.absent:
        texts = f"{done.absent:,} texts are" if done.absent > 1 else "1 text is"
        tell(f"{texts} null or missing, and passed on as such.")
    if labels or done.labels:
        tell(_replaced(done, labels))
    if passing:
        tell(
            "Any other field passes through unchanged, names in it included; --keep-field drops what you do not name."
        )
    tell(promised["summary"])
    if certificate is None:
        tell(f"Statement: {released.statement_path}")
        return
    for line in costs_told(promised):
        tell(line)
    tell(
        f"Certified loss {certificate['certified']:.6g} ({certificate['kind']}); statement: {released.statement_path}"
    )


def _replaced(done: RunSummary, labels: bool) -> str:
    """How many spans were replaced, by label if those may be told, and in how many records there was none."""
    often = sorted(done.labels.items(), key=lambda one: -one[1])
    each = f" ({', '.join(f'{name} {count:,}' for name, count in often)})" if often and labels else ""
    left = f"; none in {done.untouched:,} of {counted(done.records, 'record')}" if done.untouched else ""
    return f"Replaced {counted(sum(done.labels.values()), 'span')}{each}{left}."

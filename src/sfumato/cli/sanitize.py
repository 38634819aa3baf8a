"""``sfumato sanitize``: a file in, a file of the same kind out, a privacy statement beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.building.offers import Offer
from sfumato.cli import chat_options, signals, streams
from sfumato.cli import options as choices
from sfumato.cli.closing import finish
from sfumato.cli.flags import command
from sfumato.cli.options import AnyMethodOptions, FoundOptions, ReleaseFlags, TextOptions
from sfumato.cli.policy_flags import PolicyFlags, advise, check_alone
from sfumato.cli.printing import file_bar, staged
from sfumato.cli.streams import STANDARD
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Head
from sfumato.release.job import RunOptions
from sfumato.release.run import resumable
from sfumato.run.checks import check_method
from sfumato.run.execute import ready
from sfumato.run.request import Named, Request, read_as


@dataclass(frozen=True)
class RunFlags(ReleaseFlags):
    """How a run goes: beside what every release is asked, where its processes are, and its random numbers."""

    engine: Annotated[str, typer.Option(help="processes, or ray (actors; needs --pin).")] = "processes"
    expect_head: Annotated[list[str] | None, typer.Option(help="A head that the ledger must hold (repeatable).")] = (
        None
    )
    seed: choices.Seed = None
    pin: Annotated[Path | None, typer.Option(help="Secret key file: repeats give the same release.")] = None

    @property
    def heads(self) -> tuple[Head, ...]:
        """Return the heads that the ledger must hold. Raise ConfigurationError."""
        return tuple(map(Head.parse, self.expect_head or ()))

    def options(self, files: FileOptions, to_stream: bool) -> RunOptions:
        """Return how the run goes over ``files``. Raises ConfigurationError."""
        engine: Any = self.engine
        return RunOptions(files, self.workers, self.force, self.resume, private=to_stream, engine=engine)


def check_streams(request: Request) -> None:
    """Refuse what needs a file beside the input or the output, where that is a stream."""
    if request.options.resume:
        raise ConfigurationError("A run from or to a stream cannot be resumed; leave out --resume, or name files.")
    if request.output != STANDARD:
        return
    if request.files.on_error == "quarantine":
        raise ConfigurationError("Records are set aside in a file beside the output; name one with -o.")
    if isinstance(request.method, Named) and request.method.chat is not None:
        raise ConfigurationError("What a language model found is noted beside the output; name a file with -o.")
    if request.ledger is not None:
        raise ConfigurationError("A ledger charges for an output with a name; name one with -o.")


@dataclass(frozen=True)
class MapOptions:
    """Where the map goes, and the key that seals it."""

    map_file: Annotated[
        Path | None, typer.Option("--map", help="redaction: encrypted map for `sfumato restore`.")
    ] = None
    map_key: choices.MapKey = None


SHOWN = (
    "output policy mechanism epsilon detect language set field id_field subject_field keep_field pin ledger resume "
    "force workers dry_run as_json"
)
"""The options that most runs need; the help lists these alone."""


@partial(command, shown=SHOWN)
def sanitize(
    context: typer.Context,
    input: Annotated[
        Path,
        typer.Argument(
            help=".txt, .jsonl, .csv, .tsv, .parquet (each also .gz), a folder, a pattern such as 'notes/*.jsonl', "
            "an address such as s3://bucket/notes, or - (standard input)."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the release goes; - is standard output.")],
    policy: PolicyFlags,
    method: AnyMethodOptions,
    detection: FoundOptions,
    texts: TextOptions,
    chat: chat_options.NotedChatOptions,
    sealed: MapOptions,
    stream: streams.StreamOptions,
    run: RunFlags,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Sanitize a file by a policy, or by one method: the release appears with a privacy statement.

    A policy says what is looked for, and how each kind of value is treated: `sfumato policy show clinical`.

    Beside OUTPUT stands OUTPUT.privacy.json: what is promised, what it cost, what stays visible.
    """
    if policy.policy is None:
        if not method.mechanism:
            advise(input, texts.encoding)
    else:
        check_alone(method, detection, chat, sealed)
    to_stream, silent = output == STANDARD, quiet or as_json
    chosen: Any = policy.loaded() if policy.policy is not None else _named(method, detection, chat)
    reading = {**texts.typed, "spans_field": detection.spans_field, **run.reading}
    chosen, files = read_as(chosen, reading)
    key = method.key if policy.policy is None else None
    request = Request(
        chosen, input, output, run.options(files, to_stream), choices.seeded(run.seed), run.pin, run.ledger,
        run.ledger_key, run.heads, map=sealed.map_file, map_key=sealed.map_key,
        rounds=None if chat.dry_run else chat.rounds, decisions=run.decisions, secrets=() if key is None else (key,),
    )  # fmt: skip
    if STANDARD in (input, output):
        check_streams(request)
    others = [*request.read, *request.keys, sealed.map_file, chat.rounds]
    doors = streams.doors(input, output, stream.form, stream.statement, run.force, others, texts.name_fields(files))
    way = context.with_resource(doors)
    request = replace(request, input=way.input, output=way.output)
    with staged(silent) as stages:
        made = context.with_resource(ready(request, stages, chat_options.told_first))
    if chat.dry_run:
        typer.echo(chat_options.estimated(made.sanitizer, made.job.source, chat.cost))
        return
    if not resumable(made.sanitizer, made.randomness):
        signals.never_resumes()
    with file_bar(silent, made.job.source.size) as bar:
        released = made.release(bar, None if bar is None else bar.draws)
    finish(way, released, made.sanitizer, chat, as_json, quiet, files.keep)


def _named(method: AnyMethodOptions, detection: FoundOptions, chat: chat_options.NotedChatOptions) -> Named:
    """Return the method with its options as they were typed."""
    check_method(Named(method.mechanism, method.epsilon, method.typed))
    usual = method.method.default_detector
    offer = Offer(method.mechanism, detection.names(usual))
    given = {**method.given(offer.detectors), **detection.given(usual), **chat.given(offer)}
    return Named(method.mechanism, method.epsilon, given)

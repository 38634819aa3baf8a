"""``sfumato sanitize``: a file in, a file of the same kind out, a privacy statement beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sfumato import registry
from sfumato.building.build import build
from sfumato.building.detectors import read_spans
from sfumato.building.offers import Offer
from sfumato.building.secrets import check_secrets
from sfumato.cli import chat_options as asking
from sfumato.cli import options as choices
from sfumato.cli import streams
from sfumato.cli.closing import NAMED, PASS, finish
from sfumato.cli.flags import command
from sfumato.cli.options import AnyMethodOptions, FoundOptions, TextOptions
from sfumato.cli.policy_runs import PolicyFlags, advise, check_alone, sanitize_by_policy
from sfumato.cli.progress import file_bar, progress_bar
from sfumato.cli.restore import MapOptions, map_writer
from sfumato.cli.run_flags import RunFlags, check_streams
from sfumato.errors import ConfigurationError
from sfumato.release.companions import rounds_beside
from sfumato.release.files import prepared
from sfumato.release.first_records import check_first_records
from sfumato.release.job import opened

_PREPARED = {
    registry.TOKENS: "vocabulary", registry.CONTEXTUAL: "language model", registry.HEURISTICS: "method",
}  # fmt: skip


SHOWN = (
    "output policy mechanism epsilon detect set field id_field subject_field keep_field pin ledger resume "
    "force workers dry_run as_json quiet"
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
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Where the release goes; - is standard output."),
    ],
    policy: PolicyFlags,
    method: AnyMethodOptions,
    found: FoundOptions,
    texts: TextOptions,
    chat: asking.NotedChatOptions,
    sealed: MapOptions,
    stream: streams.StreamOptions,
    run: RunFlags,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", help="The file of a `sfumato review`."),
    ] = None,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Sanitize a file by a policy, or by one method: the release appears with a privacy statement.

    A policy says what is looked for, and how each kind of value is treated: `sfumato policy show clinical`.

    Beside OUTPUT stands OUTPUT.privacy.json: what is promised, what it cost, what stays visible.
    """
    if policy.policy is not None:
        check_alone(method, found, chat, sealed)
        sanitize_by_policy(context, input, output, policy, texts, stream, run, decisions, as_json, quiet)
        return
    if decisions is not None:
        raise ConfigurationError("--decisions are about what a policy marks; name the policy of the review.")
    if not method.mechanism:
        advise(input, texts.encoding)
    usual, silent = method.method.default_detector, quiet or as_json
    method.check_budget()
    offer = Offer(method.mechanism, found.names(usual))
    given = {**method.given(offer.detectors), **found.given(usual)}
    asks = chat.needed(offer, run.workers)
    files = replace(texts.files(found.spans_field, run.keep_field, run.on_error), subject_field=run.subject_field)
    options = run.options(files, to_stream=output == streams.STANDARD)
    if streams.STANDARD in (input, output):
        check_streams(output == streams.STANDARD, options, asks and not chat.dry_run)
    secret = [sealed.map_file, sealed.map_key, method.key, run.pin]
    read = [*method.files, *found.files(usual), *secret, chat.rounds]
    doors = streams.doors(
        input, output, stream.form, stream.statement, run.force, read, texts.name_fields(options.files)
    )
    way = context.with_resource(doors)
    job = context.with_resource(opened(way.input, way.output, options, method.files))
    if job.source.kind == "shards" and (asks or sealed.map_file is not None):
        raise ConfigurationError(
            "Many files have no map and no language model to ask; sanitize the files one by one."
        )
    run.check_pin(texts.id_field, job.source.kind)
    ledger = context.with_resource(run.opened_ledger(output == streams.STANDARD))
    map_beside = map_writer(sealed.map_file, sealed.map_key, job.input, job.output, run.force or run.resume)
    check_secrets(secret, [*job.source.paths, *method.files, *found.files(usual)])
    randomness = run.randomness()
    check_first_records(job.source, not read_spans(offer.detectors))
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
        released = ready.release(bar, companions, None if bar is None else bar.draws, ledger)
    finish(way, released, sanitizer, use, chat, as_json, quiet, PASS if run.keep_field is None else NAMED)

"""``sfumato sanitize``: a file in, a file of the same kind out, a privacy statement beside it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.heuristics import found_by
from sfumato.cli import chat_options as asking
from sfumato.cli import options as choices
from sfumato.cli import redaction_options as redacting
from sfumato.cli import streams
from sfumato.cli.options import Choice, ModelChoice, counted
from sfumato.cli.printing import printing
from sfumato.cli.progress import file_bar, progress_bar
from sfumato.engines.routes import Unknown
from sfumato.engines.tokens import Consistency
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SeededRandomness, SystemRandomness
from sfumato.registry import detector_files, detector_names, is_contextual, mechanism_class
from sfumato.release.companions import rounds_beside
from sfumato.release.files import Released, prepared
from sfumato.release.job import opened
from sfumato.release.options import RunOptions, RunSummary


def sanitize(
    context: typer.Context,
    input: Annotated[
        Path,
        typer.Argument(
            help=".txt, .jsonl, .csv, .tsv, .parquet (each also .gz), a folder of .txt, or - (standard input)."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Where the release goes; same kind as the input. - is standard output."),
    ],
    mechanism: choices.MechanismName,
    epsilon: choices.Epsilon = None,
    field: choices.Fields = None,
    id_field: choices.IdField = None,
    spans_field: choices.SpansField = "spans",
    keep_field: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-field",
            help="Another field that stays (repeatable); all that are not named are left out. Without it all stay.",
        ),
    ] = None,
    detect: Annotated[
        list[str] | None,
        typer.Option(
            "--detect",
            help="What is replaced: words (if not said), content-words, entities, identifiers, disclosures, "
            "list:FILE, given or given:FILE (repeatable; what several find is united).",
        ),
    ] = None,
    detect_option: redacting.DetectOptions = None,
    allow: choices.Allow = None,
    deny: choices.Deny = None,
    skip_label: choices.SkipLabels = None,
    merge_spans: choices.MergeSpans = False,
    vocabulary: choices.VocabularyFile = None,
    lower: choices.Lower = False,
    encoder: choices.Encoder = None,
    k: choices.Amplification = None,
    clusters: choices.Clusters = None,
    set_size: choices.SetSize = None,
    calibration: choices.CalibrationName = "exact",
    option: choices.Extra = None,
    model: choices.ModelName = None,
    document_epsilon: choices.DocumentEpsilon = None,
    block: choices.Block = None,
    clip: choices.ClipOf = None,
    number_format: choices.NumberFormat = None,
    device: choices.Device = None,
    operator: redacting.Operators = None,
    scope: redacting.ScopeName = None,
    key: redacting.Key = None,
    map_file: redacting.MapFile = None,
    map_key: redacting.MapKey = None,
    chat_model: asking.ChatModelName = None,
    at_once: asking.AtOnce = None,
    timeout: asking.Timeout = None,
    no_cache: asking.NoCache = False,
    price: asking.CostOf = None,
    rounds: asking.RoundsFile = None,
    attribute: asking.Attributes = None,
    dry_run: asking.DryRun = False,
    unknown: Annotated[
        str | None, typer.Option("--unknown", help="Unknown words: nearest token, or the public surrogate.")
    ] = None,
    surrogate: Annotated[
        str | None, typer.Option("--surrogate", help="The public token unknown words become.")
    ] = None,
    consistency: Annotated[
        str | None,
        typer.Option("--consistency", help="mention: a draw for each place; document: for each distinct token."),
    ] = None,
    lines: choices.Lines = False,
    quoting: choices.Quoting = None,
    encoding: choices.Encoding = "utf-8",
    missing: choices.Missing = "stop",
    form: streams.Format = None,
    statement: streams.StatementFile = None,
    on_error: Annotated[str, typer.Option("--on-error", help="A broken record: stop, or quarantine it.")] = "stop",
    workers: Annotated[int, typer.Option("--workers", help="Processes that sanitize.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped run; finished chunks are kept.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.")] = False,
    seed: Annotated[int | None, typer.Option("--seed", help="Reproducible and NOT private: for tests.")] = None,
    pin: Annotated[Path | None, typer.Option("--pin", help="Secret key file: repeats give the same release.")] = None,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Sanitize a file: replace what is detected by draws from a public vocabulary, with a privacy statement.

    Beside OUTPUT stands OUTPUT.privacy.json: what is promised, what it cost, what stays visible.
    """
    network = ModelChoice(model, clip, document_epsilon, block, number_format, device)
    choice = Choice(
        mechanism, epsilon, vocabulary, encoder, k, clusters, set_size, calibration, option, lower, network
    )
    names = detector_names(detect or (found_by(mechanism) if choice.editing else "words"))
    if choice.editing:
        choice.options()  # refuses an epsilon, among others, before anything else is asked for
    elif epsilon is None and document_epsilon is None:
        if not is_contextual(mechanism):
            mechanism_class(mechanism)  # a name that does not exist is said before an epsilon is asked for
        example = 20 if is_contextual(mechanism) else 8
        raise ConfigurationError(
            f"How much privacy loss is allowed is yours to say: give --epsilon, for example {example}."
        )
    about = redacting.for_method(mechanism, operator, scope, key, map_file, map_key, option)
    about |= asking.for_method(mechanism, attribute)
    talk = asking.Talk(chat_model, at_once, timeout, no_cache, price, rounds, dry_run)
    asks = talk.needed(mechanism, names, workers)
    if asks and no_cache and map_file is not None:
        raise ConfigurationError(
            "--map asks the language model a second time, which may answer otherwise; leave out --no-cache."
        )
    files = FileOptions(
        fields=tuple(field or ["text"]),
        id_field=id_field,
        spans_field=spans_field if "given" in names else None,
        lines=lines,
        quoting=quoting,  # type: ignore[arg-type]
        on_error=on_error,  # type: ignore[arg-type]
        missing=missing,  # type: ignore[arg-type]
        encoding=encoding,
        keep=None if keep_field is None else tuple(keep_field),
    )
    options = RunOptions(files, workers, force, resume, private=output == streams.STANDARD)
    if streams.STANDARD in (input, output):
        _check_streams(output == streams.STANDARD, options, asks and not dry_run)
    read = [*choice.files, *detector_files(names, allow or (), deny or ()), key, map_key, pin, map_file, rounds]
    way = context.with_resource(streams.doors(input, output, form, statement, force, read))
    # A sentence about input, output and private files before minutes of preparation.
    job = context.with_resource(opened(way.input, way.output, options, choice.files))
    if pin is not None and id_field is None and job.source.kind != "folder":
        raise ConfigurationError(
            "--pin needs --id-field: draws are tied to the record's id, and a record's place in the file is none "
            "(two files would share their draws)."
        )
    map_beside = redacting.map_writer(map_file, map_key, job.input, job.output, force or resume)
    randomness = _randomness(seed, pin)
    words = choice.only_words(
        unknown=_one_of(unknown, Unknown), surrogate=surrogate, consistency=_one_of(consistency, Consistency)
    )
    silent = quiet or as_json
    if asks:
        beside = [path for path in (map_file, map_key, key, pin) if path is not None]
        use = talk.pretended() if dry_run else talk.use(mechanism, job.input, job.output, force, resume, beside)
        about["chat_model"] = use
    material = "language model" if is_contextual(mechanism) else "method" if choice.editing else "vocabulary"
    with progress_bar(f"Preparing the {material}", silent) as told:
        sanitizer: Sanitizer = build(
            mechanism, epsilon, detect=names, spans_field=spans_field, skip_labels=skip_label or (),
            merge_spans=merge_spans, detect_options=choices.named_values(detect_option, "--detect-option"),
            allow=allow or (), deny=deny or (), progress=told, **words, **about, **choice.options(),
        )  # fmt: skip
    with progress_bar("Certifying the guarantee", silent) as told:
        ready = prepared(job, sanitizer, randomness, told)
    if dry_run:
        typer.echo(asking.estimated(sanitizer, ready.job.source, talk.cost))
        return
    companions = [map_beside(sanitizer)] if map_beside else []
    companions += rounds_beside(use) if asks else []
    with file_bar(silent, job.source.size) as bar:
        released = ready.release(bar, companions, None if bar is None else bar.draws)
    if way.statement is not None:
        way.deliver(released.statement_path)
        released = released._replace(output=streams.STANDARD, statement_path=way.statement.path)
    labels = sanitizer.detector.public_labels and not sanitizer.rewrites_whole_text
    with printing(released.output, released.statement_path):
        _close(released, as_json, quiet, labels, way.statement is not None)
        if asks and not silent and released.summary is not None:
            for line in asking.told(use, talk.cost):
                typer.echo(line)


def _check_streams(to_stream: bool, options: RunOptions, asks: bool) -> None:
    """Refuse what needs a file beside the input or the output, where that is a stream."""
    if options.resume:
        raise ConfigurationError("A run from or to a stream cannot be resumed; leave out --resume, or name files.")
    if to_stream and options.files.on_error == "quarantine":
        raise ConfigurationError("Records are set aside in a file beside the output; name one with -o.")
    if to_stream and asks:
        raise ConfigurationError("What a language model found is noted beside the output; name a file with -o.")


def _randomness(seed: int | None, pin: Path | None) -> Randomness:
    if seed is not None and pin is not None:
        raise ConfigurationError("--seed and --pin exclude each other: a seed is for tests, a key for private runs.")
    if seed is not None:
        return SeededRandomness(seed)
    if pin is None:
        return SystemRandomness()
    path = choices.existing(pin, "The key file")
    assert path is not None
    return PinnedRandomness(path.read_bytes())


def _one_of(value: str | None, allowed: Any) -> Any:
    if value is not None and value not in get_args(allowed):
        raise ConfigurationError(f"Expected one of {', '.join(get_args(allowed))}, not {value!r}.")
    return value


def _close(released: Released, as_json: bool, quiet: bool, labels: bool, aside: bool) -> None:
    """Tell what was done; ``labels`` says whether how many spans have which label may be told.

    It is told on standard error where ``aside``: standard output holds the release.
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
    tell(f"{counted(done.records, 'record')}{draws} in {done.seconds:.1f} s -> {released.output}")
    if done.quarantined:
        tell(
            f"{counted(done.quarantined, 'broken record')} set aside in {released.output}.quarantine.jsonl (private!)"
        )
    if done.absent:
        texts = f"{done.absent:,} texts are" if done.absent > 1 else "1 text is"
        tell(f"{texts} null or missing, and passed on as such.")
    if labels:
        tell(_replaced(done))
    tell(promised["summary"])
    if certificate is None:
        tell(f"Statement: {released.statement_path}")
        return
    tell(
        f"Certified loss {certificate['certified']:.6g} ({certificate['kind']}); statement: {released.statement_path}"
    )


def _replaced(done: RunSummary) -> str:
    """How many spans were replaced, by label, and in how many records there was none."""
    often = sorted(done.labels.items(), key=lambda one: -one[1])
    each = f" ({', '.join(f'{name} {count:,}' for name, count in often)})" if often else ""
    left = f"; none in {done.untouched:,} of {counted(done.records, 'record')}" if done.untouched else ""
    return f"Replaced {counted(sum(done.labels.values()), 'span')}{each}{left}."

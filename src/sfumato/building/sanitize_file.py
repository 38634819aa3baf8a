"""A file sanitized in one call: from a method's name and two paths to a release with its statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields as fields_of
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.chat import ChatChoice
from sfumato.building.chat_runs import chat_of_run
from sfumato.building.detectors import read_spans
from sfumato.building.offers import Offer, check_budget, check_unbuilt
from sfumato.building.option_files import option_files
from sfumato.building.policies import build_policy, randomness_of_policy, read_by
from sfumato.building.secrets import check_secrets
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Budget, Ledger
from sfumato.ledger.ledger import kept_ledger
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.release.companions import map_beside, rounds_beside, rounds_place
from sfumato.release.files import Released, prepared
from sfumato.release.first_records import check_first_records
from sfumato.release.job import Job, opened
from sfumato.release.options import Companion, Engine, RunOptions
from sfumato.types import Stages, silent

if TYPE_CHECKING:
    from sfumato.options.keywords import FileKeywords

_OF_FILES = frozenset(field.name for field in fields_of(FileOptions)) - {"adjustable"}


@typed
def sanitize_file(
    method: Sanitizer | MethodChoice | Policy | str,
    input: Path | str,
    output: Path | str,
    epsilon: float | None = None,
    *,
    workers: int = 1,
    engine: Engine = "processes",
    overwrite: bool = False,
    resume: bool = False,
    map: Path | str | None = None,
    map_key: Path | str | bytes | None = None,
    rounds: Path | str | None = None,
    randomness: Randomness | None = None,
    ledger: Ledger | str | Path | None = None,
    ledger_key: Path | str | None = None,
    progress: Stages | None = None,
    begin: Callable[[], object] | None = None,
    **options: Unpack[FileKeywords],
) -> Released:
    """Sanitize a file or a folder; the release appears together with its privacy statement, or not at all.

    Before anything is built, the fields of the first records are checked. The guarantee is certified before a record
    is sanitized.

    Args:
        method: A method such as `sfumato.CusText(epsilon=6.0)`, its name, a sanitizer that was built already, or a
            policy. The fields and the key of a policy hold where nothing else is given; a field that neither names
            goes.
        input: .txt, .jsonl, .csv, .tsv, .parquet (each also .gz), or a folder of .txt. Many files of one format: a
            folder of .parquet, a pattern such as `notes/*.jsonl`, or an address such as `s3://bucket/notes`.
        output: Where the release goes; the same kind, for many files a folder. The statement is OUTPUT.privacy.json.
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP). For a name.
        workers: How many processes sanitize.
        engine: Where they are: `processes` of this machine, or actors on `ray`, which needs pinned randomness and an
            input of many files. The release is the same.
        overwrite: Replace an existing output.
        resume: Resume a stopped run of the same method, input and options; finished chunks are kept.
        map: Where an encrypted map goes, from which `sfumato.restore` restores the original. For redaction.
        map_key: The map's secret key: a file, or its bytes (32 or more); by default SFUMATO_MAP_KEY, hexadecimal.
        rounds: Where it is noted what a language model found; OUTPUT.rounds.jsonl by default. PRIVATE.
        randomness: The operating system's by default.
        ledger: Where the cost is reserved before any draw: a ledger, or its address; by default that of the policy.
        ledger_key: The file with the ledger's key; by default the ledger's name and ".key".
        progress: Called with the stage and the share of it that is done, from 0 to 1.
        begin: Called once, when everything that can be refused was looked at, and before any draw or charge.
        options: How the file is read (fields of `FileOptions`, such as `fields`, `id_field`, `lines`), and for a name
            the options of `sfumato.build` (such as `detect`, `vocabulary`, `operator`, `chat_model`). Answers of a
            language model are kept in OUTPUT.chat and are private; give a `ChatChoice` to decide about that.

    Raises:
        ConfigurationError: An option does not exist or cannot work.
        InputError: A record or the input cannot be read. The error names the place, never content.
        OutputError: The output cannot be written, exists, or belongs to another run.
        VocabularyError: A vocabulary cannot be used, or it is the private input.
        GuaranteeError: The guarantee cannot be certified. Nothing is released.
        BudgetError: Someone cannot pay. Nothing was drawn; OUTPUT.refused.jsonl lists who. PRIVATE.
        LedgerError: The ledger cannot be used. Nothing is released.
    """
    given: dict[str, Any] = {**options}
    if isinstance(method, MethodChoice):
        method, epsilon, given = by_name(method, epsilon, given, _OF_FILES)
    stages, address = progress or silent, ledger
    budget: Budget | None = None
    if isinstance(method, Policy):
        budget, address, ledger_key = method.budget.budget, ledger or method.ledger, ledger_key or method.ledger_key
        method, given = read_by(method, given)
        randomness = randomness or randomness_of_policy(method)
    randomness = randomness or SystemRandomness()
    files, building = _by_kind(given)
    _check_method(method, epsilon, building)
    public = option_files(Offer.of(method, building), building) if isinstance(method, str) else []
    with (
        opened(input, output, RunOptions(files, workers, overwrite, resume, engine=engine), public) as job,
        kept_ledger(address, ledger_key, budget) as account,
    ):
        _check_pinned(randomness, job)
        if isinstance(method, Policy):
            check_secrets([method.pin], [*job.source.paths, *method.files])
        _check_many(job, map, given)
        maps = _maps(map, map_key, job)
        _check_rounds(rounds, building)
        if not isinstance(method, Sanitizer):
            check_first_records(job.source, not _reads_spans(method, building))
        asked: list[Companion] = []
        if isinstance(method, Policy):
            method = build_policy(method, progress=partial(stages, "Preparing"))
        elif isinstance(method, str):
            building, asked = _with_chat(building, rounds, job, map, map_key)
            method = build(method, epsilon, **{"progress": partial(stages, "Preparing"), **building})
        companions = [*(companion(method) for companion in maps), *asked]
        ready = prepared(job, method, randomness, partial(stages, "Certifying"))
        if begin is not None:
            begin()
        return ready.release(
            lambda done, total, _: stages("Sanitizing", done / max(1, total)), companions, ledger=account
        )


def _by_kind(options: Mapping[str, Any]) -> tuple[FileOptions, dict[str, Any]]:
    """Return how files are read, and the options with which a method is built; both may name the field of spans."""
    reading = {name: _listed(value) for name, value in options.items() if name in _OF_FILES}
    building = {name: value for name, value in options.items() if name not in _OF_FILES or name == "spans_field"}
    return FileOptions(**reading), building


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _reads_spans(method: Policy | str, options: Mapping[str, Any]) -> bool:
    """Return whether what finds the spans reads some from a field."""
    return read_spans(method.find.detect if isinstance(method, Policy) else Offer.of(method, options).detectors)


def _check_method(method: Sanitizer | Policy | str, epsilon: float | None, options: Mapping[str, Any]) -> None:
    """Refuse an epsilon or options for what is built already, and a name with a guarantee without an epsilon."""
    if isinstance(method, str):
        check_budget(method, epsilon is not None or options.get("document_epsilon") is not None, "epsilon")
    else:
        check_unbuilt(epsilon, options.keys() - {"spans_field"})


def _check_pinned(randomness: Randomness, job: Job) -> None:
    """Refuse pinned draws for records without an id."""
    if randomness.keyed and randomness.private and job.options.files.id_field is None and job.source.kind != "folder":
        raise ConfigurationError(
            "Pinned randomness needs id_field: draws are tied to the record's id, and two files would share the "
            "draws of records that only have a place."
        )


def _check_many(job: Job, map: Path | str | None, options: Mapping[str, Any]) -> None:
    """Refuse what many files have no place for: a map back to them, and the answers of a language model."""
    if job.source.kind == "shards" and (map is not None or "chat_model" in options):
        raise ConfigurationError(
            "Many files have no map and no language model to ask (map, chat_model); sanitize the files one by one."
        )


def _check_rounds(rounds: Path | str | None, building: Mapping[str, Any]) -> None:
    """Refuse a place for the rounds of a language model that this run does not set up."""
    if rounds is not None and not isinstance(building.get("chat_model"), str | ChatChoice):
        raise ConfigurationError(
            "rounds is where it is noted what a language model found; name the model (chat_model), or leave it out."
        )


def _maps(map: Path | str | None, key: Path | str | bytes | None, job: Job) -> list[Callable[[Sanitizer], Companion]]:
    """Return what writes the map beside the output, if there is to be one."""
    if map is None:
        if key is not None:
            raise ConfigurationError("map_key is the key of a map; say with map where it goes.")
        return []
    secret = Path(key) if isinstance(key, str) else key
    return [map_beside(Path(map), secret, job.input, job.output, job.options.replaces)]


def _with_chat(
    options: dict[str, Any], rounds: Path | str | None, job: Job, *others: Path | str | bytes | None
) -> tuple[dict[str, Any], list[Companion]]:
    """Return ``options`` with a language model that is ready to be asked, and what notes what it found."""
    model = options.get("chat_model")
    if not isinstance(model, str | ChatChoice):
        return options, []
    choice = ChatChoice(model) if isinstance(model, str) else model
    place = rounds_place(job.output, None if rounds is None else Path(rounds))
    beside = [Path(path) for path in others if isinstance(path, str | Path)]
    use = chat_of_run(choice, place, job.input, job.output, job.options.overwrite, job.options.resume, beside)
    return {**options, "chat_model": use}, rounds_beside(use)

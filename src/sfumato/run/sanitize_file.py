"""A file or a text sanitized in one call: from a method or a policy to a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields as fields_of
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.offers import check_unbuilt
from sfumato.building.policies import build_policy, randomness_of_policy
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Ledger
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.privacy.randomness import Randomness
from sfumato.release.files import Released
from sfumato.release.job import Engine, RunOptions
from sfumato.run.checks import check_apart, check_method
from sfumato.run.execute import execute
from sfumato.run.request import Named, Request, read_as
from sfumato.text.document import Document, Release
from sfumato.types import Stages

if TYPE_CHECKING:
    from sfumato.options.keywords import FileKeywords, MethodKeywords

_OF_FILES = frozenset(field.name for field in fields_of(FileOptions)) - {"adjustable"}
P = TypeVar("P", bound=Path | bytes | None)


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
    decisions: Path | str | None = None,
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
        decisions: The file of a review (`sfumato review`) of what a policy marks.
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
    reading = {name: value for name, value in given.items() if name in _OF_FILES}
    building = {name: value for name, value in given.items() if name not in _OF_FILES or name == "spans_field"}
    if not isinstance(method, str):
        check_unbuilt(epsilon, building.keys() - {"spans_field"})
    chosen, files = read_as(Named(method, epsilon, building) if isinstance(method, str) else method, reading)
    request = Request(
        chosen, Path(input), Path(output), RunOptions(files, workers, overwrite, resume, engine=engine), randomness,
        ledger=ledger, ledger_key=_path(ledger_key), map=_path(map), map_key=_path(map_key), rounds=_path(rounds),
        decisions=_path(decisions),
    )  # fmt: skip
    return execute(request, progress, begin)


def _path(given: P | str) -> P | Path:
    """Return ``given`` as a path if it is text."""
    return Path(given) if isinstance(given, str) else given


Method = Sanitizer | MethodChoice | Policy | str


@typed
def sanitize(
    method: Method,
    text: str | Document,
    epsilon: float | None = None,
    *,
    randomness: Randomness | None = None,
    **options: Unpack[MethodKeywords],
) -> Release:
    """Sanitize one text.

    Each call builds the method and certifies it. For several texts build a sanitizer once, with `sfumato.build`, and
    call its `sanitize` or `sanitize_stream`.

    Args:
        method: A method such as `sfumato.CusText(epsilon=6.0)`, its name, a policy, or a sanitizer. A policy with a
            budget is refused, because no ledger keeps account of texts in memory.
        text: A text, or a `Document`, which brings an id and given spans along.
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP). For a name.
        randomness: The operating system's by default.
        options: Options of `sfumato.build`, for a name.

    Raises:
        ConfigurationError: An option does not exist or cannot work.
        InputError: The text cannot be sanitized. The error does not quote it.
        GuaranteeError: The guarantee cannot be certified. Nothing is released.
    """
    if isinstance(method, Policy):
        randomness = randomness or randomness_of_policy(method)
    return _built(method, epsilon, options).sanitize(text, randomness)


def _built(method: Method, epsilon: float | None, options: Mapping[str, Any]) -> Sanitizer:
    """Return the sanitizer of ``method``. Raise ConfigurationError for a policy whose budget nothing would keep."""
    if isinstance(method, Sanitizer | Policy):
        check_unbuilt(epsilon, options)
    if isinstance(method, Sanitizer):
        return method
    if isinstance(method, Policy):
        if method.budget.caps or method.budget.ledger:
            raise ConfigurationError(
                "Texts in memory have no ledger that could keep the policy's budget; sanitize a file "
                "(sfumato.sanitize_file), or leave out [budget]."
            )
        check_method(method)
        check_apart([method.pin], method.files)
        return build_policy(method)
    if isinstance(method, str):
        check_method(Named(method, epsilon, options))
    return build(method, epsilon, **options)

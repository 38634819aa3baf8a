"""Synthesize a file by plain names: the Python face of `sfumato synthesize`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.synthesizer import Synthesizer
from sfumato.building.offers import no_budget
from sfumato.building.synthesizers import build_synthesizer, public_files
from sfumato.errors import ConfigurationError, OptionError
from sfumato.files import FileOptions
from sfumato.options.typed import typed
from sfumato.policy.policy import Policy
from sfumato.privacy.composition import delta_for
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.release.job import RunOptions, opened
from sfumato.run.checks import check_public
from sfumato.synthesis.codes import CodeField
from sfumato.synthesis.publishing import Synthesized
from sfumato.synthesis.request import Planned, Request, planned
from sfumato.synthesis.run import check_job, synthesize_job
from sfumato.types import Stages, silent
from sfumato.vocabularies.private import refuse_private

if TYPE_CHECKING:
    from sfumato.options.keywords import SynthesisKeywords

_OF_FILES = frozenset(field.name for field in fields_of(FileOptions)) - {
    "adjustable",
    "labels",
    "keep",
    "spans_field",
}


@typed
def synthesize_file(
    method: MethodChoice | Synthesizer | str,
    input: Path | str,
    output: Path | str,
    *,
    units: int,
    records: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    no_guarantee: bool = False,
    codes: Sequence[str] = (),
    public_fields: Sequence[str] = (),
    unit_field: str | None = None,
    texts_per_unit: int = 1,
    topics: int = 0,
    overwrite: bool = False,
    resume: bool = False,
    save_model: Path | str | None = None,
    randomness: Randomness | None = None,
    progress: Stages | None = None,
    **options: Unpack[SynthesisKeywords],
) -> Synthesized:
    """Write synthetic records in the manner of a file's; they appear together with their privacy statement.

    The guarantee is for a whole record or person. Everything that it depends on is fixed before a record is read.

    Args:
        method: A method such as `sfumato.Finetune(epochs=5)`, its name, or a synthesizer that was built already.
        input: .jsonl, .csv, .tsv, .parquet, .txt with a document a line (each also .gz), or a folder of .txt.
        output: Where the records go; the same kind. The statement is OUTPUT.privacy.json.
        units: About how many people or records the input holds. It is public: the noise depends on it.
        records: How many records are written; with public fields as many as there are by default.
        epsilon: The ε for a whole record or person, in nats.
        delta: The δ; by default a tenth of 1 over the units, and 1e-6 at most.
        no_guarantee: Without a guarantee, and without an epsilon: no clipping, no noise.
        codes: Fields that say what a record is about: "FIELD=VALUE,VALUE", or "FIELD" if its values are to be found.
        public_fields: Fields that are released as they are, record by record.
        unit_field: The field that names the person of a record; by default each record is a unit.
        texts_per_unit: How many records of a person are used at most.
        topics: How many public topics say what a record is about, at most, each read off its text; 0: none.
        overwrite: Replace an existing output.
        resume: Go on with a stopped run of the same method, input and options. Nothing is paid for twice.
        save_model: Keep the tuned model in this folder, for more records later (`sfumato synthesize --from`).
        randomness: The operating system's by default.
        progress: Called with the stage and the share of it that is done, from 0 to 1.
        options: How the file is read (fields of `FileOptions`, such as `fields`, `lines`), and for a name the options
            of the method (`sfumato list finetune`), such as `model`.

    Raises:
        ConfigurationError: An option does not exist or cannot work, or there are too few records for any sense.
        InputError: The input cannot be read. The error names the place, never content.
        OutputError: The output cannot be written, exists, or belongs to another run.
        GuaranteeError: No noise keeps the guarantee. Nothing is read.
    """
    check_budget(epsilon, no_guarantee)
    given: dict[str, Any] = {**options}
    if isinstance(method, MethodChoice):
        method, _, given = by_name(method, None, given, _OF_FILES)
    files, building = _by_kind(given)
    fields = tuple(map(CodeField.of, codes))
    request = Request(
        records, units, epsilon, delta, fields, tuple(public_fields), unit_field, texts_per_unit, topics
    )
    if isinstance(method, Synthesizer) and building:
        raise ConfigurationError("What is built already has its options; leave them out.")
    public = public_files(method, building) if isinstance(method, str) else []
    made = build_synthesizer(method, **building) if isinstance(method, str) else method
    folder, options_of_run = None if save_model is None else Path(save_model), RunOptions(files, 1, overwrite, resume)
    return synthesized(
        planned(made, request), Path(input), Path(output), options_of_run, randomness, public, folder, progress
    )


def planned_by(policy: Policy) -> Planned:
    """Return the synthesis that ``policy`` asks for, of the people who are not held out. Reads nothing private.

    Raise ConfigurationError or GuaranteeError for what makes no sense, or costs more than it may.
    """
    asked = policy.synthesize
    if not asked.units:
        raise ConfigurationError(
            "The policy writes new records, and its noise depends on about how many records or people there are; "
            "say so, in public: --set synthesize.units=5000."
        )
    units = max(1, round(asked.units * (1 - (asked.held_out or 0.0)))) + asked.canaries
    codes = tuple(CodeField(name, tuple(values) or None) for name, values in asked.codes.items())
    request = Request(
        asked.records or units, units, asked.epsilon, asked.delta or delta_for(asked.units), codes, (),
        policy.fields.subject, asked.texts_per_unit, asked.topics,
    )  # fmt: skip
    return planned(build_synthesizer(asked.method, **asked.options), request)


def synthesized(
    plan: Planned, input: Path, output: Path, options: RunOptions, randomness: Randomness | None = None,
    public: Sequence[Path] = (), model: Path | None = None, stages: Stages | None = None,
    begin: Callable[[], object] | None = None, pay: Callable[[], object] | None = None,
) -> Synthesized:  # fmt: skip
    """Write what ``plan`` says of ``input`` to ``output``; the method was built from the ``public`` files.

    ``begin`` is called when everything was looked at, before anything is loaded, read or paid; ``pay`` when the
    records were read and looked at, before the first draw. Raise as :func:`synthesize_file` does.
    """
    told = stages or silent
    refuse_private(public, [input])
    with opened(input, output, options) as job:
        check_public(public, input, job.source)
        check_job(job, plan, model)
        if begin is not None:
            begin()
        plan.prepare(partial(told, "Preparing"))
        return synthesize_job(job, plan, randomness or SystemRandomness(), told, model, pay)


def _by_kind(options: Mapping[str, Any]) -> tuple[FileOptions, dict[str, Any]]:
    """Return how the file is read, and the options of the method."""
    reading = {name: value for name, value in options.items() if name in _OF_FILES}
    listed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    return FileOptions(**listed), {name: value for name, value in options.items() if name not in _OF_FILES}


def check_budget(epsilon: float | None, no_guarantee: bool) -> None:
    """Refuse a run that says neither an epsilon nor that it wants none, or both."""
    if epsilon is None and not no_guarantee:
        raise no_budget(8, ", or {no_guarantee} for records about which nothing is proved")
    if epsilon is not None and no_guarantee:
        raise OptionError("A run has a guarantee or none: give {epsilon} or {no_guarantee}, not both.")

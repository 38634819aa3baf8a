"""From an input to synthetic records and their statement: both appear together, or neither does."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files import Source, writing
from sfumato.privacy.randomness import Randomness
from sfumato.release.job import Job, check_output
from sfumato.synthesis.codes import (
    CodeField,
    CodeTable,
    check_found,
    codes_wanted,
    found,
    noisy_shares,
    text_of,
    value_of,
)
from sfumato.synthesis.publishing import KeptRecipe, Synthesized, check_kind, published, statement
from sfumato.synthesis.request import Planned
from sfumato.synthesis.topics import TOPIC, TextVectors
from sfumato.synthesis.workspace import RunFolder, check_randomness
from sfumato.text.document import name_of_person
from sfumato.types import Progress, Stages
from sfumato.vocabularies.private import refuse_private


@dataclass(frozen=True)
class PrivateRecords:
    """The texts of an input with the fields that are read along, unit by unit. PRIVATE.

    A unit holds at most as many records as one may contribute: its first ones in the file.
    """

    units: Sequence[Sequence[tuple[str, Mapping[str, Any]]]] = field(repr=False)

    def check_names(self, codes: Sequence[CodeField], public: Sequence[str]) -> None:
        """Raise ConfigurationError for a field that no record has, or a code none of whose values any record has.

        Nothing is drawn yet, and nothing is paid. Single values that no record has stay: a list of values is public,
        and must not be fitted to the records.
        """
        for name in (*(code.name for code in codes), *public):
            if not any(_text(record.get(name)) for records in self.units for _, record in records):
                raise ConfigurationError(
                    f"No record has a value in the field {name!r}; name a field that the records have."
                )
        for code in codes:
            present = {value_of(record, code.name) for records in self.units for _, record in records}
            if code.values is not None and present.isdisjoint(code.values):
                raise ConfigurationError(
                    f"No record has one of the values that are declared for the code {code.name}; declare the values "
                    "as the records spell them."
                )

    def values(self, name: str) -> list[str]:
        """Return the value of the code ``name`` that each unit gives: that of its first record."""
        return [value_of(records[0][1], name) for records in self.units]

    def about(self, topics: Sequence[Sequence[str]]) -> PrivateRecords:
        """Return the records with a further field: the topic of each."""
        units = [
            [(text, {**record, TOPIC: topic}) for (text, record), topic in zip(records, own, strict=True)]
            for records, own in zip(self.units, topics, strict=True)
        ]
        return PrivateRecords(units)

    def coded(self, table: CodeTable) -> list[Unit]:
        """Return the units with the index of each text's code in ``table``."""
        return [
            Unit(tuple(text for text, _ in records), tuple(table.index(record) for _, record in records))
            for records in self.units
        ]

    def with_public(self, fields: Sequence[str]) -> tuple[list[Unit], list[dict[str, str]]]:
        """Return units whose every record has its own code, and all codes: the public ``fields`` as they stand."""
        units, known = list[Unit](), list[dict[str, str]]()
        for records in self.units:
            first = len(known)
            for _, record in records:
                known.append({name: _text(record.get(name)) for name in fields})
            units.append(Unit(tuple(text for text, _ in records), tuple(range(first, len(known)))))
        return units, known


def read_units(source: Source, unit_field: str | None, texts_per_unit: int) -> PrivateRecords:
    """Return the records of ``source``, each a unit, or those with one value of ``unit_field`` together.

    Raise InputError for an input without a record, or for a record that names nobody.
    """
    people: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    count = 0
    for chunk in source.chunks():
        for document in chunk.documents:
            who = str(count) if unit_field is None else name_of_person(_text(document.metadata.get(unit_field)))
            count += 1
            if not who:
                raise InputError(
                    f"{chunk.file}: record {count} has no value in the field {unit_field!r}, which names its person; "
                    "correct the record."
                )
            own = people.setdefault(who, [])
            if len(own) < texts_per_unit:
                own.append((document.text, document.metadata))
    if not people:
        raise InputError(f"{source.name} holds no records.")
    return PrivateRecords(list(people.values()))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def fields_read(codes: Sequence[CodeField], public: Sequence[str], unit_field: str | None) -> tuple[str, ...]:
    """Return the fields that are read beside the text."""
    return tuple(dict.fromkeys([*(code.name for code in codes), *public, *([unit_field] if unit_field else [])]))


def fields_of(made: Planned) -> tuple[str, ...]:
    """Return the fields that a run reads beside the text."""
    request = made.request
    return fields_read(request.codes, request.public_fields, request.unit_field)


def check_job(job: Job, made: Planned, model: Path | None = None) -> None:
    """Refuse a job whose file cannot hold the records, or whose text field is something else as well.

    The folder ``model`` for a tuned model must not exist, and the method must tune one. Raise VocabularyError where a
    file that the method was built from is the input.
    """
    refuse_private(made.synthesizer.sources, [job.input])
    if model is not None:
        made.synthesizer.check_keeping()
        left = os.path.lexists(model) and not job.options.resume  # a stopped run may have kept its model already
        if left or not model.resolve().parent.is_dir():
            raise OutputError(f"{model} exists, or its folder does not; choose another place for the model.")
    fields, files = fields_of(made), job.options.files
    if not files.one_text:
        raise ConfigurationError("A synthetic record has one text; name one field (--field).")
    if files.fields[0] in (*fields, *([TOPIC] if made.request.topics else [])):
        raise ConfigurationError(
            f"The field {files.fields[0]!r} is the text; it is no code, no topic, not public, and names nobody."
        )
    check_kind(job.source.kind, files.lines, fields)


def synthesize_job(
    job: Job, made: Planned, randomness: Randomness, progress: Stages, model: Path | None = None,
    pay: Callable[[], object] | None = None,
) -> Synthesized:  # fmt: skip
    """Write the records that ``made`` plans from the input of ``job``. Models are loaded by now.

    A tuned model is kept in the folder ``model``, where one is named. ``pay`` is called before the first draw.

    Raise InputError for an input that cannot be
    read (it names the place, never content), OutputError for an output that cannot be written, and the errors of the
    method.
    """
    job = job.reading(replace(job.options.files, labels=fields_of(made), keep=None, missing="stop"))
    check_randomness(randomness)
    setting = _setting(made)
    kept = RunFolder(job.output, _fingerprint(job, setting, randomness), setting)
    if not job.checked:  # an output that is complete is no run to resume
        check_output(job.source, job.parts(), job.options)
    progress("Reading", 0.0)
    records = read_units(job.source, made.request.unit_field, made.request.texts_per_unit)
    records.check_names(made.request.codes, made.request.public_fields)
    if pay is not None:
        pay()
    with writing(job.output):
        workspace = kept.opened(randomness, job.options.resume, job.options.overwrite)
    with kept.unless_unpaid():
        released = _synthesized(job, made, randomness, records, workspace, progress, model)
    with writing(job.output):
        kept.remove()
    return released


def _synthesized(
    job: Job, made: Planned, randomness: Randomness, records: PrivateRecords, workspace: Workspace,
    progress: Stages, model: Path | None,
) -> Synthesized:  # fmt: skip
    """Draw, write and publish; what is paid for is kept in the ``workspace``."""
    values, records = _about(records, made, workspace, partial(progress, "Finding topics"))
    values |= {
        code.name: tuple(workspace.paid(f"values-{number}", partial(
            found, records.values(code.name), code.name, made.noise or 0.0, made.request.finding or 0.5, workspace
        )))
        for number, code in enumerate(made.request.codes) if code.values is None
    }  # fmt: skip
    check_found(values)
    topic = [] if made.topics is None else [CodeField(TOPIC, None)]
    table = CodeTable.of([*topic, *made.request.codes], values)
    order, units, rows, shares = _coded(records, made, table, workspace)
    wanted = codes_wanted(len(rows), shares, made.request.records)
    order = replace(order, wanted=len(wanted))
    job.check_unchanged()
    told = partial(progress, "Synthesizing")
    texts = list(made.synthesizer.synthesize(order, made.schedule, units, wanted, workspace, told))
    name = job.options.files.fields[0]
    stated = statement(made, randomness, values, len(texts))
    if model is not None:
        recipe = KeptRecipe(name, rows, shares, stated)
        made.synthesizer.keep_model(order, made.schedule, units, workspace, model, recipe.as_dict())
    synthetic = [{**rows[code], name: text} for code, text in zip(wanted, texts, strict=True)]
    return published(job.parts(), name, stated, synthetic)


def _about(
    records: PrivateRecords, made: Planned, workspace: Workspace, progress: Progress
) -> tuple[dict[str, tuple[str, ...]], PrivateRecords]:
    """Return the topics that the run keeps, by the name of their field, and the records with the topic of each."""
    if made.topics is None:
        return {}, records
    read = TextVectors.of(made.topics, [[text for text, _ in own] for own in records.units], progress)
    chosen = workspace.paid("topics", lambda: read.chosen(made.noise, workspace))
    return {TOPIC: tuple(made.topics.phrases[index] for index in chosen)}, records.about(read.named(chosen))


def _coded(
    records: PrivateRecords, made: Planned, table: CodeTable, workspace: Workspace
) -> tuple[Order, Sequence[Unit], Sequence[Mapping[str, str]], list[float] | None]:
    """Return the order with its codes, the units, the values of each code by field, and the codes' shares."""
    request = made.request
    if request.public_fields:
        units, rows = records.with_public(request.public_fields)
        return replace(made.order, codes=tuple(map(text_of, rows)), found=0), units, rows, None
    units = records.coded(table)
    shares = [1.0]
    if request.counts_codes:
        shares = workspace.paid("shares", lambda: noisy_shares(units, len(table), made.noise, workspace).tolist())
    return replace(made.order, codes=table.texts(), found=0), units, table.rows(), shares


def _setting(made: Planned) -> str:
    """Return a hash of everything public that decides the records: program, request, method and schedule."""
    kind = version.origin(type(made.synthesizer))
    topics = None if made.topics is None else made.topics.as_dict()
    method = [kind, dict(made.synthesizer.parameters), made.schedule.as_dict(), made.noise, topics]
    return _hash([version.VERSION, asdict(made.request), *method])


def _fingerprint(job: Job, setting: str, randomness: Randomness) -> str:
    """Return what changes with the setting, the input and the randomness: two runs of one are the same run."""
    return _hash([setting, job.state, job.output.name, repr(job.options.files), randomness.fingerprint()])


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

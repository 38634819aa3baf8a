"""From an input to synthetic records and their statement: both appear together, or neither does."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import writing
from sfumato.privacy.randomness import Randomness
from sfumato.release.job import Job, check_output
from sfumato.synthesis.codes import CodeTable, check_found, found, text_of
from sfumato.synthesis.more import Recipe
from sfumato.synthesis.proportions import codes_wanted, noisy_shares
from sfumato.synthesis.publishing import Synthesized, published
from sfumato.synthesis.request import Planned
from sfumato.synthesis.statement import statement
from sfumato.synthesis.units import PrivateRecords, fields_read, read_units
from sfumato.synthesis.workspace import Kept, check_randomness
from sfumato.synthesis.writing import check_kind
from sfumato.types import Stages
from sfumato.vocabularies.private import refuse_private


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
    if files.fields[0] in fields:
        raise ConfigurationError(
            f"The field {files.fields[0]!r} is the text; it is no code, not public, and names nobody."
        )
    check_kind(job.source.kind, files.lines, fields)


def synthesize_job(
    job: Job, made: Planned, randomness: Randomness, progress: Stages, model: Path | None = None
) -> Synthesized:
    """Write the records that ``made`` plans from the input of ``job``. Models are loaded by now.

    A tuned model is kept in the folder ``model``, where one is named. Raise InputError for an input that cannot be
    read (it names the place, never content), OutputError for an output that cannot be written, and the errors of the
    method.
    """
    job = job.reading(replace(job.options.files, labels=fields_of(made), keep=None, missing="stop"))
    check_randomness(randomness)
    setting = _setting(made)
    kept = Kept(job.output, _fingerprint(job, setting, randomness), setting)
    if not job.checked:  # an output that is complete is no run to resume
        check_output(job.source, job.parts(), job.options)
    progress("Reading", 0.0)
    records = read_units(job.source, made.request.unit_field, made.request.texts_per_unit)
    records.check_names(made.request.codes, made.request.public_fields)
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
    values = {
        code.name: tuple(workspace.paid(f"values-{number}", partial(
            found, records.values(code.name), code.name, made.noise or 0.0, made.request.finding or 0.5, workspace
        )))
        for number, code in enumerate(made.request.codes) if code.values is None
    }  # fmt: skip
    check_found(values)
    table = CodeTable.of(made.request.codes, values)
    order, units, rows, shares = _coded(records, made, table, workspace)
    wanted = codes_wanted(len(rows), shares, made.request.records)
    order = replace(order, wanted=len(wanted))
    job.check_unchanged()
    told = partial(progress, "Synthesizing")
    texts = list(made.synthesizer.synthesize(order, made.schedule, units, wanted, workspace, told))
    name = job.options.files.fields[0]
    stated = statement(made, randomness, values, len(texts))
    if model is not None:
        recipe = Recipe(name, rows, shares, stated)
        made.synthesizer.keep_model(order, made.schedule, units, workspace, model, recipe.as_dict())
    synthetic = [{**rows[code], name: text} for code, text in zip(wanted, texts, strict=True)]
    return published(job.parts(), name, stated, synthetic)


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
    if request.codes:
        shares = workspace.paid("shares", lambda: noisy_shares(units, len(table), made.noise, workspace).tolist())
    return replace(made.order, codes=table.texts(), found=0), units, table.rows(), shares


def _setting(made: Planned) -> str:
    """Return a hash of everything public that decides the records: program, request, method and schedule."""
    kind = version.origin(type(made.synthesizer))
    method = [kind, dict(made.synthesizer.parameters), made.schedule.as_dict(), made.noise]
    return _hash([version.VERSION, asdict(made.request), *method])


def _fingerprint(job: Job, setting: str, randomness: Randomness) -> str:
    """Return what changes with the setting, the input and the randomness: two runs of one are the same run."""
    return _hash([setting, job.state, job.output.name, repr(job.options.files), randomness.fingerprint()])


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

"""From an input to synthetic records and their statement: both appear together, or neither does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sfumato import version
from sfumato.abstract.synthesizer import Order, Unit
from sfumato.errors import ConfigurationError
from sfumato.files import writing
from sfumato.privacy.randomness import Randomness
from sfumato.release.job import Job
from sfumato.storage import created, publish
from sfumato.storage.digests import digest_of_everything
from sfumato.synthesis.codes import CodeTable, found, text_of
from sfumato.synthesis.proportions import apportioned, noisy_shares
from sfumato.synthesis.request import Planned
from sfumato.synthesis.statement import statement
from sfumato.synthesis.units import PrivateRecords, fields_read, read_units
from sfumato.synthesis.workspace import Kept
from sfumato.synthesis.writing import check_kind, write_records
from sfumato.text import notebook
from sfumato.types import Stages


class Synthesized(NamedTuple):
    """What a synthesis wrote, what it guarantees, and where both are.

    Attributes:
        records: How many records it wrote.
        statement: The privacy statement, as JSON types.
        output: Where the records are.
        statement_path: Where the statement is.
    """

    records: int
    statement: dict[str, Any]
    output: Path
    statement_path: Path

    def __repr__(self) -> str:
        return f"Synthesized({self.output.name}: {self.records:,} records)"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("records", f"{self.records:,}"), ("statement", self.statement_path.name)]
        told = f"<p>{notebook.escaped(self.statement.get('summary', ''))}</p>"
        return notebook.caption(self.output.name) + told + notebook.table(rows)


def fields_of(made: Planned) -> tuple[str, ...]:
    """Return the fields that a run reads beside the text."""
    request = made.request
    return fields_read(request.codes, request.public_fields, request.unit_field)


def check_job(job: Job, made: Planned) -> None:
    """Refuse a job whose file cannot hold the records, or whose text field is something else as well."""
    fields, files = fields_of(made), job.options.files
    if not files.one_text:
        raise ConfigurationError("A synthetic record has one text; name one field (--field).")
    if files.fields[0] in fields:
        raise ConfigurationError(
            f"The field {files.fields[0]!r} is the text; it is no code, not public, and names nobody."
        )
    check_kind(job.source.kind, files.lines, fields)


def synthesize_job(job: Job, made: Planned, randomness: Randomness, progress: Stages) -> Synthesized:
    """Write the records that ``made`` plans from the input of ``job``. Models are loaded by now.

    Raise InputError for an input that cannot be read (it names the place, never content), OutputError for an output
    that cannot be written, and the errors of the method.
    """
    job = job.reading(replace(job.options.files, labels=fields_of(made), keep=None, missing="stop"))
    setting = _setting(made)
    kept = Kept(job.output, _fingerprint(job, setting, randomness), setting)
    with writing(job.output):
        workspace = kept.opened(randomness, job.options.resume, job.options.overwrite)
    progress("Reading", 0.0)
    records = read_units(job.source, made.request.unit_field, made.request.texts_per_unit)
    values = {
        code.name: tuple(kept.paid(f"values of {code.name}", partial(
            found, records.values(code.name), code.name, made.noise or 0.0, made.request.finding or 0.5, workspace
        )))
        for code in made.request.codes if code.values is None
    }  # fmt: skip
    order, units, rows, wanted = _coded(records, made, CodeTable.of(made.request.codes, values), kept, workspace)
    job.check_unchanged()
    told = partial(progress, "Synthesizing")
    texts = list(made.synthesizer.synthesize(order, made.schedule, units, wanted, workspace, told))
    name = job.options.files.fields[0]
    made_records = [{**rows[code], name: text} for code, text in zip(wanted, texts, strict=True)]
    return _published(job, made, randomness, values, made_records, kept)


def _coded(
    records: PrivateRecords, made: Planned, table: CodeTable, kept: Kept, workspace: Any
) -> tuple[Order, Sequence[Unit], Sequence[Mapping[str, str]], list[int]]:
    """Return the order with its codes, the units, each code's values by field, and the code of each record wanted."""
    request = made.request
    if request.public_fields:
        units, rows = records.with_public(request.public_fields)
        wanted = [index % len(rows) for index in range(request.records or len(rows))]
        return replace(made.order, codes=tuple(map(text_of, rows)), wanted=len(wanted)), units, rows, wanted
    units = records.coded(table)
    shares = [1.0]
    if request.codes:
        shares = kept.paid("shares", lambda: noisy_shares(units, len(table), made.noise, workspace).tolist())
    wanted = apportioned(np.asarray(shares), made.order.wanted)
    return replace(made.order, codes=table.texts()), units, table.rows(), wanted


def _published(
    job: Job, made: Planned, randomness: Randomness, values: Mapping[str, Sequence[str]],
    records: Sequence[Mapping[str, str]], kept: Kept,
) -> Synthesized:  # fmt: skip
    """Write records and statement, and give both their names."""
    parts = job.parts()
    with writing(job.output):
        write_records(
            parts.release.ready, job.output.name, job.source.kind, records, job.options.files.fields[0],
            job.options.private,
        )  # fmt: skip
        stated = statement(made, randomness, values, len(records))
        named = {"name": job.output.name, "sha256": digest_of_everything(parts.release.ready)}
        with created(parts.statement.ready) as file:
            file.write((json.dumps({**stated, "release": named}, indent=2, ensure_ascii=False) + "\n").encode())
        publish([parts.statement, parts.release])
        for place in parts.places:
            place.forget()
        kept.remove()
    return Synthesized(len(records), stated, job.output, parts.statement.path)


def _setting(made: Planned) -> str:
    """Return a hash of everything public that decides the records: program, request, method and schedule."""
    method = [made.synthesizer.name, dict(made.synthesizer.parameters), made.schedule.as_dict(), made.noise]
    return _hash([version.VERSION, asdict(made.request), *method])


def _fingerprint(job: Job, setting: str, randomness: Randomness) -> str:
    """Return what changes with the setting, the input and the randomness: two runs of one are the same run."""
    return _hash([setting, job.state, job.output.name, repr(job.options.files), randomness.fingerprint()])


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

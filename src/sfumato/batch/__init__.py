"""Tables in, tables out: one callable that an engine can send to any machine.

A callable without a run key cannot be sent to another process, and is not called in one that was forked with it.
That holds for every engine. What is left is a callable that is made inside the task of an engine. It is refused where
the engine is known here; of an engine that is not, the caller must know.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.batch.worker_sanitizer import Columns, Drawn, WorkerSanitizer, sanitizer_of_worker
from sfumato.building.offers import check_unbuilt
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.files.options import FileOptions
from sfumato.files.parquet_columns import bare, type_of_new
from sfumato.missing import missing
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.release.chunks import place_of
from sfumato.run.checks import check_apart, check_method, check_pinned, no_run_key
from sfumato.run.request import Named, read_as

if TYPE_CHECKING:
    from sfumato.options.keywords import MethodKeywords
import sys
from multiprocessing import parent_process


def check_alone(made_in: int) -> None:
    """Raise ConfigurationError if this process is a worker of an engine, or not the process ``made_in``.

    Nothing is imported to find out.
    """
    engines = (_of_ray, _of_spark, _of_multiprocess, _of_dask)
    if os.getpid() != made_in or parent_process() is not None or any(known() for known in engines):
        raise no_run_key()


def _of_ray() -> bool:
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return False
    return bool(ray.get_runtime_context().worker.mode == ray.WORKER_MODE)


def _of_spark() -> bool:
    spark: Any = sys.modules.get("pyspark.taskcontext")
    return spark is not None and spark.TaskContext.get() is not None


def _of_multiprocess() -> bool:
    """Return whether this is a process of the package multiprocess, which `datasets` uses."""
    multiprocess: Any = sys.modules.get("multiprocess.process")
    return multiprocess is not None and multiprocess.parent_process() is not None


def _of_dask() -> bool:
    worker: Any = sys.modules.get("distributed.worker")
    try:
        return worker is not None and worker.get_worker() is not None
    except ValueError:  # this is no task
        return False


@dataclass(frozen=True, init=False, eq=False)
class Sanitize:
    """Sanitizes Arrow tables: ``table -> table``, with the text columns released.

    It is built when it is first called, once in each process. An engine that repeats a task needs ``pin``: without a
    key it can neither be sent to another process nor be called in one. Do not make one without a key inside the task
    of an engine: a repeated task would draw again, and only tasks of Ray, Spark, datasets, Dask and multiprocessing
    are recognised.

    Attributes:
        method: The name of a method, or a policy.
        epsilon: The privacy loss of each draw, for the name of a method.
        files: How a table is read: its fields, and what stays.
        options: The options of the method, as `sfumato.build` takes them.
        columns: The columns that are added: the draws of each record, and the mark of its person.
    """

    method: Policy | str
    epsilon: float | None
    files: FileOptions
    options: Mapping[str, Any] = field(repr=False)
    columns: Columns
    _pin: bytes | Path | None = field(repr=False)
    _mark: str = field(repr=False, compare=False)
    _made_in: int = field(repr=False, compare=False)

    @typed
    def __init__(
        self,
        method: MethodChoice | Policy | str,
        epsilon: float | None = None,
        *,
        text_field: str | Sequence[str] | None = None,
        id_field: str | None = None,
        subject_field: str | None = None,
        keep: Sequence[str] = (),
        draws_field: str | None = None,
        person_field: str | None = None,
        pin: Path | str | bytes | None = None,
        **options: Unpack[MethodKeywords],
    ) -> None:
        """Choose what is done; nothing is loaded yet.

        Args:
            method: A method such as `sfumato.CusText(epsilon=6.0)`, its name, or a policy. The fields and the key
                of a policy hold where nothing else is given.
            epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP).
            text_field: The text column, or several; `text` by default.
            id_field: The column with an id that no other record of the data set has. A run key needs it. A repeat
                is refused within a table; of the ids of other tables a call knows nothing.
            subject_field: The column that names the person of a record. A value is drawn once for a person where a
                policy says so (`scope = "subject"`), under a run key on every machine.
            keep: The other columns that stay. All others are left out.
            draws_field: The name of a column to add: how many draws each record took, by treatment. What `statement`
                adds up. Readers of the release see it unless you remove it.
            person_field: The name of a column to add: a keyed mark of the record's person, by which `statement` adds
                costs up over people. It shows which records are about one person: remove it from the release.
            pin: The run key: its file, which every machine must have, or its bytes, which travel with the callable.
            options: The options of `sfumato.build`.

        Raises:
            ConfigurationError: An option does not exist or cannot work.
        """
        building: dict[str, Any] = {**options}
        if isinstance(method, MethodChoice):
            method, epsilon, building = by_name(method, epsilon, building)
        given = {
            "fields": text_field,
            "id_field": id_field,
            "subject_field": subject_field,
            "keep": tuple(keep) or None,
        }
        if text_field is not None:
            given["fields"] = (text_field,) if isinstance(text_field, str) else tuple(text_field)
        chosen: Policy | Named = Named(method, epsilon, building) if isinstance(method, str) else method
        if isinstance(chosen, Policy):
            check_unbuilt(epsilon, building)
            if chosen.budget.caps or chosen.budget.ledger:
                raise ConfigurationError(
                    "A table in an engine has no ledger that could keep the policy's budget; sanitize files "
                    "(sfumato sanitize, or sfumato.sanitize_file), or leave out [budget]."
                )
            pin = pin if pin is not None else chosen.pin
        elif "chat_model" in building:
            raise ConfigurationError("A table has no place for the answers of a language model; sanitize a file.")
        check_method(chosen)
        chosen, files = read_as(chosen, given)
        files = replace(files, keep=files.keep or (), adjustable=False)
        if pin is not None:
            check_pinned(files)
        check_apart([None if pin is None or isinstance(pin, bytes) else Path(pin)], chosen.files)
        if person_field is not None and files.subject_field is None:
            raise ConfigurationError("person_field marks the person of a record; name the column (subject_field).")
        key = pin if pin is None or isinstance(pin, bytes) else Path(pin).absolute()
        values = {
            "method": chosen if isinstance(chosen, Policy) else method, "epsilon": epsilon, "files": files,
            "options": MappingProxyType(building), "columns": Columns(draws_field, person_field), "_pin": key,
            "_mark": secrets.token_hex(16), "_made_in": os.getpid(),
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __call__(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
        """Return the release of ``table``, with as many rows.

        Raises:
            ConfigurationError: It is no Arrow table, or an engine calls without a run key.
            InputError: A column is missing, or a record cannot be sanitized. The error names its row, never content.
            GuaranteeError: The guarantee cannot be certified. Nothing is released.
        """
        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        if not isinstance(table, pa.Table):
            raise ConfigurationError(
                'Sanitize takes an Arrow table, and got another value; tell the engine so (batch_format="pyarrow").'
            )
        if self._pin is None:
            check_alone(self._made_in)
        try:
            return self._sanitizer().released(table, self.columns)
        except SfumatoError as error:
            error.__context__ = error.__cause__ = None  # an engine would log them, and they may quote the text
            raise
        except Exception as error:
            failure = missing(error) or OutputError(
                f"A table cannot be sanitized ({place_of(error)}); nothing was released; report it."
            )
        raise failure  # outside the except block: the engine would log what the error quotes

    @typed
    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the releases of an iterator of batches, as Spark's `mapInArrow` hands one over."""
        for batch in batches:
            yield from self(batch).to_batches()

    @typed
    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema of the release of a table with this ``schema``. Nothing is built."""
        for name in self.files.fields:
            if name not in schema.names:
                raise InputError(f"The table has no column {name!r}; name the column with the text (text_field).")
            place = schema.get_field_index(name)
            schema = schema.set(place, schema.field(place).with_type(type_of_new(schema.field(place).type)))
        names = [name for name in schema.names if self.files.stays(name)]
        return self.columns.added(bare(schema.empty_table().select(names)), [], []).schema

    @typed
    def statement(self, tables: Iterable[pa.Table] = ()) -> dict[str, Any]:
        """Return the privacy statement of releases, as JSON types. Each table is counted as often as it is given.

        Args:
            tables: The releases; only the columns `draws_field` and `person_field` are read.

        Raises:
            ConfigurationError: A table has no such column.
        """
        return self._sanitizer().statement(Drawn.of(tables, self.columns), self.columns)

    def _sanitizer(self) -> WorkerSanitizer:
        return sanitizer_of_worker(self._mark, self.method, self.epsilon, self.options, self.files, self._pin)

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs. Raise ConfigurationError without a run key: engines repeat tasks."""
        if self._pin is None:
            raise no_run_key()
        return {**self.__dict__, "options": dict(self.options)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, MappingProxyType(value) if name == "options" else value)

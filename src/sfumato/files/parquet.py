"""Parquet: row groups streamed, types and other columns kept, metadata dropped."""

from __future__ import annotations

import gzip
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, ClassVar, Self

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import ConfigurationError, InputError
from sfumato.files.options import UTF8, FileOptions
from sfumato.files.parquet_columns import (
    as_parquet,
    bare,
    compression_of,
    is_text,
    passing_of,
    rows_without,
    spans_column,
    type_of_new,
    used_alone,
    values_of,
)
from sfumato.files.reading import reading
from sfumato.files.source import (
    Chunk,
    Intake,
    RecordError,
    Source,
    Texts,
    documents_of,
    kept,
    no_column,
)
from sfumato.storage.locations import temporary_folder
from sfumato.text.document import Document, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetChunk(Chunk):
    """Documents with the rows they are in; ``stay`` are the places of the columns that stay, if not all do."""

    per_record: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = "row"

    rows: pa.Table
    spans_field: str | None
    stay: tuple[int, ...] | None
    compression: str

    def render(self, releases: Sequence[Release]) -> bytes:
        """A small Parquet file of the rows with the released texts (and spans) in place."""
        return as_parquet(self.table(releases), self.compression)

    def table(self, releases: Sequence[Release]) -> pa.Table:
        """The rows with the released texts (and spans) in place."""
        table, columns = self.rows, dict[str, list[str | None]]()
        for name in self.fields:
            columns[name] = [None] * table.num_rows
        given = iter(releases)
        for row, texts in enumerate(self.texts):
            for name in texts.places:
                columns[name][row] = next(given).text
        for name, column in columns.items():
            place = table.schema.get_field_index(name)
            field = table.schema.field(place)
            field = field.with_type(type_of_new(field.type))
            table = table.set_column(place, field, pa.array(column, field.type))
        if self.spans_field is not None:
            place = table.schema.get_field_index(self.spans_field)
            old = table.schema.field(place)
            own = [releases[start:end] for start, end in pairwise(self.edges)]
            spans = spans_column(own, old.type)
            table = table.set_column(place, old.with_type(spans.type), spans)
        if self.stay is not None:
            table = table.select(list(self.stay))
        return used_alone(bare(table))

    def raw(self, record: int) -> bytes:
        """A Parquet file of the one row."""
        return as_parquet(self.rows.slice(record, 1), "none")

    def without(self, dropped: Collection[int]) -> Self:
        """This chunk without the records at the places ``dropped``."""
        rows = rows_without(self.rows, dropped)
        # Named in full: super() does not find its class where slots rebuild it.
        return replace(Chunk.without(self, dropped), rows=rows)


class ParquetSource(Source):
    """A .parquet file. Only the text, id, spans and label columns reach the documents' metadata."""

    kind = "parquet"

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, options)
        if options.encoding != UTF8:
            raise ConfigurationError("Parquet says itself how its text is encoded; leave out --encoding.")
        with ExitStack() as stack:
            self._schema = self._open(stack).schema_arrow
        self._check(self._schema)

    def with_options(self, options: FileOptions) -> Self:
        """Return the same input, read as ``options`` says. Raises InputError for a column that is there twice."""
        other = super().with_options(options)
        other._check(self._schema)
        return other

    def chunks(self) -> Iterator[ParquetChunk]:
        """Chunks of rows."""
        intake = Intake(self.options, self.name, "row")
        with ExitStack() as stack:
            file = self._open(stack)
            total = max(file.metadata.num_rows, 1)
            codec = compression_of(file)
            first = number = 0
            for table in self._tables(file):
                yield self._chunk(number, first, table, codec, intake, self.size * (first + table.num_rows) // total)
                first += table.num_rows
                number += 1
            if number == 0:
                yield self._chunk(0, 0, file.schema_arrow.empty_table(), codec, intake, self.size)

    def _open(self, stack: ExitStack) -> pq.ParquetFile:
        """The open file; a gzipped one is first unpacked to a nameless temporary file, to be seekable."""
        with reading(self.name):
            stream: IO[bytes] = stack.enter_context(self.path.open("rb"))
            if self.path.name.lower().endswith(".gz"):
                unpacked = stack.enter_context(tempfile.TemporaryFile(dir=temporary_folder()))  # noqa: SIM115 (the stack closes it)
                shutil.copyfileobj(stack.enter_context(gzip.GzipFile(fileobj=stream)), unpacked)
                unpacked.seek(0)
                stream = unpacked
            try:
                return pq.ParquetFile(stream)
            except pa.ArrowException:
                pass
        raise InputError(f"{self.name} is not a complete Parquet file; write it again.")

    def _tables(self, file: pq.ParquetFile) -> Iterator[pa.Table]:
        meta = file.metadata
        size = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
        each = max(size // max(meta.num_rows, 1), 1)
        rows = max(1, min(self.options.chunk_records, self.options.chunk_characters // each))
        batches = file.iter_batches(batch_size=rows)
        while True:
            # pyarrow's own messages may quote a value, so they are not passed on.
            try:
                batch = next(batches, None)
            except (pa.ArrowException, OSError):
                batch = "broken"
            if batch == "broken":
                raise InputError(f"{self.name} holds rows that cannot be read; write the file again.")
            if batch is None:
                return
            yield pa.Table.from_batches([batch], schema=file.schema_arrow)

    def _chunk(self, number: int, first: int, table: pa.Table, codec: str, intake: Intake, done: int) -> ParquetChunk:
        read = [*self.options.needed, *(name for name in self.options.labels if name in table.schema.names)]
        columns = {name: values_of(table.column(name)) for name in dict.fromkeys(read)}
        chunk = ParquetChunk(
            number=number,
            file=self.name,
            fields=self.options.fields,
            places=list(range(first + 1, first + 1 + table.num_rows)),
            rows=table,
            spans_field=self.options.spans_field,
            stay=None if self.options.keep is None else self.options.places(table.schema.names),
            compression=codec,
            done=done,
            passing=passing_of(table, self.options),
        )
        dropped: set[int] = set()
        for row in range(table.num_rows):
            record = {name: values[row] for name, values in columns.items()}
            try:
                texts, documents = self._documents(record, first + row, intake)
                chunk.documents.extend(documents)
                chunk.texts.append(texts)
            except RecordError as error:
                intake.refuse(first + row + 1, str(error), chunk.raw(row))
                dropped.add(row)
        if dropped:  # whose documents are not there in the first place
            chunk = replace(chunk, rows=rows_without(chunk.rows, dropped), places=kept(chunk.places, dropped))
        return replace(chunk, bad=intake.give_bad())

    def _documents(self, record: dict[str, Any], index: int, intake: Intake) -> tuple[Texts, list[Document]]:
        """Which texts the record has, and a document for each; a null is no text."""
        texts: dict[str, str] = {}
        for name in self.options.fields:
            text = record[name]
            if isinstance(text, bytes):
                raise RecordError(f"the column {name!r} is not valid UTF-8")
            if text is not None:
                texts[name] = text
        id_field = self.options.id_field
        identity = str(index) if id_field is None else intake.checked_id(record[id_field])
        alone = len(self.options.fields) == 1
        documents = documents_of(identity, tuple(texts), tuple(texts.values()), record, alone)
        return Texts(tuple(texts), len(self.options.fields) - len(texts)), documents

    def _check(self, schema: pa.Schema) -> None:
        for name in self.options.required:
            if name not in schema.names:
                raise no_column(self.name, name, schema.names, self.options)
        self.options.must_have(schema.names)
        for name in (*self.options.needed, *self.options.labels):
            if schema.names.count(name) > 1:
                raise InputError(f"{self.name} has the column {name!r} twice; rename one of them.")
        for name in self.options.fields:
            if not is_text(schema.field(name).type):
                kind = re.split(r"\W", str(schema.field(name).type), maxsplit=1)[0]  # not the names nested in it
                raise InputError(
                    f"{self.name}: the column {name!r} is {kind}, not string; "
                    "choose a text column, or write it as string."
                )


class TableSource(ParquetSource):
    """An Arrow table. Raises InputError for a column that is not there, or no text."""

    kind = "table"

    def __init__(self, table: pa.Table, options: FileOptions) -> None:
        Source.__init__(self, Path("The table"), options)
        self._table, self._schema = table, table.schema
        self._check(table.schema)

    @property
    def size(self) -> int:
        """Bytes of the table."""
        return int(self._table.nbytes)

    def chunks(self) -> Iterator[ParquetChunk]:
        """Chunks of rows, one at least."""
        intake, rows = Intake(self.options, self.name, "row"), self._table.num_rows
        each = max(self.size // max(rows, 1), 1)
        step = max(1, min(self.options.chunk_records, self.options.chunk_characters // each))
        for number, first in enumerate(range(0, max(rows, 1), step)):
            yield self._chunk(number, first, self._table.slice(first, step), "none", intake, self.size)

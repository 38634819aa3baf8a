"""Parquet: row groups streamed, schema and other columns kept."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, ClassVar, Self

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files.columns import bare, used_alone
from sfumato.files.options import UTF8, FileOptions
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
    released_spans,
    spans_as_json,
)
from sfumato.text.document import Document, Release

SPANS_TYPE = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())]))
_GROUP_ROWS = 65_536
_GROUP_BYTES = 64 * 2**20
_STEP_ROWS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetChunk(Chunk):
    """Documents with the rows they stand in; ``stay`` are the places of the columns that stay, if not all do."""

    per_record: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = "row"

    rows: pa.Table
    spans_field: str | None
    stay: tuple[int, ...] | None
    compression: str

    def render(self, releases: Sequence[Release]) -> bytes:
        """A small Parquet file of the rows with the released texts (and spans) in place."""
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
            field = field.with_type(_written(field.type))
            table = table.set_column(place, field, pa.array(column, field.type))
        if self.spans_field is not None:
            place = table.schema.get_field_index(self.spans_field)
            old = table.schema.field(place)
            own = [releases[start:end] for start, end in pairwise(self.edges)]
            spans = _spans_column(own, old.type)
            table = table.set_column(place, old.with_type(spans.type), spans)
        if self.stay is not None:
            table = bare(table.select(list(self.stay)))
        return _as_parquet(used_alone(table), self.compression)

    def raw(self, record: int) -> bytes:
        """A Parquet file of the one row."""
        return _as_parquet(self.rows.slice(record, 1), "none")

    def without(self, dropped: AbstractSet[int]) -> Self:
        """This chunk without the records at the places ``dropped``."""
        rows = _rows(self.rows, dropped)
        # Named in full: super() does not find its class where slots rebuild it.
        return replace(Chunk.without(self, dropped), rows=rows)


def _rows(table: pa.Table, dropped: AbstractSet[int]) -> pa.Table:
    """The rows but for those ``dropped``, by slices: not every type of column has rows to take."""
    edges = [-1, *sorted(dropped), table.num_rows]
    runs = [table.slice(before + 1, after - before - 1) for before, after in pairwise(edges)]
    return pa.concat_tables(runs)


def _spans_column(releases: Sequence[Sequence[Release]], old: pa.DataType) -> pa.Array:
    """The released spans, as JSON where the spans came as strings and as a list of structs elsewhere.

    ``releases`` holds those of each row: one, or none where its text is null.
    """
    if _is_text(old):
        return pa.array([spans_as_json(own[0]) if own else "[]" for own in releases], _written(old))
    return pa.array([released_spans(own[0]) if own else [] for own in releases], SPANS_TYPE)


def _as_parquet(table: pa.Table, compression: str) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression=compression)
    return sink.getvalue()


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _written(kind: pa.DataType) -> pa.DataType:
    """The type of a column of new texts where the old ones had ``kind``.

    A dictionary gets the new texts alone. The type of its indices and their order were made for the old ones.
    """
    if not pa.types.is_dictionary(kind):
        return kind
    return pa.dictionary(pa.int32(), pa.string() if pa.types.is_string_view(kind.value_type) else kind.value_type)


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
            codec = _compression(file)
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
                unpacked = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
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
        columns = {name: _values(table.column(name)) for name in dict.fromkeys(read)}
        chunk = ParquetChunk(
            number=number,
            file=self.name,
            fields=self.options.fields,
            documents=[],
            texts=[],
            places=list(range(first + 1, first + 1 + table.num_rows)),
            rows=table,
            spans_field=self.options.spans_field,
            stay=None if self.options.keep is None else self.options.places(table.schema.names),
            compression=codec,
            bad=[],
            done=done,
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
        return _narrowed(chunk, dropped, intake)

    def _documents(self, record: dict[str, Any], index: int, intake: Intake) -> tuple[Texts, list[Document]]:
        """Which texts the record has, and a document for each; a null is none."""
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
        self.options.must_have(schema.names)
        for name in self.options.needed:
            if name not in schema.names:
                raise no_column(self.name, name, schema.names)
        for name in (*self.options.needed, *self.options.labels):
            if schema.names.count(name) > 1:
                raise InputError(f"{self.name} has the column {name!r} twice; rename one of them.")
        for name in self.options.fields:
            if not _is_text(schema.field(name).type):
                kind = re.split(r"\W", str(schema.field(name).type), maxsplit=1)[0]  # not the names nested in it
                raise InputError(
                    f"{self.name}: the column {name!r} is {kind}, not string; "
                    "choose a text column, or write it as string."
                )


def _narrowed(chunk: ParquetChunk, dropped: set[int], intake: Intake) -> ParquetChunk:
    """The chunk without its bad rows, which ``documents`` does not hold in the first place."""
    if dropped:
        chunk = replace(chunk, rows=_rows(chunk.rows, dropped), places=kept(chunk.places, dropped))
    return replace(chunk, bad=intake.give_bad())


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Python values; of a text column that is not valid UTF-8, the bytes of the bad values."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        values = []
    if values or not len(column):
        return values
    binary = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    return [_decoded(value) for value in column.cast(binary).to_pylist()]


def _decoded(value: bytes | None) -> str | bytes | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return value


def _compression(file: pq.ParquetFile) -> str:
    """The codec of the first column, which is also used for writing."""
    meta = file.metadata
    if not meta.num_row_groups or not meta.num_columns:
        return "snappy"
    codec = str(meta.row_group(0).column(0).compression).lower()
    return "none" if codec == "uncompressed" else codec


def join(parts: Sequence[Path], target: IO[bytes]) -> None:
    """Write the rows of all ``parts`` as one Parquet file.

    Row groups are cut by the released rows alone: cut where the parts end, they would tell how long the
    private texts were.
    """
    # A part without rows does not know its codec.
    model = next((part for part in parts if pq.read_metadata(part).num_rows), parts[0])
    with pq.ParquetFile(model) as first:
        schema, codec = first.schema_arrow, _compression(first)
    with pq.ParquetWriter(target, schema, compression=codec) as writer:
        for group in _groups(_steps(parts, schema)):
            writer.write_table(group, row_group_size=max(group.num_rows, 1))


def _steps(parts: Sequence[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of all parts in tables of exactly ``_STEP_ROWS`` rows (the last may have fewer)."""
    rest = schema.empty_table()
    for part in parts:
        with pq.ParquetFile(part) as file:
            if file.schema_arrow != schema:
                raise OutputError("The parts of the run differ in schema; run again without resume.")
            rest = pa.concat_tables([rest, file.read()])
        while rest.num_rows >= _STEP_ROWS:
            yield rest.slice(0, _STEP_ROWS)
            rest = rest.slice(_STEP_ROWS)
    if rest.num_rows:
        yield rest


def _groups(steps: Iterator[pa.Table]) -> Iterator[pa.Table]:
    gathered: list[pa.Table] = []
    for step in steps:
        gathered.append(step)
        rows = sum(table.num_rows for table in gathered)
        if rows >= _GROUP_ROWS or sum(table.nbytes for table in gathered) >= _GROUP_BYTES:
            yield pa.concat_tables(gathered)
            gathered = []
    if gathered:
        yield pa.concat_tables(gathered)

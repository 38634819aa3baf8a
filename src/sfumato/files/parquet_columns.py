"""Columns of Parquet: texts read and written, which columns pass, what no release may carry, and parts joined."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.errors import OutputError
from sfumato.files.kept_fields import KeptFields, shows_spans
from sfumato.files.options import FileOptions
from sfumato.files.source import (
    released_spans,
    spans_as_json,
)
from sfumato.text.document import Release

SPANS_TYPE = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())]))


def rows_without(table: pa.Table, dropped: Collection[int]) -> pa.Table:
    """Return the rows except those ``dropped``, by slices: not every type of column has rows to take."""
    edges = [-1, *sorted(dropped), table.num_rows]
    runs = [table.slice(before + 1, after - before - 1) for before, after in pairwise(edges)]
    return pa.concat_tables(runs)


def spans_column(releases: Sequence[Sequence[Release]], old: pa.DataType) -> pa.Array:
    """Return the released spans, as JSON where the spans came as strings and as a list of structs otherwise.

    ``releases`` holds those of each row: one, or none where its text is null.
    """
    if is_text(old):
        return pa.array([spans_as_json(own[0]) if own else "[]" for own in releases], type_of_new(old))
    return pa.array([released_spans(own[0]) if own else [] for own in releases], SPANS_TYPE)


def as_parquet(table: pa.Table, compression: str) -> bytes:
    """Return a Parquet file of ``table``."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression=compression)
    return sink.getvalue()


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this ``kind`` holds text."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def type_of_new(kind: pa.DataType) -> pa.DataType:
    """Return the type of a column of new texts where the old ones had ``kind``.

    A dictionary gets the new texts alone. The type of its indices and their order were made for the old ones.
    """
    if not pa.types.is_dictionary(kind):
        return kind
    return pa.dictionary(pa.int32(), pa.string() if pa.types.is_string_view(kind.value_type) else kind.value_type)


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """Return Python values; of a text column that is not valid UTF-8, the bytes of the bad values."""
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


_LISTS = (
    (pa.types.is_list, pa.list_),
    (pa.types.is_large_list, pa.large_list),
    (pa.types.is_list_view, pa.list_view),
    (pa.types.is_large_list_view, pa.large_list_view),
)


def bare(table: pa.Table) -> pa.Table:
    """Return the table without the metadata of its file and its columns, which may tell of people and other columns.

    A column of an extension type becomes one of the type that stores it, because an extension has metadata too.
    """
    schema = pa.schema([_plain(field) for field in table.schema])
    columns = [
        column if column.type == field.type else column.cast(field.type)
        for column, field in zip(table.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _plain(field: Any) -> Any:
    """Return the field without metadata, and so every field inside it."""
    kind = field.type
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_struct(kind):
        kind = pa.struct([_plain(kind.field(place)) for place in range(kind.num_fields)])
    elif pa.types.is_map(kind):
        kind = pa.map_(_plain(kind.key_field), _plain(kind.item_field), keys_sorted=kind.keys_sorted)
    elif pa.types.is_fixed_size_list(kind):
        kind = pa.list_(_plain(kind.value_field), kind.list_size)
    else:
        for is_list, new in _LISTS:
            if is_list(kind):
                kind = new(_plain(kind.value_field))
                break
    return pa.field(field.name, kind, nullable=field.nullable)


def used_alone(table: pa.Table) -> pa.Table:
    """The table with dictionaries of those values alone that are in its rows: others may be of rows left out."""
    for place, field in enumerate(table.schema):
        if not _has_dictionary(field.type):
            continue
        column = table.column(place)
        if pa.types.is_dictionary(field.type):
            column = pa.chunked_array([_used(chunk) for chunk in column.chunks], field.type)
        else:  # from Python's values, which know of no dictionary
            column = pa.chunked_array(
                [pa.array(chunk.to_pylist(), field.type) for chunk in column.chunks], field.type
            )
        table = table.set_column(place, field, column)
    return table


def _used(chunk: Any) -> Any:
    """The values of ``chunk`` in a dictionary of nothing else, in the order in which it had them."""
    places = pc.unique(chunk.indices.drop_null()).sort()
    indices = pc.index_in(chunk.indices, value_set=places).cast(chunk.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, chunk.dictionary.take(places), ordered=chunk.type.ordered)


def _has_dictionary(kind: Any) -> bool:
    inner = (kind.field(place).type for place in range(kind.num_fields))
    return bool(pa.types.is_dictionary(kind)) or any(map(_has_dictionary, inner))


_OPENS = r"^[\x00-\x20\x80-\xff]*[\[{]"
"""Bytes that may open a list or an object: blanks outside ASCII are taken for any sign outside it."""


def passing_of(table: pa.Table, options: FileOptions) -> KeptFields:
    """Return what passes of the rows of ``table`` as ``options`` say."""
    passing = KeptFields()
    names = [name for name in table.schema.names if options.stays(name) and name not in options.needed]
    passing.names.update(dict.fromkeys(names, table.num_rows))
    if options.keep is not None:
        return passing
    lengths = _lengths(table, options.fields)
    for place, schema in enumerate(table.schema):
        if schema.name in options.needed or not _may_show(schema.type):
            continue
        for row, value in enumerate(_values(table.column(place))):
            if shows_spans(value, lengths[row]):
                passing.spans = (row, schema.name)
                return passing
    return passing


def _may_show(kind: pa.DataType) -> bool:
    """Return whether values of this ``kind`` can be spans: text, bytes, objects, and lists of these or of lists."""
    if isinstance(kind, pa.BaseExtensionType):
        return _may_show(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _may_show(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return bool(kind.value_type.num_fields) or _may_show(kind.value_type)
    return is_text(kind) or _is_bytes(kind) or bool(kind.num_fields)


def _is_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    return any(
        is_kind(kind)
        for is_kind in (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view)
    )


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return Python values; of a column of text or bytes none if no value opens like a list or an object."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if (is_text(column.type) or _is_bytes(column.type)) and not pa.types.is_dictionary(column.type):
        opens = pc.match_substring_regex(column.cast(pa.large_binary()), _OPENS)
        if not pc.any(opens).as_py():
            return []
    return values_of(column)


def _lengths(table: pa.Table, fields: tuple[str, ...]) -> list[int]:
    """Return how many bytes of text each row has, which is no less than its characters."""
    lengths = [0] * table.num_rows
    for name in fields:
        for row, text in enumerate(values_of(table.column(name))):
            lengths[row] += len(text.encode(errors="replace") if isinstance(text, str) else text or b"")
    return lengths


_GROUP_ROWS = 65_536
_GROUP_BYTES = 64 * 2**20
_STEP_ROWS = 256


def compression_of(file: pq.ParquetFile) -> str:
    """The codec of the first column, which is also used for writing."""
    meta = file.metadata
    if not meta.num_row_groups or not meta.num_columns:
        return "snappy"
    codec = str(meta.row_group(0).column(0).compression).lower()
    return "none" if codec == "uncompressed" else codec


def join(parts: Sequence[Path | IO[bytes]], target: IO[bytes]) -> None:
    """Write the rows of all ``parts`` as one Parquet file.

    Row groups are cut by the released rows alone: cut where the parts end, they would tell how long the
    private texts were.
    """
    # A part without rows does not know its codec.
    model = next((part for part in parts if _rows(part)), parts[0])
    with pq.ParquetFile(model) as first:
        schema, codec = first.schema_arrow, compression_of(first)
    with pq.ParquetWriter(target, schema, compression=codec) as writer:
        for group in _groups(_steps(parts, schema)):
            writer.write_table(group, row_group_size=max(group.num_rows, 1))


def _rows(part: Path | IO[bytes]) -> int:
    with pq.ParquetFile(part) as file:
        return int(file.metadata.num_rows)


def _steps(parts: Sequence[Path | IO[bytes]], schema: pa.Schema) -> Iterator[pa.Table]:
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

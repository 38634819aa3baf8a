"""Columns of Parquet: their texts read, and written with other texts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.files.source import (
    released_spans,
    spans_as_json,
)
from sfumato.text.document import Release

SPANS_TYPE = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())]))


def rows_without(table: pa.Table, dropped: AbstractSet[int]) -> pa.Table:
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

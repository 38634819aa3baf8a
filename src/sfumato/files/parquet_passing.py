"""Which columns of a table pass, and whether one of them shows spans over a text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.files.options import FileOptions
from sfumato.files.parquet_columns import is_text, values_of
from sfumato.files.passing import Passing, shows_spans

_OPENS = r"^[\x00-\x20\x80-\xff]*[\[{]"
"""Bytes that may open a list or an object: blanks outside ASCII are taken for any sign outside it."""


def passing_of(table: pa.Table, options: FileOptions) -> Passing:
    """Return what passes of the rows of ``table`` as ``options`` say."""
    passing = Passing()
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

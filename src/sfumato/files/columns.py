"""What a Parquet file carries beside the values of its rows, and must not carry into a release."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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
    """The table with dictionaries of those values alone that stand in its rows: others may be of rows left out."""
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

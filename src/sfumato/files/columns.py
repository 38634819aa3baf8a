"""What a Parquet file carries beside the values of its rows, and must not carry into a release."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def bare(table: pa.Table) -> pa.Table:
    """The table without the metadata of its file and its columns, which may tell of other columns and of people."""
    return pa.Table.from_arrays(table.columns, schema=pa.schema([_plain(field) for field in table.schema]))


def _plain(field: Any) -> Any:
    """The field without metadata, what is nested in it as well."""
    kind = field.type
    if pa.types.is_struct(kind):
        kind = pa.struct([_plain(kind.field(place)) for place in range(kind.num_fields)])
    elif pa.types.is_map(kind):
        kind = pa.map_(_plain(kind.key_field), _plain(kind.item_field), keys_sorted=kind.keys_sorted)
    elif pa.types.is_fixed_size_list(kind):
        kind = pa.list_(_plain(kind.value_field), kind.list_size)
    elif pa.types.is_large_list(kind):
        kind = pa.large_list(_plain(kind.value_field))
    elif pa.types.is_list(kind):
        kind = pa.list_(_plain(kind.value_field))
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

"""Parts of a run joined into one Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import OutputError

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

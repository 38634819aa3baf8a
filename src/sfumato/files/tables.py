"""A table in memory as a source of chunks, for what hands over tables instead of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from sfumato.files.options import FileOptions
from sfumato.files.parquet import ParquetChunk, ParquetSource
from sfumato.files.source import Intake, Source


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

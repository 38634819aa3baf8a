"""Write synthetic records into a new file of the kind of the input."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.errors import ConfigurationError
from sfumato.storage import created


def check_kind(kind: str, lines: bool, fields: Sequence[str]) -> None:
    """Refuse a ``kind`` of file that cannot hold the records, or not their ``fields`` beside the text."""
    if kind == "shards":
        raise ConfigurationError("Synthetic records go into one file; join the files of the input.")
    if kind == "txt" and not lines:
        raise ConfigurationError("A .txt holds one document; say --lines for one in each line, or give a folder.")
    if kind in ("txt", "folder") and fields:
        raise ConfigurationError(f"Plain text has no fields ({', '.join(fields)}); give .jsonl, .csv or .parquet.")


def write_records(
    path: Path, name: str, kind: str, records: Sequence[Mapping[str, str]], text_field: str, private: bool
) -> None:
    """Write ``records`` to ``path``, which is to be called ``name``; each has its text and the same fields."""
    if kind == "folder":
        path.mkdir(mode=0o700 if private else 0o777)
        width = len(str(len(records)))
        for number, record in enumerate(records, 1):
            with created(path / f"{number:0{width}}.txt", private) as file:
                file.write(record[text_field].encode("utf-8", "replace"))
        return
    content = (
        _parquet(records) if kind == "parquet" else _text(name, kind, records, text_field).encode("utf-8", "replace")
    )
    with created(path, private) as file:
        file.write(gzip.compress(content, mtime=0) if name.lower().endswith(".gz") else content)


def _text(name: str, kind: str, records: Sequence[Mapping[str, str]], text_field: str) -> str:
    if kind == "txt":
        return "".join(" ".join(record[text_field].split()) + "\n" for record in records)
    if kind == "jsonl":
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    sink = io.StringIO()
    delimiter = "\t" if ".tsv" in name.lower() else ","
    writer = csv.DictWriter(sink, list(records[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{key: _cell(value, delimiter) for key, value in record.items()} for record in records])
    return sink.getvalue()


def _cell(value: str, delimiter: str) -> str:
    return " ".join(value.split()) if delimiter == "\t" else value  # a .tsv is read without quotation marks


def _parquet(records: Sequence[Mapping[str, str]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(record) for record in records]), sink)
    return sink.getvalue()

"""Which format a path has: decided by its suffix, never by its content."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InputError, OutputError
from sfumato.files.delimited import CsvSource, TsvSource
from sfumato.files.folder import FolderSource
from sfumato.files.jsonlines import JsonLinesSource
from sfumato.files.options import FileOptions
from sfumato.files.source import Source
from sfumato.files.text import TextSource

_SOURCES: dict[str, type[Source]] = {
    ".txt": TextSource,
    ".jsonl": JsonLinesSource,
    ".csv": CsvSource,
    ".tsv": TsvSource,
}
KINDS = (*(suffix[1:] for suffix in _SOURCES), "parquet")
SUFFIXES = tuple(suffix + end for suffix in (*_SOURCES, ".parquet") for end in ("", ".gz"))


def kind_of(path: Path) -> str | None:
    """The format that the suffix of ``path`` names ("txt", "jsonl", "csv", "tsv", "parquet"), or None."""
    name = path.name.lower().removesuffix(".gz")
    return next((suffix[1:] for suffix in (*_SOURCES, ".parquet") if name.endswith(suffix)), None)


def open_source(path: Path, options: FileOptions) -> Source:
    """The source for ``path``. Raises InputError where there is none, or its suffix is not known."""
    if path.is_dir():
        return FolderSource(path, options)
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path.")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; name a file or a folder.")
    return open_file(path, options)


def open_file(path: Path, options: FileOptions) -> Source:
    """The source for the file ``path``. Raises InputError where its suffix is not known."""
    kind = kind_of(path)
    if kind is None:
        raise InputError(f"{path.name} has no known suffix; use one of {', '.join(SUFFIXES)}, or a folder of .txt.")
    if kind == "parquet":
        # pyarrow takes a tenth of a second to import, which the other formats need not pay.
        from sfumato.files.parquet import ParquetSource

        return ParquetSource(path, options)
    return _SOURCES[f".{kind}"](path, options)


def check_same_kind(source: Source, output: Path) -> None:
    """Raise OutputError unless ``output`` names the format of ``source`` (compressed or not)."""
    if source.makes_folder:
        return
    if kind_of(output) != source.kind:
        raise OutputError(
            f"The output {output.name} must have the format of the input; end its name with .{source.kind} "
            f"or .{source.kind}.gz."
        )

"""Which format a path has: decided by its suffix, never by its content."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from sfumato.documents.formats import FORMATS, format_of, suffix_of
from sfumato.errors import InputError, OutputError
from sfumato.files.counts import NAMES
from sfumato.files.documents import DocumentsSource
from sfumato.files.options import UTF8, FileOptions
from sfumato.files.source import Source
from sfumato.files.text import TEXT_SUFFIXES, FolderSource

_SOURCES = {
    "txt": "text:TextSource", "jsonl": "jsonlines:JsonLinesSource", "csv": "delimited:CsvSource",
    "tsv": "delimited:TsvSource", "parquet": "parquet:ParquetSource",
}  # fmt: skip
"""The class of each format. It is imported when a file has the format: pyarrow takes a tenth of a second."""
_NEWER = {
    ".doc": ".docx", ".rtf": ".docx", ".odt": ".docx", ".xls": ".xlsx", ".ods": ".xlsx", ".ppt": ".pptx",
    ".odp": ".pptx",
}  # fmt: skip
KINDS = tuple(_SOURCES)
SUFFIXES = tuple(f".{kind}{end}" for kind in KINDS for end in ("", ".gz"))


def kind_of(path: Path) -> str | None:
    """Return the format that the suffix of ``path`` names, such as "txt", "jsonl" or "docx", or None."""
    name = path.name.lower().removesuffix(".gz")
    known = next((kind for kind in KINDS if name.endswith(f".{kind}")), None)
    return known or (form.name if (form := format_of(path.name)) is not None else None)


def has_fields(path: Path) -> bool:
    """Return whether a record of ``path`` has fields by name, some of which may stay."""
    return kind_of(path) in KINDS[1:]


def open_release(
    path: Path,
    original: Path,
    options: FileOptions,
    of_original: FileOptions | None = None,
    names: Path | None = None,
) -> Source:
    """Return the source for the release of ``original`` at ``path``; its records have the ids that they had there.

    The private file ``names`` says which one a numbered file was: by default the one beside the release.
    """
    source = open_source(path, options)
    if isinstance(source, DocumentsSource):
        beside = path.with_name(f"{path.name}{NAMES}")
        return source.paired(open_source(original, of_original or options), names or beside)
    return source


def open_source(path: Path, options: FileOptions) -> Source:
    """The source for ``path``. Raises InputError where there is none, or its suffix is not known."""
    if path.is_dir():
        are_documents = _holds_documents(path) or (options.documents is not None and _is_plain(path, options))
        return DocumentsSource(path, options) if are_documents else FolderSource(path, options)
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path.")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; name a file or a folder.")
    return open_file(path, options)


def open_file(path: Path, options: FileOptions) -> Source:
    """The source for the file ``path``. Raises InputError where its suffix is not known."""
    kind = kind_of(path)
    if kind is None:
        known = ", ".join(dict.fromkeys((*SUFFIXES, *FORMATS)))
        newer = _NEWER.get(path.suffix.lower())
        way = f"save it as {newer}" if newer else f"use one of {known}, or a folder of such documents"
        raise InputError(f"{path.name} has no known suffix; {way}.")
    if kind not in _SOURCES:
        return DocumentsSource(path, options)
    module, _, name = _SOURCES[kind].partition(":")
    made: Source = getattr(import_module(f"sfumato.files.{module}"), name)(path, options)
    return made


def _holds_documents(folder: Path) -> bool:
    """Return whether ``folder`` holds a file of a format other than plain text."""
    forms = map(format_of, (path.name for path in folder.rglob("*")))
    return any(form is not None and form.name != "text" for form in forms)


def _is_plain(folder: Path, options: FileOptions) -> bool:
    """Return whether ``folder`` holds texts that are read as documents are: in UTF-8, and not compressed."""
    names = [path.name.lower() for path in folder.rglob("*")]
    packed = any(name.endswith(TEXT_SUFFIXES[1]) for name in names)
    return options.encoding == UTF8 and not packed and any(name.endswith(TEXT_SUFFIXES[0]) for name in names)


def check_same_kind(source: Source, output: Path) -> None:
    """Raise OutputError unless ``output`` names the format of ``source`` (compressed or not)."""
    if source.makes_folder:
        return
    if isinstance(source, DocumentsSource):
        if suffix_of(output.name).lower() not in source.endings:
            raise OutputError(
                f"The output {output.name} must have the format of the input; end its name with {source.endings[0]}."
            )
    elif kind_of(output) != source.kind:
        raise OutputError(
            f"The output {output.name} must have the format of the input; end its name with .{source.kind} "
            f"or .{source.kind}.gz."
        )

"""Plain text: a file as one document, or a document a line, and a folder of .txt files, each a document."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile, reading
from sfumato.files.source import BadRecord, Chunk, Intake, Source, Texts
from sfumato.text.document import Document, Release

_ONE = Texts(("text",))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk(Chunk):
    """Documents and what ends each of them (nothing, a line feed, or carriage return and line feed)."""

    per_record: ClassVar[tuple[str, ...]] = ("ends",)

    ends: list[str] = field(default_factory=list)

    def take(self, text: str, end: str, index: int) -> None:
        """Add a text, which ``end`` follows, as the record ``index``."""
        self.documents.append(Document(text, str(index), {}))
        self.texts.append(_ONE)
        self.places.append(index + 1)
        self.ends.append(end)

    def render(self, releases: Sequence[Release]) -> bytes:
        """The released texts with their line ends."""
        texts = [release.text for release in releases]
        if any(end and "\n" in text for text, end in zip(texts, self.ends, strict=True)):
            raise OutputError(
                f"{self.file}: a replacement holds a line feed, which a document a line cannot; "
                "choose a vocabulary without line feeds."
            )
        pieces = [text + end for text, end in zip(texts, self.ends, strict=True)]
        return "".join(pieces).encode()

    def raw(self, record: int) -> bytes:
        """The line (or file) as it came in."""
        return (self.documents[record].text + self.ends[record]).encode()


class TextSource(Source):
    """A .txt file."""

    kind = "txt"

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, options)
        if options.of_records:
            raise ConfigurationError(
                f"{self.name} is plain text and has no fields; leave out the fields and all that is about fields."
            )

    def chunks(self) -> Iterator[TextChunk]:
        """One chunk with the whole file, or chunks of lines."""
        with InputFile(self.path, self.options.encoding) as file:
            yield from self._by_line(file) if self.options.lines else self._whole(file)

    def _whole(self, file: InputFile) -> Iterator[TextChunk]:
        intake, chunk, data = Intake(self.options, self.name), self._empty(0, file.bom), file.read()
        try:
            chunk.take(data.decode(), "", 0)
        except UnicodeDecodeError as error:
            line = 1 + data.count(b"\n", 0, error.start)
            intake.refuse(line, f"the text is {self.options.not_valid}", file.bom + data)
        yield replace(chunk, bad=intake.give_bad(), done=file.position())

    def _by_line(self, file: InputFile) -> Iterator[TextChunk]:
        intake, chunk, characters = Intake(self.options, self.name), self._empty(0, file.bom), 0
        for index, line in enumerate(file.lines()):
            try:
                text = line.decode()
            except UnicodeDecodeError:
                intake.refuse(index + 1, f"the line is {self.options.not_valid}", line)
                continue
            body = text.removesuffix("\n")
            body = body.removesuffix("\r") if len(body) < len(text) else body
            chunk.take(body, text[len(body) :], index)
            characters += len(body)
            if intake.full(len(chunk.documents), characters):
                yield replace(chunk, bad=intake.give_bad(), done=file.position())
                chunk, characters = self._empty(chunk.number + 1, b""), 0
        if chunk.documents or intake.bad or chunk.number == 0:
            yield replace(chunk, bad=intake.give_bad(), done=file.position())

    def _empty(self, number: int, head: bytes) -> TextChunk:
        return TextChunk(number=number, file=self.name, fields=("text",), head=head)


TEXT_SUFFIXES = (".txt", ".txt.gz")
HIDDEN = "."
"""What the name of a hidden file or folder begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderChunk(Chunk):
    """Documents with the relative path and the byte-order mark of each."""

    per_record: ClassVar[tuple[str, ...]] = ("paths", "boms")

    paths: list[str] = field(default_factory=list)
    boms: list[bytes] = field(default_factory=list)

    def render(self, releases: Sequence[Release]) -> bytes:
        """The released files as a tar archive, which is unpacked when the run ends."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for release, path, bom in zip(releases, self.paths, self.boms, strict=True):
                data = bom + release.text.encode()
                if path.lower().endswith(".gz"):
                    data = gzip.compress(data, mtime=0)
                entry = tarfile.TarInfo(path)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        return buffer.getvalue()

    def raw(self, record: int) -> bytes:
        """The text of the file as it came in."""
        return self.boms[record] + self.documents[record].text.encode()

    def where(self, record: int) -> str:
        """The folder and the path inside it."""
        return f"{self.file}/{self.paths[record]}"

    def set_aside(self, record: int, reason: str) -> BadRecord:
        """The file at place ``record`` as a bad record, under its own path."""
        return BadRecord(self.paths[record], 1, reason, self.raw(record))


class FolderSource(Source):
    """A folder of .txt files in the order of their relative paths; other files and hidden ones are left alone."""

    kind = "folder"

    def __init__(self, path: Path, options: FileOptions) -> None:
        super().__init__(path, options)
        if options.lines or options.of_records:
            raise ConfigurationError(
                f"{self.name} is a folder, in which every file is one document named by its path; "
                "leave out the fields, all that is about fields, and the option to read lines."
            )
        self._paths = text_files(path)
        if not self._paths:
            raise InputError(
                f"{self.name} holds no text or document that is not hidden; name a folder of such files, or one file."
            )

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size, _ in self.state)

    @property
    def state(self) -> list[tuple[str, int, int]]:
        """Relative path, size and time of change of every file."""
        with reading(self.name):
            found = [(path, (self.path / path).lstat()) for path in self._paths]
        return [(path, status.st_size, status.st_mtime_ns) for path, status in found]

    def chunks(self) -> Iterator[FolderChunk]:
        """Chunks of whole files."""
        intake = Intake(self.options, self.name)
        chunk = self._empty(0)
        characters = done = 0
        for path in self._paths:
            with reading(self.name):
                done += (self.path / path).lstat().st_size
            read = self._read(path, intake)
            if read is not None:
                bom, text = read
                chunk.documents.append(Document(text, path, {}))
                chunk.texts.append(Texts(("text",)))
                chunk.places.append(1)
                chunk.paths.append(path)
                chunk.boms.append(bom)
                characters += len(text)
            if intake.full(len(chunk.documents), characters):
                yield replace(chunk, bad=intake.give_bad(), done=done)
                chunk, characters = self._empty(chunk.number + 1), 0
        if chunk.documents or intake.bad or chunk.number == 0:
            yield replace(chunk, bad=intake.give_bad(), done=done)

    def _read(self, path: str, intake: Intake) -> tuple[bytes, str] | None:
        """The byte-order mark and text of one file, or None when it was set aside."""
        if (self.path / path).is_symlink():
            # Neither followed nor read: it could lead anywhere.
            intake.refuse(1, "the file is a symbolic link, which is not followed; copy the file in", b"", path)
            return None
        if not (self.path / path).is_file():
            intake.refuse(1, "it is not a regular file; copy its text in", b"", path)
            return None
        with InputFile(self.path / path, self.options.encoding) as file:
            data = file.read()
            try:
                return file.bom, data.decode()
            except UnicodeDecodeError as error:
                line = 1 + data.count(b"\n", 0, error.start)
                intake.refuse(line, f"the text is {self.options.not_valid}", file.bom + data, path)
                return None

    def _empty(self, number: int) -> FolderChunk:
        return FolderChunk(number=number, file=self.name, fields=("text",))


def text_files(folder: Path) -> list[str]:
    """Return the relative paths (with "/") of all .txt files and symbolic links, sorted by code point.

    What is hidden is left out, and so are files in hidden folders: nobody sees them in the folder that is released.
    """
    found: list[str] = []

    def fail(error: OSError) -> None:
        raise InputError(f"A folder inside {folder.name} cannot be read ({error.strerror}); check its permissions.")

    for where, folders, files in os.walk(folder, onerror=fail):
        here = Path(where)
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        links = [name for name in folders if (here / name).is_symlink()]
        texts = [name for name in files if name.lower().endswith(TEXT_SUFFIXES) and not name.startswith(HIDDEN)]
        found += [(here / name).relative_to(folder).as_posix() for name in (*links, *texts)]
    return sorted(found)


def check_only_texts(folder: Path) -> None:
    """Raises OutputError where ``folder`` holds anything but texts: replacing a folder removes it."""
    for where, _, files in os.walk(folder):
        if not all(name.lower().endswith(TEXT_SUFFIXES) for name in files):
            raise OutputError(f"{where} holds other files than .txt and is not replaced; choose another output.")

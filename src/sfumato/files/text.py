"""Plain text: a whole file as one document, or a document a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from sfumato.errors import ConfigurationError, OutputError
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile
from sfumato.files.source import Chunk, Intake, Source, Texts
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

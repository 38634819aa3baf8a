"""Plain text: a whole file as one document, or a document a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sfumato.errors import ConfigurationError, OutputError
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile
from sfumato.files.source import Chunk, Intake, Source, Texts
from sfumato.text.document import Document, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk(Chunk):
    """Documents and what ends each of them (nothing, a line feed, or carriage return and line feed)."""

    per_record: ClassVar[tuple[str, ...]] = ("ends",)

    ends: list[str]

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
        intake = Intake(self.options, self.name)
        data = file.read()
        documents: list[Document] = []
        try:
            documents.append(Document(data.decode(), "0", {}))
        except UnicodeDecodeError as error:
            intake.refuse(
                1 + data.count(b"\n", 0, error.start), f"the text is {self.options.not_valid}", file.bom + data
            )
        yield self._chunk(0, documents, [1] * len(documents), [""] * len(documents), intake, file, file.bom)

    def _by_line(self, file: InputFile) -> Iterator[TextChunk]:
        intake = Intake(self.options, self.name)
        documents: list[Document] = []
        places: list[int] = []
        ends: list[str] = []
        number = characters = 0
        head = file.bom
        for index, line in enumerate(file.lines()):
            try:
                text = line.decode()
            except UnicodeDecodeError:
                intake.refuse(index + 1, f"the line is {self.options.not_valid}", line)
                continue
            body = text.removesuffix("\n")
            body = body.removesuffix("\r") if len(body) < len(text) else body
            documents.append(Document(body, str(index), {}))
            places.append(index + 1)
            ends.append(text[len(body) :])
            characters += len(body)
            if intake.full(len(documents), characters):
                yield self._chunk(number, documents, places, ends, intake, file, head)
                number, characters, head = number + 1, 0, b""
                documents, places, ends = [], [], []
        if documents or intake.bad or number == 0:
            yield self._chunk(number, documents, places, ends, intake, file, head)

    def _chunk(
        self,
        number: int,
        documents: list[Document],
        places: list[int],
        ends: list[str],
        intake: Intake,
        file: InputFile,
        head: bytes,
    ) -> TextChunk:
        return TextChunk(
            number=number,
            file=self.name,
            fields=("text",),
            documents=documents,
            texts=[Texts(("text",))] * len(documents),
            places=places,
            ends=ends,
            bad=intake.give_bad(),
            done=file.position(),
            head=head,
        )

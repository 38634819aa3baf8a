"""CSV and TSV: a header line, then rows; every other cell keeps its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from sfumato.errors import ConfigurationError, OutputError
from sfumato.files.kept_fields import OPENS, KeptFields, shows_spans
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile
from sfumato.files.rows import DELIMITERS, Layout, Rows
from sfumato.files.source import BadRecord, Chunk, Intake, RecordError, Source, Texts, documents_of, spans_as_json
from sfumato.text.document import Document, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class DelimitedChunk(Chunk):
    """Documents with their rows; ``unended`` says that the last line of the file has no line end.

    ``stay`` are the places of the columns that the output holds, and ``written`` is how they are written. ``blanks``
    says how many blank lines are before each row, and ``blank_end`` how many are after the last.
    """

    per_record: ClassVar[tuple[str, ...]] = ("rows", "blanks")

    rows: list[list[str]]
    layout: Layout
    spans_field: str | None
    stay: tuple[int, ...]
    written: Layout
    blanks: list[int]
    blank_end: int = 0
    unended: bool = False

    def render(self, releases: Sequence[Release]) -> bytes:
        """The rows with the released texts (and spans) in their cells."""
        columns = self.layout.columns
        places = [columns.index(name) for name in self.fields]
        rows = [row.copy() for row in self.rows]
        for number, place in enumerate(places):
            for row, release in zip(rows, releases[number :: len(places)], strict=True):
                row[place] = release.text
        if not self.layout.quoted:
            self._check(rows, places)
        if self.spans_field is not None:
            place = columns.index(self.spans_field)
            for row, release in zip(rows, releases, strict=True):
                row[place] = spans_as_json(release)
        if len(self.stay) < len(columns):
            rows = [[row[place] for place in self.stay] for row in rows]
        text = self._with_blanks(rows)
        # an empty line that has no end would be no line
        unended = self.unended and not text.endswith(2 * self.layout.end) and text != self.layout.end
        return (text.removesuffix(self.layout.end) if unended else text).encode()

    def _with_blanks(self, rows: list[list[str]]) -> str:
        """Return ``rows`` as text with the blank lines between them, which would be cells of a single column."""
        if not (self.blank_end or any(self.blanks)) or len(self.stay) == 1:
            return self.written.write(rows)
        end, write = self.written.end, self.written.write
        lines = [blank * end + write([row]) for blank, row in zip(self.blanks, rows, strict=True)]
        return "".join(lines) + self.blank_end * end

    def _check(self, rows: list[list[str]], places: list[int]) -> None:
        """Without quoting, a delimiter or line feed in a replacement would shift private cells: refuse it."""
        for place in places:
            for row in rows:
                if self.layout.delimiter in row[place] or "\n" in row[place]:
                    raise OutputError(
                        f"{self.file}: a replacement holds a delimiter or line feed, which a cell without "
                        'quotation marks cannot; choose quoting "csv" or another vocabulary.'
                    )

    def raw(self, record: int) -> bytes:
        """The row, with its values as they came in."""
        return self.layout.write([self.rows[record]]).encode()


class DelimitedSource(Source):
    """A file of rows with a header line. Blank lines are kept and are no records."""

    delimiters: ClassVar[tuple[str, ...]]
    quoted: ClassVar[bool]

    def chunks(self) -> Iterator[DelimitedChunk]:
        """Chunks of rows."""
        with InputFile(self.path, self.options.encoding) as file:
            rows = Rows(file, self.options, self.delimiters, self.quoted)
            layout = rows.layout
            draft = _Draft(layout, self.options, Intake(self.options, self.name))
            stay = self._staying(layout)
            written = replace(layout, columns=tuple(layout.columns[place] for place in stay))
            if len(stay) == 1 < len(layout.columns):  # it shows no delimiter, so it is read by the usual one
                written = replace(written, delimiter=self.delimiters[0])
            head = file.bom + written.write([written.columns]).encode()
            number = 0
            for index, (line, row) in enumerate(rows.records()):
                # Asked before a row is added: the last chunk must hold the last row and its missing line end.
                if draft.full:
                    yield self._chunk(number, (layout, stay, written), draft, file, head)
                    number, head = number + 1, b""
                try:
                    if rows.doubtful or len(row) != len(layout.columns):
                        rows.check(row, line)
                    draft.add(index, line, row, rows.blank)
                except RecordError as error:
                    draft.refuse(line, str(error), row)
            if rows.unended and number == 0 and not draft.rows:
                head = head.removesuffix(layout.end.encode())
            last = self._chunk(number, (layout, stay, written), draft, file, head, rows.unended)
            yield replace(last, blank_end=rows.blank)

    def _staying(self, layout: Layout) -> tuple[int, ...]:
        """The places of the columns that the output holds."""
        self.options.must_have(layout.columns)
        places = self.options.places(layout.columns)
        if len(places) == 1 < len(layout.columns) and not layout.quoted and len(self.delimiters) > 1:
            raise ConfigurationError(
                "One column alone, without quotation marks, could not be told from several; keep another field, or "
                "leave out --quoting none."
            )
        return places

    def _chunk(
        self,
        number: int,
        layouts: tuple[Layout, tuple[int, ...], Layout],
        draft: _Draft,
        file: InputFile,
        head: bytes,
        unended: bool = False,
    ) -> DelimitedChunk:
        blanks = draft.blanks
        documents, places, rows, bad = draft.give()
        layout, stay, written = layouts
        return DelimitedChunk(
            number=number,
            file=self.name,
            fields=self.options.fields,
            documents=documents,
            texts=[Texts(self.options.fields)] * len(places),
            places=places,
            rows=rows,
            blanks=blanks,
            layout=layout,
            spans_field=self.options.spans_field,
            stay=stay,
            written=written,
            bad=bad,
            done=file.position(),
            head=head,
            unended=unended,
            passing=self._passing(layout.columns, stay, rows),
        )

    def _passing(self, columns: tuple[str, ...], stay: tuple[int, ...], rows: list[list[str]]) -> KeptFields:
        """Return what passes of ``rows``: the columns that ``stay``, except those that are exchanged."""
        passing, options = KeptFields(), self.options
        others = [place for place in stay if columns[place] not in options.needed]
        passing.names.update({columns[place]: len(rows) for place in others})
        texts = [columns.index(name) for name in options.fields]
        for place in others if options.keep is None else ():
            for number, row in enumerate(rows):
                if row[place][:1] in OPENS and shows_spans(row[place], sum(len(row[text]) for text in texts)):
                    passing.spans = (number, columns[place])
                    return passing
        return passing


class CsvSource(DelimitedSource):
    """A .csv file; the delimiter is the one of ``, ; tab |`` under which the header holds the fields."""

    kind = "csv"
    delimiters = DELIMITERS
    quoted = True


class TsvSource(DelimitedSource):
    """A .tsv file. Quotation marks are text, as in the GLUE files, unless ``quoting`` says "csv"."""

    kind = "tsv"
    delimiters = ("\t",)
    quoted = False


class _Draft:
    """The chunk being read."""

    def __init__(self, layout: Layout, options: FileOptions, intake: Intake) -> None:
        self._layout = layout
        self._options = options
        self._intake = intake
        self._places = [layout.columns.index(name) for name in options.fields]
        self._id_place = None if options.id_field is None else layout.columns.index(options.id_field)
        self.rows: list[list[str]] = []
        self.blanks: list[int] = []
        self._lines: list[int] = []
        self._identities: list[str] = []
        self._most = options.chunk_records
        self._room = options.chunk_characters
        self.full = False

    def add(self, index: int, line: int, row: list[str], blank: int) -> None:
        """Take one row, and how many blank lines are before it. Raises RecordError for an id that was used before."""
        self._identities.append(
            str(index) if self._id_place is None else self._intake.checked_id(row[self._id_place])
        )
        self._lines.append(line)
        self.rows.append(row)
        self.blanks.append(blank)
        for place in self._places:
            self._room -= len(row[place])
        self.full = self._room <= 0 or len(self.rows) + len(self._intake.bad) >= self._most

    def refuse(self, line: int, reason: str, row: list[str]) -> None:
        """Refuse one row, or set it aside."""
        raw = self._layout.write([row]).encode(errors="surrogateescape")
        self._intake.refuse(line, reason, raw)
        self._room -= len(raw)
        self.full = self._room <= 0 or len(self.rows) + len(self._intake.bad) >= self._most

    def give(self) -> tuple[list[Document], list[int], list[list[str]], list[BadRecord]]:
        """The documents, lines, rows and bad records since the last call."""
        columns, fields, rows = self._layout.columns, self._options.fields, self.rows
        # A comprehension for the common case: this is the costliest step of reading.
        if len(fields) == 1:
            (place,), (name,) = self._places, fields
            documents = [
                Document(row[place], identity, dict(zip(columns, row, strict=True)), (name, identity))
                for row, identity in zip(rows, self._identities, strict=True)
            ]
        else:
            documents = []
            for row, identity in zip(rows, self._identities, strict=True):
                texts = [row[place] for place in self._places]
                documents += documents_of(identity, fields, texts, dict(zip(columns, row, strict=True)), False)
        given = (documents, self._lines, rows, self._intake.give_bad())
        self.rows, self.blanks, self._lines, self._identities = [], [], [], []
        self._room, self.full = self._options.chunk_characters, False
        return given

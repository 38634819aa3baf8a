"""Rows of cells: reading them from lines, and writing them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace

from sfumato.errors import InputError
from sfumato.files.options import FileOptions
from sfumato.files.reading import InputFile
from sfumato.files.source import RecordError, no_column

DELIMITERS = (",", ";", "\t", "|")
_LONGEST_CELL = 2**31 - 1
_ALONE = (
    "a carriage return stands alone here or below, where a line should end or inside a cell without quotation marks; "
    "save the file with line feeds at the ends of its lines"
)
_WAY_OUT = "the records after it cannot be told apart, so none can be set aside; correct the file"


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows are written: delimiter, line end, whether cells may be quoted, names of the columns."""

    delimiter: str
    end: str
    quoted: bool
    columns: tuple[str, ...]

    def write(self, rows: Sequence[Sequence[str]]) -> str:
        """The rows as text. A cell is quoted where its own content asks for it, and nowhere else."""
        if not self.quoted:
            return "".join([self.delimiter.join(row) + self.end for row in rows])
        lines: list[str] = []
        # Python 3.11 quotes a cell for a line break only if that character is in the line end, so the
        # writer is given both and its end is exchanged afterwards.
        sink = SimpleNamespace(write=lines.append)
        csv.writer(sink, delimiter=self.delimiter, lineterminator="\r\n", strict=True).writerows(rows)
        return "".join(lines) if self.end == "\r\n" else "".join([line[:-2] + self.end for line in lines])


class Rows:
    """The rows of a file, each with the line it begins on."""

    def __init__(self, file: InputFile, options: FileOptions, delimiters: Sequence[str], quoted: bool) -> None:
        self._name = file.name
        self._file = file
        self._not_valid = options.not_valid
        self._adjustable = options.adjustable
        self._quoted = quoted if options.quoting is None else options.quoting == "csv"
        # A .tsv that does use quotation marks as syntax shows itself by rows of the wrong width; from then
        # on no row's border can be trusted, so in that case none may be set aside.
        self._watch = not self._quoted and options.quoting is None and options.on_error == "quarantine"
        self._quote_seen = False
        # Whether a line with invalid UTF-8 was read since the last check.
        self.doubtful = False
        self.unended = False
        self.blank = 0
        self._lines = self._decoded()
        csv.field_size_limit(_LONGEST_CELL)
        first = next(self._lines, "")
        self._delimiter = _delimiter(first, delimiters, self._quoted, options.required)
        self._end = "\r\n" if first.endswith("\r\n") else "\n"
        self._rows = self._parsed(chain([first] if first else [], self._lines))
        _, header = next(self._rows, (1, []))
        self.layout = Layout(self._delimiter, self._end, self._quoted, tuple(header))
        self._check_header(header, options)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows after the header. In a file of one column a blank line is a cell.

        In others ``blank`` is how many blank lines are before the row, or at the end of the file.
        """
        one_column = len(self.layout.columns) == 1
        for line, row in self._rows:
            if row and (row[0] or len(row) > 1):
                yield line, row
                self.blank = 0
            elif one_column:
                yield line, [""]
            else:
                self.blank += 1

    def check(self, row: list[str], line: int) -> None:
        """Raise RecordError for a row with invalid UTF-8, or without one cell a column."""
        if self.doubtful:
            self.doubtful = False
            raise RecordError(f"the row is {self._not_valid}")
        found = f"the row has {len(row)} cells and the header {len(self.layout.columns)}"
        other = ' (if quotation marks may enclose a cell, choose quoting "csv")'
        hint = other if self._adjustable and not self._quoted else ""
        if self._quote_seen:
            raise InputError(f"{self._name}, line {line}: {found}{hint}; {_WAY_OUT}.")
        raise RecordError(found + hint)

    def _decoded(self) -> Iterator[str]:
        """Decoded lines. Invalid bytes become lone surrogates, so that the rows keep their borders."""
        line = b"\n"
        for line in self._file.lines():
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self.doubtful = True
                yield line.decode(errors="surrogateescape")
        self.unended = not line.endswith(b"\n")

    def _parsed(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        return self._split_with_quotes(lines) if self._quoted else self._split(lines)

    def _split(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        delimiter, end = self._delimiter, self._end
        for number, line in enumerate(lines, 1):
            if self._watch and not self._quote_seen:
                self._quote_seen = line.startswith('"') or f'{delimiter}"' in line
            yield number, line.removesuffix("\n" if line[-2:] != end else end).split(delimiter)

    def _split_with_quotes(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(lines, delimiter=self._delimiter, strict=True)
        begins = 1
        try:
            for row in reader:
                yield begins, row
                begins = reader.line_num + 1
        except csv.Error as error:
            if "new-line character" in str(error):
                raise InputError(f"{self._name}, line {begins}: {_ALONE}.") from None
            other = ' (or choose quoting "none")' if self._adjustable else ""
            raise InputError(
                f"{self._name}, line {begins}: a quotation mark that opens a cell here or below is never "
                f"closed, or is closed inside the cell; {_WAY_OUT}{other}."
            ) from None

    def _check_header(self, header: list[str], options: FileOptions) -> None:
        if self.doubtful:
            raise InputError(f"{self._name}, line 1: the header is {self._not_valid}; save the file as UTF-8.")
        if not header:
            raise InputError(f"{self._name} has no header line; add one that names the columns.")
        if not self._quoted and any("\r" in column for column in header):  # private rows would be names of columns
            raise InputError(f"{self._name}, line 1: {_ALONE}.")
        for name in options.required:
            if name not in header:
                raise no_column(self._name, name, header, options, ", or add a header line if it has none")
            if header.count(name) > 1:
                raise InputError(f"{self._name} has the column {name!r} twice; rename one of them.")


def _delimiter(line: str, candidates: Sequence[str], quoted: bool, needed: Sequence[str]) -> str:
    """The first candidate under which the header ``line`` holds the needed columns, or simply the first."""
    first = line.rstrip("\r\n")
    for delimiter in candidates:
        try:
            header = next(csv.reader([first], delimiter=delimiter), []) if quoted else first.split(delimiter)
        except csv.Error:
            break  # reading the rows will meet it again and say where
        if set(needed) <= set(header):
            return delimiter
    return candidates[0]

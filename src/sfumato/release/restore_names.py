"""Names put back for the pseudonyms of a map, in any text that was made of the release."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from sfumato.errors import InputError
from sfumato.release.map import check_restored, known_names
from sfumato.release.pseudonym_mentions import Mentions
from sfumato.release.text_formats import TextFormat, format_of
from sfumato.storage import Place, owned, regular, whole, writing

_DELIMITERS = ",;\t|"


class NamesBack(NamedTuple):
    """How many pseudonyms were put back, how many of their kind the map does not know, how many were doubtful."""

    known: int
    unknown: int
    doubtful: int


def restore_names(
    text: Path, path: Path, secret: bytes, output: Path, record: str | None, replace: bool = False
) -> NamesBack:
    """Write ``text`` with every pseudonym of the map put back to what it stood for.

    ``text`` may be any edited text, such as an answer of a language model. Where two records gave one pseudonym to
    different people, ``record`` says whose text it is. What is put back is escaped as the suffix of ``text`` asks
    for (:mod:`sfumato.release.text_formats`); a table whose rows cannot be told apart with certainty is refused.
    """
    check_restored(output, (text, path), replace)
    names = known_names(path, secret, record)
    if not names:
        whose = " of that record" if record else ""
        raise InputError(
            f"{path.name} knows no pseudonym{whose} (surrogates, labels and masks have none); nothing was written."
        )
    try:
        content = regular(text).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{text.name} cannot be read as UTF-8 text; nothing was written.") from None
    restoring = _Restoring(names, format_of(text))
    suffix = text.suffix.lower()
    made = _table(content, restoring, text.name) if suffix == ".csv" else restoring.restored(content)
    if suffix == ".tsv" and restoring.broke_a_row:
        raise InputError(f"A name would break a row of {text.name}; put the names back into .csv, text or JSON.")
    with owned([Place(output)]):
        check_restored(output, (text, path), replace)
        with writing(output), whole(output, private=True) as file:
            file.write(made.encode("utf-8", "surrogatepass"))
    return NamesBack(restoring.known, restoring.unknown, restoring.doubtful)


class _Restoring:
    """Puts names back, and counts."""

    def __init__(self, names: dict[str, str], form: TextFormat) -> None:
        self.known = self.unknown = self.doubtful = 0
        self.broke_a_row = False
        self._mentions, self._form = Mentions(names, form.reading), form

    def restored(self, text: str) -> str:
        """``text`` with the names that are certain."""
        parts: list[str] = []
        done = 0
        for start, end, original, certain in self._mentions.find(text):
            if original is None:
                self.unknown += certain
                self.doubtful += not certain
                continue
            self.known += 1
            self.broke_a_row |= any(sign in original for sign in '\t\r\n"')
            parts += text[done:start], self._form.escaped(original)
            done = end
        return "".join([*parts, text[done:]])


def _table(content: str, restoring: _Restoring, name: str) -> str:
    """The rows of ``content``, with names in their cells.

    Raises InputError where it is no table: a cell could then end elsewhere than where it seems to.
    """
    mark = "\ufeff" if content.startswith("\ufeff") else ""
    content = content.removeprefix(mark)
    end = "\r\n" if "\r\n" in content else "\n"
    header = content.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True))
        even = len({len(row) for row in rows if row}) <= 1
    except csv.Error:
        even = False
    if not even:
        raise InputError(f"{name} is no table with as many cells in each row; put the names back into text or JSON.")
    made = io.StringIO(newline="")
    csv.writer(made, delimiter=delimiter, lineterminator=end).writerows(
        [restoring.restored(cell) for cell in row] for row in rows
    )
    written = made.getvalue()
    return mark + (written if content.endswith(("\n", "\r")) else written.removesuffix(end))

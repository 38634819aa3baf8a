"""A text at its place in a document, and how a new text is laid over the pieces that it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple


class Edit(NamedTuple):
    """What takes the place of the characters from ``start`` to ``end`` of a text."""

    start: int
    end: int
    output: str


@dataclass(slots=True, eq=False)
class Slot:
    """A text of a document. PRIVATE. A walk yields it, and writes it with the ``edits`` that it then has.

    Attributes:
        text: The text, as a person reads it.
        place: Where it is, such as "page 3, line 2", "sheet 2, B7" or "slide 2, notes". It is made of numbers and
            fixed words alone, differs from that of every other text of the record, and is shown in errors.
        record: The number of its record in the file, from 0. The texts of a record follow one another.
        lead: What a reader sees before it and nothing replaces, such as "Name: " of a column's heading. A detector
            reads it with the text.
        shown: Where it is as a person knows it, such as 'sheet "Staff", B7'. PRIVATE: `find` and `review` show it.
        fields: The fields of its record, by name, such as the cells of its row. PRIVATE.
        public: Whether it tells nothing by itself: the heading of a column, the prompt of a program. A detector that
            reads texts marks nothing in it, but a name that its record has elsewhere is replaced in it too.
        edits: What is replaced in it: sorted and disjoint.
    """

    text: str = field(repr=False)
    place: str
    record: int = 0
    lead: str = field(default="", repr=False)
    shown: str = field(default="", repr=False)
    fields: dict[str, str] = field(default_factory=dict, repr=False)
    public: bool = False
    edits: Sequence[Edit] = field(default=(), repr=False)

    @property
    def new(self) -> str:
        """Return the text with its edits."""
        return "".join(spread([self.text], self.edits))


def spread(pieces: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """Return ``pieces`` of a text after ``edits`` of the whole text: as many pieces, each with its own style.

    An output goes to the piece in which its edit starts, so that a name that lies in two has the style of the first.
    """
    ends = list(accumulate(map(len, pieces)))
    new, done = [""] * len(pieces), 0
    for start, end, output in edits:
        _copy(pieces, ends, done, start, new)
        if pieces:
            new[_piece_at(ends, start)] += output
        done = end
    _copy(pieces, ends, done, ends[-1] if ends else 0, new)
    return new


def _piece_at(ends: Sequence[int], offset: int) -> int:
    return min(bisect_right(ends, offset), len(ends) - 1)


def _copy(pieces: Sequence[str], ends: Sequence[int], start: int, end: int, new: list[str]) -> None:
    for index in range(bisect_right(ends, start), len(pieces)):
        begin = ends[index] - len(pieces[index])
        if begin >= end:
            break
        new[index] += pieces[index][max(start - begin, 0) : end - begin]


def edits_of(text: str, parts: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that make ``text`` what ``parts`` say: in turns, text that was kept and outputs.

    A kept part is looked for behind the one before; the last ends the text. If a part is not there, as where a method
    wrote the whole text again, one edit replaces all.
    """
    kept, outputs = parts[::2], parts[1::2]
    place, edits = len(kept[0]), list[Edit]()
    ends_well = text.startswith(kept[0]) and text.endswith(kept[-1]) and len(kept) > 1
    for number, output in enumerate(outputs if ends_well else (), 1):
        last = number == len(outputs)
        begins = len(text) - len(kept[number]) if last else text.find(kept[number], place)
        if begins < place:
            ends_well = False
            break
        edits.append(Edit(place, begins, output))
        place = begins + len(kept[number])
    if ends_well:
        yield from (edit for edit in edits if text[edit.start : edit.end] != edit.output)
    elif text != "".join(parts):
        yield Edit(0, len(text), "".join(parts))

"""The marks of one text while the decisions of a person are applied to them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from sfumato.detectors.decisions import folded
from sfumato.text.marks import Finding

FINDER = "review"


class DecidedMarks:
    """The marks of ``text``, which never overlap, in reading order: a place is looked up by halving."""

    def __init__(self, text: str, findings: Sequence[Finding]) -> None:
        self._text = text
        self._marks = sorted(findings, key=lambda mark: mark.start)
        self._folded: dict[tuple[int, int], str] = {}
        self._index()

    @property
    def findings(self) -> list[Finding]:
        """Return the marks in reading order."""
        return list(self._marks)

    def put(self, start: int, end: int, label: str) -> None:
        """Mark the characters from ``start`` to ``end``. Marks that overlap them become a part of the mark."""
        meeting = self._meeting(start, end)
        held = self._marks[meeting]
        first = min([start, *(mark.start for mark in held)])
        last = max([end, *(mark.end for mark in held)])
        self._marks[meeting] = [Finding(first, last, label, None, FINDER)]
        self._starts[meeting], self._ends[meeting] = [first], [last]

    def put_everywhere(self, places: Iterable[tuple[int, int]], label: str) -> None:
        """Mark each of ``places``. A mark that holds more than the place already keeps its label."""
        for start, end in places:
            held = self._marks[self._meeting(start, end)]
            whole = held[0] if len(held) == 1 else None
            if whole is None or not (whole.start <= start and end <= whole.end and whole[:2] != (start, end)):
                self.put(start, end, label)

    def change(self, start: int, end: int, label: str | None) -> None:
        """Mark the characters from ``start`` to ``end``, or leave out the mark with these bounds (None)."""
        if label is not None:
            self.put(start, end, label)
            return
        self._marks = [mark for mark in self._marks if (mark.start, mark.end) != (start, end)]
        self._index()

    def change_texts(self, phrase: str, label: str | None) -> None:
        """Give every mark whose whole text is ``phrase`` the ``label``, or leave it out (None)."""
        wanted = folded(phrase)
        changed = []
        for mark in self._marks:
            if self._text_of(mark) != wanted:
                changed.append(mark)
            elif label is not None:
                changed.append(mark._replace(label=label, score=None, finder=FINDER))
        self._marks = changed
        self._index()

    def _index(self) -> None:
        self._starts = [mark.start for mark in self._marks]
        self._ends = [mark.end for mark in self._marks]

    def _meeting(self, start: int, end: int) -> slice:
        """Return where the marks are that overlap the characters from ``start`` to ``end``."""
        return slice(bisect_right(self._ends, start), bisect_left(self._starts, end))

    def _text_of(self, mark: Finding) -> str:
        bounds = mark.start, mark.end
        if bounds not in self._folded:
            self._folded[bounds] = folded(self._text[mark.start : mark.end])
        return self._folded[bounds]

"""The marks of one text while the decisions of a person are applied to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.detectors.decisions import folded
from sfumato.text.marks import Finding

FINDER = "review"


class DecidedMarks:
    """The marks of ``text``, which never overlap."""

    def __init__(self, text: str, findings: Sequence[Finding]) -> None:
        self._text = text
        self._marks = list(findings)
        self._folded: dict[tuple[int, int], str] = {}

    @property
    def findings(self) -> list[Finding]:
        """Return the marks in reading order."""
        return sorted(self._marks, key=lambda mark: mark.start)

    def put(self, start: int, end: int, label: str) -> None:
        """Mark the characters from ``start`` to ``end``. Marks that overlap them become a part of the mark."""
        meeting = [mark for mark in self._marks if mark.start < end and start < mark.end]
        bounds = [(start, end), *((mark.start, mark.end) for mark in meeting)]
        first, last = min(bound[0] for bound in bounds), max(bound[1] for bound in bounds)
        kept = [mark for mark in self._marks if mark.end <= first or last <= mark.start]
        self._marks = [*kept, Finding(first, last, label, None, FINDER)]

    def put_everywhere(self, places: Iterable[tuple[int, int]], label: str) -> None:
        """Mark each of ``places``. A mark that holds more than the place already keeps its label."""
        for start, end in places:
            inside = any(
                mark.start <= start and end <= mark.end and (mark.start, mark.end) != (start, end)
                for mark in self._marks
            )
            if not inside:
                self.put(start, end, label)

    def change(self, start: int, end: int, label: str | None) -> None:
        """Mark the characters from ``start`` to ``end``, or leave out the mark with these bounds (None)."""
        if label is not None:
            self.put(start, end, label)
        else:
            self._marks = [mark for mark in self._marks if (mark.start, mark.end) != (start, end)]

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

    def _text_of(self, mark: Finding) -> str:
        bounds = mark.start, mark.end
        if bounds not in self._folded:
            self._folded[bounds] = folded(self._text[mark.start : mark.end])
        return self._folded[bounds]

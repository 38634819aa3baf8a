"""A text that a person reads as one and a file holds in parts, such as a name: put together, and parted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sfumato.documents.slot import Edit, spread

_WORDS = 8
"""So many words are read with what is before them. A longer text says itself what it is about."""


def led(lead: str, text: str) -> str:
    """Return the ``lead`` of a text, if the text is a short one."""
    return lead if len(text.split()) <= _WORDS and "\n" not in text.strip() else ""


@dataclass(frozen=True, slots=True)
class Composed:
    """The parts of a text, some of which may be empty, and what is read before each of them."""

    parts: Sequence[str] = field(repr=False)
    gaps: Sequence[str]

    @classmethod
    def of(cls, parts: Sequence[str], gap: str = " ", gaps: dict[int, str] | None = None) -> Composed:
        """Return ``parts`` with ``gap`` between those that hold a text, or before some of them another one."""
        before, begun = list[str](), False
        for number, part in enumerate(parts):
            before.append((gaps or {}).get(number, gap) if begun and part else "")
            begun = begun or bool(part)
        return cls(parts, before)

    @property
    def text(self) -> str:
        """Return the whole text."""
        return "".join(gap + part for gap, part in zip(self.gaps, self.parts, strict=True))

    def edited(self, edits: Sequence[Edit]) -> list[str]:
        """Return the parts after ``edits``: an output is in the part in which its edit starts."""
        pieces = [piece for pair in zip(self.gaps, self.parts, strict=True) for piece in pair]
        return spread(pieces, [each for edit in edits if (each := self._outside_gaps(edit))])[1::2]

    def named(self, edits: Sequence[Edit], family: int | None = None) -> list[str]:
        """Return the parts of a name after ``edits``. An output for several parts is divided among them by words.

        ``family`` is the part that has the family name: it gets the last word.
        """
        ranges = self._ranges()
        return self.edited([each for edit in edits for each in _divided(edit, ranges, family)])

    def _ranges(self) -> list[tuple[int, int]]:
        ranges, place = list[tuple[int, int]](), 0
        for gap, part in zip(self.gaps, self.parts, strict=True):
            ranges.append((place + len(gap), place := place + len(gap) + len(part)))
        return ranges

    def _outside_gaps(self, edit: Edit) -> Edit | None:
        starts = [max(edit.start, start) for start, end in self._ranges() if start < edit.end and edit.start < end]
        return edit._replace(start=starts[0]) if starts else None


def _divided(edit: Edit, ranges: Sequence[tuple[int, int]], family: int | None) -> Iterator[Edit]:
    cut = [(max(start, edit.start), min(end, edit.end), number) for number, (start, end) in enumerate(ranges)]
    cut = [(start, end, number) for start, end, number in cut if start < end]
    words = edit.output.split()
    if len(cut) < 2:
        yield edit
        return
    last = next((place for place, (_, _, number) in enumerate(cut) if number == family), len(cut) - 1)
    if len(words) == len(cut):
        outputs = words
    elif len(words) == 1 and cut[0][:2] not in ranges:  # a piece of the first part remains, to which it belongs
        outputs = [*words, *[""] * (len(cut) - 1)]
    else:
        first = words[:-1] if last else []
        before = [*first[: max(last - 1, 0)], " ".join(first[max(last - 1, 0) :])][:last]
        final = words[-1] if last and words else " ".join(words)
        outputs = [*before, *[""] * (last - len(before)), final, *[""] * (len(cut) - last - 1)]
    for (start, end, _), output in zip(cut, outputs, strict=True):
        yield Edit(start, end, output)

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

    def named(self, edits: Sequence[Edit]) -> list[str]:
        """Return the parts of a name after ``edits``. An output for several parts is divided among them by words."""
        ranges = self._ranges()
        return self.edited([each for edit in edits for each in _divided(edit, ranges)])

    def _ranges(self) -> list[tuple[int, int]]:
        ranges, place = list[tuple[int, int]](), 0
        for gap, part in zip(self.gaps, self.parts, strict=True):
            ranges.append((place + len(gap), place := place + len(gap) + len(part)))
        return ranges

    def _outside_gaps(self, edit: Edit) -> Edit | None:
        starts = [max(edit.start, start) for start, end in self._ranges() if start < edit.end and edit.start < end]
        return edit._replace(start=starts[0]) if starts else None


def _divided(edit: Edit, ranges: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    within = [(max(start, edit.start), min(end, edit.end)) for start, end in ranges]
    within = [(start, end) for start, end in within if start < end]
    words = edit.output.split()
    if len(within) < 2:
        yield edit
        return
    outputs = [""] * len(within)
    if len(words) == 1:
        outputs[-1 if within[0] in ranges else 0] = edit.output.strip()
    elif words:
        first = words[: len(within) - 1] if len(words) > len(within) else words[:-1]
        outputs[: len(first)], outputs[-1] = first, words[-1]
        outputs[len(first) - 1] = " ".join([outputs[len(first) - 1], *words[len(first) : -1]])
    for (start, end), output in zip(within, outputs, strict=True):
        yield Edit(start, end, output)

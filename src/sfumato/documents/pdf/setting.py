"""Edits of a text, line by line: what is removed, and the pieces that an edited line is set from.

Whatever an edited line is set from must not depend on how wide its old text was. So its pieces are glyphs, new texts
and natural spaces, without any place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import NamedTuple

from sfumato.documents.pdf.blocks import LEADERS, Block, apart
from sfumato.documents.pdf.glyphs import Glyph
from sfumato.documents.pdf.lines import Line, blank, level
from sfumato.documents.slot import Edit

Spanned = tuple[Glyph, int, int]


class Words(NamedTuple):
    """A new text, set as the glyph that it is ``like``: the first one that was removed."""

    text: str
    like: Glyph


class Gap(NamedTuple):
    """A space that no glyph draws, in the size of the glyph that it is ``like``."""

    like: Glyph


Piece = Glyph | Words | Gap


@dataclass(eq=False)
class Edited:
    """A line that is set again: the ``line`` of a ``block``, and its pieces from left to right."""

    block: Block
    line: Line
    pieces: list[Piece]


@dataclass(eq=False)
class Setting:
    """What edits do to a content stream.

    Attributes:
        gone: The glyphs that are removed.
        lines: The lines that are set again.
    """

    gone: set[Glyph] = field(default_factory=set)
    lines: dict[Line, Edited] = field(default_factory=dict)

    @property
    def moved(self) -> set[Glyph]:
        """The glyphs that are not where they were: those of lines that are set again, and removed ones."""
        return self.gone.union(*(line.glyphs for line in self.lines))


@dataclass
class _Edits:
    """The edits of one text: which glyphs go, and which words are set from a glyph on."""

    text: str
    spans: Sequence[Spanned]
    lines: Sequence[int]
    edits: Sequence[Edit]
    gone: set[int] = field(default_factory=set)
    new: dict[int, str] = field(default_factory=dict)

    def find(self) -> None:
        """Find what is removed, and share each output among the lines that its edit covers."""
        for first, last, output in _groups(self.text, self.spans, self.edits):
            inside = range(first, last + 1)
            self.gone.update(inside)
            heads = [at for at in inside if at == first or self.lines[at] != self.lines[at - 1]]
            glued = last + 1 < len(self.spans) and self.lines[last] == self.lines[last + 1] and not self._blank(last)
            self.new.update(zip(heads, _shares(output, len(heads), glued), strict=True))

    def pieces(self, row: Sequence[int], turned: bool) -> list[Piece]:
        """Return the pieces of the line of the glyphs ``row``, in order from left to right."""
        found, before = list[Piece](), -1
        heads, spans = self._heads(row), self.spans
        for at in row:
            glyph = spans[at][0]
            near = not turned and spans[before][2] >= spans[at][1]  # nothing lies between most glyphs
            if before >= 0 and not near and self._spaced(before, at, turned):
                found.append(Gap(glyph))
            before = at
            if at in heads:
                found.extend(_worded(heads[at], glyph))
            elif at not in self.gone and not (glyph.text in LEADERS and self._leads(at)):
                found.append(glyph)
        return found

    def _blank(self, at: int) -> bool:
        """Say whether a space lies behind a glyph."""
        return blank(self.spans[at + 1][0]) or self._spaced(at, at + 1, False)

    def _leads(self, at: int) -> bool:
        """Say whether a dot is one of many that fill up a line, of which three remain."""
        return at > 0 and self.spans[at][1:] == self.spans[at - 1][1:]

    def _heads(self, row: Sequence[int]) -> dict[int, str]:
        """Return where new texts are set: where the first of their removed glyphs is, from left to right."""
        places, found = {at: number for number, at in enumerate(row)}, dict[int, str]()
        for head in sorted(set(row) & self.new.keys()):
            first, at = head, head
            while at + 1 in self.gone and at + 1 in places and at + 1 not in self.new:
                at += 1
                first = min(first, at, key=places.__getitem__)
            found[first] = self.new[head]
        return found

    def _spaced(self, before: int, at: int, turned: bool) -> bool:
        """Say whether a space that no glyph draws lies between two glyphs, and is not replaced."""
        one, other = min(before, at), max(before, at)
        if turned and other != one + 1:
            return apart(self.spans[before][0], self.spans[at][0]) and not {one, other} <= self.gone
        start, end = self.spans[one][2], self.spans[other][1]
        if start >= end:
            return False
        blank = [place for place in range(start, end) if self.text[place].isspace()]
        kept = any(not any(edit.start <= place < edit.end for edit in self.edits) for place in blank)
        return kept and apart(self.spans[before][0], self.spans[at][0])  # nothing lies before the mark of a note


def add(setting: Setting, block: Block, edits: Sequence[Edit]) -> None:
    """Add the ``edits`` of the text of ``block``."""
    order = {glyph: at for at, glyph in enumerate(glyph for line in block.lines for glyph in line.glyphs)}
    ends = list(accumulate(len(line.glyphs) for line in block.lines))
    places = [order[glyph] for glyph, _, _ in block.spans]
    spans: Sequence[Spanned] = block.spans
    if places != sorted(places):
        spans = sorted(block.spans, key=lambda span: order[span[0]])
        places.sort()
    lines = [bisect_right(ends, place) for place in places]
    done = _Edits(block.text, spans, lines, edits)
    done.find()
    setting.gone.update(spans[at][0] for at in done.gone)
    for number in sorted({lines[at] for at in done.gone}):
        line = block.lines[number]
        row = list(range(bisect_left(lines, number), bisect_right(lines, number)))
        if line.turned:
            row.sort(key=lambda at: spans[at][0].start)
        setting.lines[line] = Edited(block, line, done.pieces(row, line.turned))


def fill(setting: Setting, lines: Iterable[Line]) -> None:
    """Remove the spaces beside lines that are set again: those that fill up a tab begin where the old text ended."""
    for line in lines:
        if line not in setting.lines and any(level(line, other) for other in setting.lines):
            setting.gone.update(takewhile(blank, line.glyphs))
            setting.gone.update(takewhile(blank, reversed(line.glyphs)))


def _worded(text: str, like: Glyph) -> list[Piece]:
    """Return the pieces of a new text."""
    words: list[Piece] = [Words(" ".join(text.split()), like)] if text.strip() else []
    before: list[Piece] = [Gap(like)] if text[:1].isspace() else []
    return [*before, *words, *([Gap(like)] if words and text[-1:].isspace() else [])]


def _shares(output: str, count: int, glued: bool) -> list[str]:
    """Return the words of an output for each of ``count`` lines: as many for each, whatever the lines held.

    If there are fewer words than lines, the last line has one if what follows in it is ``glued`` to it.
    """
    if count == 1:
        return [output]
    words, rows, done = output.split(), list[str](), 0
    for number in range(count):
        size = -(-(len(words) - done) // (count - number))
        if glued and size and len(words) - done < count - number and done == len(words) - 1:
            size = int(number == count - 1)
        rows.append(" ".join(words[done : done + size]))
        done += size
    return rows


def _groups(text: str, spans: Sequence[Spanned], edits: Sequence[Edit]) -> list[tuple[int, int, str]]:
    """Return the first and the last glyph of edits, and what replaces them; edits of one glyph are one."""
    groups = list[tuple[int, int, list[Edit]]]()
    starts, ends = [start for _, start, _ in spans], [end for _, _, end in spans]
    ordered = starts == sorted(starts) and ends == sorted(ends)
    for edit in edits:
        near = range(len(spans))
        if ordered:  # from left to right
            near = near[bisect_left(ends, edit.start) : bisect_right(starts, edit.end)]
        hit = [at for at in near if _covers(edit, spans[at])] or [
            at for at in near if starts[at] < ends[at] and starts[at] <= edit.start <= ends[at]
        ][-1:]
        if hit and groups and hit[0] <= groups[-1][1]:
            groups[-1] = (groups[-1][0], max(hit[-1], groups[-1][1]), [*groups[-1][2], edit])
        elif hit:
            groups.append((hit[0], hit[-1], [edit]))
    rows = list[tuple[int, int, str]]()
    for first, last, inside in groups:
        done, output = min(inside[0].start, spans[first][1]), ""
        for edit in inside:
            output, done = output + text[done : edit.start] + edit.output, edit.end
        rows.append((first, last, output + text[done : spans[last][2]]))
    return rows


def _covers(edit: Edit, span: Spanned) -> bool:
    _, start, end = span
    return start < edit.end and edit.start < end if start < end else edit.start < start < edit.end

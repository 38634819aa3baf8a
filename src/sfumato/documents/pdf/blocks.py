"""Blocks of lines that are one text: paragraphs, cells, headings, as a reader puts lines together by their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from sfumato.documents.note_marks import is_mark
from sfumato.documents.pdf.glyphs import Glyph, Run
from sfumato.documents.pdf.lines import Line, blank, leftward, lines_of, raised, ratio

_SPACE = 0.173
"""A gap of so many times the size of the letters is a space. No limit here is one that fonts or programs would meet
exactly, so that rounding decides nothing."""
_SAME_SIZE = (0.793, 1.263)
_INDENT, _INDENT_OF_CELL = 3.07, 0.53
_STEP, _STEP_IF_REGULAR, _REGULAR = 1.713, 3.07, 1.153
_LEAST_STEP = 0.313
ALIGNED = 1.0
"""Lines whose middles or ends are nearer than this, in points, are aligned by them."""
_FULL = 0.807
"""A line that is so much of the widest one is continued by the next; a shorter one ends there."""
_SOFT = "\u00ad"
LEADERS = frozenset("._\u00b7\u2026-")
_HYPHENS = ("-", "\u2010", _SOFT)


@dataclass(eq=False)
class Block:
    """Lines that are one text.

    Attributes:
        lines: Its lines.
        text: Its text; lines are joined by a space, or by a line break where one ends before the others.
        spans: Where the text of each glyph is.
    """

    lines: list[Line]
    text: str = ""
    spans: list[tuple[Glyph, int, int]] = field(default_factory=list)

    @property
    def hidden(self) -> bool:
        """Whether the page does not show it."""
        return self.lines[0].run.hidden

    @cached_property
    def right(self) -> float:
        """Where its longest line ends."""
        return max(line.end for line in self.lines)

    def full(self, line: Line) -> bool:
        """Say whether a ``line`` reaches so far that the next one continues it."""
        left = min(each.start for each in self.lines)
        return line.end - left >= _FULL * (self.right - left)


def blocks(runs: Iterable[Run]) -> list[Block]:
    """Return the texts of ``runs``, in their order."""
    lines = list(lines_of(runs))
    found = list[Block]()
    for chain in _chains(lines):
        found.extend(_compose(Block(part)) for part in _parts(chain))
    return found


def _chains(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield lines that may be one text: one below the other, of like size."""
    chain = list[Line]()
    for line in lines:
        if chain and not _follows(chain[-1], line):
            yield chain
            chain = []
        chain.append(line)
    if chain:
        yield chain


def _follows(above: Line, below: Line) -> bool:
    one, other = above.run, below.run
    step = other.base - one.base
    indent = _INDENT_OF_CELL if above.cell or below.cell else _INDENT
    backward = leftward(above.glyphs[0].text) and leftward(below.glyphs[0].text)
    aside = min(abs(below.start - above.start), abs(below.end - above.end) if backward else float("inf"))
    if aside > indent * one.em and not above.cell and aligned(above, below):
        aside = 0.0
    return (
        one.along[0] * other.along[0] + one.along[1] * other.along[1] > 0.999
        and one.hidden == other.hidden
        and not below.cell
        and _SAME_SIZE[0] <= ratio(other.em, one.em) <= _SAME_SIZE[1]
        and _LEAST_STEP * one.em < step <= _STEP_IF_REGULAR * one.em
        and aside <= indent * one.em
    )


def aligned(above: Line, below: Line) -> bool:
    """Say whether two lines have one middle or one end."""
    (start, end), (other_start, other_end) = above.visible, below.visible
    return min(abs(end - other_end), abs(start + end - other_start - other_end) / 2) < ALIGNED


def _parts(chain: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the paragraphs of a ``chain``, which wider steps part."""
    steps = [below.run.base - above.run.base for above, below in pairwise(chain)]
    part = [chain[0]]
    for number, line in enumerate(chain[1:]):
        near = [steps[at] for at in (number - 1, number + 1) if 0 <= at < len(steps)]
        most = _REGULAR * min(near) if near else _STEP * line.run.em
        if steps[number] > max(most, _REGULAR * line.run.em):
            yield part
            part = []
        part.append(line)
    yield part


def _compose(block: Block) -> Block:
    """Fill in the text of a ``block``. Space of any kind and width is one space."""
    text, pending, waiting = list[str](), "", list[Glyph]()
    for number, line in enumerate(block.lines):
        if number:
            pending = _joint(block, number, text)
        before: Glyph | None = None
        for at, glyph in enumerate(line.glyphs):
            if before is not None and glyph.start != before.end and apart(before, glyph):
                pending = pending or " "
            if before is not None and before.run is not glyph.run and _noted(before.run, line.glyphs, at, text):
                pending = pending or " "
            before, start, said = glyph, len(text), glyph.text
            if said == " ":
                pending = pending or " "
                waiting.append(glyph)
                continue
            if not pending and not waiting and said is not None and len(said) == 1 and said.isalnum():
                text.append(said)
                block.spans.append((glyph, start, start + 1))
                continue
            if said in LEADERS and text[-3:] == [said] * 3 and not pending and not waiting:
                said = ""  # more of them fill up a line: their number says how long the rest is
            for character in (said or "").replace(_SOFT, ""):
                if character.isspace():
                    pending = pending or " "
                    continue
                if pending and text:
                    _spaces(block, waiting, len(text), 1)
                    start += start == len(text)
                    text.append(pending)
                pending = ""
                text.append(character)
            if blank(glyph):
                waiting.append(glyph)
            elif start == len(text) and block.spans:  # a part of the sign before it
                block.spans.append((glyph, *block.spans[-1][1:]))
            else:
                _spaces(block, waiting, start, 0)
                block.spans.append((glyph, start, len(text)))
    _spaces(block, waiting, len(text), 0)
    block.text = "".join(text)
    return block


def _noted(before: Run, glyphs: Sequence[Glyph], at: int, text: list[str]) -> bool:
    """Say whether a glyph begins the mark of a note behind a word, or a word behind such a mark."""
    run = glyphs[at].run
    if raised(before, run):
        behind = at + len(run.glyphs)
        touches = behind < len(glyphs) and not apart(glyphs[behind - 1], glyphs[behind])
        after = (glyphs[behind].text or "") if touches else ""
        return is_mark("".join(text[-3:]), "".join(each.text or "" for each in run.glyphs), after)
    mark, after = "".join(each.text or "" for each in before.glyphs), glyphs[at].text or ""
    last = "".join(text[-len(mark) - 4 : -len(mark)]).rstrip()
    return raised(run, before) and is_mark(last, mark, after) and after.isalnum()


def _spaces(block: Block, waiting: list[Glyph], at: int, length: int) -> None:
    for number, glyph in enumerate(waiting):
        block.spans.append((glyph, at, at + length) if not number else (glyph, at + length, at + length))
    waiting.clear()


def apart(before: Glyph, glyph: Glyph) -> bool:
    """Say whether the gap between two glyphs is a space."""
    least = _SPACE * before.run.em
    return glyph.start - before.end > least or before.start - glyph.end > least


def _joint(block: Block, number: int, text: list[str]) -> str:
    """Return what joins a line to the one before; a hyphen that only parts a word is taken out of the text."""
    above, below = block.lines[number - 1], block.lines[number]
    last = next((glyph.text for glyph in reversed(above.glyphs) if not blank(glyph)), None) or ""
    following = next((glyph.text for glyph in below.glyphs if not blank(glyph)), None) or " "
    word = text[-1:] if last == _SOFT else text[-2:-1]
    if not last.endswith(_HYPHENS) or not "".join(word).isalpha() or not following[0].isalpha():
        return " " if block.full(above) else "\n"
    if following[0].islower() and last != _SOFT:
        text.pop()
        glyph, start, end = block.spans[-1]
        block.spans[-1] = (glyph, start, end - 1)
    return ""

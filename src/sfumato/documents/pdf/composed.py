"""An edited line, composed of its pieces: each in its own font and size, one behind the other, with natural spaces.

Nothing here reads a place of the old line, nor what stretched it: justification, kerning, scaling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, cast

from sfumato.documents.pdf.glyphs import Glyph, Run
from sfumato.documents.pdf.lines import blank, leftward
from sfumato.documents.pdf.setting import Edited, Gap, Words
from sfumato.documents.pdf.standard import StandardFont

_BACK, _BACK_STEP = 0.15, 0.05
"""A sign that is drawn over the one before, such as an accent, moves back by more than this, in rounded steps."""
Part = bytes | float


class Style(NamedTuple):
    """How a part of a line is drawn; parts that follow one another in one style are one operator."""

    name: str
    size: float
    shape: tuple[float, float, float, float]
    lift: float
    mode: int
    look: tuple[Any, ...]
    marks: tuple[int, ...]


@dataclass(eq=False)
class Segment:
    """A part of a line in one style.

    Attributes:
        style: Its style.
        run: An operator that was drawn in that style.
        at: The glyph at whose place in the content stream it is written.
        start: Where it starts from the start of the line, on the page, before the line is made smaller.
        parts: Its codes, and moves between them as a TJ operator has them.
        end: Where it ends.
    """

    style: Style
    run: Run
    at: Glyph
    start: float
    parts: list[Part] = field(default_factory=list)
    end: float = 0.0

    def put(self, raw: bytes, to: float) -> None:
        """Add codes that end at ``to``."""
        if self.parts and isinstance(self.parts[-1], bytes):
            self.parts[-1] += raw
        else:
            self.parts.append(raw)
        self.end = to


@dataclass(eq=False)
class Composed:
    """An edited line with its segments. Its visible part begins and ends at ``first`` and ``last``."""

    edited: Edited
    segments: list[Segment] = field(default_factory=list)
    first: float = 0.0
    last: float = 0.0


def composed(edited: Edited, named: Callable[[StandardFont], str]) -> Composed:
    """Return an edited line as it is set. ``named`` gives the name of a standard font among the resources."""
    composer = _Composer(Composed(edited), named, edited.line.run.base)
    pieces = list(edited.pieces)
    while pieces and (isinstance(pieces[-1], Gap) or (isinstance(pieces[-1], Glyph) and blank(pieces[-1]))):
        pieces.pop()
    for run, row in groupby(pieces, lambda piece: piece.run if isinstance(piece, Glyph) else None):
        if run is not None:
            composer.shown(run, cast("Iterator[Glyph]", row))
        else:
            for piece in row:
                composer.add(cast("Words | Gap", piece))
    if not composer.line.segments:  # so that a reader finds the line where it was
        first = edited.line.glyphs[0]
        composer.standard(first, first.run.font.like, " ")
    if edited.line.turned:
        anchor = min(edited.line.glyphs, key=lambda glyph: (glyph.run.at, glyph.run.parts.index(glyph)))
        for segment in composer.line.segments:
            segment.at = anchor
    return composer.line


@dataclass
class _Composer:
    line: Composed
    named: Callable[[StandardFont], str]
    base: float
    pen: float = 0.0
    seen: bool = False
    before: Glyph | None = None

    def add(self, piece: Words | Gap) -> None:
        """Add a piece that no glyph draws."""
        if isinstance(piece, Gap):
            self.pen += _space(piece.like.run)
        else:
            self._words(piece)
        self.before = None

    def shown(self, run: Run, glyphs: Iterable[Glyph]) -> None:
        """Add ``glyphs`` of one operator."""
        style, unit = _style(run, run.name, run.size, self.base), _unit(run)
        width, least = run.font.width, -_BACK * run.em
        before, turned = self.before, self.line.edited.line.turned
        for glyph in glyphs:
            if before is not None and (back := glyph.start - before.end) < least and not turned:
                self.pen += max(round(back / run.em / _BACK_STEP) * _BACK_STEP * run.em, -2 * run.em)
            self._put(glyph, style, glyph.raw, width(glyph.raw) * unit)
            if not blank(glyph):
                self.seen, self.line.last = True, self.pen
            before = glyph
        self.before = before

    def _words(self, words: Words) -> None:
        run, text = words.like.run, words.text
        shown = text[::-1] if any(map(leftward, text)) else text  # it is drawn from left to right
        if any(run.font.encoded(word) is None for word in shown.split()):
            self.standard(words.like, run.font.like, text)
            return
        style, unit = _style(run, run.name, run.size, self.base), _unit(run)
        space = run.font.encoded(" ")
        for number, word in enumerate(shown.split()):
            if number and space is None:
                self.pen += _space(run)
            elif number and space is not None:
                self._put(words.like, style, space[0], space[1] * unit)
                run.font.use(space[0])
            code = run.font.encoded(word) or (b"", 0.0)
            self._put(words.like, style, code[0], code[1] * unit)
            run.font.use(code[0])
            self._see(False)

    def standard(self, like: Glyph, font: StandardFont, text: str) -> None:
        """Set a text in a standard font."""
        run = like.run
        raw, width = font.written(text)
        size = run.size * run.font.rise
        self._put(like, _style(run, self.named(font), size, self.base), raw, width * _unit(run) * run.font.rise)
        self._see(not raw.strip())

    def _put(self, like: Glyph, style: Style, raw: bytes, width: float) -> None:
        segments = self.line.segments
        last = segments[-1] if segments else None
        if last is None or (last.style is not style and last.style != style):
            segments.append(Segment(style, like.run, like, self.pen, end=self.pen))
        elif abs(self.pen - last.end) > 1e-9:
            unit = abs(style.size) * _high(like.run)
            last.parts.append(-(self.pen - last.end) / unit * 1000 if unit else 0.0)
        if not self.seen:
            self.line.first = self.line.last = self.pen
        self.pen += width
        segments[-1].put(raw, self.pen)

    def _see(self, empty: bool) -> None:
        if not empty:
            self.seen, self.line.last = True, self.pen


def _style(run: Run, name: str, size: float, base: float) -> Style:
    a, b, c, d = run.matrix[:4]
    long, sign = (a * a + b * b) ** 0.5, -1.0 if run.scale < 0 else 1.0
    stretch = sign * _high(run) / long if long else 0.0
    shape = (round(a * stretch, 6), round(b * stretch, 6), round(c, 6), round(d, 6))
    return Style(name, size, shape, round(run.base - base, 2), run.mode, run.look, run.marks)


def _high(run: Run) -> float:
    a, b, c, d = run.matrix[:4]
    long = (a * a + b * b) ** 0.5
    return abs(a * d - b * c) / long if long else 0.0


def _unit(run: Run) -> float:
    """Return how long a unit of the font is on the page where nothing stretches it."""
    return abs(run.size) * _high(run)


def _space(run: Run) -> float:
    """Return how wide a space of a font is on the page."""
    own = run.font.encoded(" ")
    return own[1] * _unit(run) if own else max(run.font.like.width(" ") / 1000, 0.25) * run.em

"""What a content stream shows: each glyph with its text and its place, in the order in which they are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.fonts import Font

Matrix = tuple[float, float, float, float, float, float]
SHOWING = frozenset(("Tj", "TJ", "'", '"'))


@dataclass(eq=False, slots=True)
class Glyph:
    """One code that is shown.

    Attributes:
        run: The operator that shows it.
        raw: Its bytes.
        text: Its text, or None if no table translates it.
        x: Where it starts, from where its operator starts, in units of its text matrix.
        start: Where it starts along its line, in units of the page.
        end: Where it ends along its line.
    """

    run: Run
    raw: bytes
    text: str | None
    x: float
    start: float
    end: float


@dataclass(eq=False, slots=True)
class Run:
    """One operator that shows text, with the state of the graphics under which it does.

    Attributes:
        at: Its index among the instructions.
        font: Its font, and the ``name`` that the resources give it.
        size: The size of the font, which ``scale`` stretches; ``spacing`` and ``wording`` widen letters and spaces.
        unit: How long a unit of its text is on the page, negative where the text runs against its axis.
        along: The direction in which it is written.
        across: The direction in which lines follow one another.
        base: Where its line is, across.
        em: How large its letters are on the page.
        block: The number of the text object that it lies in.
        hidden: Whether a page does not show it.
        invisible: Whether it is drawn without ink, as by text recognition.
        marks: The indexes of the marked contents that it lies in.
        inline: Whether its marked content is a part of a line, such as a link.
        matrix: The matrix of its text, with its ``lift``, on the page; ``mode`` is how it is drawn.
        look: Its colours, and what else its state says of how it looks.
        box: What is seen of it, if it is cut off.
        parts: Its glyphs, and the numbers between them as the file has them.
        glyphs: Its glyphs alone.
        start: Where its first glyph on the line starts; ``end``: where its last one ends.
        solid: Whether each of its glyphs starts where the one before ends.
    """

    at: int
    font: Font
    name: str
    size: float
    scale: float
    spacing: float
    wording: float
    unit: float
    along: tuple[float, float]
    across: tuple[float, float]
    origin: float
    base: float
    em: float
    block: int
    hidden: bool
    invisible: bool
    marks: tuple[int, ...]
    inline: bool
    matrix: Matrix
    lift: float
    mode: int
    look: tuple[Any, ...]
    box: tuple[float, float, float, float] | None = None
    parts: list[Glyph | float] = field(default_factory=list)
    glyphs: list[Glyph] = field(default_factory=list)
    start: float = math.inf
    end: float = -math.inf
    solid: bool = True


@dataclass(slots=True)
class Marked:
    """A marked content: its index among the instructions, its properties, and whether it is a hidden layer."""

    at: int
    properties: Any
    hidden: bool
    inline: bool = False
    runs: list[Run] = field(default_factory=list)
    ends: int = -1


@dataclass(slots=True)
class Drawn:
    """What a content stream draws.

    Attributes:
        runs: The operators that show text.
        marked: The marked contents, by their index among the instructions.
        used: The names of resources that it uses, by category.
        used_hidden: Those of what hidden layers draw.
        hidden: The indexes of instructions that draw in hidden layers.
        forms: The forms that it draws, with the matrix of each.
        pictures: How many images it draws, those of its own text included.
        curves: How many curves and lines it draws.
    """

    runs: list[Run] = field(default_factory=list)
    marked: dict[int, Marked] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)
    used_hidden: set[tuple[str, str]] = field(default_factory=set)
    hidden: list[int] = field(default_factory=list)
    forms: list[tuple[Any, Matrix]] = field(default_factory=list)
    pictures: int = 0
    curves: int = 0


def outside(run: Run, window: tuple[float, float, float, float]) -> bool:
    """Say whether ``run`` lies wholly outside a ``window`` of the page."""
    (ax, ay), (bx, by) = run.along, run.across
    corners = [
        (s * ax + t * bx, s * ay + t * by)
        for s in (run.start, run.end)
        for t in (run.base - run.em, run.base + run.em / 4)
    ]
    left, low, right, high = window
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return max(xs) < left or min(xs) > right or max(ys) < low or min(ys) > high

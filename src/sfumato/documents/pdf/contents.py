"""One content stream: its texts, and the stream with their edits."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.aligned import Aligner, Window
from sfumato.documents.pdf.blocks import Block, blocks
from sfumato.documents.pdf.composed import composed
from sfumato.documents.pdf.encodings import MARK
from sfumato.documents.pdf.glyphs import Drawn, Glyph
from sfumato.documents.pdf.marked import Marks
from sfumato.documents.pdf.operators import PAINTING
from sfumato.documents.pdf.reader import Reader
from sfumato.documents.pdf.relaid import Relaid
from sfumato.documents.pdf.relined import Relined
from sfumato.documents.pdf.setting import Setting, add, fill
from sfumato.documents.pdf.shapes import drawn_with
from sfumato.documents.pdf.standard import SHORT_NAMES, StandardFont
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.survey import surveyed
from sfumato.documents.pdf.tidy import Named, tidied
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused
from sfumato.documents.slot import Slot

_MOST_SIGNS = 3
"""A page with more kinds of signs that no table translates is refused."""
_MOST_CURVES = 400
"""A page without text that draws more curves and lines may show letters that are drawn."""


@dataclass(eq=False)
class Contents:
    """One content stream.

    Attributes:
        work: The walk.
        where: Where it is, in numbers and fixed words.
        instructions: Its instructions.
        resources: Its resources.
        window: What the page shows of it, if anything is cut off.
        whole: Whether it is a page, which may be one that is a picture.
        off: Whether it lies in a hidden layer.
        sign: Whether it draws a sign of a font, whose stencils are no pictures.
        fonts: The standard fonts that its edits need, by the names that it gives them.
        named: The names of resources that are written, by category and old name.
        relaid: Where its lines were and are, if some of them are set again.
    """

    work: Work
    where: str
    instructions: Sequence[Any]
    resources: Any
    window: Window | None = None
    whole: bool = False
    off: bool = False
    sign: bool = False
    drawn: Drawn = field(default_factory=Drawn)
    fonts: dict[str, StandardFont] = field(default_factory=dict)
    named: Named = field(default_factory=dict)
    _action: str = TREAT
    _hidden: str = TREAT
    _setting: Setting = field(default_factory=Setting)
    _images: str = KEEP
    _blocks: list[Block] = field(default_factory=list)
    relaid: list[Relined] = field(default_factory=list)

    def walk(self) -> Generator[Slot, None, None]:
        """Yield its texts, and keep their edits."""
        reader = Reader(self.resource, self.work.font, self.work.hidden, self.window, self.off)
        self.drawn = reader.read(self.instructions)
        self._marks = Marks(self.work, self.where, self.drawn)
        self._marks.tell_unreadable()
        self._look()
        if self._action == DROP:
            return
        yield from self._texts()
        yield from self._marks.walk()

    def resource(self, category: str, name: str) -> Any:
        """Return the resource called ``name``, or None."""
        group = self.resources.get(category) if self.resources is not None else None
        return group.get(name) if isa(group, "Dictionary") else None

    def _look(self) -> None:
        """Find out what becomes of it: whether it can be read, what it draws, and what it hides."""
        drawn = self.drawn
        for run in drawn.runs:
            run.font.shown.update(glyph.raw for glyph in run.glyphs)
        unread = _unread(drawn)
        hidden = any(run.hidden for run in drawn.runs) or bool(drawn.hidden)
        if self.sign and all(map(_is_stencil, filter(_is_image, self.instructions))):
            drawn.pictures = 0
        if drawn.pictures:
            self._images = self.work.rule("images", self.where)
        recognized = any(run.invisible for run in drawn.runs)
        covered = drawn.pictures > 0 and recognized and self._images == KEEP
        if unread or covered or (self.whole and self._is_picture()):
            self._action = self._scanned(unread)
        if hidden and self._action != DROP:
            self._hidden = self.work.rule("hidden", self.where)
        if self._action == DROP:
            drawn.used.clear()
        elif self._hidden != DROP:
            drawn.used |= drawn.used_hidden

    def _is_picture(self) -> bool:
        """Say whether it shows no text and something that may be a picture of text."""
        shown = surveyed(self.work, self.drawn, self.resources)
        return not shown.text and (shown.pictures > 0 or shown.curves > _MOST_CURVES)

    def _scanned(self, unread: bool) -> str:
        what = "text in a font without a table of its characters" if unread else "a picture of text"
        if self.work.visit.rules.scans not in (DROP, KEEP):
            raise Refused(
                f"{self.where} is {what}, which nothing here reads; make the file again from its source or by text "
                "recognition, or choose what becomes of scans in [documents]"
            )
        return self.work.rule("scans", self.where)

    def _texts(self) -> Generator[Slot, None, None]:
        found = self._blocks = blocks(self.drawn.runs)
        if self._hidden == DROP:
            self._setting.gone.update(glyph for block in found if block.hidden for glyph, _, _ in block.spans)
        for number, block in enumerate((each for each in found if each.text), 1):  # spaces may go with an edit
            if block.hidden and self._hidden != TREAT:
                continue
            slot = Slot(block.text, f"{self.where}, text {number}")
            yield slot
            if slot.edits and self.work.writes:
                self._edit(block, slot)

    def _edit(self, block: Block, slot: Slot) -> None:
        add(self._setting, block, slot.edits)
        moved = (glyph.run for line in block.lines if line in self._setting.lines for glyph in line.glyphs)
        if any(run.font.vertical for run in moved) or not all(run.name for run in self.drawn.runs):
            raise Refused(
                f"{self.where} has text from top to bottom, or in a font that its state sets, and it cannot be "
                "edited; print it to a new file"
            )

    def written(self) -> list[Any]:
        """Return its instructions with the edits, and without what they do not need."""
        for run in self.drawn.runs:
            run.font.cut |= self._action == DROP or not self._setting.gone.isdisjoint(run.glyphs)
        if self._action == DROP:
            return []
        fill(self._setting, [line for block in self._blocks for line in block.lines])
        for run in self.drawn.runs:
            run.font.used.update(glyph.raw for glyph in run.glyphs if glyph not in self._setting.gone)
        changed = dict[int, list[Any]]()
        self._marks.rewrite(changed, self.instructions, self._setting.gone)
        if self._images == DROP:  # of images by name, see image
            changed |= {at: _white(each) for at, each in enumerate(self.instructions) if _is_image(each)}
        if self._hidden == DROP:
            self._unpaint(changed)
        rows = [(at, each) for at, old in enumerate(self.instructions) for each in changed.get(at, (old,))]
        kept = self._relaid(rows) if self._setting.gone else [each for _, each in rows]
        new, self.named = tidied(kept, self._taken)
        return new

    def _relaid(self, rows: list[tuple[int, Any]]) -> list[Any]:
        """Return the instructions with the edited lines set again."""
        edited, lines = self._setting.lines, [line for block in self._blocks for line in block.lines]
        aligner = Aligner(lines, edited, self._blocks, self.window, self.whole)
        done = [(each, aligner.place(each)) for each in (composed(one, self._named) for one in edited.values())]
        self.relaid = [Relined.of(line, None) for line in lines if line not in edited]
        self.relaid += [Relined.of(each.edited.line, (each, placed)) for each, placed in done]
        under = drawn_with(list(edited), self.instructions)
        runs = {run.at: run for run in self.drawn.runs}
        writer = Relaid(runs, self._setting.moved, done)
        return writer.written([row for row in rows if row[0] not in under])

    def _taken(self, category: str, name: str) -> bool:
        return self.resource(category, name) is not None or (category == "/Font" and name in self.fonts)

    def _unpaint(self, changed: dict[int, list[Any]]) -> None:
        """Take out what hidden layers draw."""
        import pikepdf

        changed.update((at, []) for at in self.drawn.hidden)
        for mark in self.drawn.marked.values():
            for at in range(mark.at + 1, mark.ends if mark.hidden and mark.ends > 0 else 0):
                if str(self.instructions[at].operator) in PAINTING:
                    changed[at] = [pikepdf.ContentStreamInstruction([], pikepdf.Operator("n"))]
                elif str(self.instructions[at].operator) == "sh":
                    changed[at] = []

    def _named(self, font: StandardFont) -> str:
        """Return the name of a standard font among the resources, which get it when they are written."""
        name = base = f"/{SHORT_NAMES[font.name]}"
        number = 0
        while self.fonts.get(name, font) != font or self.resource("/Font", name) is not None:
            number += 1
            name = f"{base}{number}"
        self.fonts[name] = font
        return name


def _unread(drawn: Drawn) -> bool:
    """Say whether there is text that cannot be read. A few signs that lie alone, such as bullets, can be ignored.

    All become MARK.
    """
    glyphs = [glyph for run in drawn.runs for glyph in run.glyphs]
    unread = [at for at, glyph in enumerate(glyphs) if glyph.text is None]
    found = len({(glyphs[at].run.font.name, glyphs[at].raw) for at in unread}) > _MOST_SIGNS
    for at in () if found else unread:
        near = [each for each in (at - 1, at + 1) if 0 <= each < len(glyphs)]
        touching = [glyphs[each] for each in near if _close(glyphs[min(each, at)], glyphs[max(each, at)])]
        found = found or any(each.text is None or each.text[-1:].isalnum() for each in touching)
    for at in unread:
        glyphs[at].text = MARK
    return found


def _close(before: Glyph, glyph: Glyph) -> bool:
    em = max(before.run.em, glyph.run.em)
    return abs(before.run.base - glyph.run.base) < em / 2 and abs(glyph.start - before.end) < em / 5


def _is_image(instruction: Any) -> bool:
    return str(instruction.operator) == "INLINE IMAGE"


def _white(instruction: Any) -> list[Any]:
    """Return what takes the place of an image in a content stream: a white one, or nothing for a stencil."""
    import pikepdf

    def drawn(name: str, *operands: Any) -> Any:
        return pikepdf.ContentStreamInstruction(list(operands), pikepdf.Operator(name))

    if _is_stencil(instruction):
        return []
    return [drawn("q"), drawn("g", 1), drawn("re", 0, 0, 1, 1), drawn("f"), drawn("Q")]


def _is_stencil(instruction: Any) -> bool:
    about = instruction.iimage.obj
    return bool(about.get("/ImageMask", about.get("/IM", False)))

"""The operators of a text that is edited: what is removed is taken out, what replaces it is set, the rest remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.glyphs import Glyph, Run
from sfumato.documents.pdf.lines import leftward
from sfumato.documents.pdf.setting import Piece, Room, Setting, joined
from sfumato.documents.pdf.standard import StandardFont

_NARROWEST = 0.05
_LEAST = 0.01


class _Style(NamedTuple):
    name: str
    size: float
    scale: float
    spacing: float
    wording: float


@dataclass
class _Writer:
    """Writes the operators that take the place of one, ``run``."""

    run: Run
    named: Callable[[StandardFont], str]
    out: list[Any] = field(default_factory=list)
    pen: float = 0.0
    _array: list[Any] = field(default_factory=list)
    _string: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._style = self._own = _Style(
            self.run.name, self.run.size, self.run.scale, self.run.spacing, self.run.wording
        )

    def show(self, raw: bytes, to: float) -> None:
        """Show the code ``raw``, which moves the pen ``to``."""
        self._string += raw
        self.pen = to

    def move(self, to: float) -> None:
        """Move the pen ``to`` a place."""
        step = self._style.size * self._style.scale
        if step and abs(to - self.pen) > 1e-5:
            self.number(-(to - self.pen) * 1000 / step)
            self.pen = to

    def number(self, number: float) -> None:
        """Put a number between the codes, as the file has it."""
        self._close()
        self._array.append(decimal(number))

    def flush(self) -> None:
        """Write what is not written yet as one operator."""
        import pikepdf

        self._close()
        if self._array:
            self.operator("TJ", pikepdf.Array(self._array))
            self._array = []

    def operator(self, name: str, *operands: Any) -> None:
        """Write an operator."""
        self.out.append(_instruction(name, *operands))

    def style(self, style: _Style | None = None) -> None:
        """Set the style of what follows, or the operator's own again."""
        import pikepdf

        new, old = style or self._own, self._style
        if new == old:
            return
        self.flush()
        if (new.name, new.size) != (old.name, old.size):
            self.operator("Tf", pikepdf.Name(new.name), decimal(new.size))
        for operator, value, before in (
            ("Tz", new.scale * 100, old.scale * 100), ("Tc", new.spacing, old.spacing),
            ("Tw", new.wording, old.wording),
        ):  # fmt: skip
            if value != before:
                self.operator(operator, decimal(value))
        self._style = new

    def _close(self) -> None:
        import pikepdf

        if self._string:
            self._array.append(pikepdf.String(bytes(self._string)))
            self._string = bytearray()


def rewritten(
    setting: Setting, instructions: Sequence[Any], named: Callable[[StandardFont], str]
) -> dict[int, list[Any]]:
    """Return the operators that take the place of those at some indexes of ``instructions``.

    ``named`` gives the name of a standard font among the resources.
    """
    return {run.at: _rewritten(run, setting, instructions[run.at], named) for run in setting.runs}


def _rewritten(run: Run, setting: Setting, instruction: Any, named: Callable[[StandardFont], str]) -> list[Any]:
    writer = _Writer(run, named)
    name, operands = str(instruction.operator), list(instruction.operands)
    if name == '"':
        writer.operator("Tw", operands[0])
        writer.operator("Tc", operands[1])
    if name in ("'", '"'):
        writer.operator("T*")
    moved = False
    for part in run.parts:
        if isinstance(part, float):
            if not moved:
                writer.number(part)
                writer.pen -= part / 1000 * run.size * run.scale
        elif part not in setting.gone:
            writer.style()
            if moved:
                writer.move(part.x)
            writer.show(part.raw, part.x + part.advance)
            run.font.used.add(part.raw)
            moved = False
        else:
            if part in setting.rooms:
                writer.style()
                writer.move(part.x)
                _set(writer, setting.rooms[part])
            moved = True
    writer.style()
    if moved:
        writer.move(run.end)
    writer.flush()
    return writer.out


def _set(writer: _Writer, room: Room) -> None:
    """Set what a ``room`` holds."""
    run, pieces = writer.run, joined(room.words)
    font = _font_for(run, pieces)
    high = run.size if isinstance(font, Font) else run.size * run.font.rise
    size = abs(high * run.scale * run.unit)
    coded = [_coded(font, piece) if isinstance(piece, str) else None for piece in pieces]
    natural = sum(code[1] * size for code in coded if code)
    moved = sum(piece.end - piece.start for piece in pieces if isinstance(piece, Glyph))
    free = room.most - room.start - moved
    factor = min(1.0, max(free / natural, _NARROWEST)) if natural else 1.0
    name = run.name if isinstance(font, Font) else writer.named(font)
    style = _Style(name, high, run.scale * factor, 0.0, 0.0)
    at = max(room.end - moved - natural * factor, room.start) if room.turned else room.start
    before, least = at - room.start, _LEAST * run.em
    if before > least and not room.back:
        _space(writer, room, room.start, at)
    writer.style()
    writer.move(_text_place(writer, room, at))
    for piece, code in zip(pieces, coded, strict=True):
        if isinstance(piece, Glyph):
            at += piece.end - piece.start
            _move_glyph(writer, piece, _text_place(writer, room, at))
        elif code:
            at += code[1] * size * factor
            writer.style(style)
            writer.show(code[0], _text_place(writer, room, at))
            if isinstance(font, Font):
                font.used.update(each.raw for each in font.codes(code[0]))
    if before > least and room.back:
        writer.style()
        writer.move(_text_place(writer, room, room.start))
        _space(writer, room, room.start, room.start + before)
    elif room.spaced or room.end - at > least:
        _space(writer, room, at, max(room.end, at + least))


def _text_place(writer: _Writer, room: Room, at: float) -> float:
    return room.first.x + ((at - room.first.start) / writer.run.unit if writer.run.unit else 0.0)


def _font_for(run: Run, pieces: Sequence[Piece]) -> Font | StandardFont:
    """Return the font that surely shows the new texts: the old one, or a standard one."""
    texts = "".join(piece for piece in pieces if isinstance(piece, str))
    return run.font if run.font.encoded(texts) is not None else run.font.like


def _coded(font: Font | StandardFont, text: str) -> tuple[bytes, float]:
    if isinstance(font, StandardFont):
        return font.written(text)
    shown = text[::-1] if any(map(leftward, text)) else text  # it is drawn from left to right
    return font.encoded(shown) or (b"", 0.0)


def _move_glyph(writer: _Writer, glyph: Glyph, to: float) -> None:
    """Show a glyph of the same word behind the new text, in its own style."""
    run, own = glyph.run, writer.run
    ratio = abs(run.unit / own.unit) if own.unit else 1.0
    writer.style(_Style(run.name, run.size * ratio, run.scale, run.spacing * ratio, run.wording * ratio))
    writer.show(glyph.raw, to)
    run.font.used.add(glyph.raw)


def _space(writer: _Writer, room: Room, start: float, end: float) -> None:
    """Show a space as long as what lies between two places on the page."""
    run = writer.run
    font, size, scale = run.font.like, run.size * run.font.rise, run.scale or 1.0
    raw, width = font.written(" ")
    wording = ((end - start) / run.unit if run.unit else 0.0) / scale - width * size
    writer.style(_Style(writer.named(font), size, scale, 0.0, wording))
    writer.show(raw, _text_place(writer, room, end))


def decimal(number: float) -> Any:
    """Return ``number`` as a file holds it."""
    from decimal import Decimal

    rounded = round(number, 4)
    return int(rounded) if rounded == int(rounded) else Decimal(f"{rounded:.4f}".rstrip("0"))


def _instruction(name: str, *operands: Any) -> Any:
    import pikepdf

    return pikepdf.ContentStreamInstruction(list(operands), pikepdf.Operator(name))

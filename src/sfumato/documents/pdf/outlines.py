"""The letters of a TrueType font: each with its points, the letters that it is made of, and how it fits the dots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

Shape = tuple[Any, ...]
"""How a letter is drawn: its bytes, or parts and how each is placed; its width and where it starts."""
_MOST_PARTS = 100
_FITTING = ("fpgm", "prep", "cvt ")
_LIMITS = (
    "maxZones", "maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements",
    "maxSizeOfInstructions",
)  # fmt: skip
_WHOLE_SIZES = 8
_BOX = ("xMin", "yMin", "xMax", "yMax")
_EPOCH = 2_082_844_800


def shapes_of(file: Any) -> Callable[[str], Shape]:
    """Return what gives the shape of a glyph of a font."""
    glyphs, metrics, known = file["glyf"], file["hmtx"], dict[str, tuple[Shape, int]]()

    def whole(name: str, above: tuple[str, ...]) -> tuple[Shape, int]:
        if name in above:
            raise ValueError("a letter is a part of itself")
        if name not in known:
            glyph, parts, count = glyphs[name], list[Any](), 1
            if glyph.isComposite():
                for part in glyph.components:
                    shape, size = whole(part.glyphName, (*above, name))
                    count += size
                    parts.append((_placed(part), shape))
                    if count > _MOST_PARTS:
                        raise ValueError("a letter has too many parts")
                program = glyph.program.getBytecode() if hasattr(glyph, "program") else b""
                box = tuple(getattr(glyph, side) for side in _BOX)  # from which readers tell where it starts
                known[name] = (tuple(parts), (program, box), *metrics[name]), count
            else:
                known[name] = (None, glyph.compile(glyphs, recalcBBoxes=False), *metrics[name]), count
        return known[name]

    return lambda name: whole(name, ())[0]


def _placed(part: Any) -> Shape:
    rows = {key: value for key, value in vars(part).items() if key != "glyphName"}
    if "transform" in rows:
        rows["transform"] = tuple(map(tuple, rows["transform"]))
    return tuple(sorted(rows.items()))


def built(
    em: int, file: Any, shapes: Mapping[str, Shape], tables: Callable[[Any], None]
) -> tuple[bytes, Sequence[int]]:
    """Return a font with some letters by their names, and the box of them all. ``tables`` adds to it.

    It fits letters to the dots as the font ``file`` does.
    """
    from fontTools.fontBuilder import FontBuilder
    from fontTools.ttLib.tables._g_l_y_f import Glyph

    builder, glyphs = FontBuilder(em, isTTF=True), {".notdef": Glyph(b"")}
    glyphs[".notdef"].expand(None)
    whole = _Whole({shape: name for name, shape in reversed(list(shapes.items()))})
    glyphs |= {name: whole.glyph(shape) for name, shape in shapes.items()} | whole.more
    metrics = {name: shape[-2:] for name, shape in (*shapes.items(), *whole.shapes.items())} | {".notdef": (0, 0)}
    builder.setupGlyphOrder(list(glyphs))
    builder.font.recalcBBoxes = False
    builder.setupGlyf(glyphs, calcGlyphBounds=False)
    builder.setupHorizontalMetrics(metrics)
    builder.setupHorizontalHeader(ascent=round(em * 0.8), descent=-round(em * 0.2))
    builder.setupPost(keepGlyphNames=False)
    builder.font["maxp"].recalc(builder.font)
    builder.font["hhea"].recalc(builder.font)
    head = builder.font["head"]
    head.created = head.modified = _EPOCH
    head.flags = file["head"].flags & _WHOLE_SIZES
    for tag in _FITTING:
        if tag in file:
            builder.font[tag] = file[tag]
    for limit in _LIMITS if hasattr(file["maxp"], "maxZones") else ():
        setattr(builder.font["maxp"], limit, getattr(file["maxp"], limit))
    tables(builder.font)
    target = BytesIO()
    builder.font.save(target)
    return target.getvalue(), (head.xMin, head.yMin, head.xMax, head.yMax)


class _Whole:
    """Makes glyphs of shapes, and those of their parts."""

    def __init__(self, names: dict[Shape, str]) -> None:
        self.names, self.more, self.shapes = names, dict[str, Any](), dict[str, Shape]()

    def glyph(self, shape: Shape) -> Any:
        from fontTools.ttLib.tables._g_l_y_f import Glyph
        from fontTools.ttLib.tables.ttProgram import Program

        parts, code, *_ = shape
        glyph = Glyph(code if parts is None else b"")
        if parts is None:
            glyph.expand(None)
            return glyph
        glyph.numberOfContours = -1
        glyph.components = [self._part(*each) for each in parts]
        program, box = code
        for side, value in zip(_BOX, box, strict=True):
            setattr(glyph, side, value)
        if program:
            glyph.program = Program()
            glyph.program.fromBytecode(program)
        return glyph

    def _part(self, placed: Iterable[tuple[str, Any]], shape: Shape) -> Any:
        from fontTools.ttLib.tables._g_l_y_f import GlyphComponent

        if shape not in self.names:
            self.names[shape] = name = f"p{len(self.shapes) + 1}"
            self.shapes[name] = shape
            self.more[name] = self.glyph(shape)
        part = GlyphComponent()
        for key, value in placed:
            setattr(part, key, value)
        part.glyphName = self.names[shape]
        return part

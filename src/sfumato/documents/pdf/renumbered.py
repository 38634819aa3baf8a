"""The codes of embedded fonts, chosen again: a font made for a text numbers its letters as that text uses them."""

from __future__ import annotations

import zlib
from collections import defaultdict, deque
from collections.abc import Mapping, Set
from typing import Any

from sfumato.documents.pdf.encodings import differences
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.programs import program_of, quiet
from sfumato.documents.pdf.remade import Letter, remake, remake_drawn, replaced
from sfumato.documents.pdf.showing import resources_of, showing
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.work import Shown, Work

_CODES = (*range(33, 127), *range(161, 256), *range(128, 161), 127, 0, *range(1, 32))
"""Codes of one byte in the order in which they are given, from the last on to letters that no text is known of.

That of 32 is widened by an operator of its own.
"""
_MOST_WIDE = 0xFFFF
Codes = Mapping[bytes, bytes]


def renumber(work: Work) -> Set[Font]:
    """Make each embedded font again with the letters that are still shown, and write all texts by its new codes.

    What a font held is not told by what it holds: neither by its letters nor by their order. A font that cannot be
    made again, and from which something was taken, is refused or kept by the rule ``fonts``. Return the new ones.
    """
    fonts = _used(work)
    codes = dict[Font, Codes]()
    for number, font in enumerate(fonts, 1):
        if font.embedded:
            with quiet():
                new = _remade(work, font, f"F{number}")
            if new is not None:
                codes[font] = new
                continue
            if font.cut or font.shown != font.used or font.untold():
                work.rule("fonts")
            _rename(font, f"F{number}")
    for font in work.fonts.values():
        if font.embedded and not font.used:
            replaced(font.spec, _standard(font))
    for holder in list(work.written.values()) if codes else ():
        _write(work, holder, codes)
    return codes.keys()


def _rename(font: Font, name: str) -> None:
    import pikepdf

    for holder, key in ((font.spec, "/BaseFont"), (font.below, "/BaseFont"), (font.descriptor, "/FontName")):
        if key in holder:
            holder[key] = pikepdf.Name(f"/{name}")


def _standard(font: Font) -> Any:
    import pikepdf

    return pikepdf.Dictionary(font.like.described)


def _used(work: Work) -> list[Font]:
    """Find the codes that each font still shows. Return the fonts in the order of their first use."""
    fonts = dict[Font, None]()
    for font in work.fonts.values():
        font.used.clear()
    for sign in (False, True):
        for font in [each for each in fonts if each.spec.get("/Subtype") == "/Type3"]:
            _keep_signs(font)
        reached = _reached(work)
        work.written = {key: each for key, each in work.written.items() if key in reached}
        for holder in [each for each in work.written.values() if each.sign == sign]:
            for _, font, strings, wording in _shown(work, holder)[1]:
                fonts[font] = None
                raws = {raw for string in strings for raw in font.raws(string)}
                font.used |= raws
                font.spaced |= wording != 0 and b" " in raws
    return list(fonts)


def _keep_signs(font: Font) -> None:
    """Take out of a type-3 font what draws signs that are not shown, and what these alone use."""
    import pikepdf

    drawings, resources = font.spec.get("/CharProcs"), font.spec.get("/Resources")
    names = differences(font.spec.get("/Encoding"))
    shown, used = {names.get(raw[0]) for raw in font.used}, set[str]()
    for name in list(drawings.keys()) if isa(drawings, "Dictionary") else ():
        if name not in shown:
            del drawings[name]
        elif isa(drawings[name], "Stream"):
            rows = (each.operands for each in pikepdf.parse_content_stream(drawings[name]))
            used |= {str(operand) for row in rows for operand in row if isa(operand, "Name")}
    for group in resources.values() if isa(resources, "Dictionary") else ():
        for name in set(group.keys()) - used if isa(group, "Dictionary") else ():
            del group[name]


def _reached(work: Work) -> set[tuple[int, int]]:
    """Return the objects that the pages, and what lies on them, draw by."""
    found = set[tuple[int, int]]()
    stack = list[Any]()
    for page in work.pdf.pages:
        found.add(page.obj.objgen)
        stack.append(page.obj.get("/Resources"))
        rows = page.obj.get("/Annots")
        for note in rows if isa(rows, "Array") else ():
            stack += [note.get("/AP"), note.get("/MK")] if isa(note, "Dictionary") else []
    while stack:
        value = stack.pop()
        if isa(value, "Array"):
            stack.extend(value)
        elif isa(value, "Dictionary") or isa(value, "Stream"):
            if value.objgen in found:
                continue
            if value.objgen != (0, 0):
                found.add(value.objgen)
            stack.extend(inner for key, inner in value.items() if key not in ("/Parent", "/P", "/Popup"))
    return found


def _shown(work: Work, holder: Shown) -> tuple[list[Any], list[tuple[int, Font, list[bytes], float]]]:
    """Return the instructions of a content, and what shows text: index, font, strings, and how wide spaces are."""
    import pikepdf

    instructions = list(pikepdf.parse_content_stream(holder.content))
    rows = list[tuple[int, Font, list[bytes], float]]()
    for at, font, strings, wording in showing(instructions, resources_of(holder.owner), work.font):
        if font is None:
            raise ValueError("text without a font")
        rows.append((at, font, strings, wording))
    return instructions, rows


def _remade(work: Work, font: Font, name: str) -> Codes | None:
    """Make a font again. Return its new codes by the old ones, or None if it cannot be made."""
    if font.vertical or (font.wide and any(len(raw) == 1 for raw in font.used) and font.spaced):
        return None
    drawings = _drawings(font) if font.spec.get("/Subtype") == "/Type3" else {}
    program = program_of(font) if not drawings else None
    if not drawings and program is None:
        return None
    try:
        shapes = {raw: _drawn(drawings, raw) if program is None else program.shape(raw) for raw in font.used}
        lost = any(program is not None and font.says(raw).isalnum() and not program.has(raw) for raw in font.used)
        letters, codes = _letters(font, shapes) if not lost else ([], {})
        if not letters:
            return None
        if program is not None:
            remake(work, font, program, letters, name)
        else:
            old = {new: drawings[raw] for raw, new in sorted(codes.items(), reverse=True)}
            remake_drawn(work, font, letters, old)
        return codes
    except Exception:  # (damaged fonts fail in every way; what was raised may quote the file)
        return None


def _drawings(font: Font) -> dict[bytes, Any]:
    """Return what draws the codes of a type-3 font."""
    drawings, names = font.spec.get("/CharProcs"), differences(font.spec.get("/Encoding"))
    found = {bytes([code]): drawings.get(name) for code, name in names.items() if code < 256}
    return {raw: stream for raw, stream in found.items() if isa(stream, "Stream")}


def _drawn(drawings: Any, raw: bytes) -> Any:
    return (content_of(drawings[raw]),) if raw in drawings else None


def _letters(font: Font, shapes: Mapping[bytes, Any]) -> tuple[list[Letter], dict[bytes, bytes]]:
    """Return the letters of a font, with codes in the order of their texts, and these codes by the old ones."""
    if any(shape is None for shape in shapes.values()) or (font.spaced and font.says(b" ").strip()):
        return [], {}
    found = defaultdict[tuple[Any, ...], list[bytes]](list)
    for raw, shape in shapes.items():
        code = font.codes(raw)[0]
        spaced = font.spaced and raw == b" "
        found[not spaced, font.says(raw), round(code.width, 7), repr(shape)].append(raw)
    wide, free = font.wide, deque(range(1, _MOST_WIDE) if font.wide else _CODES)
    letters, codes = list[Letter](), dict[bytes, bytes]()
    for key in sorted(found):
        take = free.popleft if wide or key[1] else free.pop
        number = 32 if not key[0] and not wide else take()
        new = number.to_bytes(2 if wide else 1, "big")
        codes |= dict.fromkeys(found[key], new)
        letters.append(Letter(new, key[1], key[2], shapes[found[key][0]]))
    return letters, codes


def _write(work: Work, holder: Shown, codes: Mapping[Font, Codes]) -> None:
    """Write the texts of a content by the new codes."""
    import pikepdf

    instructions, rows = _shown(work, holder)
    changed = False
    for at, font, _, _ in rows:
        new = codes.get(font)
        if new is None:
            continue
        old = instructions[at]
        operands = list(old.operands)
        shown = operands[-1]
        if isa(shown, "Array"):
            operands[-1] = pikepdf.Array([_coded(font, each, new) if isa(each, "String") else each for each in shown])
        else:
            operands[-1] = _coded(font, shown, new)
        instructions[at] = pikepdf.ContentStreamInstruction(operands, old.operator)
        changed = True
    if not changed:
        return
    content = zlib.compress(pikepdf.unparse_content_stream(instructions))
    stream = holder.content if isa(holder.content, "Stream") else holder.content.Contents
    stream.write(content, filter=pikepdf.Name.FlateDecode)


def _coded(font: Font, string: Any, new: Codes) -> Any:
    import pikepdf

    return pikepdf.String(b"".join(new[raw] for raw in font.raws(bytes(string))))

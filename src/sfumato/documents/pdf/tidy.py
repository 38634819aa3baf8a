"""Instructions as they are written: known operators with the operands that they take, and names that say nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.glyphs import SHOWING
from sfumato.documents.pdf.operators import KNOWN
from sfumato.documents.pdf.relaid import Step
from sfumato.documents.pdf.streams import isa

Named = dict[tuple[str, str], str]
_CATEGORIES = {
    "Tf": "/Font", "Do": "/XObject", "gs": "/ExtGState", "cs": "/ColorSpace", "CS": "/ColorSpace", "sh": "/Shading",
    "scn": "/Pattern", "SCN": "/Pattern", "BDC": "/Properties",
}  # fmt: skip
_SPACES = entries("DeviceGray DeviceRGB DeviceCMYK Pattern CalRGB CalGray CalCMYK")
_INTENTS = entries("AbsoluteColorimetric RelativeColorimetric Saturation Perceptual")
_PLAIN = re.compile(r"/([A-Za-z]{1,3}\d{1,6}|(Helv|He(Bo|Ob|BO)|Ti(Ro|Bo|It|BI)|Cour|Co(Bo|Ob|BO))\d{0,3})")
"""Names that say nothing. A standard font has one of the last, with a number if a font of the file has its name."""
_LETTERS = {
    "/Font": "F", "/XObject": "X", "/ExtGState": "G", "/ColorSpace": "C", "/Shading": "S", "/Pattern": "P",
    "/Properties": "L",
}  # fmt: skip
_OF_INLINE = entries(
    "BPC BitsPerComponent CS ColorSpace D Decode DP DecodeParms F Filter H Height IM ImageMask I Interpolate W Width "
    "L Length"
)
_NUMBERS = (int, Decimal, float)


def tidied(instructions: Iterable[Any], taken: Callable[[str, str], bool]) -> tuple[list[Any], Named]:
    """Return the ``instructions`` that are known, and the new names of the resources that they use.

    ``taken`` says whether there is a resource of a category and a name.
    """
    named: Named = {}
    new = list[Any]()
    for instruction in instructions:
        operator = str(instruction.operator)
        if isinstance(instruction, Step):
            first = [_name(operator, instruction.operands[0], named, taken)] if operator == "Tf" else []
            new.append(_instruction([*first, *instruction.operands[len(first) :]], operator))
            continue
        if operator not in KNOWN:
            continue
        if operator == "INLINE IMAGE":
            if not set(instruction.iimage.obj.keys()) - _OF_INLINE:
                new.append(instruction)
            continue
        operands = instruction.operands
        if (operator in SHOWING and len(operands) == 1) or all(type(each) in _NUMBERS for each in operands):
            new.append(instruction)
        elif (kept := _operands(operator, list(operands), named, taken)) is not None:
            new.append(_instruction(kept, operator))
    return new, named


def _operands(
    operator: str, operands: list[Any], named: Named, taken: Callable[[str, str], bool]
) -> list[Any] | None:
    """Return the operands that an operator takes, or None if it has others."""
    if operator in SHOWING:
        return operands[-3:] if operator == '"' else operands[-1:]
    if operator in ("BMC", "BDC"):
        if len(operands) == 2 and isa(operands[1], "Name"):
            return [operands[0], _name(operator, operands[1], named, taken)]
        return operands
    if operator == "d":
        ok = len(operands) == 2 and isa(operands[0], "Array") and all(type(each) in _NUMBERS for each in operands[0])
        return operands if ok else None
    if operator == "ri":
        return operands if str(operands[0]) in _INTENTS else None
    names = [at for at, each in enumerate(operands) if isa(each, "Name")]
    where = 0 if operator != "scn" and operator != "SCN" else len(operands) - 1
    if operator not in _CATEGORIES or names != [where]:
        return None
    numbers = [each for at, each in enumerate(operands) if at != where]
    if not all(type(each) in _NUMBERS for each in numbers):
        return None
    operands[where] = _name(operator, operands[where], named, taken)
    return operands


def _name(operator: str, value: Any, named: Named, taken: Callable[[str, str], bool]) -> Any:
    import pikepdf

    category, old = _CATEGORIES[operator], str(value)
    if category == "/ColorSpace" and old in _SPACES and not taken(category, old):
        return value
    if (category, old) not in named:
        new, number = old, 0
        while not _PLAIN.fullmatch(new) or (new != old and taken(category, new)):
            number += 1
            new = f"/{_LETTERS[category]}{number}"
            if new in (each for (kind, _), each in named.items() if kind == category):
                new = ""
        named[category, old] = new
    return pikepdf.Name(named[category, old])


def _instruction(operands: list[Any], operator: str) -> Any:
    import pikepdf

    return pikepdf.ContentStreamInstruction(operands, pikepdf.Operator(operator))

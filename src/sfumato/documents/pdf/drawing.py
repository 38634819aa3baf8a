"""Pages, and what they draw: forms, patterns, masks, images. Each is walked over once, and keeps what it uses."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.aligned import Window
from sfumato.documents.pdf.contents import Contents
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.graphics import clean, emptied_image, kept_image
from sfumato.documents.pdf.layers import membership
from sfumato.documents.pdf.plain import keep_plain
from sfumato.documents.pdf.reader import UNIT, matrix_of, product
from sfumato.documents.pdf.relined import Relined
from sfumato.documents.pdf.streams import check, isa
from sfumato.documents.pdf.work import Shown, Work
from sfumato.documents.rules import DROP, Refused
from sfumato.documents.slot import Slot

_OF_FORM = entries("""
    Type Subtype FormType BBox Matrix Resources Group OC StructParent StructParents PatternType PaintType TilingType
    XStep YStep Length Filter DecodeParms
""")
_DEFAULTS = ("/DefaultGray", "/DefaultRGB", "/DefaultCMYK")


def page(work: Work, obj: Any, where: str, resources: Any, window: Window) -> Generator[Slot, None, None]:
    """Yield the texts of the content of a page, and write it."""
    import pikepdf

    parts = obj.get("/Contents")
    for part in parts if isa(parts, "Array") else [] if parts is None else [parts]:
        check(part)
    contents = Contents(work, where, parsed(work, obj, where), resources, window, whole=True)
    yield from contents.walk()
    if work.writes:
        new = pikepdf.unparse_content_stream(contents.written())
        obj.Contents = packed(work.pdf, new)
        obj.Resources = new_resources(work, contents)
        if contents.drawn.runs:
            work.written[obj.objgen] = Shown(obj, obj)
    yield from _used(work, contents)
    work.relaid[obj.objgen] = _relined(work, contents)


def form(work: Work, stream: Any, where: str, inherited: Any) -> Generator[Slot, None, None]:
    """Yield the texts of a form, a pattern or an appearance, and write it, once for all that draw it."""
    import pikepdf

    if not work.first(stream):
        return
    check(stream)
    resources = stream.get("/Resources")
    own = resources if isa(resources, "Dictionary") else inherited
    off = work.hidden(stream.get("/OC"))
    contents = Contents(work, where, parsed(work, stream, where), own, _box(stream.get("/BBox")), off=off)
    with work.deeper():
        yield from contents.walk()
        if work.writes:
            new = pikepdf.unparse_content_stream(contents.written())
            stream.write(zlib.compress(new), filter=pikepdf.Name.FlateDecode)
            stream.Resources = new_resources(work, contents)
            if contents.drawn.runs:
                work.written[stream.objgen] = Shown(stream, stream)
            keep_plain(stream, _OF_FORM, ("/Resources", "/Group", "/OC", "/Length", "/Filter"))
            if "/Group" in stream:
                clean(work, stream.Group, where)
            belong(work, stream)
        yield from _used(work, contents)
        work.relaid[stream.objgen] = _relined(work, contents)


def type3(work: Work, font: Any, where: str, inherited: Any) -> Generator[Slot, None, None]:
    """Yield the texts that the signs of a type-3 font draw, and write them. Their own stencils are kept."""
    import pikepdf

    drawings = font.get("/CharProcs")
    if not isa(drawings, "Dictionary") or not work.first(drawings) or not work.first(font):
        return
    resources = font.get("/Resources")
    own, kept = (resources if isa(resources, "Dictionary") else inherited), pikepdf.Dictionary()
    for number, name in enumerate(sorted(drawings.keys()), 1):
        stream = drawings[name]
        if not isa(stream, "Stream") or not work.first(stream):
            continue
        check(stream)
        place = f"{where}, sign {number}"
        contents = Contents(work, place, parsed(work, stream, place), own, sign=True)
        with work.deeper():
            yield from contents.walk()
            if work.writes:
                new = pikepdf.unparse_content_stream(contents.written())
                stream.write(zlib.compress(new), filter=pikepdf.Name.FlateDecode)
                for key in set(stream.keys()) - {"/Length", "/Filter"}:
                    del stream[key]
                _merge(kept, new_resources(work, contents))
                if contents.drawn.runs:
                    work.written[stream.objgen] = Shown(stream, font, sign=True)
            yield from _used(work, contents)
    if work.writes:
        font.Resources = kept


def _merge(into: Any, resources: Any) -> None:
    for category, names in resources.items():
        if category not in into:
            into[category] = names
        for name, value in names.items():
            into[category][name] = value


def belong(work: Work, holder: Any) -> None:
    """Keep of the layer that something belongs to what shows and hides it."""
    if "/OC" in holder:
        layer = membership(work, holder["/OC"])
        if layer is None:
            del holder["/OC"]
        else:
            holder["/OC"] = layer


def parsed(work: Work, obj: Any, where: str) -> list[Any]:
    """Return the instructions of the content of a page or a form. Raise Refused if some cannot be read."""
    import pikepdf

    work.pdf.get_warnings()
    instructions: list[Any] | None
    try:
        instructions = pikepdf.parse_content_stream(obj)
    except (pikepdf.PdfError, TypeError, ValueError):
        instructions = None
    if instructions is None or work.pdf.get_warnings():
        raise Refused(f"{where} is damaged; open it in a reader and print it to a new file")
    return instructions


def packed(pdf: Any, content: bytes) -> Any:
    """Return a new stream of a file with ``content``."""
    import pikepdf

    return pikepdf.Stream(pdf, zlib.compress(content), {"/Filter": pikepdf.Name.FlateDecode})


def new_resources(work: Work, contents: Contents) -> Any:
    """Return the resources that ``contents`` use, and no others."""
    import pikepdf

    new = pikepdf.Dictionary()
    names = contents.named | {("/ColorSpace", name): name for name in _DEFAULTS}
    objects = {
        (category, new): contents.resources[category][old]
        for (category, old), new in names.items()
        if contents.resource(category, old) is not None
    }
    for name, font in sorted(contents.fonts.items()):
        objects["/Font", contents.named.get(("/Font", name), name)] = work.standard(font)
    for (category, name), value in sorted(objects.items(), key=lambda row: row[0]):
        if category == "/Font" and isa(value, "Dictionary"):
            value = work.font(value).spec
        if category == "/Properties" and (value := membership(work, value)) is None:
            continue
        if category not in new:
            new[category] = pikepdf.Dictionary()
        new[category][name] = value
    return new


def _used(work: Work, contents: Contents) -> Generator[Slot, None, None]:
    """Yield the texts of what ``contents`` draw by name."""
    forms = patterns = masks = fonts = 0
    for category, name in sorted(contents.drawn.used):
        found = contents.resource(category, name)
        if category == "/XObject" and isa(found, "Stream"):
            if found.get("/Subtype") == "/Image":
                image(work, found, contents.where)
                continue
            if found.get("/Subtype") != "/Form":
                _foreign(work, found, contents.where)
                continue
            forms += 1
            yield from form(work, found, f"{contents.where}, form {forms}", contents.resources)
        elif category == "/Pattern" and isa(found, "Stream"):
            patterns += 1
            yield from form(work, found, f"{contents.where}, pattern {patterns}", contents.resources)
        elif category == "/ExtGState" and isa(found, "Dictionary"):
            mask = found.get("/SMask")
            if isa(mask, "Dictionary") and isa(mask.get("/G"), "Stream"):
                masks += 1
                yield from form(work, mask["/G"], f"{contents.where}, mask {masks}", contents.resources)
        elif category == "/Font" and isa(found, "Dictionary") and found.get("/Subtype") == "/Type3":
            fonts += 1
            yield from type3(work, found, f"{contents.where}, font {fonts}", contents.resources)
        if work.writes and category in ("/Pattern", "/ExtGState", "/ColorSpace", "/Shading") and found is not None:
            clean(work, found, contents.where)


def _relined(work: Work, contents: Contents) -> list[Relined]:
    """Return where the lines of ``contents`` were and are, with those of the forms that they draw."""
    rows = list(contents.relaid)
    for stream, matrix in contents.drawn.forms:
        numbers = [float(each) for each in stream.get("/Matrix", UNIT)]
        whole = product(matrix_of(numbers), matrix) if len(numbers) == 6 else matrix
        rows.extend(row.by(whole) for row in work.relaid.get(stream.objgen, ()))
    return rows


def _foreign(work: Work, stream: Any, where: str) -> None:
    """Empty a program that a page would draw by, such as one for a printer."""
    if work.first(stream) and work.rule("programs", where) == DROP and work.writes:
        emptied_image(stream)


def image(work: Work, stream: Any, where: str) -> None:
    """Empty an image, or keep it without what describes it."""
    if not work.first(stream) or not work.writes:
        return
    belong(work, stream)
    if work.visit.rules.images == DROP:
        emptied_image(stream)
    else:
        kept_image(work, stream, where)


def _box(value: Any) -> Window | None:
    if not isa(value, "Array") or len(value) != 4:
        return None
    a, b, c, d = (float(each) for each in value)
    return min(a, c), min(b, d), max(a, c), max(b, d)

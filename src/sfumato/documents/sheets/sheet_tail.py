"""What follows the rows of a sheet: links, rules of validation and of format, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any
from urllib.parse import unquote

from sfumato.documents.office.office_fonts import is_usual_font
from sfumato.documents.office.package import NOWHERE, Relation
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused
from sfumato.documents.sheets.cell_texts import MAIN, decoded
from sfumato.documents.sheets.sheet_book import ID, Beside, Book, Spot, area, place_of
from sfumato.documents.sheets.sheet_formulas import silently
from sfumato.documents.sheets.sheet_naming import Sheet, named, walk_formula
from sfumato.documents.sheets.sheet_styles import format_code
from sfumato.documents.sheets.sheet_tables import drop_criteria
from sfumato.documents.sheets.sheet_vocabulary import X14, XM
from sfumato.documents.slot import Slot, spread
from sfumato.documents.xml import fit

_LONGEST_LITERAL = 255
_CODE = re.compile(r'&([LCR])|&("[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[A-Za-z])')
_SIDES = {"L": "left", "C": "center", "R": "right"}
_PAGES = {"odd": "", "even": "even ", "first": "first "}


def links_by_row(book: Book, sheet: Sheet, root: Any) -> Beside:
    """Return what yields the links of each row."""
    walks: Beside = {}
    for number, element in enumerate(root.iterfind(f"{{{MAIN}}}hyperlinks/{{{MAIN}}}hyperlink"), 1):
        cells = area(element.get("ref", ""))
        walk = partial(_link, book, sheet, element, number)
        walks.setdefault(cells.top if cells else 0, []).append(walk)
    return walks


def _link(book: Book, sheet: Sheet, element: Any, number: int, spot: Spot) -> Iterator[Slot]:
    """Yield where a link leads, what is said of it, and take it out if it leads nowhere."""
    reference = element.get("ref", "").partition(":")[0]
    reference = reference if place_of(reference) else "no cell"
    here = Spot(
        f"sheet {sheet.number}, {reference}, link {number}", f'sheet "{sheet.name}", {reference}, link {number}',
        spot.record, "", spot.fields,
    )  # fmt: skip
    if "display" in element.attrib and book.visit.rule("caches", here.place) == DROP:
        del element.attrib["display"]
    action = book.visit.rule("links", here.place)
    if action == DROP:
        book.package.unlink(sheet.part, element.get(ID, ""))
        element.getparent().remove(element)
        return
    yield from _attribute(book, here, element, "tooltip", "descriptions")
    if element.get("location"):
        walk = walk_formula(book, element.get("location"), here.inside("place"))
        element.set("location", fit(silently(walk) if action == KEEP else (yield from walk)))
    relation = book.package.relations(sheet.part).get(element.get(ID, ""))
    if relation is not None and relation.external and (sheet.part, relation.id) not in book.links:
        book.links.add((sheet.part, relation.id))
        if action == TREAT:
            yield from _target(relation, here)


def _target(relation: Relation, spot: Spot) -> Iterator[Slot]:
    slot = spot.slot(unquote(relation.target))
    yield slot
    if slot.edits:
        relation.target = NOWHERE


def _attribute(book: Book, spot: Spot, element: Any, key: str, rule: str = "", within: str = "") -> Iterator[Slot]:
    """Yield the text of an attribute, by a rule if it has one."""
    text = element.get(key)
    if not text:
        return
    action = book.visit.rule(rule, spot.place) if rule else TREAT
    if action == TREAT:
        slot = spot.slot(decoded(text), within or key.lower())
        yield slot
        if slot.edits:
            element.set(key, fit(slot.new))
    elif action == DROP:
        del element.attrib[key]


def walk_tail(book: Book, spot: Spot, root: Any) -> Iterator[Slot]:
    """Yield the texts that follow the rows of a sheet, and change them."""
    drop_criteria(book, root, spot.place)
    yield from _protected(book, spot, root)
    yield from _scenarios(book, spot, root)
    yield from _formats(book, spot, root)
    yield from _validations(book, spot, root)
    for number, element in enumerate(root.iter(f"{{{X14}}}sparklineGroup"), 1):
        yield from _inner_formulas(book, spot.inside(f"sparklines {number}"), element)
    yield from walk_headers(spot, root)


def _protected(book: Book, spot: Spot, root: Any) -> Iterator[Slot]:
    for number, element in enumerate(root.iter(f"{{{MAIN}}}protectedRange", f"{{{X14}}}protectedRange"), 1):
        name, within = element.get("name", ""), f"protected area {number}"
        element.set("name", (yield from named(book, spot, name, within, f"Range_{number}", ())))


def _scenarios(book: Book, spot: Spot, root: Any) -> Iterator[Slot]:
    for number, element in enumerate(list(root.iter(f"{{{MAIN}}}scenario")), 1):
        here = spot.inside(f"scenario {number}")
        action = book.visit.rule("hidden", here.place)
        if action == DROP:
            parent = element.getparent()
            parent.remove(element)
            if not len(parent):
                parent.getparent().remove(parent)
        elif action == TREAT:
            yield from _attribute(book, here, element, "name")
            yield from _attribute(book, here, element, "comment", "comments")
            for index, cell in enumerate(element.iter(f"{{{MAIN}}}inputCells"), 1):
                yield from _attribute(book, here, cell, "val", within=f"value {index}")


def _formats(book: Book, spot: Spot, root: Any) -> Iterator[Slot]:
    """Yield the texts in the formulas of conditional formats."""
    for number, element in enumerate(root.iter(f"{{{MAIN}}}cfRule", f"{{{X14}}}cfRule"), 1):
        here = spot.inside(f"condition {number}")
        looked_for = decoded(element.get("text", ""))
        replaced = dict[str, str]()
        for slot in _inner_formulas(book, here, element):
            yield slot
            replaced.setdefault(slot.text, slot.new)
        if looked_for in replaced:
            element.set("text", fit(replaced[looked_for]))
        else:
            yield from _attribute(book, here, element, "text", within="text looked for")
        for index, each in enumerate(element.iter(f"{{{MAIN}}}cfvo"), 1):
            if each.get("val"):
                each.set("val", fit((yield from walk_formula(book, each.get("val"), here.inside(f"limit {index}")))))
        for index, each in enumerate(element.iter(f"{{{MAIN}}}numFmt"), 1):
            code = yield from format_code(decoded(each.get("formatCode", "")), here.inside(f"format {index}"))
            each.set("formatCode", fit(code))


def _inner_formulas(book: Book, spot: Spot, element: Any) -> Iterator[Slot]:
    for index, each in enumerate(element.iter(f"{{{MAIN}}}formula", f"{{{XM}}}f"), 1):
        each.text = fit((yield from walk_formula(book, each.text or "", spot.inside(f"formula {index}"))))


def _validations(book: Book, spot: Spot, root: Any) -> Iterator[Slot]:
    """Yield the messages and the lists of validations. A list that would be too long goes, with its validation."""
    names = (f"{{{MAIN}}}dataValidation", f"{{{X14}}}dataValidation")
    for number, element in enumerate(list(root.iter(*names)), 1):
        here = spot.inside(f"validation {number}")
        for key in ("promptTitle", "prompt", "errorTitle", "error"):
            yield from _attribute(book, here, element, key)
        formulas = [each for name in ("formula1", "formula2") for each in element.iter(f"{{{MAIN}}}{name}")]
        for index, each in enumerate(formulas or element.iter(f"{{{XM}}}f"), 1):
            each.text = fit((yield from walk_formula(book, each.text or "", here.inside(f"formula {index}"))))
            if each.text.startswith('"') and len(each.text) > _LONGEST_LITERAL + 2:
                raise Refused(
                    f"{here.place} would be longer than {_LONGEST_LITERAL} characters; choose a shorter list"
                )


def walk_headers(spot: Spot, root: Any) -> Iterator[Slot]:
    """Yield the texts of headers and footers: what is left, in the middle and right of each."""
    for element in root.iterfind(f"{{{MAIN}}}headerFooter/*"):
        name = element.tag.rpartition("}")[2]
        kind = "header" if name.endswith("Header") else "footer"
        page = next((word for start, word in _PAGES.items() if name.startswith(start)), "")
        new = yield from _header(element.text or "", spot.inside(f"{page}{kind}"))
        if len(new) > _LONGEST_LITERAL:
            raise Refused(
                f"{spot.place}, {page}{kind} would be longer than {_LONGEST_LITERAL} characters; shorten it"
            )
        element.text = fit(new)


def _of_usual_font(code: str) -> str:
    """Return a code of a header, without the name of a font that no program has."""
    font, comma, style = code.removeprefix('&"').partition(",")
    named = code.startswith('&"') and font.strip('"') != "-" and not is_usual_font(font.strip('"'))
    return f'&"-,{style}' if named and comma else "" if named else code


def _header(raw: str, spot: Spot) -> Generator[Slot, None, str]:
    """Yield the three texts of a header; return it. Codes of fonts and of page numbers stay."""
    sides, parts, place, new = ["center"], list[list[str]]([[]]), 0, ""
    text = raw.replace("&&", "\0")
    for found in _CODE.finditer(text):
        parts[-1] += [text[place : found.start()], _of_usual_font(found.group())]
        place = found.end()
        if found[1]:
            sides.append(_SIDES[found[1]])
            parts.append([])
    parts[-1].append(text[place:])
    for side, pieces in zip(sides, parts, strict=True):
        texts = [piece.replace("\0", "&") for piece in pieces[::2]]
        slot = spot.slot("".join(texts), side)
        if any(each.isalnum() for each in slot.text):
            yield slot
        for index, piece in enumerate(spread(texts, slot.edits)):
            code = pieces[2 * index - 1] if index else ""
            sized = code[1:].isdigit() and piece[:1].isdigit()
            new += (" " if sized else "") + piece.replace("&", "&&")
            new += pieces[2 * index + 1] if 2 * index + 1 < len(pieces) else ""
    return new

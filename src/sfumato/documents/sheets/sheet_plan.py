"""Which parts of a workbook are kept, and what becomes of those that are of no sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.documents.formats import nested
from sfumato.documents.office.office import LINKS, PICTURE, PICTURE_SVG, UNKNOWN, Kind, below_dropped
from sfumato.documents.office.office_names import words
from sfumato.documents.office.office_parts import SHARED
from sfumato.documents.office.package import Package, Relation
from sfumato.documents.office.scrub import Part
from sfumato.documents.rules import DROP, KEEP, TREAT, Visit
from sfumato.documents.sheets.sheet_book import Book
from sfumato.documents.sheets.sheet_notes import drawn_in, walk_persons
from sfumato.documents.slot import Slot

_KINDS = {
    **SHARED,
    **dict.fromkeys(
        words(
            "officeDocument worksheet chartsheet xlMacrosheet xlIntlMacrosheet dialogsheet styles table drawing "
            "chart chartEx chartUserShapes"
        ),
        Kind(""),
    ),
    **dict.fromkeys(words("sharedStrings calcChain printerSettings sheetMetadata"), Kind("", gone=True)),
    **dict.fromkeys(words("comments threadedComment person"), Kind("comments", rule="comments")),
    **dict.fromkeys(
        words(
            "externalLink pivotCacheDefinition pivotCacheRecords pivotTable slicer slicerCache timeline "
            "timelineCache volatileDependencies powerPivotData queryTable connections"
        ),
        Kind("copy", rule="caches"),
    ),
    **dict.fromkeys(words("revisionHeaders revisionLog usernames"), Kind("changes", rule="changes")),
    "ctrlProp": Kind("control", rule="programs"),
    "customProperty": Kind("properties of a sheet", rule="properties"),
}
"""What becomes of what a relationship leads to. Parts of no place are walked over with their sheet, or go."""
_OF_NOTES = ("comments", "threadedComment", "vmlDrawing")
_ENDINGS = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A part that is of no sheet: its name, its kind and that of the relationship to it, and what becomes of it."""

    name: str
    kind: Kind
    relation: str
    place: str
    action: str


def plan(package: Package, visit: Visit) -> list[Planned]:
    """Drop what the rules drop; return the other parts that are of no sheet, in their order. Raise Refused."""
    planned, numbers, seen = list[Planned](), Counter[str](), set[str]()
    for owner, relation in package.reached():
        if relation.external:
            if relation.kind not in LINKS or not owner:
                package.unlink(owner, relation.id)
        elif relation.part not in package.names:
            package.unlink(owner, relation.id)
        elif relation.part not in seen:
            seen.add(relation.part)
            planned += _planned(package, visit, owner, relation, numbers)
    below = below_dropped(package, seen)
    for name in [each for each in package.names if each not in seen]:
        if name not in below and visit.rule("unknown", "a part that nothing leads to") == KEEP:
            planned.append(Planned(name, UNKNOWN, "", "part", KEEP))
        else:
            package.drop(name)
    return sorted(planned, key=lambda each: each.kind.last)


def _planned(
    package: Package, visit: Visit, owner: str, relation: Relation, numbers: Counter[str]
) -> Iterator[Planned]:
    name = relation.part
    kind = _KINDS.get(relation.kind) or UNKNOWN
    if relation.kind == "vmlDrawing":
        kind = _KINDS[drawn_in(package.read(name))]
    elif relation.kind == "package" and any(each.part == owner for each in _sheets(package)):
        kind = _KINDS["oleObject"]
    if not kind.place and not kind.gone:
        return
    numbers[kind.place] += 1
    place = f"{kind.place} {numbers[kind.place]}"
    action = DROP if kind.gone else visit.rule(kind.rule, place) if kind.rule else TREAT
    if action != DROP:
        yield Planned(name, kind, relation.kind, place, action)
    elif (
        kind.rule == "images"
        and relation.kind == "image"
        and not any(each.part == owner for each in _sheets(package))
    ):
        if "svg" not in package.type_of(name):
            package.set_type(name, "image/png")
            package.rename(name, f"{package.new_name(name).rpartition('.')[0]}.png")
        yield Planned(name, kind, relation.kind, place, DROP)
    else:
        package.drop(name)


def _sheets(package: Package) -> Iterator[Relation]:
    for main in package.of_kind("", "officeDocument"):
        yield from package.relations(main.part).values()


def walk_other(book: Book, planned: Planned) -> Iterator[Slot]:
    """Yield the texts of a part that is of no sheet, and write it."""
    name, output, package = planned.name, book.output, book.package
    if planned.action == DROP:
        output.add(name, PICTURE_SVG if "svg" in package.type_of(name) else PICTURE)
    elif planned.action == KEEP and planned.relation == "extended-properties":
        output.add_tree(name, _without_names(package.root(name)))
    elif planned.action == KEEP or (planned.relation not in _WALKED and planned.kind.walk is None):
        output.add(name, package.read(name))
    elif planned.relation in _OF_NOTES:
        return
    elif planned.relation == "person":
        walk_persons(book, name)
    else:
        record = book.record()
        for slot in _walk(book, planned):
            slot.record = record
            yield slot
    if planned.action == KEEP:
        output.add_relations(name)
    else:
        book.add_relations(name)


def _without_names(root: Any) -> Any:
    """Return properties without the names of sheets, which may have changed."""
    for element in list(root):
        if isinstance(element.tag, str) and element.tag.endswith(("}TitlesOfParts", "}HeadingPairs")):
            root.remove(element)
    return root


def _walk(book: Book, planned: Planned) -> Iterator[Slot]:
    name, package = planned.name, book.package
    if planned.relation == "package":
        ending = _ENDINGS.get(package.type_of(name), "")
        content = yield from nested(f"file{ending}", package.read(name), book.visit, planned.place)
        book.output.add(name, content or b"")
    elif planned.kind.walk is not None:
        part = Part(package, name, book.visit, planned.place, shared=book.shared)
        part.root = package.root(name)
        yield from planned.kind.walk(part)
        book.output.add_tree(name, part.root)


_WALKED = (*_OF_NOTES, "person", "package")

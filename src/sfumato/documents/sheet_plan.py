"""Which parts of a workbook are kept, and what becomes of those that are of no sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.documents.formats import nested
from sfumato.documents.office import LINKS, PICTURE
from sfumato.documents.office_names import words
from sfumato.documents.office_parts import SHARED
from sfumato.documents.package import Package, Relation
from sfumato.documents.rules import DROP, KEEP, TREAT, Visit
from sfumato.documents.scrub import Part, scrubbed
from sfumato.documents.sheet_book import Book
from sfumato.documents.sheet_notes import walk_persons
from sfumato.documents.slot import Slot

_BODY = words(
    "officeDocument worksheet chartsheet xlMacrosheet xlIntlMacrosheet dialogsheet styles table drawing chart chartEx "
    "chartUserShapes"
)
"""What is walked over with its sheet, or as the workbook itself."""
_GONE = words("sharedStrings calcChain printerSettings sheetMetadata")
_RULES = {
    **dict.fromkeys(words("chartStyle chartColorStyle theme themeOverride"), ""),
    **dict.fromkeys(words("comments threadedComment person"), "comments"),
    **dict.fromkeys(
        words(
            "externalLink pivotCacheDefinition pivotCacheRecords pivotTable slicer slicerCache timeline timelineCache "
            "volatileDependencies powerPivotData queryTable connections thumbnail"
        ),
        "caches",
    ),
    **dict.fromkeys(words("revisionHeaders revisionLog usernames"), "changes"),
    **dict.fromkeys(words("vbaProject control ctrlProp attachedToolbars oleObject activeXControlBinary"), "programs"),
    **dict.fromkeys(words("image video audio media"), "images"),
    **dict.fromkeys(words("core-properties extended-properties custom-properties customProperty"), "properties"),
    "package": "attachments",
}
"""Which rule says what becomes of what a relationship leads to."""
_PLACES = {"comments": "comments", "images": "picture", "attachments": "file", "programs": "program"}
_ENDINGS = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """A part that is of no sheet: its name, the kind of the relationship to it, its place, and what becomes of it."""

    name: str
    kind: str
    place: str
    action: str


def plan(package: Package, visit: Visit) -> Iterator[Planned]:
    """Drop what the rules drop; yield the other parts that are of no sheet. Raise Refused."""
    numbers, seen = Counter[str](), set[str]()
    for owner, relation in package.reached():
        if relation.external:
            if relation.kind not in LINKS:
                package.unlink(owner, relation.id)
        elif relation.part not in package.names:
            package.unlink(owner, relation.id)
        elif relation.part not in seen:
            seen.add(relation.part)
            yield from _planned(package, visit, owner, relation, numbers)
    for name in [each for each in package.names if each not in seen]:
        if visit.rule("unknown", "a part that nothing leads to") == KEEP:
            yield Planned(name, "", "part", KEEP)
        else:
            package.drop(name)


def _planned(
    package: Package, visit: Visit, owner: str, relation: Relation, numbers: Counter[str]
) -> Iterator[Planned]:
    name, kind = relation.part, relation.kind
    if kind in _BODY:
        return
    if kind in _GONE:
        package.drop(name)
        return
    rule = _drawing_of(package, owner, relation) if kind == "vmlDrawing" else _RULES.get(kind, "unknown")
    if kind == "package" and "/worksheets/" in f"/{owner}":
        rule = "programs"
    place = _PLACES.get(rule, "part")
    numbers[place] += 1
    place = f"{place} {numbers[place]}"
    action = visit.rule(rule, place) if rule else TREAT
    if action != DROP:
        yield Planned(name, kind, place, action)
    elif kind == "image" and owner.rpartition("/")[0].endswith("drawings"):
        package.set_type(name, "image/png")
        package.rename(name, f"{package.new_name(name).rpartition('.')[0]}.png")
        yield Planned(name, kind, place, DROP)
    else:
        package.drop(name)


def _drawing_of(package: Package, owner: str, relation: Relation) -> str:
    """Return the rule for a drawing of earlier versions: boxes of comments, controls, pictures in headers."""
    return "comments" if any(package.of_kind(owner, "comments")) else "programs"


def walk_other(book: Book, planned: Planned) -> Iterator[Slot]:
    """Yield the texts of a part that is of no sheet, and write it."""
    name, place, output, package = planned.name, planned.place, book.output, book.package
    shared = SHARED.get(planned.kind)
    if planned.action == DROP:
        output.add(name, PICTURE)
    elif planned.action == KEEP:
        output.add(name, package.read(name))
    elif planned.kind in ("comments", "threadedComment", "vmlDrawing"):
        return
    elif planned.kind == "person":
        walk_persons(book, name)
    elif planned.kind == "package":
        record = book.record()
        ending = _ENDINGS.get(package.type_of(name), "")
        content = yield from nested(f"file{ending}", package.read(name), book.visit, place, record)
        output.add(name, content or b"")
    else:
        part = Part(package, name, book.visit, place, shared=book.shared)
        part.root = package.root(name)
        record = book.record()
        for slot in shared.walk(part) if shared and shared.walk else scrubbed(part, {}, {}):
            slot.record = record
            yield slot
        output.add_tree(name, part.root)
    output.add_relations(name)

"""Comments of cells, and the threads of later versions of Excel. Nobody is named as the author of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sfumato.documents.rules import KEEP
from sfumato.documents.sheets.cell_texts import MAIN, encoded, text_of
from sfumato.documents.sheets.sheet_book import Beside, Book, Spot, place_of
from sfumato.documents.sheets.sheet_naming import Sheet
from sfumato.documents.sheets.sheet_vocabulary import scrub
from sfumato.documents.slot import Slot, spread
from sfumato.documents.xml import fit, parsed

_THREADED = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
_SAYS = "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment."
_AUTHOR = "Author"
_NOBODY = "{00000000-0000-0000-0000-000000000000}"
_BLOCKS = 20
"""So many times 1,024 ids of boxes a sheet has."""
_DRAWN = "urn:schemas-microsoft-com:office:excel"
_VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    f'xmlns:x="{_DRAWN}"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="{{blocks}}"/></o:shapelayout>'
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>'
)
_SHAPE = (
    '<v:shape id="_x0000_s{id}" type="#_x0000_t202" style="position:absolute;width:108pt;height:60pt;{seen}" '
    'fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/>'
    '<v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"/>'
    '</v:textbox><x:ClientData ObjectType="Note">{sizes}<x:Anchor>{anchor}</x:Anchor><x:AutoFill>False</x:AutoFill>'
    "<x:Row>{row}</x:Row><x:Column>{column}</x:Column>{visible}</x:ClientData></v:shape>"
)


@dataclass(slots=True)
class Notes:
    """The comments of a sheet, and its threads, which are comments too.

    Attributes:
        sheet: The sheet.
        part: The name of the part of its comments, or "" if it has none that are treated.
        root: Its element.
        threads: The name of the part of its threads, or "".
        thread_root: Its element.
        drawings: The names of the parts that draw the boxes of comments.
    """

    sheet: Sheet
    part: str = ""
    root: Any = field(default=None, repr=False)
    threads: str = ""
    thread_root: Any = field(default=None, repr=False)
    drawings: list[str] = field(default_factory=list, repr=False)

    def by_row(self) -> Beside:
        """Return what yields the comments of each row."""
        walks: Beside = {}
        threaded = set[str]()
        for number, element in enumerate(() if self.thread_root is None else self.thread_root, 1):
            reference = element.get("ref", "")
            threaded.add(reference)
            walk = partial(self._thread, element, number, reference)
            walks.setdefault(_row(reference), []).append(walk)
        for number, element in enumerate(self._comments(), 1):
            reference = element.get("ref", "")
            if reference not in threaded:
                walks.setdefault(_row(reference), []).append(partial(self._note, element, number, reference))
        return walks

    def write(self, book: Book) -> None:
        """Write the comments, when all were yielded."""
        if self.part:
            self._join_threads()
            book.output.add_tree(self.part, self.root)
            book.add_relations(self.part)
        if self.threads:
            book.output.add_tree(self.threads, self.thread_root)
        for name in self.drawings if book.output.writes else ():
            content = book.package.read(name)
            kept = book.visit.rules.programs == KEEP and content.count(b"ObjectType") > content.count(
                b'ObjectType="Note"'
            )
            book.output.add(name, content if kept else self._drawn(content, name == self.drawings[0]))

    def _comments(self) -> Iterator[Any]:
        if self.root is not None:
            yield from self.root.iterfind(f"{{{MAIN}}}commentList/{{{MAIN}}}comment")

    def _note(self, element: Any, number: int, reference: str, spot: Spot) -> Iterator[Slot]:
        here = self._spot(spot, reference, f"comment {number}")
        for each in element.iterfind(f"{{{MAIN}}}text"):
            text = text_of(each)
            slot = here.slot(text.whole)
            yield slot
            if text.reading:
                yield (reading := here.slot(text.reading, "reading"))
            if slot.edits or (text.reading and reading.edits):
                pieces = spread(text.pieces, slot.edits)
                new = parsed(f'<text xmlns="{MAIN}">{text.written(pieces, phonetics=False)}</text>'.encode())
                element.replace(each, new)

    def _thread(self, element: Any, number: int, reference: str, spot: Spot) -> Iterator[Slot]:
        for each in element.iterfind(f"{{{_THREADED}}}text"):
            slot = self._spot(spot, reference, f"thread {number}").slot(each.text or "")
            yield slot
            each.text = fit(slot.new)

    def _spot(self, spot: Spot, reference: str, within: str) -> Spot:
        place = reference if place_of(reference) else "no cell"
        return Spot(
            f"sheet {self.sheet.number}, {place}, {within}", f'sheet "{self.sheet.name}", {place}, {within}',
            spot.record, "", spot.fields,
        )  # fmt: skip

    def _join_threads(self) -> None:
        """Write what older versions show of a thread: all its texts."""
        texts = dict[str, list[str]]()
        for element in () if self.thread_root is None else self.thread_root:
            text = "".join(each.text or "" for each in element.iterfind(f"{{{_THREADED}}}text"))
            texts.setdefault(element.get("ref", ""), []).append(text)
        for element in self._comments():
            if (found := texts.get(element.get("ref", ""))) is not None:
                parts = [f"{'Reply' if index else 'Comment'}:\n    {each}" for index, each in enumerate(found)]
                text = encoded("\n".join([f"{_SAYS}\n", *parts]))
                new = parsed(f'<text xmlns="{MAIN}"><t xml:space="preserve">{text}</t></text>'.encode())
                for each in element.findall(f"{{{MAIN}}}text"):
                    element.replace(each, new)

    def _drawn(self, old: bytes, first: bool) -> bytes:
        """Return the boxes of the comments, where they were, or none in another part than the first."""
        before, block = _boxes(old), self.sheet.number * _BLOCKS
        shapes = list[str]()
        for number, element in enumerate(self._comments() if first else (), 1):
            found = place_of(element.get("ref", ""))
            if found is None:
                continue
            row, column = found[0] - 1, found[1] - 1
            anchor, visible = before.get((row, column), ("", False))
            anchor = anchor or f"{column + 1}, 15, {max(row - 1, 0)}, 10, {column + 3}, 15, {row + 3}, 4"
            seen = "visibility:visible" if visible else "visibility:hidden"
            shapes.append(_SHAPE.format(
                id=1024 * block + number, seen=seen, anchor=anchor, row=row, column=column,
                sizes="<x:MoveWithCells/><x:SizeWithCells/>", visible="<x:Visible/>" if visible else "",
            ))  # fmt: skip
        blocks = ",".join(str(block + index) for index in range(len(shapes) // 1024 + 1))
        return (_VML.format(blocks=blocks) + "".join(shapes) + "</xml>").encode()


def notes_of(book: Book, sheet: Sheet) -> Notes:
    """Return the comments of a sheet, without their authors. Raise Refused."""
    package, notes = book.package, Notes(sheet)
    if book.visit.rules.comments == KEEP:
        return notes
    for relation in package.of_kind(sheet.part, "comments"):
        if relation.part in package.names and not notes.part:
            notes.part, notes.root = relation.part, package.root(relation.part)
            scrub(notes.root, book.visit, f"sheet {sheet.number}, comments")
    for relation in package.of_kind(sheet.part, "threadedComment"):
        if relation.part in package.names and not notes.threads:
            notes.threads, notes.thread_root = relation.part, _threads(package.root(relation.part))
    for relation in package.of_kind(sheet.part, "vmlDrawing"):
        if relation.part in package.names and drawn_in(package.read(relation.part)) == "comments":
            notes.drawings.append(relation.part)
    _name_nobody(notes)
    return notes


def drawn_in(content: bytes) -> str:
    """Return what a drawing of earlier versions has: comments, controls, or pictures of a header."""
    if b'ObjectType="Note"' in content or b"ObjectType='Note'" in content:
        return "comments"
    return "control" if b"ObjectType" in content else "image"


def walk_persons(book: Book, part: str) -> None:
    """Write who wrote in threads: nobody."""
    content = (
        f'<personList xmlns="{_THREADED}"><person displayName="{_AUTHOR}" id="{_NOBODY}" userId="{_AUTHOR}" '
        'providerId="None"/></personList>'
    )
    book.output.add(part, content.encode())


def _name_nobody(notes: Notes) -> None:
    from lxml import etree

    if notes.root is None:
        return
    for authors in notes.root.iterfind(f"{{{MAIN}}}authors"):
        threads = {each.get("ref"): each.get("id") for each in notes.thread_root} if notes.threads else {}
        for child in list(authors):
            authors.remove(child)
        names = [_AUTHOR]
        for element in notes._comments():
            id = threads.get(element.get("ref"))
            if id is not None:
                names.append(f"tc={id}")
            element.set("authorId", str(len(names) - 1 if id is not None else 0))
        for name in names:
            etree.SubElement(authors, f"{{{MAIN}}}author").text = name


def _threads(root: Any) -> Any:
    """Return threads with nobody in them: their texts, and what answers what."""
    from lxml import etree

    ids, new = dict[str, str](), etree.Element(f"{{{_THREADED}}}ThreadedComments", nsmap={None: _THREADED})
    for element in root.iterfind(f"{{{_THREADED}}}threadedComment"):
        old = element.get("id", "")
        ids[old] = f"{{00000000-0000-0000-0000-{len(ids) + 1:012}}}"
        made = etree.SubElement(new, f"{{{_THREADED}}}threadedComment")
        made.set("ref", element.get("ref", ""))
        made.set("personId", _NOBODY)
        made.set("id", ids[old])
        if element.get("parentId") in ids:
            made.set("parentId", ids[element.get("parentId")])
        if element.get("done") in ("0", "1"):
            made.set("done", element.get("done"))
        text = "".join(each.text or "" for each in element.iterfind(f"{{{_THREADED}}}text"))
        etree.SubElement(made, f"{{{_THREADED}}}text").text = text
    return new


def _boxes(content: bytes) -> dict[tuple[int, int], tuple[str, bool]]:
    """Return where the boxes of comments are, and whether they are shown always, by row and column."""
    from lxml import etree

    boxes = dict[tuple[int, int], tuple[str, bool]]()
    try:
        root = etree.fromstring(content, etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return boxes
    for data in () if root is None else root.iter(f"{{{_DRAWN}}}ClientData"):
        values = {
            each.tag.rpartition("}")[2]: (each.text or "").strip() for each in data if isinstance(each.tag, str)
        }
        row, column = values.get("Row", ""), values.get("Column", "")
        numbers = [each.strip() for each in values.get("Anchor", "").split(",")]
        numbers[1::4] = ["15"] * len(numbers[1::4])  # where it lies in a column tells how wide that was
        if row.isdigit() and column.isdigit() and len(numbers) == 8 and all(each.isdigit() for each in numbers):
            boxes[int(row), int(column)] = ", ".join(numbers), "Visible" in values
    return boxes


def _row(reference: str) -> int:
    found = place_of(reference)
    return found[0] if found else 0

"""The structure of a tagged file: its elements, with the texts that stand for what they hold."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.catalog import LANGUAGE
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.notes import one
from sfumato.documents.pdf.operators import TAGS
from sfumato.documents.pdf.plain import plain
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.slot import Slot

_OF_ELEMENT = entries("Type S P Pg K A Lang Alt ActualText E T ID")
_OF_ROOT = entries("Type K ParentTree ParentTreeNextKey")
_OWNERS = entries("Layout List Table PrintField Artifact")
_OF_ATTRIBUTES = entries("""
    O Placement WritingMode BackgroundColor BorderColor BorderStyle BorderThickness Padding Color SpaceBefore
    SpaceAfter StartIndent EndIndent TextIndent TextAlign BlockAlign InlineAlign TBorderStyle
    TPadding BaselineShift LineHeight TextDecorationColor TextDecorationThickness TextDecorationType RubyAlign
    RubyPosition ColumnCount ColumnGap ColumnWidths ListNumbering RowSpan ColSpan Headers Scope Summary Role checked
    Checked Type Subtype Attached
""")
_TEXTS = (("/T", "title"), ("/Alt", "description"), ("/E", "expansion"), ("/ActualText", "actual text"))
_ROLES = 16


def walk_structure(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of the structure of a file, and keep what is known of it. The pages are done by then."""
    root = work.pdf.Root.get("/StructTreeRoot")
    if not isa(root, "Dictionary"):
        if root is not None:
            del work.pdf.Root["/StructTreeRoot"]
        return
    roles = root.get("/RoleMap")
    roles = {key: str(roles[key]) for key in list(roles.keys())} if isa(roles, "Dictionary") else {}
    tree = _Tree(work, roles)
    yield from tree.walk(root)
    if not work.writes:
        return
    for key in set(root.keys()) - _OF_ROOT:
        del root[key]
    if "/ParentTree" in root:
        _parents(root.ParentTree, tree.elements)
    tree.write_ids(root)


class _Tree:
    def __init__(self, work: Work, roles: dict[str, str]) -> None:
        self.work, self.roles = work, roles
        self.elements = set[tuple[int, int]]()
        self.ids = dict[bytes, bytes]()
        self._named = dict[bytes, Any]()

    def walk(self, root: Any) -> Generator[Slot, None, None]:
        """Yield the texts of the elements below ``root``, in their order."""
        waiting, number = [(root, each) for each in reversed(self._kids(root))], 0
        while waiting:
            parent, element = waiting.pop()
            if not isa(element, "Dictionary") or element.objgen in self.elements:
                continue
            number += 1
            if element.objgen != (0, 0):
                self.elements.add(element.objgen)
            yield from self._element(parent, element, f"element {number}")
            waiting.extend((element, each) for each in reversed(self._kids(element)))

    def _kids(self, element: Any) -> list[Any]:
        """Return the elements below an element, and take out of it what leads to no page."""
        kids = element.get("/K")
        rows = list(kids) if isa(kids, "Array") else [] if kids is None else [kids]
        kept = [each for each in rows if self._leads(each)]
        if self.work.writes and len(kept) < len(rows):
            import pikepdf

            element.K = pikepdf.Array(kept)
        return [each for each in kept if isa(each, "Dictionary") and each.get("/Type") not in ("/MCR", "/OBJR")]

    def _leads(self, kid: Any) -> bool:
        """Say whether a kid is an element, or a content or an object of a page of this file."""
        if isinstance(kid, int):
            return True
        if not isa(kid, "Dictionary"):
            return False
        kind = kid.get("/Type")
        if kind == "/OBJR":
            found = kid.get("/Obj")
            return found is not None and found.objgen in (self.work.shown | self.work.done) and self._paged(kid)
        if kind == "/MCR":
            stream = kid.get("/Stm")
            for key in set(kid.keys()) - {"/Type", "/Pg", "/MCID", "/Stm"}:
                del kid[key]
            return self._paged(kid) and (stream is None or stream.objgen in self.work.done)
        return True

    def _paged(self, value: Any) -> bool:
        page = value.get("/Pg")
        return page is None or (isa(page, "Dictionary") and page.objgen in self.work.pages)

    def _element(self, parent: Any, element: Any, where: str) -> Generator[Slot, None, None]:
        import pikepdf

        for key, what in _TEXTS:
            if isa(element.get(key), "String") and str(element[key]).strip():
                part = "" if key == "/ActualText" else "descriptions"
                yield from one(self.work, element, key, f"{where}, {what}", part)
        yield from self._attributes(element, where)
        if not self.work.writes:
            return
        for key in set(element.keys()) - _OF_ELEMENT:
            del element[key]
        for key, _ in _TEXTS:
            if key in element and not isa(element[key], "String"):
                del element[key]
        if "/Lang" in element and not LANGUAGE.fullmatch(str(element["/Lang"])):
            del element["/Lang"]
        if not self._paged(element):
            del element["/Pg"]
        if "/ID" in element:
            if isa(element["/ID"], "String"):
                element["/ID"] = pikepdf.String(self._id(bytes(element["/ID"])))
                self._named[bytes(element["/ID"])] = element
            else:
                del element["/ID"]
        element.P, element.S = parent, pikepdf.Name(self._role(str(element.get("/S", "/NonStruct"))))

    def _role(self, name: str) -> str:
        for _ in range(_ROLES):
            if name in TAGS:
                return name
            name = self.roles.get(name, "/NonStruct")
        return "/NonStruct"

    def _id(self, old: bytes) -> bytes:
        return self.ids.setdefault(old, f"id{len(self.ids) + 1:07}".encode())

    def _attributes(self, element: Any, where: str) -> Generator[Slot, None, None]:
        import pikepdf

        value = element.get("/A")
        if value is None:
            return
        rows = list(value) if isa(value, "Array") else [value]
        kept = list[Any]()
        for number, row in enumerate(rows, 1):
            if not isa(row, "Dictionary") or str(row.get("/O")) not in _OWNERS:
                continue
            new = pikepdf.Dictionary()
            for key in list(row.keys()):
                if key == "/Summary" and isa(row[key], "String"):
                    new[key] = row[key]
                    yield from one(self.work, new, key, f"{where}, summary {number}", "descriptions")
                elif key == "/Headers" and isa(row[key], "Array"):
                    new[key] = pikepdf.Array(
                        [pikepdf.String(self._id(bytes(each))) for each in row[key] if isa(each, "String")]
                    )
                elif key in _OF_ATTRIBUTES and plain(row[key]):
                    new[key] = row[key]
            kept.append(new)
        if self.work.writes:
            element.A = pikepdf.Array(kept)

    def write_ids(self, root: Any) -> None:
        """Write by which ids elements are found."""
        import pikepdf

        rows = [each for key, value in sorted(self._named.items()) for each in (pikepdf.String(key), value)]
        if rows:
            root.IDTree = pikepdf.Dictionary(Names=pikepdf.Array(rows))


def _parents(tree: Any, elements: set[tuple[int, int]], depth: int = 0) -> None:
    """Take out of the tree of parents what is no element."""
    import pikepdf

    if not isa(tree, "Dictionary") or depth > _ROLES:
        return
    for key in set(tree.keys()) - {"/Nums", "/Kids", "/Limits"}:
        del tree[key]
    rows = tree.get("/Nums")
    for at in range(1, len(rows), 2) if isa(rows, "Array") else ():
        value = rows[at]
        if isa(value, "Array"):
            if any(isa(each, "Dictionary") and each.objgen not in elements for each in value):
                rows[at] = pikepdf.Array([each if _element_of(each, elements) else None for each in value])
        elif not _element_of(value, elements):
            rows[at] = pikepdf.Array([])
    kids = tree.get("/Kids")
    for kid in kids if isa(kids, "Array") else ():
        _parents(kid, elements, depth + 1)


def _element_of(value: Any, elements: set[tuple[int, int]]) -> bool:
    return isa(value, "Dictionary") and value.objgen in elements

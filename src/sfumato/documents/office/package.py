"""Packages of Office: parts, their content types, and the relationships that lead from one to the other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import unquote
from zipfile import ZipFile

from sfumato.documents.rules import Refused
from sfumato.documents.xml import parsed, written
from sfumato.documents.zipped import add, adding, unzipped

TYPES = "[Content_Types].xml"
NOWHERE = "about:blank"
"""Where a link leads whose target was changed."""

_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_CONTENT_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_STRICT = "http://purl.oclc.org/ooxml/"
_KINDS = ("http://schemas.openxmlformats.org/", "http://schemas.microsoft.com/")
_RELS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
_PLAIN_ID = re.compile(r"(rId|R|r|Id|docRId)?[0-9A-Fa-f]{1,32}")
_PLAIN_NAME = re.compile(
    r"(word|ppt|xl|docProps|customXml|parts)?(/(theme|media|embeddings|charts|diagrams|drawings|worksheets|slides|fonts"
    r"|slideLayouts|slideMasters|notesSlides|notesMasters|handoutMasters|comments|threadedComments|persons|tables"
    r"|pivotTables|pivotCache|externalLinks|chartsheets|activeX|tags|ink|glossary|queryTables|ctrlProps|richData"
    r"|slicers|slicerCaches|timelines|timelineCaches|dialogsheets|macrosheets|custom|model|webextensions))*"
    r"/?(document|styles|stylesWithEffects|settings|webSettings|fontTable|numbering|footnotes|endnotes|comments"
    r"|commentsExtended|commentsIds|commentsExtensible|people|header|footer|theme|themeOverride|core|app|custom"
    r"|item|itemProps|image|media|chart|chartEx|colors|style|data|layout|quickStyle|drawing|vmlDrawing|workbook"
    r"|sheet|sharedStrings|calcChain|table|pivotTable|pivotCacheDefinition|pivotCacheRecords|externalLink"
    r"|connections|metadata|person|threadedComment|presentation|presProps|viewProps|tableStyles|slide|slideLayout"
    r"|slideMaster|notesSlide|notesMaster|handoutMaster|comment|commentAuthors|authors|modernComment|tag|font"
    r"|Microsoft_Excel_Sheet|Microsoft_Excel_Worksheet|Microsoft_Word_Document|Microsoft_PowerPoint_Presentation"
    r"|oleObject|package|vbaProject|vbaData|activeX|ink|queryTable|ctrlProp|slicer|slicerCache|timeline"
    r"|chartUserShapes|printerSettings|thumbnail|part|afchunk|rdrichvalue|rdrichvaluestructure|rdRichValueTypes"
    r"|richValueRel|volatileDependencies|xmlMaps|revisionInfo|changesInfo|labelInfo|sharedLinks)?[0-9]*"
    r"\.(xml|rels|bin|vml|png|jpeg|jpg|gif|bmp|tiff|tif|emf|wmf|svg|ico|wdp|mp3|mp4|wav|avi|wmv|wma|m4a|mov|mpeg"
    r"|mpg|docx|xlsx|pptx|docm|xlsm|pptm|doc|xls|ppt|html|htm|mht|txt|rtf|odttf|fntdata|ttf|json)"
)
_SUFFIX = re.compile(r"\.(xml|bin|vml|png|jpe?g|gif|emf|wmf|svg|docx|xlsx|pptx|html?|txt|rtf|mp[34]|wav)$")
_OTHERS = (
    (b"\xd0\xcf\x11\xe0", "it is locked by a password, or a file of Office 97; save it without a password as {}"),
    (b"{\\rtf", "it is an RTF file; save it as {}"),
    (b"%PDF", "it is a PDF file; give it the ending .pdf"),
)


@dataclass(slots=True)
class Relation:
    """One relationship: its id, its type, and where it leads. ``part`` is the name of a part, or "" outside.

    It is written by ``new_id``, which is another one where the id could tell something.
    """

    id: str = field(repr=False)
    new_id: str
    type: str = field(repr=False)
    target: str = field(repr=False)
    external: bool
    part: str = field(repr=False)

    @property
    def kind(self) -> str:
        """Return the last word of its type, such as "image", or "" for a type that Office does not have."""
        return self.type.rsplit("/", 1)[-1] if self.type.startswith(_KINDS) else ""


class Package:
    """A package that is being read: its parts, their types, and the relationships between them.

    What is dropped here is not written. A part may be renamed, as its name could tell something.
    """

    def __init__(self, zipped: ZipFile) -> None:
        self._zip = zipped
        self._members = {each.lower(): each for each in zipped.namelist()}
        parts = [each for each in zipped.namelist() if not each.endswith(("/", ".rels")) and each != TYPES]
        self._by_lower = {each.lower(): each for each in parts}
        self._numbers = {each: number for number, each in enumerate(sorted(parts), 1)}
        self.names: dict[str, None] = dict.fromkeys(parts)
        self._defaults: dict[str, str] = {}
        self._types: dict[str, str] = {}
        self._relations: dict[str, dict[str, Relation]] = {}
        self._new_names: dict[str, str] = {}
        self._read_types()

    def type_of(self, name: str) -> str:
        """Return the content type of a part, or "" if the package does not say it."""
        return self._types.get(name.lower()) or self._defaults.get(name.rpartition(".")[2].lower(), "")

    def set_type(self, name: str, content_type: str) -> None:
        """Say what the content of a part is."""
        self._types[name.lower()] = content_type

    def read(self, name: str) -> bytes:
        """Return the content of a part."""
        return self._zip.read(name)

    def stream(self, name: str) -> IO[bytes]:
        """Return a file of the content of a part."""
        return self._zip.open(name)

    def size(self, name: str) -> int:
        """Return how many bytes a part has."""
        return self._zip.getinfo(name).file_size

    def member_names(self) -> list[str]:
        """Return the names of all that the package holds, also of what is no part of it."""
        return [each for each in self._zip.namelist() if not each.endswith("/")]

    def members(self) -> Iterator[tuple[str, bytes]]:
        """Yield all that the package holds, by name, also what is no part of it."""
        yield from ((each, self._zip.read(each)) for each in self._zip.namelist() if not each.endswith("/"))

    def root(self, name: str) -> Any:
        """Return the root element of a part. Raise Refused."""
        return parsed(self.read(name))

    def relations(self, name: str = "") -> dict[str, Relation]:
        """Return the relationships of a part, or of the package itself, by their ids."""
        if name not in self._relations:
            self._relations[name] = dict(self._read_relations(name))
        return self._relations[name]

    def of_kind(self, name: str, kind: str) -> Iterator[Relation]:
        """Yield the relationships of a part that are of one kind."""
        yield from (each for each in self.relations(name).values() if each.kind == kind)

    def main(self, types: Mapping[str, str], ending: str) -> str:
        """Return the name of the main part, whose content type ``types`` has. Raise Refused."""
        found = [each for each in self.relations().values() if each.kind == "officeDocument"]
        if any(each.type.startswith(_STRICT) for each in self.relations().values()):
            raise Refused(f"it is Strict Open XML; save it as {ending}, and not as Strict")
        if len(found) != 1 or found[0].part not in self.names:
            raise Refused(f"it is no {ending} file, or a damaged one; save it again as {ending}")
        if self.type_of(found[0].part) not in types:
            raise Refused(f"it has the ending {ending}, but is another file of Office; give it its own ending")
        return found[0].part

    def reached(self) -> Iterator[tuple[str, Relation]]:
        """Yield every relationship that can be followed from the package, once, with the part it belongs to.

        Those that are dropped meanwhile are not followed.
        """
        ahead, seen = [""], {""}
        while ahead:
            name = ahead.pop(0)
            for relation in list(self.relations(name).values()):
                yield name, relation
                if relation.part in seen or relation.id not in self.relations(name):
                    continue
                if relation.part in self.names:
                    seen.add(relation.part)
                    ahead.append(relation.part)

    def drop(self, name: str) -> None:
        """Drop a part. The relationships to it are not written."""
        self.names.pop(name, None)

    def unlink(self, name: str, id: str) -> None:
        """Drop one relationship of a part."""
        self.relations(name).pop(id, None)

    def leads(self, name: str, id: str) -> bool:
        """Return whether a part has the relationship ``id``, and what it leads to is not dropped."""
        relation = self.relations(name).get(id)
        return relation is not None and (relation.external or relation.part in self.names)

    def rename(self, name: str, new: str) -> None:
        """Write a part by another name."""
        self._new_names[name] = new

    def new_name(self, name: str) -> str:
        """Return the name by which a part is written: its own, or a number if that could tell something."""
        if name not in self._new_names:
            number = self._numbers[name]
            suffix = _SUFFIX.search(name.lower())
            plain = _PLAIN_NAME.fullmatch(name) is not None
            self._new_names[name] = name if plain else f"parts/part{number}{suffix.group() if suffix else '.bin'}"
        return self._new_names[name]

    def _read_types(self) -> None:
        if TYPES.lower() not in self._members:
            raise Refused("it is no file of Office; give it the ending of what it is")
        for element in self.root(self._members[TYPES.lower()]):
            tag, kind = getattr(element, "tag", ""), element.get("ContentType", "")
            if tag == f"{{{_CONTENT_TYPES}}}Default":
                self._defaults[element.get("Extension", "").lower()] = kind
            elif tag == f"{{{_CONTENT_TYPES}}}Override":
                self._types[element.get("PartName", "").lstrip("/").lower()] = kind

    def _read_relations(self, name: str) -> Iterator[tuple[str, Relation]]:
        member, number = self._members.get(_rels_of(name).lower()), 0
        for element in self.root(member) if member else ():
            if getattr(element, "tag", "") != f"{{{_RELATIONSHIPS}}}Relationship":
                continue
            number, id, target = number + 1, element.get("Id", ""), element.get("Target", "")
            new_id = id if _PLAIN_ID.fullmatch(id) else f"rId{900_000 + number}"
            external = element.get("TargetMode") == "External"
            part = "" if external else self._resolved(name, target)
            yield id, Relation(id, new_id, element.get("Type", ""), target, external, part)

    def _resolved(self, name: str, target: str) -> str:
        path = target.split("#")[0]
        joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(name), path)).lstrip("/")
        return self._by_lower.get(joined.lower()) or self._by_lower.get(unquote(joined).lower()) or joined


class Output:
    """A package that is being written. Without a target nothing is."""

    def __init__(self, package: Package, target: IO[bytes] | None) -> None:
        self._package = package
        self._zip = ZipFile(target, "w") if target is not None else None

    @property
    def writes(self) -> bool:
        """Return whether anything is written."""
        return self._zip is not None

    def add(self, name: str, content: bytes) -> None:
        """Write a part."""
        if self._zip is not None:
            add(self._zip, self._package.new_name(name), content)

    def add_tree(self, name: str, root: Any) -> None:
        """Write a part that is XML."""
        if self._zip is not None:
            with adding(self._zip, self._package.new_name(name)) as member:
                root.getroottree().write(member, xml_declaration=True, encoding="UTF-8", standalone=True)

    @contextmanager
    def adding(self, name: str) -> Iterator[IO[bytes] | None]:
        """Yield what writes a part piece by piece, or None if nothing is written."""
        if self._zip is None:
            yield None
        else:
            with adding(self._zip, self._package.new_name(name)) as member:
                yield member

    def begin(self) -> None:
        """Write the content types and the relationships of the package, when it is settled which parts are kept."""
        if self._zip is not None:
            add(self._zip, TYPES, written(self._types()))
            self.add_relations("")

    def add_relations(self, name: str) -> None:
        """Write the relationships of a part, when it is settled where they lead."""
        from lxml import etree

        package = self._package
        kept = [each for each in package.relations(name).values() if package.leads(name, each.id)]
        if self._zip is None or not kept:
            return
        root = etree.Element(f"{{{_RELATIONSHIPS}}}Relationships", nsmap={None: _RELATIONSHIPS})
        for each in kept:
            target = each.target if each.external else f"/{package.new_name(each.part)}"
            element = etree.SubElement(root, f"{{{_RELATIONSHIPS}}}Relationship")
            element.set("Id", each.new_id)
            element.set("Type", each.type)
            element.set("Target", target)
            if each.external:
                element.set("TargetMode", "External")
        add(self._zip, _rels_of(package.new_name(name) if name else ""), written(root))

    def end(self) -> None:
        """Close the package."""
        if self._zip is not None:
            self._zip.close()

    def _types(self) -> Any:
        from lxml import etree

        root = etree.Element(f"{{{_CONTENT_TYPES}}}Types", nsmap={None: _CONTENT_TYPES})
        for extension, kind in (("rels", _RELS_TYPE), ("xml", "application/xml")):
            etree.SubElement(root, f"{{{_CONTENT_TYPES}}}Default", Extension=extension, ContentType=kind)
        for name in self._package.names:
            kind = self._package.type_of(name) or "application/octet-stream"
            new = f"/{self._package.new_name(name)}"
            etree.SubElement(root, f"{{{_CONTENT_TYPES}}}Override", PartName=new, ContentType=kind)
        return root


def _rels_of(name: str) -> str:
    folder, base = posixpath.split(name)
    return posixpath.join(folder, "_rels", f"{base}.rels")


@contextmanager
def opened(file: IO[bytes], ending: str) -> Iterator[Package]:
    """Yield the package in ``file``. Raise Refused, also inside the block, for what is no package."""
    file.seek(0)
    start = file.read(4096).lstrip(b"\xef\xbb\xbf \r\n\t")
    file.seek(0)
    for sign, reason in _OTHERS:
        if start.startswith(sign):
            raise Refused(reason.format(ending))
    if not start.startswith(b"PK"):
        raise Refused(f"it is no {ending} file; give it the ending of what it is, or save it again as {ending}")
    with unzipped(file) as zipped:
        yield Package(zipped)

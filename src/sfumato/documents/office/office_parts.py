"""Parts that Word, PowerPoint and Excel share: properties, themes, pictures, files inside, what programs leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.documents.office import drawing
from sfumato.documents.office.office import Kind
from sfumato.documents.office.office_names import words
from sfumato.documents.office.office_values import NUMBER
from sfumato.documents.office.scrub import Part, remove, scrubbed
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_CORE = words("title subject keywords description category contentStatus")
_APP = words("Company Manager")
_COUNTS = words(
    "Pages Words Characters Lines Paragraphs Slides Notes HiddenSlides MMClips CharactersWithSpaces DocSecurity"
)


def plain(part: Part) -> Iterator[Slot]:
    """Walk over a part that holds no text of its own, except in its attributes."""
    part.alone = True
    yield from scrubbed(part, {}, {})


def _core(part: Part) -> Iterator[Slot]:
    """Walk over the properties of a document. Who made it, and when, is left out."""
    yield from _properties(part, _CORE, frozenset())


def _app(part: Part) -> Iterator[Slot]:
    """Walk over what a program says of a document: counts, and the company."""
    yield from _properties(part, _APP, _COUNTS)


def _properties(part: Part, texts: frozenset[str], counts: frozenset[str]) -> Iterator[Slot]:
    part.root.attrib.clear()
    for element in list(part.root):
        name = _local(element)
        if name in texts and not len(element):
            element.attrib.clear()
            yield from _text_of(part, element, f"{name.capitalize()}: ")
        elif name not in counts or len(element) or not NUMBER.fullmatch(element.text or ""):
            remove(element)


def _custom(part: Part) -> Iterator[Slot]:
    """Walk over properties that people defined."""
    from lxml import etree

    etree.strip_tags(part.root, etree.Comment, etree.ProcessingInstruction)
    for element in part.root:
        name = element.get("name", "")
        element.attrib.pop("linkTarget", None)
        yield from _attribute_of(part, element, "name")
        for value in element.iter():
            yield from _text_of(part, value, f"{name}: ")


def _any_xml(part: Part) -> Iterator[Slot]:
    """Walk over XML of any kind: its texts and attributes."""
    from lxml import etree

    etree.strip_tags(part.root, etree.Comment, etree.ProcessingInstruction)
    for element in part.root.iter():
        for key, _ in element.items():
            yield from _attribute_of(part, element, key)
        yield from _text_of(part, element, "")
        if element.tail and element.tail.strip():
            slot = part.slot(element.tail, "text")
            yield slot
            element.tail = fit(slot.new)


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _text_of(part: Part, element: Any, lead: str) -> Iterator[Slot]:
    slot = part.slot(element.text or "", "text", lead)
    if slot.text.strip():
        yield slot
        element.text = fit(slot.new)


def _attribute_of(part: Part, element: Any, key: str) -> Iterator[Slot]:
    slot = part.slot(element.get(key, ""), "field")
    if slot.text.strip():
        yield slot
        element.set(key, fit(slot.new))


SHARED = {
    "theme": Kind("theme", plain),
    "themeOverride": Kind("theme", plain),
    "image": Kind("picture", rule="images"),
    "hdphoto": Kind("picture", rule="images"),
    "video": Kind("film", rule="images"),
    "audio": Kind("sound", rule="images"),
    "media": Kind("film", rule="images"),
    "ink": Kind("ink", rule="images"),
    "model3d": Kind("model", rule="images"),
    "chart": Kind("chart", drawing.chart),
    "chartEx": Kind("chart", drawing.chart),
    "chartUserShapes": Kind("shapes of a chart", drawing.shapes),
    "chartStyle": Kind("style of a chart", plain),
    "chartColorStyle": Kind("colors of a chart", plain),
    "diagramData": Kind("diagram", drawing.shapes),
    "diagramDrawing": Kind("drawing of diagram", drawing.shapes, last=True),
    "diagramLayout": Kind("layout of diagram", drawing.shapes),
    "diagramQuickStyle": Kind("style of diagram", plain),
    "diagramColors": Kind("colors of diagram", plain),
    "package": Kind("file", rule="attachments"),
    "aFChunk": Kind("file", rule="attachments"),
    "oleObject": Kind("object", rule="programs"),
    "vbaProject": Kind("macros", rule="programs"),
    "wordVbaData": Kind("macros", rule="programs"),
    "keyMapCustomizations": Kind("keys", rule="programs"),
    "attachedToolbars": Kind("toolbars", rule="programs"),
    "control": Kind("control", rule="programs"),
    "activeXControlBinary": Kind("control", rule="programs"),
    "ui/extensibility": Kind("menus", rule="programs"),
    "extensibility": Kind("menus", rule="programs"),
    "webextension": Kind("program", rule="programs"),
    "webextensiontaskpanes": Kind("program", rule="programs"),
    "thumbnail": Kind("preview", rule="caches"),
    "core-properties": Kind("properties", _core, rule="properties", single=True),
    "extended-properties": Kind("more properties", _app, rule="properties", single=True),
    "custom-properties": Kind("own properties", _custom, rule="properties", single=True),
    "customXml": Kind("data", _any_xml, rule="properties"),
    "customXmlProps": Kind("name of data", plain, rule="properties"),
    "labelInfo": Kind("labels", gone=True),
    "classificationlabels": Kind("labels", gone=True),
    "printerSettings": Kind("printer", gone=True),
    "origin": Kind("signature", gone=True),
    "signature": Kind("signature", gone=True),
    "certificate": Kind("signature", gone=True),
}
"""The kinds of parts that are the same in all formats of Office, by the last word of a relationship's type."""

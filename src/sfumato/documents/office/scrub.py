"""One pass over an XML part of Office: texts are treated, what holds none stays, the rest goes by a rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from sfumato.documents.office.office_fonts import USUAL
from sfumato.documents.office.office_names import (
    ELEMENTS_GONE,
    GONE,
    GONE_WITH_LINK,
    MADE_UP,
    NAMESPACES,
    NUMBERED,
    long,
    short,
    words,
)
from sfumato.documents.office.office_skipped import is_usual_name
from sfumato.documents.office.office_values import FONTS, GUID, fixed_value, is_long_number, text_rule
from sfumato.documents.office.package import NOWHERE, Package
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit


@dataclass(slots=True)
class Part:
    """A part of a package while it is walked: its elements, its place, and what is removed when its walk ends."""

    package: Package
    name: str
    visit: Visit
    place: str
    root: Any = None
    shared: dict[str, Any] = field(default_factory=dict)
    doomed: list[Any] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    renamed: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    special: Mapping[str, Callable[[Part, Any, str, str], Iterator[Slot]]] = field(default_factory=dict)
    taken: set[Any] = field(default_factory=set)
    kept: set[Any] = field(default_factory=set)
    twins: Mapping[Any, list[Any] | None] = field(default_factory=dict)
    unwrapped: list[Any] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    alone: bool = False  # whether what is written of it depends on no part before it

    def at(self, place: str) -> str:
        """Return a place in this part."""
        return f"{self.place}, {place}" if self.place else place

    def slot(self, text: str, kind: str, lead: str = "") -> Slot:
        """Return the next text of this part, which is of a kind, such as "link"."""
        self.counts[kind] += 1
        return Slot(text, self.at(f"{kind} {self.counts[kind]}"), lead=lead)


Treatment = Callable[[Part, Any], Iterator[Slot]]


def scrubbed(part: Part, treatments: Mapping[str, Treatment], texts: Mapping[str, re.Pattern[str]]) -> Iterator[Slot]:
    """Yield the texts of a part, in one pass over its elements.

    ``treatments`` treat the elements of a name. ``texts`` are the elements whose text has a fixed shape; a text of
    another shape is treated. The other texts are those that a treatment has taken, or go by the rule of the unknown.
    """
    if ":" not in short(str(part.root.tag)):  # a root cannot be removed
        raise Refused(f"{part.place or 'its text'} is not as the parts of Office are; save it again")
    by_tag = {long(name): treat for name, treat in treatments.items()}
    shapes = {long(name): shape for name, shape in texts.items()}
    passed: set[tuple[str, str, str]] = part.shared.setdefault("passed", set())
    _remove_gone(part)
    skipped = None
    for element in part.root.iter():
        if skipped is not None:
            if skipped in element.iterancestors():
                continue
            skipped = None
        tag = element.tag
        name = short(tag) if isinstance(tag, str) else ""
        if ":" not in name or not is_usual_name(name.partition(":")[2]):
            if _goes(part):
                part.doomed.append(element)
                skipped = element
            continue
        for key, value in element.items():
            if (tag, key, value) not in passed:
                yield from _attribute(part, element, name, key, value, passed)
        if (treat := by_tag.get(tag)) is not None:
            yield from treat(part, element)
        text = element.text
        if text and not text.isspace() and element not in part.taken and element not in part.kept:
            if tag in shapes:
                if shapes[tag].fullmatch(text) is None:
                    yield from treated_text(part, element)
            elif _goes(part):
                element.text = None
        if element.tail and not element.tail.isspace() and _goes(part):
            element.tail = None
    finish(part)


def _remove_gone(part: Part) -> None:
    """Remove the elements that are never written, and those that refer to what is not kept."""
    for element in [*part.root.iter(*map(long, ELEMENTS_GONE))]:
        remove(element)
    for element in [*part.root.iter(*map(long, GONE_WITH_LINK))]:
        ids = [value for key, value in element.items() if short(key).startswith("r:") and value]
        if not all(part.package.leads(part.name, id) for id in ids):
            remove(element)


def _goes(part: Part) -> bool:
    return part.visit.rule("unknown", part.place) != KEEP


def treated_text(part: Part, element: Any, kind: str = "text", lead: str = "") -> Iterator[Slot]:
    """Yield the text of one element, and write it."""
    slot = part.slot(element.text or "", kind, lead)
    yield slot
    if slot.edits:
        element.text = fit(slot.new)


def finish(part: Part) -> None:
    """Remove what was found to go, and the names of namespaces that nothing uses."""
    from lxml import etree

    for element in part.doomed:
        remove(element)
    for element in part.unwrapped:
        unwrap(element)
    part.doomed.clear()
    etree.cleanup_namespaces(part.root, keep_ns_prefixes=_ignorable(part.root))


def remove(element: Any) -> None:
    """Remove an element and keep what follows it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail and element.tail.strip():
        previous = element.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def unwrap(element: Any) -> None:
    """Put the children of an element in its place."""
    parent = element.getparent()
    place = parent.index(element)
    children = list(element)
    parent.remove(element)
    for offset, child in enumerate(children):
        parent.insert(place + offset, child)


def _ignorable(root: Any) -> list[str]:
    """Leave only prefixes of Office in mc:Ignorable; return them."""
    kept = list[str]()
    for key in map(long, ("mc:Ignorable", "mc:ProcessContent", "mc:MustUnderstand", "mc:PreserveElements")):
        value = root.get(key)
        if value is None:
            continue
        known = [each for each in value.split() if NAMESPACES.get(root.nsmap.get(each, "")) is not None]
        if known and key.endswith("Ignorable"):
            root.set(key, " ".join(known))
            kept += known
        else:
            del root.attrib[key]
    for choice in root.iter(long("mc:Choice")):
        kept += [each for each in choice.get("Requires", "").split() if choice.nsmap.get(each, "") in NAMESPACES]
    return kept


def _attribute(
    part: Part, element: Any, name: str, key: str, value: str, passed: set[tuple[str, str, str]]
) -> Iterator[Slot]:
    attribute = short(key)
    pair = f"{name}@{attribute}"
    if not is_usual_name(attribute.rpartition(":")[2]) and _goes(part):
        del element.attrib[key]
    elif attribute.startswith("r:") or pair in _REFERENCES:
        yield from _reference(part, element, name, key, value)
    elif pair in part.special:
        yield from part.special[pair](part, element, key, value)
    elif attribute in _OF_CHANGES and part.visit.rules.changes == KEEP:
        passed.add((element.tag, key, value))
    elif pair in part.renamed:
        element.set(key, new := part.renamed[pair](value))
        part.alone = part.alone and new == value
    elif pair not in MADE_UP and (rule := text_rule(name, attribute)) is not None:
        yield from _text(part, element, pair, key, value, rule)
    elif fixed_value(name, attribute, value):
        if len(passed) < _MOST_PASSED:
            passed.add((element.tag, key, value))
    elif pair in FONTS:
        yield from _font(part, element, pair, key, value)
    elif (made_up := MADE_UP.get(pair) or MADE_UP.get(attribute)) is not None:
        element.set(key, made_up)
    elif attribute in GONE:
        del element.attrib[key]
    elif pair in _IDS or (attribute in _SHAPE_IDS and name[:2] in ("v:", "o:")):
        element.set(key, _numbered(part, value))
    elif GUID.fullmatch(value):
        part.alone = False
        guids: dict[str, str] = part.shared.setdefault("guids", {})
        element.set(key, guids.setdefault(value, f"{{00000000-0000-4000-8000-{len(guids) + 1:012X}}}"))
    elif is_long_number(value):
        slot = part.slot(value, "field")
        yield slot
        if slot.edits:
            del element.attrib[key]
    elif _goes(part):
        del element.attrib[key]


def _font(part: Part, element: Any, pair: str, key: str, value: str) -> Iterator[Slot]:
    """Yield the name of a font that no program has, once; one that changes is written as a usual font."""
    part.alone = False
    fonts: dict[str, str] = part.shared.setdefault("fonts", {})
    if value not in fonts:
        slot = part.slot(value, "font")
        yield slot
        fonts[value] = USUAL if slot.edits else value
    if fonts[value] != value and pair == "w:font@w:name":
        part.doomed.append(element)
    else:
        element.set(key, fonts[value])


_MOST_PASSED = 50_000
_REFERENCES = words("v:imagedata@o:relid v:fill@o:relid v:stroke@o:relid")
_OF_CHANGES = words("w:author w:date w:initials w16du:dateUtc")
_SHAPE_IDS = words("id ID o:spid type ShapeID")
_IDS = words("p:oleObj@spid p:control@spid w:control@w:shapeid")


def _numbered(part: Part, value: str) -> str:
    return "#" * value.startswith("#") + part.ids.setdefault(value.removeprefix("#"), f"shape{len(part.ids) + 1}")


def _text(part: Part, element: Any, pair: str, key: str, value: str, rule: str) -> Iterator[Slot]:
    slot = part.slot(value, "name" if rule in ("names", "descriptions") else "field")
    name, _, attribute = pair.partition("@")
    if fixed_value(name, attribute, value):
        return
    action = part.visit.rule(rule, part.place) if rule else TREAT
    number = f"{NUMBERED[pair]} {part.counts['name']}" if pair in NUMBERED else ""
    if action == DROP and rule == "properties":
        part.doomed.append(element)
    elif action == DROP:
        element.set(key, number)
    elif action == TREAT:
        yield slot
        if slot.edits:
            element.set(key, number or fit(slot.new))


def _reference(part: Part, element: Any, name: str, key: str, value: str) -> Iterator[Slot]:
    """Follow a relationship that an element names: treat where it leads, or remove it if that is not kept."""
    if not value:
        return
    relation = part.package.relations(part.name).get(value)
    if relation is None or not part.package.leads(part.name, value):
        if name in GONE_WITH_LINK:
            part.doomed.append(element)
        else:
            del element.attrib[key]
        return
    if relation.external:
        yield from link(part, relation)
        if not part.package.leads(part.name, value):
            yield from _reference(part, element, name, key, value)
            return
    if relation.new_id != value:
        element.set(key, relation.new_id)


def link(part: Part, relation: Any) -> Iterator[Slot]:
    """Yield where a relationship leads outside, once; one whose target changes leads nowhere."""
    done: set[tuple[str, str]] = part.shared.setdefault("links", set())
    if (part.name, relation.id) in done:
        return
    done.add((part.name, relation.id))
    action = part.visit.rule("links", part.place)
    if action == DROP:
        part.package.unlink(part.name, relation.id)
    elif action == TREAT:
        slot = part.slot(unquote(relation.target), "link")
        yield slot
        if slot.edits:
            relation.target = NOWHERE

"""A string of FHIR: yielded as a text, numbered, left as it is, or left out, by what its element is."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

from sfumato.documents.health import fhir_names as names
from sfumato.documents.health.composed import led
from sfumato.documents.health.ids import is_uuid, numbered, renumbered
from sfumato.documents.health.public_uris import is_public
from sfumato.documents.rules import KEEP, TREAT, Visit
from sfumato.documents.slot import Edit, Slot, spread

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,20}:\S+")
_SERIES = re.compile(r"[\d.\s+\-eELU]*")
_LAST = re.compile(r"[/#|:]")


@dataclass(frozen=True, slots=True)
class At:
    """Where an element is.

    Attributes:
        place: Its place, in numbers and fixed words.
        shown: Where a person finds it. PRIVATE.
        lead: What a person reads before its text. PRIVATE.
        title: What a person calls the value inside it, such as "Body weight". PRIVATE.
        known: Whether its name is one that FHIR has.
        inside: Whether it is inside an extension of a known address.
        is_resource: Whether it is a resource.
    """

    place: str
    shown: str = field(default="", repr=False)
    lead: str = field(default="", repr=False)
    title: str = field(default="", repr=False)
    known: bool = True
    inside: bool = False
    is_resource: bool = False

    def member(self, key: str, number: int = 0) -> At:
        """Return where the element ``key`` is, or the one of that ``number`` in its list."""
        index = f" {number}" if number else ""
        told = key if self.known else "an element of no known name"
        lead = self.lead if names.leads_on(key) else names.lead_of(key)
        if self.title and key.startswith(("value", "answer")):
            lead = f"{self.title}: "
        place, shown = f"{self.place}, {told}{index}", f"{self.shown}.{key}{index}"
        return replace(self, place=place, shown=shown, lead=lead, is_resource=False)

    def extension(self, key: str, number: int, url: str) -> At:
        """Return where an extension is; its ``url`` says what it is called."""
        title = names.lead_of(_LAST.split(url)[-1]).removesuffix(": ")
        return At(f"{self.place}, {key} {number}", f"{self.shown}.{key} {number}", "", title, True, bool(url))


@dataclass(slots=True)
class Strings:
    """What yields the strings of one record."""

    visit: Visit
    record: int
    fields: dict[str, str] = field(repr=False)

    def edits(self, text: str, at: At) -> Generator[Slot, None, Sequence[Edit]]:
        """Yield ``text``; return its edits."""
        if not text.strip():
            return ()
        slot = Slot(text, at.place, self.record, led(at.lead, text), at.shown, self.fields)
        yield slot
        return slot.edits

    def text(self, text: str, at: At) -> Generator[Slot, None, str]:
        """Yield ``text``; return it with its edits."""
        edits = yield from self.edits(text, at)
        return spread([text], edits)[0] if edits else text

    def edits_at(self, at: At) -> Callable[[str, str], Generator[Slot, None, Sequence[Edit]]]:
        """Return what yields a text at a place like ``at`` and returns its edits."""
        return lambda text, place: self.edits(text, replace(at, place=place))

    def text_at(self, at: At) -> Callable[[str, str], Generator[Slot, None, str]]:
        """Return what yields a text at a place like ``at`` and returns it with its edits."""
        return lambda text, place: self.text(text, replace(at, place=place, lead=""))

    def link_at(self, at: At) -> Callable[[str, str], Generator[Slot, None, str | None]]:
        """Return what says where a link at a place like ``at`` leads afterwards."""
        return lambda link, place: self.uri("", link, replace(at, place=place))

    def string(self, key: str, value: str, at: At) -> Generator[Slot, None, str | None]:
        """Return what is written for the string ``value`` of the element ``key``; None if it is left out."""
        kind = names.names().values.get(key, names.OTHER) if at.known else names.OTHER
        if kind == names.CODE and names.is_code(value):
            new = value if names.is_usual_code(value) else (yield from self.text(value, at))
            return new if names.is_code(new) else None
        if key == "reference":
            return (yield from self.uri(key, value, at))
        if kind == names.ID or is_uuid(value):
            known = renumbered(value, self.visit.numbers, names.names().types)
            return known if known is not None else numbered(value, self.visit.numbers)
        if kind in (names.DATE, names.INSTANT):
            new = yield from self.text(value, at)
            return new if new == value or names.is_when(new, value, kind == names.INSTANT) else None
        if kind == names.BASE64:
            is_series = key == "data" and _SERIES.fullmatch(value) is not None
            keeps = is_series or self.visit.rule("unknown", f"{at.place}, bytes of no known format") == KEEP
            return value if keeps else None
        if kind == names.URI or _ADDRESS.fullmatch(value):
            return (yield from self.uri(key, value, at))
        known = None if value.startswith("#") else renumbered(value, self.visit.numbers, names.names().types)
        return known if known is not None else (yield from self.text(value, at))

    def uri(self, key: str, value: str, at: At) -> Generator[Slot, None, str | None]:
        """Return what is written for an address: a public one stays, an id is numbered, others go by the rules."""
        if is_public(value) or value in names.names().types:
            return value
        is_profile = key == "profile" and _ADDRESS.fullmatch(value) is not None
        if key not in ("system", "profile"):
            known = renumbered(value, self.visit.numbers, names.names().types)
            if known is not None:
                return known
        rule = TREAT if is_profile else self.visit.rule("links", at.place)
        if rule != TREAT:
            return value if rule == KEEP else None
        new = yield from self.text(value, at)
        return new if new == value else None

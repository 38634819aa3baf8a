"""Attributes of a page: texts, links, names, styles and programs. The rules call any other one unknown."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from sfumato.documents.formats import ending_of
from sfumato.documents.names import Names, is_public, treated
from sfumato.documents.rules import KEEP, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.web.html_known import BOUNDS, DESCRIPTIONS, GEOMETRY, HEADERS, LINKS, METAS, NAMES, PLAIN
from sfumato.documents.web.html_style import Sheet, styled
from sfumato.documents.web.html_tokens import Token

NOWHERE = "about:blank#"
"""A link that was changed leads here; its new text follows."""
_TEXTS = ("datetime", "aria-valuenow")
_DRAWN = re.compile(
    r"(?:[\d\s.,;+()-]|[zZ]|[MLHVCSQTAmlhvcsqtae](?![a-zA-Z])|matrix|translate|scale|rotate|skew[XY])*"
)
_FAR = re.compile(r"(?<![\d.])\d{7}")
"""No drawing has a number of so many digits before its point."""
_SMALL = re.compile(r"[+-]?\d{0,3}(?:\.\d{1,4})?|any")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|\d{3}))?")
NAMESPACE = re.compile(
    r"https?://www\.w3\.org/[\w/.#-]*|urn:schemas-microsoft-com:[\w:]*|http://schemas\.microsoft\.com/[\w/.]*"
)
_LONG = re.compile(r"\d{5}")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_IGNORED = re.compile(r"[\t\n\r]|^[\x00-\x20]+|[\x00-\x20]+$")
_PART = re.compile(r"\d{1,4}@part\.invalid")
_PROGRAMS = ("javascript", "vbscript", "livescript", "mocha")


@dataclass(slots=True)
class Page:
    """What the parts of one page share. PRIVATE.

    Attributes:
        visit: The rules.
        contents: What the ids of the other parts of a mail become, by which its page shows pictures.
        charset: What a page in a mail says of its encoding; None leaves it.
        names: Its classes, ids and names.
        within: Where a part of the page is that is read as a page of its own.
        tags: How many tags were written before.
        comments: How many comments.
        spaced: The elements, classes and ids whose white space a style sheet shows as it is.
    """

    visit: Visit
    contents: Mapping[str, str] = field(default_factory=dict, repr=False)
    charset: str | None = None
    names: Names = field(default_factory=Names, repr=False)
    within: str = ""
    tags: int = 0
    comments: int = 0
    spaced: set[str] = field(default_factory=set, repr=False)

    def attribute(self, token: Token, name: str, place: str) -> Generator[Slot, None, str | None]:
        """Yield the texts of an attribute; return its new value, or None if it is dropped. Raise Refused."""
        value = token.attributes[name]
        if name.startswith("on"):
            return value if self.visit.rule("programs", place) == KEEP else None
        if name == "style":
            return (yield from styled(value, Sheet(self.visit, self.names, self.link, place)))
        if name in LINKS:
            return (yield from self._links(name, value, place))
        if name in NAMES:
            return (yield from self.names.all_named(value, self.visit))
        if name == "download":
            ending = ending_of(value)
            return (yield from self.names.named(value.removesuffix(ending), self.visit)) + ending
        if name in GEOMETRY and _DRAWN.fullmatch(value) and not _FAR.search(value):
            return value
        if (name in BOUNDS and _SMALL.fullmatch(value)) or (name == "content" and is_for_programs(token.attributes)):
            return value
        if name in PLAIN | GEOMETRY:
            plain = is_public(value) or (name.endswith("lang") and _LANGUAGE.fullmatch(value))
            return value if plain else (yield from treated(self.visit, "hidden", value, place))
        if name.partition(":")[0] == "xmlns" and NAMESPACE.fullmatch(value) and not _LONG.search(value):
            return value
        if (part := _part(token, name)) is None:
            slot = Slot(value, place)
            yield slot
            return slot.new
        if part == "unknown":
            return value if self.visit.rule(part, place) == KEEP else None
        return (yield from treated(self.visit, part, value, place))

    def link(self, url: str, place: str) -> Generator[Slot, None, str | None]:
        """Yield where a link leads; return where it leads now, or None if it is dropped. Raise Refused."""
        bare = _IGNORED.sub("", url)
        if bare.startswith("#"):
            return "#" + (yield from self.names.named(unquote(bare[1:]), self.visit))
        scheme = match[1].lower() if (match := _SCHEME.match(bare)) else ""
        if scheme in _PROGRAMS:
            return url if self.visit.rule("programs", place) == KEEP else None
        if scheme == "data":
            part = "images" if re.match(r"data:(?:image(?!/svg)|audio|video)/", bare, re.IGNORECASE) else "unknown"
            return url if self.visit.rule(part, place) == KEEP else None
        if scheme == "cid":
            known = unquote(bare[4:])
            return url if _PART.fullmatch(known) else f"cid:{self.contents.get(known, '0@part.invalid')}"
        shown = unquote(bare.removeprefix(NOWHERE))
        new = yield from treated(self.visit, "links", shown, place)
        return url if new == shown else new and NOWHERE + quote(new, safe="")

    def _links(self, name: str, value: str, place: str) -> Generator[Slot, None, str | None]:
        if not name.endswith("srcset"):
            return (yield from self.link(value, place))
        if "data:" in value.lower():
            return value if self.visit.rule("images", place) == KEEP else None
        return (yield from self.link(value, place))


def is_for_programs(attributes: Mapping[str, str]) -> bool:
    """Return whether a ``meta`` of these ``attributes`` tells programs how to show a page, and nothing else."""
    known = attributes.get("name", "").lower() in METAS or attributes.get("http-equiv", "").lower() in HEADERS
    return known and is_public(attributes.get("content", ""))


def _part(token: Token, name: str) -> str | None:
    """Return which part of a document an attribute is that holds a text; None if a page shows it as its text."""
    if name == "value":
        hidden = token.attributes.get("type", "text").lower() in ("hidden", "checkbox", "radio", "password")
        return None if token.name in ("input", "button", "textarea") and not hidden else "hidden"
    if name in DESCRIPTIONS:
        return "descriptions"
    if name == "content" and token.name == "meta":
        return "properties"
    if name in _TEXTS:
        return None
    return "hidden" if name.startswith("data-") or name in BOUNDS | {"pattern", "accesskey", "content"} else "unknown"

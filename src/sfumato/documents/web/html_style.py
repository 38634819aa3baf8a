"""Style sheets: what they write on a page, where they point, and the names that they share with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import NamedTuple

from sfumato.documents.names import Names, is_long, is_public, treated
from sfumato.documents.rules import Visit
from sfumato.documents.slot import Slot

Links = Callable[[str, str], Generator[Slot, None, str | None]]
_IDENTIFIER = r"(?:--|-?(?:[a-zA-Z_\u0080-\U0010ffff]|\\[^\n]))(?:[\w\-\u0080-\U0010ffff]|\\[^\n])*"
_TOKEN = re.compile(
    r"(?P<comment>/\*.*?(?:\*/|\Z)|<!--|-->)"
    r"|(?P<string>\"(?:\\.|\\\Z|[^\"\\\n])*(?:\"|(?=\n)|\Z)|'(?:\\.|\\\Z|[^'\\\n])*(?:'|(?=\n)|\Z))"
    r"|(?P<url>url\(\s*(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?:\\.|[^\"'()\\\s])*)\s*\))"
    rf"|(?P<name>[.#]{_IDENTIFIER})"
    rf"|(?P<word>{_IDENTIFIER})"
    r"|(?P<number>[0-9.]+(?:[-/][0-9.]+)*%?|#[0-9a-fA-F]+)"
    r"|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|\n|(.))", re.DOTALL)
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")


class Sheet(NamedTuple):
    """What a style sheet is read with: the rules, the names of its page, what treats its links, and where it is."""

    visit: Visit
    names: Names
    links: Links
    where: str


def styled(css: str, sheet: Sheet) -> Generator[Slot, None, str]:
    """Yield the texts, links and names of a style sheet; return it with their edits, without comments."""
    written, word, declared = list[str](), "", ""
    for number, match in enumerate(_TOKEN.finditer(css), 1):
        kind, source = str(match.lastgroup), match[0]
        word = source.lower() if kind == "word" else word
        declared = word if source == ":" else "" if source in "{};" else declared
        place = f"{sheet.where}, piece {number}"
        if kind == "comment":
            new = yield from _comment(source, sheet, place)
        elif kind == "string":
            shown = declared in ("content", "quotes") or declared.startswith("--")
            new = yield from _string(source, place, shown)
        elif kind == "url":
            new = yield from _url(source, sheet, place)
        elif kind in ("name", "word"):
            new = yield from _name(source, sheet)
        elif kind == "number" and is_long(source):
            slot = Slot(source, place)
            yield slot
            new = source if slot.new == source else "0"
        else:
            new = source
        written.append(new)
    return "".join(written)


def _comment(source: str, sheet: Sheet, place: str) -> Generator[Slot, None, str]:
    text = source[2:].removesuffix("*/")
    if not source.startswith("/*") or not text.strip():
        return source
    new = yield from treated(sheet.visit, "comments", text, place)
    if new is None:
        return "/**/"
    new = new if "-->" in text else new.replace("-->", "->")  # the sheet may be in a comment of the page
    return f"/*{new.replace('*/', '* /')}*/"


def _string(source: str, place: str, shown: bool) -> Generator[Slot, None, str]:
    text = unescaped(source[1:].removesuffix(source[0]))
    if not text.strip() or (not shown and is_public(text)):
        return source
    slot = Slot(text, place)
    yield slot
    return source if slot.new == text else _quoted(slot.new)


def _url(source: str, sheet: Sheet, place: str) -> Generator[Slot, None, str]:
    inside = source[4:-1].strip()
    inside = inside[1:-1] if inside[:1] in ('"', "'") else inside
    url = unescaped(inside)
    new = yield from sheet.links(url, place)
    if new is None:
        return 'url("")'
    return source if new == url else f"url({_quoted(new)})"


def _name(source: str, sheet: Sheet) -> Generator[Slot, None, str]:
    sign = source[0] if source[0] in ".#" else ""
    name = unescaped(source[len(sign) :])
    if (not sign and is_public(name)) or _COLOUR.fullmatch(source):
        return source
    new = yield from sheet.names.named(name, sheet.visit)
    return source if new == name else sign + ("--" if name.startswith("--") else "") + new


def unescaped(text: str) -> str:
    """Return what a string or a name of a style sheet says."""
    return _ESCAPE.sub(lambda match: _character(match[1]) if match[1] else match[2] or "", text)


def _character(digits: str) -> str:
    number = int(digits, 16)
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _quoted(text: str) -> str:
    return '"' + re.sub(r"[\"\\<>\n\r\f]", lambda match: f"\\{ord(match[0]):x} ", text) + '"'

"""White space in the source of a page, which tells how long a text was: a line was broken where it was full.

A browser shows any run of it as one space. While a page is written, each run lies between signs that no page holds.
A page that stays as it was keeps its runs. In one that changes, each becomes a space, or a line break where no text
is around it. So the source has the same lines whatever was replaced.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from sfumato.documents.web.html_tokens import Token

_BEGIN, _LOOSE, _SPACE, _LINE = "\0", "\0", "\1", "\2"
_RUN = re.compile(rf"{_BEGIN}([\t\n\f\r ]*)([{_LOOSE}{_SPACE}{_LINE}])")
_BREAKING = re.compile(r"(?<![\\\t ])[\t ]*[\n\f\r][\t\n\f\r ]*")
_STRING = re.compile(r"/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[\"']", re.DOTALL)
_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[\t\n\f\r ]+")
_SHOWN = re.compile(r"white-space(?:-collapse)?\s*:\s*(?:-\w+-)?(?:pre|break-spaces)", re.IGNORECASE)
_BESIDE = re.compile(r"::?[\w-]+(?:\([^()]*\))?|\[[^\[\]]*\]")
_NAME = re.compile(r"[.#]?[\w-]+")


def loose(run: str) -> str:
    """Return a ``run`` of white space of a block, which a browser shows as one space or not at all."""
    return f"{_BEGIN}{run}{_LOOSE}"


def decided(block: str, has_text: bool) -> str:
    """Return a ``block``, whose white space is a line break where it ``has_text`` nowhere, and a space else."""
    sign = _SPACE if has_text else _LINE
    return _RUN.sub(lambda run: f"{_BEGIN}{run[1]}{sign if run[2] == _LOOSE else run[2]}", block)


def lines_loose(source: str) -> str:
    """Return a comment or the value of an attribute, whose line breaks may be spaces."""
    return _BREAKING.sub(_space, source)


def sheet_loose(sheet: str) -> str:
    """Return a style ``sheet``, whose line breaks may be spaces unless one ends a string."""
    broken = any(match[0] in "\"'" for match in _STRING.finditer(sheet))
    return sheet if broken else lines_loose(sheet)


def tag_loose(source: str, attributes: Mapping[str, str]) -> str:
    """Return a tag, between whose ``attributes`` any white space means the same; inside programs it may not."""
    fixed = "srcdoc" in attributes or any(name.startswith("on") for name in attributes)

    def piece(match: re.Match[str]) -> str:
        if match[0][0] in "\"'":
            return match[0] if fixed else lines_loose(match[0])
        return match[0] if match[0] == " " else _space(match)

    return _PIECE.sub(piece, source)


def _space(match: re.Match[str]) -> str:
    return f"{_BEGIN}{match[0]}{_SPACE}"


def unchanged(written: str) -> str:
    """Return what was ``written`` with the white space of its source."""
    return _RUN.sub(r"\1", written)


def settled(written: str, source: str) -> str:
    """Return what was ``written``: the ``source`` itself, or with white space that tells nothing of it."""
    if unchanged(written) == source:
        return source
    return _RUN.sub(lambda match: "\n" if match[2] == _LINE else " ", written)


def shown_by(token: Token, selected: Collection[str]) -> bool:
    """Return whether the element of a tag shows white space as it is, by its own style or as it is ``selected``."""
    if _SHOWN.search(token.attributes.get("style", "")):
        return True
    classes = (f".{name}" for name in token.attributes.get("class", "").lower().split())
    names = (token.name, f"#{token.attributes.get('id', '').lower()}", *classes)
    return any(name in selected for name in names)


def selected(sheet: str) -> Iterator[str]:
    """Yield the elements (p), classes (.p) and ids (#p) whose white space a style ``sheet`` shows as it is."""
    for rule in sheet.split("}") if _SHOWN.search(sheet) else ():
        selectors, _, style = rule.rpartition("{")
        if _SHOWN.search(style):
            for selector in selectors.rpartition("{")[2].lower().split(","):
                yield from _NAME.findall(_BESIDE.sub("", selector))[-1:]

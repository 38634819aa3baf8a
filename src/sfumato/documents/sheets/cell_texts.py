"""Texts of cells: their runs, the readings over them, and the strings that the cells of a workbook share."""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, cast
from xml.sax.saxutils import escape

import orjson

from sfumato.documents.office.office_fonts import is_usual_font
from sfumato.documents.rules import Refused
from sfumato.documents.xml import elements

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_T = f"{{{MAIN}}}t"
LONGEST = 32_767
"""So many characters a cell can hold."""

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_UNWRITTEN = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_LONE = re.compile("[\ud800-\udfff]")
_STYLES = (
    "rFont", "charset", "family", "b", "i", "strike", "outline", "shadow", "condense", "extend", "color", "sz", "u",
    "vertAlign", "scheme",
)  # fmt: skip
_STYLE_ATTRIBUTES = ("val", "rgb", "theme", "tint", "indexed", "auto")
_LONGEST_ELEMENT = 16 << 20
_IN_BLOCK = 256
_BLOCKS_READ = 64


def decoded(raw: str) -> str:
    """Return a text as a person sees it: `_x000D_` is a character."""
    if "_x" not in raw:
        return raw
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), raw)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _LONE.search(text) else text


def encoded(text: str) -> str:
    """Return a text as a file holds it, ready for XML: what XML cannot hold is written by its number."""
    plain = _UNWRITTEN.sub(lambda found: f"_x{ord(found[0]):04X}_", _LONE.sub("\ufffd", text))
    return escape(plain)


@dataclass(slots=True)
class Text:
    """A text of a cell. PRIVATE.

    Attributes:
        pieces: Its runs.
        styles: The style of each, as XML.
        reading: How it is read aloud, as phonetic runs say, or "".
        phonetics: Those runs, as XML.
    """

    pieces: Sequence[str] = field(repr=False)
    styles: Sequence[str] = ()
    reading: str = field(default="", repr=False)
    phonetics: str = field(default="", repr=False)

    @property
    def whole(self) -> str:
        """Return the text."""
        return "".join(self.pieces)

    def written(self, pieces: Sequence[str], phonetics: bool = True) -> str:
        """Return the content of an inline string with other ``pieces`` in the same styles."""
        shown = [
            f'<r>{style}<t xml:space="preserve">{encoded(piece)}</t></r>' if style is not None
            else f'<t xml:space="preserve">{encoded(piece)}</t>'
            for piece, style in zip(pieces, self.styles or (None,), strict=True)
        ]  # fmt: skip
        return "".join(shown) + (self.phonetics if phonetics else "")


def text_of(element: Any) -> Text:
    """Return the text of a shared or an inline string."""
    if len(element) == 1 and element[0].tag == _T:
        return Text([decoded(element[0].text or "")])
    pieces, styles, readings, phonetics = list[str](), list[str](), list[str](), ""
    for child in element:
        name = _local(child)
        if name == "t":
            pieces.append(decoded(child.text or ""))
            styles.append("")
        elif name == "r":
            pieces.append("".join(decoded(each.text or "") for each in child if _local(each) == "t"))
            styles.append("".join(_style(each) for each in child if _local(each) == "rPr"))
        elif name == "rPh":
            readings.append("".join(decoded(each.text or "") for each in child if _local(each) == "t"))
            phonetics += (
                f'<rPh sb="{_number(child, "sb")}" eb="{_number(child, "eb")}"><t>{escape(readings[-1])}</t></rPh>'
            )
    if len(pieces) < 2 and not any(styles):
        return Text(["".join(pieces)], (), " ".join(readings), phonetics)
    return Text(pieces, styles, " ".join(readings), phonetics)


class Paced:
    """A part that is read element by element, of which none may be so long that it fills the memory.

    Attributes:
        since: How many bytes were read since an element ended; the reader sets it back to 0.
    """

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self.since = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raise Refused if the element that they belong to is too long."""
        content = self._part.read(size)
        self.since += len(content)
        if self.since > _LONGEST_ELEMENT:
            raise Refused("a row or what follows the rows of a sheet is too long to be read; divide the sheet")
        return content


class SharedStrings:
    """The strings that cells share, packed in memory: a cell writes its own."""

    def __init__(self, parts: Iterable[IO[bytes]] = ()) -> None:
        self._blocks = list[bytes]()
        self._read = OrderedDict[int, list[Any]]()
        self._count = 0
        ahead = list[Any]()
        for part in parts:
            paced = Paced(part)
            for element in elements(cast("IO[bytes]", paced), f"{{{MAIN}}}si"):
                paced.since = 0
                text = text_of(element)
                plain = not text.styles and not text.phonetics
                ahead.append(text.whole if plain else [text.pieces, text.styles, text.reading, text.phonetics])
                self._count += 1
                if len(ahead) == _IN_BLOCK:
                    self._pack(ahead)
        self._pack(ahead)

    def __len__(self) -> int:
        return self._count

    def text(self, index: str) -> Text | None:
        """Return the string of an index as a cell writes it, or None for a wrong index."""
        if not index.isascii() or not index.isdigit() or (number := int(index)) >= self._count:
            return None
        block, place = divmod(number, _IN_BLOCK)
        texts = self._read.get(block)
        if texts is None:
            texts = self._read[block] = orjson.loads(zlib.decompress(self._blocks[block]))
            if len(self._read) > _BLOCKS_READ:
                self._read.popitem(last=False)
        found = texts[place]
        return Text([found]) if isinstance(found, str) else Text(*found)

    def _pack(self, ahead: list[Any]) -> None:
        if ahead:
            self._blocks.append(zlib.compress(orjson.dumps(ahead), 1))
            ahead.clear()


def _style(properties: Any) -> str:
    """Return the style of a run; what is not known of it is left out."""
    shown = ""
    for child in properties:
        name = _local(child)
        if name in _STYLES and (name != "rFont" or is_usual_font(child.get("val", ""))):
            values = "".join(
                f' {key}="{escape(child.get(key), _QUOTE)}"' for key in _STYLE_ATTRIBUTES if child.get(key)
            )
            shown += f"<{name}{values}/>"
    return f"<rPr>{shown}</rPr>" if shown else ""


_QUOTE = {'"': "&quot;"}


def _number(element: Any, key: str) -> int:
    value = element.get(key, "0")
    return int(value) if value.isascii() and value.isdigit() else 0


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) and tag.startswith(f"{{{MAIN}}}") else ""


def too_long(place: str) -> Refused:
    """Return the error of a new text that no cell can hold."""
    return Refused(f"{place} would be longer than {LONGEST:,} characters; divide it, or choose a shorter replacement")

"""HTML pages. What is not edited stays as it is; a second parser proves what was removed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator, Mapping
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.names import Names
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.web.html_attributes import Page
from sfumato.documents.web.html_body import Body
from sfumato.documents.web.html_spaces import settled
from sfumato.documents.web.html_strings import page_strings

_DECLARED = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_ONE_BYTE = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
}
_AS_BROWSERS = {**_ONE_BYTE, "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
_KNOWN = re.compile(r"utf-8|cp12\d\d|cp874|cp932|cp949|iso8859-\d+|koi8-[ru]|mac-roman|gb18030|big5|euc_jp")


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a page; see ``formats.Walk``."""
    content = file.read()
    mark, encoding = encoding_of(content)
    text = decoded(content[len(mark) :], encoding)
    new = yield from rewritten(text, visit)
    if target is not None:
        target.write(mark + new.encode(encoding, "xmlcharrefreplace"))


def rewritten(
    text: str, visit: Visit, contents: Mapping[str, str] | None = None, charset: str | None = None, within: str = ""
) -> Generator[Slot, None, str]:
    """Yield the texts of a page; return it with their edits. Raise Refused.

    The other parts of a mail have the ids in ``contents``, with their new ones. A page in a mail says that its
    encoding is ``charset``.
    """
    if "\0" in text:
        raise Refused("it holds null characters, which programs read differently; save it again")
    written = yield from Body(Page(visit, contents or {}, charset, Names(within), within)).rewritten(text)
    return settled(written, text)


def encoding_of(content: bytes) -> tuple[bytes, str]:
    """Return the mark of encoding at the start of a page and its encoding, as browsers find it. Raise Refused."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return mark, encoding
    declared = _DECLARED.search(content[:4096])
    known = codec_of(declared[1].decode("ascii", "replace")) if declared else "utf-8"
    if known is None:
        raise Refused("it declares an encoding that is not known; save it as UTF-8")
    return b"", known


def codec_of(label: str) -> str | None:
    """Return the codec by which browsers read what is labelled so; None for one that is not known."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    name = "utf-8" if name.startswith("utf-16") else _AS_BROWSERS.get(name, name)
    return name if _KNOWN.fullmatch(name) else None


def decoded(content: bytes, encoding: str) -> str:
    """Return the text of a page. Raise Refused if it is not in its encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        pass
    raise Refused("it is not in the encoding that it declares, or declares none; save it as UTF-8")


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a page as lxml reads it, and those in its source."""
    content = file.read()
    mark, encoding = encoding_of(content)
    yield from page_strings(decoded(content[len(mark) :], encoding))

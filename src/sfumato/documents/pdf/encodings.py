"""What the codes of a font say: its table of characters, its encoding, and what its file says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

from sfumato.documents.pdf.streams import content_of, isa

MARK = "\ufffd"
"""The text of a lone sign, such as a bullet, that no table translates."""
_UNSAID = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffe\uffff\U000f0000-\U0010ffff]")
"""Characters that say nothing: controls, those for private use."""
_JOINED = re.compile(r"[\ufb00-\ufb4f]|[\ufb50-\ufdfb]|[\ufe70-\ufefc]")
"""Ligatures, and letters in the forms that they have in a word."""
EMBEDDED = ("/FontFile", "/FontFile2", "/FontFile3")
_MOST_CODES = 1 << 17
_NONSYMBOLIC = 32


def said(text: str | None) -> str | None:
    """Return ``text`` if it says something that can be read, its joined letters as letters."""
    if not text or _UNSAID.search(text) or MARK in text:
        return None
    return _JOINED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def texts_of(map_: Any) -> Mapping[int, str]:
    """Return the texts of a map as pdfminer has it."""
    texts: Mapping[int, str] = map_.cid2unichr
    return texts


def to_unicode(spec: Any) -> Mapping[int, str]:
    """Return the texts that the font itself gives for its codes."""
    from pdfminer.cmapdb import CMapParser, FileUnicodeMap
    from pdfminer.psexceptions import PSException

    class Bounded(FileUnicodeMap):
        added = 0

        def add_cid2unichr(self, cid: int, code: Any) -> None:
            self.added += 1
            if self.added > _MOST_CODES:
                raise ValueError("a range is too long")
            super().add_cid2unichr(cid, code)

    stream = spec.get("/ToUnicode")
    if isa(stream, "Name") and "Identity" in str(stream):
        return _Identity()
    if not isa(stream, "Stream"):
        return {}
    table = Bounded()
    try:
        CMapParser(table, BytesIO(content_of(stream))).run()
    except (PSException, AssertionError, TypeError, ValueError, KeyError):
        return {}
    return texts_of(table)


class _Identity(dict[int, str]):
    """Codes that are Unicode."""

    def get(self, code: int, default: Any = None) -> Any:
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x10000 else default


def encoding_of(spec: Any, kind: str, descriptor: Any, signs: bool) -> Mapping[int, str]:
    """Return what the font's encoding says surely of its codes."""
    from pdfminer.encodingdb import EncodingDB, name2unicode

    encoding = spec.get("/Encoding")
    differences = None
    base = str(encoding)[1:] if isa(encoding, "Name") else ""
    if isa(encoding, "Dictionary"):
        base, differences = str(encoding.get("/BaseEncoding", "/"))[1:], encoding.get("/Differences")
    if base in EncodingDB.encodings and not signs:
        known = dict(EncodingDB.encodings[base])
    else:
        known = {} if signs or kind == "/Type3" else _built_in(kind, descriptor)
    code = 0
    for each in differences if isa(differences, "Array") else ():
        if isinstance(each, int):
            code = each
        elif isa(each, "Name"):
            known.pop(code, None)
            with suppress(KeyError, ValueError):
                known[code] = name2unicode(str(each)[1:])
            code += 1
    return known


def _built_in(kind: str, descriptor: Any) -> dict[int, str]:
    """Return the encoding of a font that names none: of its file if that says it, else the format's own."""
    from pdfminer.encodingdb import EncodingDB
    from pdfminer.pdffont import Type1FontHeaderParser

    usual = EncodingDB.encodings["WinAnsiEncoding" if kind == "/TrueType" else "StandardEncoding"]
    if descriptor is None or not any(key in descriptor for key in EMBEDDED):
        return dict(usual)
    if "/FontFile" in descriptor:
        content = content_of(descriptor["/FontFile"])
        if b"StandardEncoding def" in content:
            return dict(usual)
        return dict(Type1FontHeaderParser(BytesIO(content.partition(b"eexec")[0])).get_encoding())
    return dict(usual) if int(descriptor.get("/Flags", 0)) & _NONSYMBOLIC else {}


def differences(encoding: Any) -> Mapping[int, str]:
    """Return the names that an encoding of its own gives to codes."""
    names, code = dict[int, str](), 0
    rows = encoding.get("/Differences") if isa(encoding, "Dictionary") else None
    for each in rows if isa(rows, "Array") else ():
        if isinstance(each, int):
            code = each
        else:
            names[code] = str(each)
            code += 1
    return names

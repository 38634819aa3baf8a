"""Texts in the encodings that mail declares, rightly or wrongly."""

from __future__ import annotations

import codecs

_UNDECLARED = ("", "us-ascii", "ascii", "unknown-8bit", "x-unknown", "unknown", "default", "8bit", "7bit", "binary")
_AS_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
_NO_TEXT = ("unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "mbcs", "oem")


def text_of(content: bytes, charset: str) -> str | None:
    """Return the text of ``content``; None if its ``charset`` is not known.

    A text that is not in the encoding that it declares is read as UTF-8 if it can be, else as mail of old was meant.
    """
    label = charset.strip().strip("\"'").lower()
    codec = "cp1252" if label in _UNDECLARED else _codec(label)
    if codec is None:
        return None
    for each in ("utf-8", codec) if label in _UNDECLARED or codec == "cp1252" else (codec, "utf-8"):
        try:
            return content.decode(each)
        except UnicodeDecodeError:
            continue
    return content.decode("cp1252" if codec == "utf-8" else codec, "replace")


def _codec(label: str) -> str | None:
    try:
        found = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    text = getattr(found, "_is_text_encoding", True) and found.name not in _NO_TEXT
    return _AS_MEANT.get(found.name, found.name) if text else None

"""How a name is written into a file of some format, so that it stays a name there: decided by the file's suffix."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import regex

from sfumato.errors import InputError
from sfumato.release.pseudonym_mentions import Reading

_JSON_ESCAPES = regex.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\"\\/bfnrt]"
)
_NO_XML = regex.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKDOWN = regex.compile(r"[\\`*_\[\]<>|&~$]|^[#+=-]|^[0-9]{1,9}\K[.)]")
_LATEX = MappingProxyType(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
    }
)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """What the characters of a name become in a file of this format, and how its escapes are read."""

    escaped: Callable[[str], str]
    reading: Reading | None = None


def format_of(path: Path) -> TextFormat:
    """The format that the suffix of ``path`` names; where it is not known, text is written as it is."""
    return _FORMATS.get(path.suffix.lower().removeprefix("."), _PLAIN)


def _json(name: str) -> str:
    lone = any("\ud800" <= sign <= "\udfff" for sign in name)  # half of a pair, which UTF-8 cannot hold
    return json.dumps(name, ensure_ascii=lone)[1:-1]


def _markup(name: str) -> str:
    if _NO_XML.search(name):
        raise InputError("A name holds a control character that markup cannot; put the names into text or JSON.")
    return html.escape(name)


def _markdown(name: str) -> str:
    return " ".join(_MARKDOWN.sub(lambda sign: f"\\{sign.group()}", name).split())


def _latex(name: str) -> str:
    return " ".join("".join(_LATEX.get(sign, sign) for sign in name).split())


_PLAIN = TextFormat(str)
_READ_JSON: Reading = (_JSON_ESCAPES, lambda escape: str(json.loads(f'"{escape}"')))
_FORMATS = MappingProxyType(
    {
        **dict.fromkeys(("json", "jsonl", "ndjson", "geojson", "ipynb"), TextFormat(_json, _READ_JSON)),
        **dict.fromkeys(("html", "htm", "xhtml", "xml", "svg", "rss", "tei"), TextFormat(_markup)),
        **dict.fromkeys(("md", "markdown", "mdown", "mkd", "qmd", "rmd"), TextFormat(_markdown)),
        "tex": TextFormat(_latex),
    }
)

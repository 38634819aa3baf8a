"""Pseudonyms in a text that somebody edited: ``PERSON_1`` as a language model or an editor may write it.

A mention is certain where label, low line and number are those of a pseudonym, whatever their case, width or escape
(``Person_1``, ``PERSON\\_1``, ``PERSON&#95;1``), and nothing has grown together with it but low lines (Markdown's
emphasis) or a script that writes no spaces. Other spellings ("Person 1", "PERSON_1s") may mean one: they are counted,
and stay.

How a name is written back, so that it stays a name in its file, is decided by the file's suffix.
"""

from __future__ import annotations

import html
import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import regex

from sfumato.errors import InputError
from sfumato.text.occurrences import UNSPACED, folded

Reading = tuple[Any, Callable[[str], str]]
"""A pattern of escapes, and what each of them means."""

ESCAPES: Reading = (
    regex.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});|(?<!\\)\\++[_-]"),
    lambda escape: html.unescape(escape).lstrip("\\"),
)
_GAP = r"(?:[^\S\n]|[_#-]|%5f){0,3}"
_GROWN = rf"(?:(?![{UNSPACED}])[^\W_])"
_BEFORE = regex.compile(rf"{_GROWN}_*\Z")
_AFTER = regex.compile(rf"_*{_GROWN}")
_LOOSE = regex.compile(r"(?:[^\S\n]|[_#-]|%5f)+")
_NUMBERS = tuple(map(regex.compile, ("[0-9]+", "[0-9a-f]{8}", "[0-9a-f]{16}")))
_FAR = 64  # low lines before a mention that are looked at


class Mention(NamedTuple):
    """Where a mention stands, and what it stands for: None where the map does not know it.

    ``certain`` is not set where it may also be something else.
    """

    start: int
    end: int
    original: str | None
    certain: bool


class Mentions:
    """Finds the pseudonyms ``names``, and words that look like one. ``reading`` is how a file writes characters."""

    def __init__(self, names: Mapping[str, str], reading: Reading | None = None) -> None:
        self._names = names
        self._layers = (ESCAPES,) if reading is None else (reading, ESCAPES)
        self._originals: dict[str, set[str]] = {}
        for pseudonym, original in names.items():
            self._originals.setdefault(folded(pseudonym).text, set()).add(original)
        self._labels = {name.rpartition("_")[0] for name in self._originals}
        longest_first = sorted(self._labels, key=lambda label: (-len(label), label))
        label = "|".join(_GAP.join(map(regex.escape, label.split("_"))) for label in longest_first)
        number = rf"(?:[0-9]|[0-9a-f]{{8}}){_GROWN}*"
        self._like = regex.compile(rf"(?P<label>{label})(?P<gap>{_GAP})(?P<number>{number})")

    def find(self, text: str) -> Iterator[Mention]:
        """Every mention in ``text``, from left to right."""
        plain_text, origins = text, cast(Sequence[int], range(len(text) + 1))
        for reading in self._layers:
            plain_text, origins = _decoded(plain_text, origins, reading)
        plain = folded(plain_text)
        for match in self._like.finditer(plain.text):
            start, end = (origins[place] for place in plain.span(match.start(), match.end()))
            mention = self._mention(match, start, end, text[start:end])
            if mention is not None:
                yield mention

    def _mention(self, match: Any, start: int, end: int, written: str) -> Mention | None:
        """What ``match`` is, if it is a mention at all."""
        before = _BEFORE.search(match.string, max(0, match.start() - _FAR), match.start()) is not None
        alone = not before and _AFTER.match(match.string, match.end()) is None
        originals = self._originals.get(match.group(), set())
        if written in self._names:
            originals = {self._names[written]}
        if alone and len(originals) == 1:
            return Mention(start, end, min(originals), certain=True)
        spelled_out = match["gap"] == "_" and match["label"] in self._labels
        if (originals or self._may_mean_one(match)) and (spelled_out or not before):
            return Mention(start, end, None, certain=False)
        return Mention(start, end, None, certain=True) if spelled_out and not before else None

    def _may_mean_one(self, match: Any) -> bool:
        """Whether a pseudonym begins here, once its label is written with low lines."""
        label = _LOOSE.sub("_", match["label"])
        numbers = (pattern.match(match["number"]) for pattern in _NUMBERS)
        return any(number is not None and f"{label}_{number.group()}" in self._originals for number in numbers)


def decoded(text: str, reading: Reading | None) -> tuple[str, Sequence[int]]:
    """Return ``text`` without the escapes of ``reading``, and where each of its characters, and its end, was."""
    places = cast(Sequence[int], range(len(text) + 1))
    return (text, places) if reading is None else _decoded(text, places, reading)


def _decoded(text: str, origins: Sequence[int], reading: Reading) -> tuple[str, Sequence[int]]:
    """``text`` without its escapes, and for each of its characters, and its end, where that was."""
    pattern, meaning = reading
    parts: list[str] = []
    places, done = array("q"), 0
    for escape in pattern.finditer(text):
        plain = meaning(escape.group())
        parts += text[done : escape.start()], plain
        places.extend(origins[done : escape.start()])
        places.extend([origins[escape.start()]] * len(plain))
        done = escape.end()
    if not done:
        return text, origins
    places.extend(origins[done:])
    return "".join([*parts, text[done:]]), places


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

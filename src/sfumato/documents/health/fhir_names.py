"""What the elements of FHIR are called, and what the values of each are: read from ``data/fhir-elements.txt``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

CODE, URI, DATE, INSTANT, ID, BASE64, COUNT, OTHER = (
    "code", "uri", "date", "instant", "id", "base64", "count", "other"
)  # fmt: skip
_TYPE = "type"
_INNER = frozenset({"text", "display", "value", "coding", "line", "resource", "concept", "reference"})
_PROSE = frozenset({"code", "coding", "text", "note", "comment", "conclusion", "description", "display", "summary"})
"""Elements whose names say nothing of what is in them: a note may begin with any word, a term is no number."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OF_TYPE = re.compile(
    r"^(value|answer|onset|abatement|deceased|effective|occurrence|performed|multipleBirth|born|age|allowed|detail|"
    r"author|timing|serviced|medication|product|content|initial|due|start|collected|amount|dose|rate)(?=[A-Z])"
)
_CODE_LIKE = re.compile(r"[\w.:/+*%\[\]{}()^'\"<>=!#|~\-]{1,64}")
_CAPITALS = re.compile(r"[A-Z][a-z]{2}[a-z]+|[A-Z]{4}")
_FEW_DIGITS = 5
_DATE_LIKE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(?P<time>T([01]\d|2[0-3]):[0-5]\d(?P<seconds>:([0-5]\d|60)(\.\d+)?)?"
    r"(?P<zone>Z|[+-]\d\d:\d\d)?)?)?)?"
)
_TIME_LIKE = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


class Names(NamedTuple):
    """What the values of each element are, by its name; and the types of resources."""

    values: Mapping[str, str]
    types: frozenset[str]


@cache
def names() -> Names:
    """Return the names of elements and resources."""
    values, types, section = dict[str, str](), frozenset[str](), OTHER
    text = (resources.files("sfumato") / "data" / "fhir-elements.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif section == _TYPE:
            types |= frozenset(line.split())
        elif not line.startswith("#"):
            values |= dict.fromkeys(line.split(), section)
    return Names(values, types)


@cache
def lead_of(name: str) -> str:
    """Return what a person reads before a text of the element ``name``: "Birth date: " for birthDate."""
    if name in _PROSE:
        return ""
    stem = _OF_TYPE.match(name)
    words = " ".join(_WORD.findall(stem[0] if stem else name)).lower()
    return f"{words.capitalize()}: "


def leads_on(name: str) -> bool:
    """Return whether the element around ``name`` says better what its text is."""
    return name in _INNER


def is_code(text: str) -> bool:
    """Return whether ``text`` looks like a code or a unit: one word, and not a long one."""
    return _CODE_LIKE.fullmatch(text) is not None and "://" not in text


def is_count(key: str, text: str) -> bool:
    """Return whether the number ``text`` of the element ``key`` counts something: one of many digits does not."""
    return names().values.get(key) == COUNT and sum(map(str.isdigit, text)) <= _FEW_DIGITS


def is_usual_code(text: str) -> bool:
    """Return whether a code ``text`` is as FHIR's own: nobody's name or number, short or in small letters."""
    plain = not _CAPITALS.search(text) and sum(map(str.isdigit, text)) <= _FEW_DIGITS
    return text in names().types or (is_code(text) and plain)


def is_when(text: str, as_written: str, instant: bool) -> bool:
    """Return whether ``text`` can be written where a date or time ``as_written`` is; an ``instant`` is whole."""
    if _TIME_LIKE.fullmatch(as_written):
        return _TIME_LIKE.fullmatch(text) is not None
    new, old = _DATE_LIKE.fullmatch(text), _DATE_LIKE.fullmatch(as_written)
    if new is None or old is None or not _is_day(text[:10]):
        return False
    if new["time"] is None:
        return old["time"] is None or not instant
    return old["time"] is not None and new["seconds"] is not None and new["zone"] is not None


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat((text + "-01-01")[:10])
    except ValueError:
        return False
    return True

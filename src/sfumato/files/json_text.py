"""JSON as it is written: the members of an object and the elements of a list, with where each is in its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from sfumato.files.source import RecordError

_scan_string: Callable[[str, int, bool], tuple[str, int]] = scanstring
_scan_value: Callable[[str, int], tuple[Any, int]] = JSONDecoder().scan_once  # type: ignore[attr-defined]
_OPENING = re.compile(r"[ \t\r\n]*\{[ \t\r\n]*")
_LIST = re.compile(r"\[[ \t\r\n]*")
_PLAIN_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\r\n]*:[ \t\r\n]*')
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_MARK = re.compile(r"[ \t\r\n]*([,}])[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")
DEEPEST = 100
NOT_JSON = "the line is not valid JSON"
TOO_DEEP = f"the record has lists and objects inside each other, more than {DEEPEST} deep"
TOO_LONG = "the record has a whole number of more digits than can be read"
NOT_OBJECT = "the line is not a JSON object"


class Part(NamedTuple):
    """A member of an object or an element of a list: key, value, where both and where the value alone begin, end."""

    key: str
    value: Any
    opens: int
    start: int
    end: int


def scan_object(line: str, wanted: frozenset[str]) -> tuple[dict[str, Any], dict[str, tuple[int, int]], int]:
    """Read the JSON object at the start of ``line``.

    Returns its fields, the character ranges of the values of the ``wanted`` fields, and where the object
    ends. Raises RecordError, without content, for anything else than one object, for one so deep that what works on
    it later could not, and for a wanted field given twice.
    """
    fields: dict[str, Any] = {}
    ranges: dict[str, tuple[int, int]] = {}
    opening = _OPENING.match(line)
    if opening is None:
        raise RecordError(_reason(line))
    index = opening.end()
    if line[index : index + 1] == "}":
        return fields, ranges, len(line) if line[index + 1 :].isspace() else index + 1
    try:
        while True:
            key, start = _key(line, index)
            fields[key], index = _scan_value(line, start)
            if key in wanted:
                if key in ranges:
                    raise RecordError(f"the field {key!r} is given twice")
                ranges[key] = (start, index)
            mark = _MARK.match(line, index)
            if mark is None:
                raise RecordError(NOT_JSON)
            index = mark.end()
            if mark[1] == "}":
                break
    except (ValueError, StopIteration, RecursionError) as error:
        reason = _reason_of(error)
    else:
        if line.count("[") + line.count("{") <= DEEPEST or not _is_deep(fields):
            return fields, ranges, index
        reason = TOO_DEEP
    raise RecordError(reason)


def members(line: str, start: int) -> Iterator[Part]:
    """Yield the members of the object at ``start`` of a ``line`` that :func:`scan_object` has read."""
    before = _OPENING.match(line, start)
    while before is not None and line[before.end() : before.end() + 1] != "}" and before[0].strip() != "}":
        opens = before.end()
        key, begins = _key(line, opens)
        value, end = _scan_value(line, begins)
        yield Part(key, value, opens, begins, end)
        before = _MARK.match(line, end)


def elements(line: str, start: int) -> Iterator[Part]:
    """Yield the elements of the list at ``start`` of a ``line`` that :func:`scan_object` has read."""
    before = _LIST.match(line, start)
    while before is not None and line[before.end() : before.end() + 1] != "]" and before[0].strip() != "]":
        opens = before.end()
        value, end = _scan_value(line, opens)
        yield Part("", value, opens, opens, end)
        before = _COMMA.match(line, end)


def _key(line: str, index: int) -> tuple[str, int]:
    """The key that begins at ``index``, and where its value begins."""
    plain = _PLAIN_KEY.match(line, index)
    if plain is not None:
        return plain[1], plain.end()
    if line[index : index + 1] != '"':
        raise RecordError(NOT_JSON)
    key, index = _scan_string(line, index + 1, True)
    colon = _COLON.match(line, index)
    if colon is None:
        raise RecordError(NOT_JSON)
    return key, colon.end()


def _reason(line: str) -> str:
    """Return why ``line``, which opens no object, is no record."""
    try:
        json.loads(line)
    except (ValueError, RecursionError) as error:
        return _reason_of(error)
    return NOT_OBJECT


def _reason_of(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return TOO_LONG if type(error) is ValueError else NOT_JSON  # the limit of int(); other errors have own classes


def _is_deep(fields: dict[str, Any]) -> bool:
    level: list[Any] = [fields]
    for _ in range(DEEPEST):
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return False
    return True

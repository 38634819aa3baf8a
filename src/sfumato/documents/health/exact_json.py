"""JSON from anyone: numbers as they are written, no name twice in an object, and no deeper than can be walked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any, NoReturn

from sfumato.documents.rules import Refused

DEEPEST = 100
_NOT_JSON = "it is not JSON that can be read; save it again"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, such as 1.00. PRIVATE."""

    text: str = field(repr=False)


def parsed(content: bytes) -> Any:
    """Return the value of ``content``. Raise Refused for what is no JSON in UTF-8, or reads differently elsewhere."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        reason = "its characters are not UTF-8; save it as UTF-8"
    else:
        try:
            value = json.loads(
                text, object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=_constant
            )
        except (ValueError, RecursionError):  # whose messages may quote what they read
            reason = _NOT_JSON
        else:
            _check(value)
            return value
    raise Refused(reason)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("an object of it has two elements of one name; save it again")
    return found


def _constant(_: str) -> NoReturn:
    raise Refused("it holds NaN or Infinity, which JSON has not; leave it out")


def _check(value: Any) -> None:
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise Refused(f"its lists and objects lie inside one another more than {DEEPEST} deep; take them apart")
        inner = list[Any]()
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
                texts = [*each, *each.values()]
            elif isinstance(each, list):
                inner += each
                texts = each
            else:
                texts = [each]
            if any(isinstance(text, str) and not text.isascii() and _is_lone(text) for text in texts):
                raise Refused("it has half of a character (a lone surrogate); save it again")
        level, depth = [each for each in inner if isinstance(each, dict | list)], depth + 1


def _is_lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def written(value: Any, indent: str = "", level: str = "\n") -> Iterator[str]:
    """Yield ``value`` as JSON: on one line, or in lines of which each level begins with one ``indent`` more."""
    if isinstance(value, dict | list):
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        inner = level + indent
        items: Any = value.items() if isinstance(value, dict) else ((None, each) for each in value)
        first = True
        for key, each in items:
            yield f"{opening if first else ','}{inner if indent else ''}"
            if key is not None:
                yield f"{encode_basestring(key)}:{' ' if indent else ''}"
            yield from written(each, indent, inner)
            first = False
        yield opening + closing if first else f"{level if indent else ''}{closing}"
    elif isinstance(value, str):
        yield encode_basestring(value)
    else:
        yield value.text if isinstance(value, Number) else json.dumps(value)

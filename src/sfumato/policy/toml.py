"""Write tables of plain values as TOML; the standard library only reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(tables: Mapping[str, Any]) -> str:
    """Return ``tables`` as TOML: plain values first, then a section for each table and each table of a list."""
    return "\n".join(_lines(tables)).lstrip("\n") + "\n"


def _lines(tables: Mapping[str, Any]) -> Iterator[str]:
    for key, value in tables.items():
        if not _is_section(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _section(f"[{_key(key)}]", value)
        elif _is_section(value):
            for table in value:
                yield from _section(f"[[{_key(key)}]]", table)


def _is_section(value: Any) -> bool:
    listed = isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping) or listed


def _section(heading: str, table: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n{heading}"
    for key, value in table.items():
        yield f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    """Return ``text`` as a basic string; JSON's escapes are TOML's, except that TOML escapes U+007F as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)  # numbers, inf and nan are spelled as in Python

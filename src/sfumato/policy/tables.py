"""From a TOML file, of the package or of a user, by way of tables to dataclasses, and back.

Every key is a field, and every value has its type.

A file that is no policy is refused without a word of its content.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from sfumato.errors import ConfigurationError
from sfumato.options.option import Described, options_of
from sfumato.policy.refusing import check_known, nearest, placed, quoted

T = TypeVar("T")
MOST_BYTES = 1_000_000
MOST_OF_A_LINE = 2_000
"""Dotted keys take a time quadratic in their length."""
_LINE = re.compile(r"\(at (line [0-9]+, column [0-9]+|end of document)\)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def made(cls: type[T], table: Any, place: str) -> T:
    """Return a ``cls`` of ``table``. Raise ConfigurationError, which ``place`` opens and which repeats no value."""
    try:
        if not isinstance(table, Mapping):
            raise ConfigurationError("This is a section, a table of keys and values.")
        known = {option.name: option for option in options_of(cls)}
        for key in table:
            if key not in known:
                raise ConfigurationError(f"There is no such key here ({quoted(key)}){nearest(key, known)}")
        return cls(**{key: _typed(known[key], value) for key, value in table.items()})
    except ConfigurationError as error:
        raise placed(error, place) from None


def table_of(section: Any) -> dict[str, Any]:
    """Return what of a dataclass differs from its defaults, as a table."""
    return {
        option.name: _plain(value)
        for option in options_of(type(section))
        if (value := getattr(section, option.name)) != option.default
    }


def text(value: Any) -> str:
    """Return ``value`` if it is text that is not empty and has no control characters. Raise ValueError."""
    if not isinstance(value, str) or not value.isprintable() or not value.strip():
        raise ValueError
    return value


def _typed(option: Described, value: Any) -> Any:
    """Return ``value`` as the type of ``option``. Raise ConfigurationError, which does not repeat it."""
    what, read = _READERS[option.type]
    try:
        return read(value)
    except ValueError:
        raise ConfigurationError(f"{option.name} is {what}.") from None


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return tuple(map(text, value))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    try:
        return float(value)
    except OverflowError:
        raise ValueError from None


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _options(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError
    return {key: _frozen(item) for key, item in value.items()}


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value


_READERS: Mapping[Any, tuple[str, Callable[[Any], Any]]] = {
    str: ("a line of text", text),
    str | None: ("a line of text", text),
    bool: ("true or false", _truth),
    float | None: ("a number", _number),
    int: ("a whole number", _whole),
    tuple[str, ...]: ("a list of texts", _texts),
    tuple[str, ...] | None: ("a list of texts", _texts),
    Mapping[str, Any]: ("a table of options", _options),
}


def tables_of(path: Path) -> dict[str, Any]:
    """Return the tables of the file at ``path``. Raise ConfigurationError, which names the file and the line."""
    try:
        return tables_in(_content(path))
    except ConfigurationError as error:
        raise placed(error, path.name) from None


def tables_in(content: bytes) -> dict[str, Any]:
    """Return the tables of a policy file with this ``content``. Raise ConfigurationError."""
    if len(content) > MOST_BYTES:
        raise ConfigurationError("This is no policy: it has more than 1 MB.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError("This is no policy: it is not UTF-8.") from None
    if any(len(line) > MOST_OF_A_LINE for line in text.splitlines()):
        raise ConfigurationError(f"This is no policy: a line has more than {MOST_OF_A_LINE:,} characters.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the message may quote the file
        found = _LINE.search(str(error)) if isinstance(error, tomllib.TOMLDecodeError) else None
        where = f" at {found[1]}" if found else ""
        raise ConfigurationError(f"This is no policy: it is not TOML{where}.") from None


def _content(path: Path) -> bytes:
    if not path.is_file():
        wrong = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"The policy {wrong}.")
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"The policy cannot be read ({error.strerror}).") from None


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


_ROOM = resources.files("sfumato") / "data" / "policies"


@cache
def shipped_names() -> tuple[str, ...]:
    """Return the names of the shipped policies."""
    files = (entry.name for entry in _ROOM.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def shipped_content(name: str) -> str:
    """Return the file of the policy called ``name``, with comments. Raise ConfigurationError, naming the nearest."""
    check_known(name, shipped_names(), "There is no shipped policy of this name")
    return (_ROOM / f"{name}.toml").read_text(encoding="utf-8")


def digest_of_draws(tables: dict[str, Any], scope: str) -> str:
    """Return a hash of what decides draws in the ``tables`` of a policy, which are changed, and their ``scope``."""
    for left_out in ("name", "about", "randomness", "budget", "against", "accept", "polish"):
        tables.pop(left_out, None)
    if scope != "record":
        tables["drawn_for"] = scope
    for treatment in tables.get("treat", ()):
        treatment |= {key: sorted(treatment[key]) for key in ("kinds", "labels") if key in treatment}
    tables.setdefault("treat", []).sort(key=lambda treatment: json.dumps(treatment, sort_keys=True))
    return hashlib.sha256(json.dumps(["sfumato policy 1", tables], sort_keys=True).encode()).hexdigest()

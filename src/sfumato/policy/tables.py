"""From a table of a TOML file to a dataclass, and back: every key is a field, and every value has its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sfumato.abstract.options import Described, options_of
from sfumato.errors import ConfigurationError
from sfumato.policy.refusing import nearest, placed, quoted

T = TypeVar("T")


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
    tuple[str, ...]: ("a list of texts", _texts),
    tuple[str, ...] | None: ("a list of texts", _texts),
    Mapping[str, Any]: ("a table of options", _options),
}

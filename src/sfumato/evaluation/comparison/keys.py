"""Keys of a comparison's plan: tables, texts, and the sentence for what stands there and is not known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sfumato import registry
from sfumato.errors import ConfigurationError


def only(given: Mapping[str, Any], known: Collection[str], place: str) -> None:
    """Raises ConfigurationError for a key of ``given`` that is not ``known``."""
    for key in given:
        if key not in known:
            also = registry.suggestion(key, list(known)) if known else ", which takes no options; leave it out."
            raise ConfigurationError(f"{place} has an unknown key {key!r}{also}")


def table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The table ``key``, empty where there is none."""
    found = content.get(key, {})
    if not isinstance(found, Mapping):
        raise ConfigurationError(f"{key} is a table of the plan; write [{key}] above its keys.")
    return found


def tables(content: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """The list of tables ``key``, empty where there is none."""
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise ConfigurationError(f"{key} is a list of tables; write [[{key}]] above the keys of each.")
    return found


def text(given: Mapping[str, Any], key: str, place: str) -> str:
    """The text of ``key``. Raises ConfigurationError where there is none."""
    found = optional(given, key, place)
    if found is None:
        raise ConfigurationError(f"{place} has no {key}; give one, as text in quotation marks.")
    return found


def optional(given: Mapping[str, Any], key: str, place: str) -> str | None:
    """The text of ``key``, or None."""
    found = given.get(key)
    if found is not None and (not isinstance(found, str) or not found):
        raise ConfigurationError(f"{key} in {place} is text in quotation marks, and not empty.")
    return found


def seeds(given: Any) -> tuple[int, ...]:
    """Whole numbers, none twice."""
    found = given if isinstance(given, list) else [given]
    if not found or any(isinstance(one, bool) or not isinstance(one, int) for one in found):
        raise ConfigurationError("seeds is a list of whole numbers, for example seeds = [1, 2].")
    if len(set(found)) < len(found):
        raise ConfigurationError("seeds holds a number twice; keep one.")
    return tuple(found)

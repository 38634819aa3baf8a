"""Keys of a comparison's plan: tables, texts, and the errors for a key that is unknown or has no place in it.

A comparison draws every point from records that belong to one original each: re-identification, words guessed, words
kept. A synthetic record belongs to nobody and has none of these measures, so the keys for synthetic records are
refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sfumato import registry
from sfumato.errors import ConfigurationError
from sfumato.evaluation.plan import ATTACKS_ON_SYNTHETIC

OF_SYNTHETIC = ("one_to_one", "held_out", "trained", "canaries", "unit_field")
"""Fields of an evaluation's plan that are for synthetic records alone."""

_INSTEAD = (
    "A comparison is of releases whose records belong to one original each, and synthetic records belong to none; "
    "make them with `sfumato synthesize`, and measure them with `sfumato evaluate --synthetic`."
)


def only(given: Mapping[str, Any], known: Collection[str], place: str) -> None:
    """Raise ConfigurationError for a key of ``given`` that is not ``known``."""
    for key in given:
        if key not in known:
            also = registry.suggestion(key, list(known)) if known else ", which takes no options; leave it out."
            raise ConfigurationError(f"{place} has an unknown key {key!r}{also}")


def table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the table ``key``, empty if there is none. Raise ConfigurationError for anything else."""
    value = content.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{key} is a table of the plan; write [{key}] above its keys.")
    return value


def tables(content: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """Return the list of tables ``key``, empty if there is none. Raise ConfigurationError for anything else."""
    value = content.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise ConfigurationError(f"{key} is a list of tables; write [[{key}]] above the keys of each.")
    return value


def text(given: Mapping[str, Any], key: str, place: str) -> str:
    """Return the text of ``key``. Raise ConfigurationError if there is none."""
    value = optional(given, key, place)
    if value is None:
        raise ConfigurationError(f"{place} has no {key}; give one, as text in quotation marks.")
    return value


def optional(given: Mapping[str, Any], key: str, place: str) -> str | None:
    """Return the text of ``key``, or None. Raise ConfigurationError for anything else."""
    value = given.get(key)
    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigurationError(f"{key} in {place} is text in quotation marks, and not empty.")
    return value


def seeds(given: Any) -> tuple[int, ...]:
    """Return whole numbers, each once. Raise ConfigurationError for anything else."""
    numbers = given if isinstance(given, list) else [given]
    if not numbers or any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
        raise ConfigurationError("seeds is a list of whole numbers, for example seeds = [1, 2].")
    if len(set(numbers)) < len(numbers):
        raise ConfigurationError("seeds holds a number twice; keep one.")
    return tuple(numbers)


def check_not_synthetic(evaluation: Mapping[str, Any]) -> None:
    """Raise ConfigurationError if the table [evaluate] asks for what only synthetic records have."""
    attacks = evaluation.get("attacks", ())
    named = [name for name in OF_SYNTHETIC if name in evaluation]
    named += [name for name in sorted(ATTACKS_ON_SYNTHETIC) if isinstance(attacks, list) and name in attacks]
    if named:
        raise ConfigurationError(f"[evaluate] names {named[0]}. {_INSTEAD}")


def check_no_synthesizer(mechanism: str, place: str) -> None:
    """Raise ConfigurationError if the method at ``place`` of a plan writes synthetic records."""
    if mechanism in registry.synthesizers():
        raise ConfigurationError(f"{place} ({mechanism}) writes synthetic records. {_INSTEAD}")

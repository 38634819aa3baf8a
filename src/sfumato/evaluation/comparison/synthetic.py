"""Synthetic records have no place in a comparison, which a plan is told in one sentence.

A comparison draws every point from records that belong to one original each: re-identification, words guessed, words
kept. A synthetic record belongs to nobody, so it has none of these measures.
"""

from __future__ import annotations

from collections.abc import Mapping
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

"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

import math
from typing import Any

from sfumato import registry
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.contextual import build_contextual
from sfumato.building.heuristics import build_heuristic
from sfumato.building.tokens import build_tokens
from sfumato.errors import ConfigurationError


def build(mechanism: str = "santext", epsilon: float | None = None, **options: Any) -> Sanitizer:
    """Return the Sanitizer of a method by its name (`sfumato list methods`).

    ``epsilon`` (nats) is for methods with a guarantee; a mechanism over tokens takes 8 where none is given. What else
    a method takes stands with its builder: ``build_tokens`` (:mod:`sfumato.building.tokens`) for mechanisms over
    tokens, ``build_contextual`` (:mod:`sfumato.building.contextual`) for mechanisms in context, ``build_heuristic``
    (:mod:`sfumato.building.heuristics`) for methods without a guarantee. Raises ConfigurationError or VocabularyError
    in one sentence.
    """
    if registry.is_editing(mechanism):
        options.pop("progress", None)  # nothing takes long here: ``prepare`` loads what the method needs
        return build_heuristic(mechanism, epsilon, **options)
    if registry.is_contextual(mechanism):
        return build_contextual(mechanism, epsilon, **options)
    return build_tokens(mechanism, 8.0 if epsilon is None else epsilon, **options)


def number_or_infinity(text: str) -> float:
    """A number such as 16, or inf."""
    try:
        value = float(text)
    except ValueError:
        raise ConfigurationError(f"Expected a number or inf, not {text!r}.") from None
    if math.isnan(value):
        raise ConfigurationError("Expected a number or inf, not NaN.")
    return value

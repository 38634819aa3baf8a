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
    """Return the sanitizer of a method.

    Args:
        mechanism: The name of the method; `sfumato list methods` lists them.
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP). Only for methods
            with a guarantee; a mechanism over tokens takes 8 if none is given.
        options: For every method: `detect` (one detector's name or several; `sfumato list detectors`), `spans_field`,
            `skip_labels` and `merge_spans` for `detect="given"`, `detect_options`, `allow`, `deny` and `progress`.
            Mechanisms over tokens: `vocabulary`, `encoder`, `lower`, `unknown`, `surrogate`, `consistency`. With a
            language model: `model`, `clip`, `document_epsilon`, `number_format`, `device`. Methods without a
            guarantee: `operator`, `operators`, `scope`, `key`, `everywhere`, `chat_model`, ... Every other option
            belongs to the method itself, such as `k`, `set_size` or `calibration`.

    Raises:
        ConfigurationError: A name or an option does not exist, or the options cannot work together.
        VocabularyError: A vocabulary cannot be read or used.
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

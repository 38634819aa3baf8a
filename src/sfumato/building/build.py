"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

from sfumato import registry
from sfumato.building.contextual import build_rewriter
from sfumato.building.heuristics import build_editor
from sfumato.building.tokens import build_sanitizer
from sfumato.engines.contextual import Rewriter
from sfumato.engines.spans import Editor
from sfumato.engines.tokens import Sanitizer
from sfumato.errors import ConfigurationError


@overload
def build(
    mechanism: Literal["dp-mlm", "dp-prompt", "dp-paraphrase"], epsilon: float | None = None, **options: Any
) -> Rewriter: ...


@overload
def build(
    mechanism: Literal["redaction", "distortion", "abstraction", "iterative", "paraphrase"],
    epsilon: None = None,
    **options: Any,
) -> Editor: ...


@overload
def build(mechanism: str = "santext", epsilon: float | None = None, **options: Any) -> Sanitizer: ...


def build(mechanism: str = "santext", epsilon: float | None = None, **options: Any) -> Sanitizer | Rewriter | Editor:
    """What :func:`build_sanitizer` makes; for dp-mlm and its like what ``build_rewriter`` of model_builder makes.

    For methods without a guarantee what ``build_editor`` of editor_builder makes.
    """
    if registry.is_editing(mechanism):
        return build_editor(mechanism, epsilon, **options)
    if registry.is_contextual(mechanism):
        return build_rewriter(mechanism, epsilon, **options)
    return build_sanitizer(mechanism, 8.0 if epsilon is None else epsilon, **options)


def number_or_infinity(text: str) -> float:
    """A number such as 16, or inf."""
    try:
        value = float(text)
    except ValueError:
        raise ConfigurationError(f"Expected a number or inf, not {text!r}.") from None
    if math.isnan(value):
        raise ConfigurationError("Expected a number or inf, not NaN.")
    return value

"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sfumato import registry
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.contextual import build_contextual
from sfumato.building.heuristics import build_heuristic
from sfumato.building.tokens import build_tokens
from sfumato.types import Progress

_BUILDERS: Mapping[str, Callable[..., Sanitizer]] = {
    registry.TOKENS: build_tokens, registry.CONTEXTUAL: build_contextual, registry.HEURISTICS: build_heuristic,
}  # fmt: skip


def build(
    mechanism: str = "santext", epsilon: float | None = None, *, progress: Progress | None = None, **options: Any
) -> Sanitizer:
    """Return the Sanitizer of a method by its name (``sfumato list``).

    ``epsilon`` (nats) is for methods with a guarantee; a mechanism over tokens takes 8 where none is given. What else
    a method takes, ``sfumato list NAME`` prints: its own options, those of its parts and those that say how spans are
    found. Raises ConfigurationError or VocabularyError in one sentence.
    """
    return _BUILDERS[registry.family(mechanism)](mechanism, epsilon, progress=progress, **options)

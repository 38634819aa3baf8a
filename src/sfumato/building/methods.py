"""Methods by name: a mechanism over tokens, a mechanism in context, or a method without a guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.options.option import chosen, options_of, parts_of
from sfumato.options.typed import typed
from sfumato.registry import CONTEXTUAL, HEURISTICS, TOKENS, method_class, owners

if TYPE_CHECKING:
    from sfumato.options.keywords import MechanismKeywords


@typed
def mechanism(
    name: str, vocabulary: Vocabulary, epsilon: float | str, /, **options: Unpack[MechanismKeywords]
) -> Mechanism:
    """Return the mechanism called `name` over `vocabulary`, which spends `epsilon` nats (or text with one) a draw.

    `options` go to the mechanism; those that are None keep its defaults.

    Raises:
        ConfigurationError: The name does not exist (the error suggests one), or the mechanism has no such option.
    """
    made: Mechanism = _made(name, (TOKENS,), {"vocabulary": vocabulary, "epsilon": epsilon}, options)
    return made


def contextual(name: str, /, **options: Any) -> ContextualMechanism:
    """Return the contextual mechanism called ``name``, of its parts and options. Raises ConfigurationError."""
    return _made(name, (CONTEXTUAL,), {}, options)  # type: ignore[no-any-return]


def heuristic(name: str, /, **options: Any) -> SpanHeuristic:
    """Return the method without a guarantee called ``name``, of its parts and options. Raises ConfigurationError."""
    return _made(name, (HEURISTICS,), {}, options)  # type: ignore[no-any-return]


def _made(name: str, families: tuple[str, ...], fixed: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    method: Any = method_class(name, *families)
    parts = {part: value for part, value in given.items() if part in parts_of(method) and part not in fixed}
    own = {option: value for option, value in given.items() if option not in parts}
    return method(**fixed, **parts, **chosen(name, own, options_of(method), owners))

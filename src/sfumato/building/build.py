"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Unpack

from sfumato import registry
from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.contextual import build_contextual
from sfumato.building.heuristics import build_heuristic
from sfumato.building.tokens import build_tokens
from sfumato.options.typed import typed
from sfumato.types import Progress

if TYPE_CHECKING:
    from sfumato.options.keywords import MethodKeywords

_LOG = logging.getLogger(__name__)
_BUILDERS: Mapping[str, Callable[..., Sanitizer]] = {
    registry.TOKENS: build_tokens, registry.CONTEXTUAL: build_contextual, registry.HEURISTICS: build_heuristic,
}  # fmt: skip


@typed
def build(
    method: MethodChoice | str = "santext",
    epsilon: float | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[MethodKeywords],
) -> Sanitizer:
    """Return the sanitizer of a method.

    Args:
        method: A method with its options, such as `sfumato.CusText(epsilon=6.0)`, or the name of one; `sfumato list`
            lists them.
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP). Only for methods
            with a guarantee; a mechanism over tokens takes 8 if none is given. For a name.
        progress: Called with the share of the work that is done, from 0 to 1.
        options: For a name. Every method takes `detect` (one detector's name or several; `sfumato list`),
            `spans_field`, `skip_labels` and `merge_spans` for `detect="given"`, `detect_options`, `allow` and `deny`.
            Mechanisms over tokens: `vocabulary`, `encoder`, `lower`, `unknown`, `surrogate`, `consistency`. With a
            language model: `model`, `clip`, `document_epsilon`, `number_format`, `device`. Methods without a
            guarantee: `operator`, `operators`, `scope`, `key`, `everywhere`, `chat_model`, ... Every other option
            belongs to the method itself, such as `k`, `set_size` or `calibration`.

    Raises:
        ConfigurationError: A name or an option does not exist, or the options cannot work together.
        VocabularyError: A vocabulary cannot be read or used.
    """
    started = time.perf_counter()
    name, epsilon, given = by_name(method, epsilon, options)
    sanitizer = _BUILDERS[registry.family(name)](name, epsilon, progress=progress, **given)
    _LOG.info("built %s in %.1f s", name, time.perf_counter() - started)
    return sanitizer

"""From plain names to a Sanitizer: the methods without a guarantee."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.chat import ChatModel
from sfumato.abstract.heuristic import TextHeuristic
from sfumato.building import methods
from sfumato.building.chat import ChatChoice, no_chat_model
from sfumato.building.models import CAUSAL, MASKED, load_model
from sfumato.building.offers import Taken, take
from sfumato.building.option_groups import (
    CHAT,
    AskingOptions,
    DetectionOptions,
    ModelOptions,
    PhraseOptions,
    ShareOptions,
    SpanOptions,
)
from sfumato.detectors.labels import check_labels
from sfumato.detectors.sampled import Sampled
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.engines.whole_text import Whole
from sfumato.errors import ConfigurationError, OptionError
from sfumato.models.chat.endpoint import Endpoint
from sfumato.models.chat.local import LocalChat
from sfumato.types import Progress
from sfumato.vocabularies.builtin import PhraseStore


def build_heuristic(
    method: str = "redaction",
    epsilon: float | None = None,
    *,
    progress: Progress | None = None,  # noqa: ARG001 (nothing takes long here: ``prepare`` loads what is needed)
    **options: Any,
) -> Engine:
    """Build a sanitizer by names; ``options`` are those of :class:`~sfumato.building.offers.Offer`.

    With ``everywhere`` a text that was found once is marked wherever else it stands in its document. ``share`` leaves
    all but about that share of what is found as it stands. ``chat_model`` is for the methods and detectors that ask a
    language model: a model, or a name as ``--chat-model`` takes it (no answers are kept). Raises
    :class:`ConfigurationError` in one sentence, for an epsilon as well: there is no guarantee to state one.
    """
    check_no_epsilon(method, epsilon)
    taken = take(method, options, registry.HEURISTICS)
    kind, detection = taken.offer.method, taken.of(DetectionOptions)
    chat = chat_use(taken.offer.who_asks, taken.of(AskingOptions).chat_model) if taken.offer.asks else None
    names = detection.names(kind.default_detector)
    finder = detection.detector(kind.default_detector, chat)
    if "share" in kind.needs and (share := taken.of(ShareOptions).share) is not None:
        finder = Sampled(finder, share)
    chosen = methods.heuristic(method, **_parts(taken, chat), **taken.own)
    everywhere = taken.of(SpanOptions).everywhere
    if isinstance(chosen, TextHeuristic) and not everywhere:
        raise ConfigurationError(f"{method} writes whole texts anew, in which a marked text is kept out everywhere.")
    if chosen.named_labels and finder.known_labels is not None:
        check_labels(chosen.named_labels, finder.known_labels, f"The detector {', '.join(map(repr, names))}")
    treatment = Whole(chosen) if isinstance(chosen, TextHeuristic) else Replaced(chosen)
    return Engine(finder, treatment, everywhere=everywhere, chat=chat)


def check_no_epsilon(method: str, epsilon: float | None) -> None:
    """Refuse an epsilon for a method without a guarantee: there is nothing to state it of."""
    if epsilon is not None:
        raise OptionError(
            f"{method} has no formal guarantee, so it has no epsilon; leave out {{epsilon}}, and measure the release "
            "with `sfumato evaluate`."
        )


def _parts(taken: Taken, chat: ChatUse | None) -> dict[str, Any]:
    """The parts that the class of a method says it needs, by the names of its fields."""
    needs, found = taken.offer.method.needs, dict[str, Any]()
    if CHAT in needs:
        found[CHAT] = chat
    if not {MASKED, CAUSAL}.isdisjoint(needs):
        found["model"] = load_model(taken.offer.name, **vars(taken.of(ModelOptions)))
    if "phrases" in needs:
        found["phrases"] = phrase_store(taken.own.get("way"), taken.of(PhraseOptions).phrases)
    return found


def chat_use(who: str, model: str | ChatChoice | ChatModel | ChatUse | None, ready: bool = True) -> ChatUse:
    """Return ``model`` as methods and detectors ask it; no answers are kept of one that is named here.

    A named model is asked first whether it is ``ready``. Raise ConfigurationError where there is none.
    """
    if model is None:
        raise no_chat_model(who)
    if isinstance(model, ChatUse):
        return model
    choice = ChatChoice(model) if isinstance(model, str) else model
    made = replace(choice, keep=False).made(Path(), ready) if isinstance(choice, ChatChoice) else choice
    return ChatUse(made, whereabouts(made))


def whereabouts(model: ChatModel) -> str:
    """Where the questions to ``model`` go, for the statement: host and port alone."""
    if isinstance(model, LocalChat):
        return "this machine"
    return model.place if isinstance(model, Endpoint) else "not known: a model of the caller's own"


def phrase_store(way: str | None, path: str | Path | None) -> PhraseStore | None:
    """The store of phrases for ``way`` of distortion: of the public file ``path``, or the built-in one."""
    if path is None and way not in (None, "substitutive"):
        return None
    return PhraseStore(None if path is None else Path(path))

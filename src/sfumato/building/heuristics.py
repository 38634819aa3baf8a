"""From plain names to a SpanSanitizer: the methods without a guarantee."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.chat import ChatModel
from sfumato.abstract.heuristic import TextHeuristic
from sfumato.building.chat import ChatChoice
from sfumato.detectors.labels import check_labels
from sfumato.detectors.sampled import Sampled
from sfumato.engines.spans import SpanSanitizer
from sfumato.engines.whole_text import TextSanitizer
from sfumato.errors import ConfigurationError
from sfumato.models.chat.endpoint import Endpoint
from sfumato.models.chat.local import LocalChat
from sfumato.models.devices import usable_device
from sfumato.models.masked.embedded import NAME, embedded_masked
from sfumato.models.masked.transformers import TransformersMasked
from sfumato.vocabularies.phrase_store import PhraseStore

DISCLOSURES = "disclosures"


def build_heuristic(
    method: str = "redaction",
    epsilon: float | None = None,
    *,
    detect: str | Sequence[str] | None = None,
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    detect_options: Mapping[str, Any] | None = None,
    allow: registry.Lists = (),
    deny: registry.Lists = (),
    everywhere: bool = True,
    share: float | None = None,
    chat_model: str | ChatModel | ChatUse | None = None,
    **options: Any,
) -> SpanSanitizer:
    """An SpanSanitizer by names. ``options`` go to the method (``operator``, ``operators``, ``scope``, ``key``, ...).

    Without ``detect`` what is found is what :func:`found_by` says; the spans of several are united. What stands in a
    file of ``deny`` is always marked, what is exactly an entry of a file of ``allow`` never otherwise.

    ``detect_options`` go to the detector; ``spans_field``, ``skip_labels`` and ``merge_spans`` are for ``detect``
    "given". With ``everywhere`` a text that was found once is marked wherever else it stands in its document.
    ``share`` leaves all but about that share of what is found as it stands (distortion only). A masked model is given
    by ``model`` (a folder, a name, an object; None: the embedded one), ``number_format``, ``device`` and ``window``;
    ``phrases`` is a public JSON file of phrases by label for distortion. ``chat_model`` is for the methods that ask a
    language model and for ``detect`` "disclosures": a model, or a name as ``--chat-model`` takes it (no answers are
    kept).
    Raises :class:`ConfigurationError` in one sentence, for an epsilon as well: there is no guarantee to state one.
    """
    if epsilon is not None:
        raise ConfigurationError(
            f"{method} has no formal guarantee, so it has no epsilon; leave out --epsilon, and measure the release "
            "with `sfumato evaluate`."
        )
    names = registry.detector_names(detect or found_by(method))
    chat = None
    if DISCLOSURES in names or registry.asks(method):
        chat = chat_use(method, chat_model, options)
    elif chat_model is not None:
        raise ConfigurationError(f"{method} with {', '.join(names)} asks no language model; leave out --chat-model.")
    known = {"chat": chat, **(detect_options or {})} if DISCLOSURES in names else detect_options
    finder = registry.detector(names, spans_field, skip_labels, merge_spans, known, allow, deny)
    if share is not None:
        if method.lower() != "distortion":
            raise ConfigurationError(f"A share is for distortion; {method} replaces all that is found.")
        finder = Sampled(finder, share)
    if registry.is_editing(method) and "model" in registry.editing_options(method):
        options = with_masked_model(**options)
    if method.lower() == "distortion":
        options["phrases"] = phrase_store(options.get("way"), options.get("phrases"))
    if registry.asks(method):
        options["chat"] = chat
    chosen = registry.editing(method, **options)
    if isinstance(chosen, TextHeuristic):
        if not everywhere:
            raise ConfigurationError(
                f"{method} writes whole texts anew, in which a marked text is kept out everywhere."
            )
        made: SpanSanitizer = TextSanitizer(finder, chosen, chat=chat)
    else:
        made = SpanSanitizer(finder, chosen, everywhere, chat)
    if chosen.named_labels and finder.known_labels is not None:
        check_labels(chosen.named_labels, finder.known_labels, f"The detector {', '.join(map(repr, names))}")
    return made


def found_by(method: str) -> str:
    """The detector that ``method`` works with if nothing else is said."""
    return DISCLOSURES if method.lower() == "abstraction" else "identifiers"


def chat_use(method: str, model: str | ChatModel | ChatUse | None, options: Mapping[str, Any]) -> ChatUse:
    """``model`` as methods and detectors ask it. Raises ConfigurationError where there is none."""
    if "chat" in options:
        raise ConfigurationError("The language model is given by --chat-model, not by --option.")
    if model is None:
        who = method if registry.asks(method) else f"--detect {DISCLOSURES}"
        raise ConfigurationError(
            f"{who} asks a language model; name one with --chat-model: NAME at SFUMATO_CHAT_URL, local:FOLDER or "
            "local:smollm2."
        )
    if isinstance(model, ChatUse):
        return model
    made = ChatChoice(model, keep=False).made(Path()) if isinstance(model, str) else model
    return ChatUse(made, whereabouts(made))


def whereabouts(model: ChatModel) -> str:
    """Where the questions to ``model`` go, for the statement: host and port alone."""
    if isinstance(model, LocalChat):
        return "this machine"
    return model.place if isinstance(model, Endpoint) else "not known: a model of the caller's own"


def with_masked_model(
    model: Any = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """``options`` with the masked model ``model``, whose files are read when it is first asked."""
    if model is not None and not isinstance(model, str | Path):
        if number_format or device or window is not None:
            raise ConfigurationError("Number format, device and window belong to a model that is given by its name.")
        return {**options, "model": model}
    form: Any = number_format or "float32"
    if device is not None:
        usable_device(device)  # before minutes of loading
    if model is None or str(model) == NAME:
        return {**options, "model": embedded_masked(form, device, window)}
    return {**options, "model": TransformersMasked(str(model), form, device, window)}


def phrase_store(way: str | None, path: str | Path | None) -> PhraseStore | None:
    """The store of phrases for ``way`` of distortion: of the public file ``path``, or the built-in one."""
    if path is None and way not in (None, "substitutive"):
        return None
    return PhraseStore(None if path is None else Path(path))

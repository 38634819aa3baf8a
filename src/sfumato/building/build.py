"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato import registry
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.detector import Detector
from sfumato.abstract.heuristic import TextHeuristic
from sfumato.abstract.models import Encoder
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building import methods
from sfumato.building.chat import chat_use
from sfumato.building.models import CAUSAL, MASKED, NOT_YET, load_model, scoring
from sfumato.building.offers import Taken, check_budget, take
from sfumato.building.option_groups import (
    CHAT,
    AskingOptions,
    BudgetOptions,
    DetectionOptions,
    ModelOptions,
    PhraseOptions,
    ShareOptions,
    SpanOptions,
    TokenOptions,
    VocabularyOptions,
)
from sfumato.building.told_labels import labels_of
from sfumato.building.vocabularies import (
    ANY,
    clusters_file,
    load_vocabularies,
    read_clusters,
    read_similarity,
    read_stop_words,
    similarity_file,
    surrogate_of,
    words_file,
)  # fmt: skip
from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.labels import check_labels
from sfumato.detectors.sampled import Sampled
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced, Whole
from sfumato.engines.routes import Route, Unknown
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.typed import typed
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.types import Progress
from sfumato.vocabularies.builtin import PhraseStore, family
from sfumato.vocabularies.load import source_file

if TYPE_CHECKING:
    from sfumato.options.keywords import MethodKeywords


_EPSILON = 8.0
"""Where none is given."""


def build_tokens(mechanism: str = "santext", epsilon: float | None = None, **options: Any) -> Engine:
    """Return the sanitizer of what :func:`drawn_tokens` returns. Raise as it does."""
    return Engine(*drawn_tokens(mechanism, epsilon, **options))


def drawn_tokens(
    mechanism: str, epsilon: float | None, *, progress: Progress | None = None, **options: Any
) -> tuple[Detector, DrawnTokens]:
    """Return a detector and the draws for what it marks; ``options`` are those of an `Offer`.

    ``vocabulary`` is "builtin", a file, a :class:`Vocabulary`, or one for each label or family
    ({"LOC": "places.json"}; other labels use the built-in ones). ``unknown`` says what an unknown word becomes
    ("nearest" where an encoder made the vectors, else "surrogate"). Raises :class:`ConfigurationError` or
    :class:`VocabularyError` in one sentence.
    """
    epsilon = checked_epsilon(_EPSILON if epsilon is None else epsilon)
    taken = take(mechanism, options, registry.TOKENS)
    detection, words, rules = taken.of(DetectionOptions), taken.of(VocabularyOptions), taken.of(TokenOptions)
    usual = taken.offer.method.default_detector
    finder = detection.detector(usual)
    everywhere = not detection.deny and {*detection.names(usual)} <= {"words", "content-words"}
    asked = words.encoder
    encoder: Encoder | None = SentenceEncoder(str(asked)) if isinstance(asked, str | Path) else asked
    vocabularies = load_vocabularies(words.vocabulary, encoder, everywhere, progress, words.lower)
    routes, clusters, stops, alike = {}, *map(taken.own.get, ("clusters", "stop_words", "similarity"))
    own = {**taken.own, "stop_words": read_stop_words(stops), "similarity": read_similarity(alike)}
    paths = [
        path for path in (clusters_file(clusters), words_file(stops), similarity_file(alike)) if path is not None
    ]
    for label, vocabulary in vocabularies.items():
        given = {**own, "clusters": read_clusters(clusters, vocabulary)}
        if paths:
            vocabulary = replace(vocabulary, sources=(*vocabulary.sources, *map(source_file, paths)))
        made = methods.mechanism(mechanism, vocabulary, epsilon, **given)
        rule: Unknown = rules.unknown or ("surrogate" if vocabulary.encoder is None else "nearest")
        routes[label] = Route(made, rule, surrogate_of(vocabulary, rules.surrogate))
    default = ANY if ANY in routes else "WORDS"
    return finder, DrawnTokens(routes, default, family, rules.consistency)


def build_contextual(
    mechanism: str, epsilon: float | None = None, *, progress: Progress | None = None, **options: Any
) -> Engine:
    """Build a sanitizer by names; ``options`` are those of :class:`~sfumato.building.offers.Offer`.

    ``epsilon`` pays for each draw; ``document_epsilon`` is split over the draws of each document instead. ``model``
    is a folder, the Hugging Face name of a model already on this machine, a model object, or None for the model that
    needs no network. ``law`` is "rank" (the default) or "softmax", the papers' law. For the latter ``clip`` is
    "LOW,HIGH", a pair, a file that ``sfumato models calibrate --law softmax`` wrote, or None to measure it on the
    public sentences that ship with sfumato. Raises :class:`ConfigurationError` or :class:`MissingExtraError` in one
    sentence.
    """
    taken = take(mechanism, options, registry.CONTEXTUAL)
    detection, budget, asked = taken.of(DetectionOptions), taken.of(BudgetOptions), taken.of(ModelOptions)
    given = [one for one in (epsilon, budget.document_epsilon) if one is not None]
    if len(given) != 1:
        raise ConfigurationError("Give epsilon for each draw, or a document's epsilon to be split; one of the two.")
    usual = taken.offer.method.default_detector
    finder = detection.detector(usual)
    network = load_model(mechanism, **vars(asked))
    made = methods.contextual(
        mechanism, model=network, epsilon=checked_epsilon(given[0]), scoring=NOT_YET, **taken.own
    )
    if made.rewrites_whole_text and (detection.names(usual) != (usual,) or detection.allow or detection.deny):
        raise ConfigurationError(
            f"{mechanism} rewrites the whole document; leave out --detect and options of detectors."
        )
    decides = scoring(made, network, budget.law, budget.clip, budget.gains, progress)
    made = replace(made, scoring=decides)  # type: ignore[type-var]
    words = {*detection.names(usual)} <= {"words", "content-words"}
    return Engine(finder, Contextual(made, budget.document_epsilon), names=Identifiers() if words else None)


def build_heuristic(
    method: str = "redaction",
    epsilon: float | None = None,
    *,
    progress: Progress | None = None,  # noqa: ARG001 (nothing takes long here: ``prepare`` loads what is needed)
    **options: Any,
) -> Engine:
    """Build a sanitizer by names; ``options`` are those of :class:`~sfumato.building.offers.Offer`.

    With ``everywhere`` a text that was found once is marked wherever else it is in its document. ``share`` leaves
    all but about that share of what is found as it stands. ``chat_model`` is for the methods and detectors that ask a
    language model: a model, or a name as ``--chat-model`` takes it (no answers are kept). Raises
    :class:`ConfigurationError` in one sentence, for an epsilon as well: there is no guarantee to state one.
    """
    check_budget(method, epsilon)
    taken = take(method, options, registry.HEURISTICS)
    kind, detection = taken.offer.method, taken.of(DetectionOptions)
    chat = chat_use(taken.offer.who_asks, taken.of(AskingOptions).chat_model) if taken.offer.asks else None
    names = detection.names(kind.default_detector)
    finder = detection.detector(kind.default_detector, chat, none=issubclass(kind, TextHeuristic))
    if "share" in kind.needs and (share := taken.of(ShareOptions).share) is not None:
        finder = Sampled(finder, share)
    chosen = methods.heuristic(method, **_parts(taken, chat), **_by_label(taken.own, finder.known_labels))
    everywhere = taken.of(SpanOptions).everywhere
    if isinstance(chosen, TextHeuristic) and not everywhere:
        raise ConfigurationError(f"{method} rewrites whole texts, in which a marked text is kept out everywhere.")
    if chosen.named_labels and finder.known_labels is not None:
        check_labels(chosen.named_labels, finder.known_labels, f"The detector {', '.join(map(repr, names))}")
    treatment = Whole(chosen) if isinstance(chosen, TextHeuristic) else Replaced(chosen)
    return Engine(finder, treatment, everywhere=everywhere, chat=chat)


def _by_label(options: Mapping[str, Any], known: Collection[str] | None) -> dict[str, Any]:
    """Return ``options`` with the operators by label: one of a kind is for the ``known`` labels of this kind."""
    operators = options.get("operators")
    if known is None or not isinstance(operators, Mapping):
        return dict(options)
    made = dict[str, Any]()
    for name, operator in operators.items():
        made |= dict.fromkeys(labels_of(str(name), known) or [name], operator)
    return {**options, "operators": made | {name: operator for name, operator in operators.items() if name in made}}


def _parts(taken: Taken, chat: ChatUse | None) -> dict[str, Any]:
    """The parts that the class of a method says it needs, by the names of its fields."""
    needs, parts = taken.offer.method.needs, dict[str, Any]()
    if CHAT in needs:
        parts[CHAT] = chat
    if not {MASKED, CAUSAL}.isdisjoint(needs):
        parts["model"] = load_model(taken.offer.name, **vars(taken.of(ModelOptions)))
    if "phrases" in needs:
        path = taken.of(PhraseOptions).phrases  # without a file, the built-in store
        none = path is None and taken.own.get("way") not in (None, "substitutive")
        parts["phrases"] = None if none else PhraseStore(None if path is None else Path(path))
    return parts


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
    try:
        family_of_method = registry.family(name)
    except ConfigurationError:
        from sfumato.policy.tables import shipped_names

        if name in shipped_names():
            raise ConfigurationError(
                f'{name} is a policy and no method; build it with sfumato.build_policy("{name}").'
            ) from None
        raise
    sanitizer = _BUILDERS[family_of_method](name, epsilon, progress=progress, **given)
    _LOG.info("built %s in %.1f s", name, time.perf_counter() - started)
    return sanitizer

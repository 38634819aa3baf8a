"""From plain names to a Sanitizer: the mechanisms over tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.detector import Detector
from sfumato.abstract.models import Encoder
from sfumato.building import methods
from sfumato.building.offers import take
from sfumato.building.option_groups import DetectionOptions, TokenOptions, VocabularyOptions
from sfumato.building.vocabularies import ANY, clusters_file, load_vocabularies, read_clusters, surrogate_of
from sfumato.engines.engine import Engine
from sfumato.engines.routes import Route, Unknown
from sfumato.engines.tokens import DrawnTokens
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.types import Progress
from sfumato.vocabularies.builtin import family
from sfumato.vocabularies.load import source_file

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
    routes, clusters = {}, taken.own.get("clusters")
    for label, found in vocabularies.items():
        given = {**taken.own, "clusters": read_clusters(clusters, found)}
        if (listed := clusters_file(clusters)) is not None:
            found = replace(found, sources=(*found.sources, source_file(listed)))
        made = methods.mechanism(mechanism, found, epsilon, **given)
        rule: Unknown = rules.unknown or ("surrogate" if found.encoder is None else "nearest")
        routes[label] = Route(made, rule, surrogate_of(found, rules.surrogate))
    default = ANY if ANY in routes else "WORDS"
    return finder, DrawnTokens(routes, default, family, rules.consistency)

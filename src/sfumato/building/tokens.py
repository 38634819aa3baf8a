"""Build a Sanitizer of a mechanism over tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato import registry
from sfumato.abstract.models import Encoder
from sfumato.building.vocabularies import (
    ANY,
    BUILTIN,
    VocabularyChoice,
    _surrogate,
    clusters_file,
    load_vocabularies,
    read_clusters,
)
from sfumato.engines.routes import Route, Unknown
from sfumato.engines.tokens import Consistency, TokenSanitizer
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.types import Progress
from sfumato.vocabularies.builtin import family
from sfumato.vocabularies.load import source_file


def build_tokens(
    mechanism: str = "santext",
    epsilon: float = 8.0,
    *,
    detect: str | Sequence[str] = "words",
    vocabulary: VocabularyChoice = BUILTIN,
    encoder: Encoder | None = None,
    lower: bool = False,
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    detect_options: Mapping[str, Any] | None = None,
    allow: registry.Lists = (),
    deny: registry.Lists = (),
    unknown: Unknown | None = None,
    surrogate: str | None = None,
    consistency: Consistency = "mention",
    progress: Progress | None = None,
    **options: Any,
) -> TokenSanitizer:
    """Build a TokenSanitizer by names.

    ``vocabulary`` is "builtin", a file, a :class:`Vocabulary`, or one for each label or family
    ({"LOC": "places.json"}; other labels use the built-in ones); ``lower`` lower-cases the tokens of files.
    ``spans_field``, ``skip_labels`` and ``merge_spans`` are for ``detect`` "given", ``detect_options`` for "entities"
    and "identifiers". ``unknown`` says what an unknown word becomes ("nearest" where an encoder made the vectors,
    else "surrogate"); ``surrogate`` names that token. ``detect`` may be several names, whose spans are united; what
    stands in a file of ``deny`` is always marked, what is exactly an entry of a file of ``allow`` never otherwise.
    ``options`` go to the mechanism (``calibration``, ``k``, ``clusters``, ``set_size``, ...). Raises
    :class:`ConfigurationError` or :class:`VocabularyError` in one sentence.
    """
    epsilon = checked_epsilon(epsilon)
    registry.mechanism_class(mechanism)
    finder = registry.detector(detect, spans_field, skip_labels, merge_spans, detect_options, allow, deny)
    everywhere = not deny and {*registry.detector_names(detect)} <= {"words", "content-words"}
    vocabularies = load_vocabularies(vocabulary, encoder, everywhere, progress, lower)
    routes = {}
    for label, found in vocabularies.items():
        given = {**options, "clusters": read_clusters(options.get("clusters"), found)}
        listed = clusters_file(options.get("clusters"))
        if listed is not None:
            found = replace(found, sources=(*found.sources, source_file(listed)))
        made = registry.mechanism(mechanism, found, epsilon, **given)
        rule: Unknown = unknown or ("surrogate" if found.encoder is None else "nearest")
        routes[label] = Route(made, rule, _surrogate(found, surrogate))
    default = ANY if ANY in routes else "WORDS"
    return TokenSanitizer(finder, routes, default, family, consistency)

"""From plain names to a Sanitizer: what the command line and five lines of Python both call."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

from sfumato import registry
from sfumato.abstract.ideas import Encoder, Progress
from sfumato.abstract.vocabulary import SourceFile, Vocabulary
from sfumato.building.contextual import build_rewriter
from sfumato.building.heuristics import build_editor
from sfumato.engines.contextual import Rewriter
from sfumato.engines.spans import Editor
from sfumato.engines.tokens import Consistency, Route, Sanitizer, Unknown
from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.storage import regular
from sfumato.vocabularies.builtin import builtin_vocabularies, family
from sfumato.vocabularies.load import load_vocabulary, source_file

BUILTIN = "builtin"
ANY = "ANY"

VocabularyChoice = str | Path | Vocabulary | Mapping[str, str | Path | Vocabulary]


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


def build_sanitizer(
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
) -> Sanitizer:
    """A Sanitizer by names.

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
    return Sanitizer(finder, routes, default, family, consistency)


def load_vocabularies(
    choice: VocabularyChoice,
    encoder: Encoder | None,
    only_words: bool = False,
    progress: Progress | None = None,
    lower: bool = False,
) -> dict[str, Vocabulary]:
    """The vocabularies by label or family; "ANY" where one serves all labels."""
    if isinstance(choice, Mapping):
        named = {label: _one(source, encoder, progress, lower) for label, source in choice.items()}
        if ANY in named:
            return named
        return {**builtin_vocabularies(encoder, progress, ["WORDS"] if only_words else None), **named}
    if choice == BUILTIN:
        return builtin_vocabularies(encoder, progress, ["WORDS"] if only_words else None)
    return {ANY: _one(choice, encoder, progress, lower)}


def refuse_private(public: Iterable[str | Path | SourceFile], private: Iterable[Path]) -> None:
    """Refuse (:class:`VocabularyError`) a file that should be public and is private.

    That is one of the ``private`` files and folders, lies inside one, or holds the bytes of one. Only files of equal
    size are compared by content, so this is cheap enough to ask before anything is read, embedded or cached.
    """
    sources = [(source.path, source) if isinstance(source, SourceFile) else (Path(source), None) for source in public]
    for secret in (path.resolve() for path in private):
        for path, source in sources:
            within = path.is_dir() and secret.is_relative_to(path.resolve())
            if (
                within
                or secret in (path.resolve(), *path.resolve().parents)
                or any(_same(file, path, source) for file in _files(secret))
            ):
                raise VocabularyError(
                    "The vocabulary, its clusters, the model or its clip range are the private input itself or a "
                    "copy of it; they must be "
                    "public, because whatever is fitted on the private text gives it away. Use another "
                    "file, or builtin."
                )


def public_sources(sanitizer: Sanitizer | Rewriter | Editor) -> list[SourceFile]:
    """The files that the vocabularies of ``sanitizer`` and their clusters were read from."""
    if isinstance(sanitizer, Editor):
        return list(sanitizer.method.sources)
    if isinstance(sanitizer, Rewriter):
        text = sanitizer.mechanism.softmax.clip.text
        return [] if text is None else [SourceFile(Path("text of the clip range"), text[1], text[0])]
    vocabularies = [route.mechanism.vocabulary for route in sanitizer.routes.values()]
    return list(dict.fromkeys(source for vocabulary in vocabularies for source in vocabulary.sources))


def read_clusters(given: Any, vocabulary: Vocabulary) -> Any:
    """``--clusters``: a number, "vocabulary", or a JSON file with lists of tokens, as the mechanism wants it."""
    path = clusters_file(given)
    if path is None:
        return int(str(given)) if isinstance(given, str | Path) and str(given).isdecimal() else given
    try:
        content = json.loads(regular(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ConfigurationError(
            f"--clusters takes a number, the word vocabulary, or a JSON file of token lists; {path.name} is none."
        ) from None
    lists = list(content.values()) if isinstance(content, dict) else content
    places = {token: number for number, token in enumerate(vocabulary.tokens)}
    try:
        return tuple(tuple(places[token] for token in one) for one in lists)
    except (KeyError, TypeError):
        raise ConfigurationError(f"{path.name}: a cluster holds a token that the vocabulary lacks.") from None


def clusters_file(given: Any) -> Path | None:
    """The file that ``--clusters`` names, or None where it names none."""
    if not isinstance(given, str | Path) or given == "vocabulary" or str(given).isdecimal():
        return None
    return Path(given)


def number_or_infinity(text: str) -> float:
    """A number such as 16, or inf."""
    try:
        value = float(text)
    except ValueError:
        raise ConfigurationError(f"Expected a number or inf, not {text!r}.") from None
    if math.isnan(value):
        raise ConfigurationError("Expected a number or inf, not NaN.")
    return value


def _same(secret: Path, path: Path, source: SourceFile | None) -> bool:
    """Whether the file ``secret`` is the file ``path``, or holds the bytes of it or of what it was (``source``)."""
    try:
        found = secret.stat()
        if path.exists() and os.path.samestat(path.stat(), found):
            return True
        size = path.stat().st_size if source is None else source.size
        if not size or size != found.st_size:
            return False
        return source_file(secret).sha256 == (source or source_file(path)).sha256
    except (OSError, VocabularyError):  # whoever reads them next says so
        return False


def _files(place: Path) -> Iterator[Path]:
    """The regular files at or below ``place``."""
    if place.is_file():
        yield place
    for folder, _, names in os.walk(place):
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())


def _one(
    source: str | Path | Vocabulary, encoder: Encoder | None, progress: Progress | None, lower: bool
) -> Vocabulary:
    if isinstance(source, Vocabulary):
        return source
    return load_vocabulary(source, encoder=encoder, lower=lower, progress=progress)


def _surrogate(vocabulary: Vocabulary, token: str | None) -> int | None:
    if token is None:
        return None
    found = vocabulary.find(token)
    if found is None:
        raise ConfigurationError(f"The surrogate must be a token of the vocabulary ({vocabulary.provenance}).")
    return found

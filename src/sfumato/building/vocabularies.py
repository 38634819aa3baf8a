"""From names and files to the vocabularies of a Sanitizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.storage import regular
from sfumato.types import Progress
from sfumato.vocabularies.builtin import builtin_vocabularies
from sfumato.vocabularies.load import load_vocabulary

BUILTIN = "builtin"
ANY = "ANY"

VocabularyChoice = str | Path | Vocabulary | Mapping[str, str | Path | Vocabulary]


def load_vocabularies(
    choice: VocabularyChoice,
    encoder: Encoder | None,
    only_words: bool = False,
    progress: Progress | None = None,
    lower: bool = False,
) -> dict[str, Vocabulary]:
    """The vocabularies by label or family; "ANY" where one serves all labels."""
    if isinstance(choice, Mapping):
        encoder = encoder or SentenceEncoder()  # one for all: a network takes most of a second to load
        named = {label: _one(source, encoder, progress, lower) for label, source in choice.items()}
        if ANY in named:
            return named
        return {**builtin_vocabularies(encoder, progress, ["WORDS"] if only_words else None), **named}
    if choice == BUILTIN:
        return builtin_vocabularies(encoder, progress, ["WORDS"] if only_words else None)
    return {ANY: _one(choice, encoder, progress, lower)}


def read_clusters(given: Any, vocabulary: Vocabulary) -> Any:
    """Return clusters, given as a number, "vocabulary" or a JSON file of lists, as the mechanism wants them."""
    path = clusters_file(given)
    if path is None:
        return int(str(given)) if isinstance(given, str | Path) and str(given).isdecimal() else given
    try:
        content = json.loads(regular(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ConfigurationError(
            f"clusters is a number, the word vocabulary, or a JSON file of token lists, not what {path.name} holds."
        ) from None
    lists = list(content.values()) if isinstance(content, dict) else content
    places = {token: number for number, token in enumerate(vocabulary.tokens)}
    try:
        return tuple(tuple(places[token] for token in one) for one in lists)
    except (KeyError, TypeError):
        raise ConfigurationError(f"{path.name}: a cluster holds a token that the vocabulary lacks.") from None


def read_similarity(given: Any) -> Any:
    """Return a similarity, given by name, as an array or as a public .npy file, as the mechanism wants it.

    A file is mapped, not read: it may be larger than the memory. Raise :class:`ConfigurationError` for a file that
    holds no plain array.
    """
    path = similarity_file(given)
    if path is None:
        return given
    try:
        return np.load(regular(path), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise ConfigurationError(
            "similarity is euclidean, cosine, or a .npy file with the scores of all pairs; "
            + (f"{path.name} cannot be read as one." if path.exists() else f"there is no file {path.name}.")
        ) from None


def similarity_file(given: Any) -> Path | None:
    """Return the file that ``similarity`` names, or None where it names none."""
    return Path(given) if isinstance(given, str | Path) and given not in ("euclidean", "cosine") else None


def read_stop_words(given: Any) -> Any:
    """Return stop words, given as words or as a public text file with one a line, as the mechanism wants them.

    Raise :class:`ConfigurationError` for a file that cannot be read as text.
    """
    path = words_file(given)
    if path is None:
        return given
    try:
        return tuple(regular(path).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        raise ConfigurationError(
            f"stop_words is a text file with a word a line; {path.name} cannot be read as one."
        ) from None


def words_file(given: Any) -> Path | None:
    """Return the file that ``given`` names, or None where it is words or nothing."""
    return Path(given) if isinstance(given, str | Path) else None


def clusters_file(given: Any) -> Path | None:
    """Return the file that ``clusters`` names, or None where it names none."""
    if not isinstance(given, str | Path) or given == "vocabulary" or str(given).isdecimal():
        return None
    return Path(given)


def _one(
    source: str | Path | Vocabulary, encoder: Encoder | None, progress: Progress | None, lower: bool
) -> Vocabulary:
    if isinstance(source, Vocabulary):
        return source
    return load_vocabulary(source, encoder=encoder, lower=lower, progress=progress)


def surrogate_of(vocabulary: Vocabulary, token: str | None) -> int | None:
    """Return the number of the surrogate ``token``, None where none is named. Raises ConfigurationError."""
    if token is None:
        return None
    number = vocabulary.find(token)
    if number is None:
        raise ConfigurationError(f"The surrogate must be a token of the vocabulary ({vocabulary.provenance}).")
    return number

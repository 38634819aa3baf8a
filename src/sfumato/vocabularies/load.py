"""Load a vocabulary from a public file: word vectors, or words and phrases that an encoder embeds.

The parsed or embedded vectors are kept in the cache folder (:mod:`sfumato.storage.cache`) under the digest of the
file's content, so the second load only hashes the file and maps the vectors into memory.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.abstract.vocabulary import SourceFile, Vocabulary
from sfumato.errors import VocabularyError
from sfumato.options.typed import typed
from sfumato.storage import cache
from sfumato.types import FloatArray, Progress
from sfumato.vocabularies.vector_files import (
    CONVERT,
    HEAD_LINES,
    Layout,
    layout,
    open_bytes,
    read_npy,
    read_safetensors,
    read_text_vectors,
    text_lines,
)

if TYPE_CHECKING:
    from sfumato.abstract.models import Encoder


_NEVER_READ = frozenset(
    {".pkl", ".pickle", ".pt", ".pth", ".bin", ".ckpt", ".joblib", ".kv", ".model", ".npz", ".h5", ".parquet"}
)
_Clusters = tuple[tuple[int, ...], ...]


@typed
def load_vocabulary(
    path: str | Path,
    *,
    encoder: Encoder | None = None,
    words: str | Path | None = None,
    lower: bool = False,
    progress: Progress | None = None,
) -> Vocabulary:
    """Return the vocabulary in a public file.

    - Text (also .gz) with a token and its numbers on each line: GloVe or word2vec vectors.
    - .npy or .safetensors, one array (V, D) of floats. The tokens come from `words` (a text file with one on each
      line), the safetensors metadata entry "tokens", or a .txt file of the same name.
    - Text without vectors, a phrase on each line; or JSON: a list of phrases, a list of lists, or an object of lists
      (its clusters). `encoder` embeds them. Repeats are dropped, and the provenance says how many.

    Args:
        path: The file.
        encoder: Embeds phrases without vectors, and later unknown words; all-MiniLM-L6-v2 by default.
        words: The tokens of an array.
        lower: Lower-case the tokens, then drop repeats (the first keeps its vector).
        progress: Called with the share that is embedded, from 0 to 1.

    Raises:
        VocabularyError: The file cannot be read or used. The error names the file, and the line if there is one.
    """
    path = Path(path)
    kind = _kind(path)
    source = source_file(path)
    origin = f"{path.name} (sha256 {source.sha256[:12]})"
    if kind in (".npy", ".safetensors"):
        tokens, vectors, listed = _array_with_tokens(path, kind, None if words is None else Path(words))
        sources = (source,) if listed is None else (source, source_file(listed))
        return _from_vectors(origin, tokens, vectors, lower, sources)
    if words is not None:
        raise VocabularyError(f"{path.name}: a word list goes with .npy and .safetensors only; leave it out.")
    how = None if kind == ".json" else layout([line for _, line in islice(text_lines(path), HEAD_LINES)])
    if how is not None:
        return _from_vectors(origin, *_parsed_once(path, source.sha256, how), lower, (source,))
    if kind == ".vec":
        raise VocabularyError(f"{path.name}: the first lines do not hold a word and its numbers; {CONVERT}")
    groups = _json_groups(path) if kind == ".json" else [[line for _, line in text_lines(path)]]
    return _from_phrases(origin, groups, encoder, lower, progress, (source,))


def source_file(path: Path) -> SourceFile:
    """Return the present path, size and hash of ``path``. Raise :class:`VocabularyError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return SourceFile(path.resolve(), size, hashlib.file_digest(file, "sha256").hexdigest())
    except OSError as error:
        raise VocabularyError(f"{path} cannot be read: {error.strerror}.") from None


def embed(phrases: Sequence[str], encoder: Encoder, progress: Progress | None = None) -> FloatArray:
    """Return the vectors of public ``phrases``, shape (n, D), from the cache if they were embedded before.

    Never call it with private text: the vectors are written to the cache folder.
    """
    key = cache.content_key("phrases 1", encoder.id, *phrases)
    vectors = cache.load_array(key)
    if vectors is None or vectors.shape[:1] != (len(phrases),):
        vectors = encoder.encode(phrases, progress)
        cache.save_array(key, vectors)
    if progress is not None:
        progress(1.0)
    return vectors


def distinct(phrases: Sequence[str]) -> list[int]:
    """Return the indices of the phrases that do not repeat an earlier one."""
    first: dict[str, int] = {}
    for number, phrase in enumerate(phrases):
        first.setdefault(phrase, number)
    return list(first.values())


def _kind(path: Path) -> str:
    """Return the suffix that says how to read ``path``.

    Raise :class:`VocabularyError` for a file that is not read.
    """
    if not path.exists():
        raise VocabularyError(f"The vocabulary {path} does not exist; check the path.")
    if not path.is_file():
        raise VocabularyError(f"The vocabulary {path} is not a file; name a file.")
    kind = Path(path.stem).suffix.lower() if path.suffix == ".gz" else path.suffix.lower()
    if kind in _NEVER_READ or (path.suffix == ".gz" and kind in (".npy", ".safetensors")):
        raise VocabularyError(
            f"{path.name}: this kind of file is not read (a pickle can run code when opened); {CONVERT}"
        )
    if path.stat().st_size == 0:
        raise VocabularyError(f"{path.name} is empty; a vocabulary needs at least 2 tokens.")
    return kind


def _parsed_once(path: Path, digest: str, how: Layout) -> tuple[list[str], FloatArray]:
    """Return tokens and vectors of a text file, parsed now or mapped from the cache."""
    key = cache.content_key("text vectors 1", digest, path.suffix)
    tokens, vectors = cache.load_json(key), cache.load_array(key)
    if isinstance(tokens, list) and vectors is not None and len(tokens) == len(vectors):
        return tokens, vectors
    tokens, vectors = read_text_vectors(path, how)
    cache.save_array(key, vectors)
    cache.save_json(key, tokens)
    return tokens, vectors


def _array_with_tokens(path: Path, kind: str, words: Path | None) -> tuple[list[str], FloatArray, Path | None]:
    """Return tokens, vectors, and the file that the tokens come from unless it is ``path`` itself."""
    tokens: list[str] | None = None
    if kind == ".npy":
        array = read_npy(path)
    else:
        array, tokens = read_safetensors(path)
    if array.ndim != 2 or array.dtype.kind != "f":
        raise VocabularyError(
            f"{path.name}: an array of shape {array.shape} and type {array.dtype} holds no vectors; "
            "write a float array with a row for each token."
        )
    if tokens is None or words is not None:
        words = path.with_suffix(".txt") if words is None else words
        if not words.is_file():
            raise VocabularyError(f"{path.name}: its word list {words.name} is missing; give it with words=.")
        tokens = [line.strip() for _, line in text_lines(words)]
    else:
        words = None
    if len(tokens) != len(array):
        raise VocabularyError(
            f"{path.name} holds {len(array)} vectors, and its list {len(tokens)} tokens; give one for each vector."
        )
    return tokens, np.asarray(array, dtype=np.float64), words


def _from_vectors(
    origin: str, tokens: list[str], vectors: FloatArray, lower: bool, sources: tuple[SourceFile, ...]
) -> Vocabulary:
    dropped = ""
    if lower:
        lowered = [token.lower() for token in tokens]
        kept = distinct(lowered)
        if len(kept) < len(tokens):
            vectors = vectors[kept]
        dropped = f", lower-cased, {len(tokens) - len(kept)} repeats dropped"
        tokens = [lowered[number] for number in kept]
    about = f"{origin}: {len(tokens)} tokens, {vectors.shape[1]} dimensions{dropped}"
    return Vocabulary(tuple(tokens), vectors, about, sources=sources)


def _json_groups(path: Path) -> list[list[str]]:
    """Return the phrases of a JSON file, cluster by cluster; one cluster for a plain list."""
    with open_bytes(path) as file:
        content = file.read()
    try:
        value: Any = json.loads(content)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise VocabularyError(f"{path.name}, line {line}: not valid UTF-8; save the file as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise VocabularyError(f"{path.name}, line {error.lineno}: broken JSON ({error.msg}); correct it.") from None
    except (RecursionError, UnicodeEncodeError):  # nested without end, or half of a surrogate pair
        value = None
    if isinstance(value, dict):
        value = list(value.values())
    elif isinstance(value, list) and all(isinstance(phrase, str) for phrase in value):
        value = [value]
    good = isinstance(value, list) and all(
        isinstance(group, list) and all(isinstance(phrase, str) for phrase in group) for group in value
    )
    if not good:
        raise VocabularyError(
            f"{path.name}: expected a list of phrases, a list of lists, or an object of lists; correct it."
        )
    return list(value)


def _from_phrases(
    origin: str,
    groups: list[list[str]],
    encoder: Encoder | None,
    lower: bool,
    progress: Progress | None,
    sources: tuple[SourceFile, ...],
) -> Vocabulary:
    cluster_of: dict[str, int] = {}
    given = 0
    for number, group in enumerate(groups):
        for written in group:
            phrase = " ".join(written.split())
            if phrase:
                given += 1
                cluster_of.setdefault(phrase.lower() if lower else phrase, number)
    if len(cluster_of) < 2:
        raise VocabularyError(
            f"{origin}: a vocabulary needs at least 2 different tokens, and this file has {len(cluster_of)}; add "
            "tokens, because a single token cannot hide behind another."
        )
    if encoder is None:
        from sfumato.models.encoders.sentence import SentenceEncoder

        encoder = SentenceEncoder()
    phrases = tuple(cluster_of)
    vectors = embed(phrases, encoder, progress)
    about = (
        f"{origin}: {len(phrases)} phrases{', lower-cased' if lower else ''}, "
        f"{given - len(phrases)} repeats dropped, {vectors.shape[1]} dimensions by {encoder.id}"
    )
    return Vocabulary(phrases, vectors, about, encoder, _partition(list(cluster_of.values())), sources)


def _partition(cluster: list[int]) -> _Clusters | None:
    """Return the indices of the phrases of each cluster that kept any; None if the source has no clusters."""
    members: dict[int, list[int]] = {}
    for index, number in enumerate(cluster):
        members.setdefault(number, []).append(index)
    return tuple(tuple(indices) for indices in members.values()) if len(members) > 1 else None

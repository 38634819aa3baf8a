"""The public tokens that may replace private ones, with their vectors.

A vocabulary is public: it is loaded or built from public lists, hashed by content, and never fitted on the text
to be protected. :mod:`sfumato.vocabularies.load` reads the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.errors import VocabularyError
from sfumato.options.typed import typed
from sfumato.storage import cache


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that a vocabulary was read from: its resolved path, and the size (bytes) and SHA-256 of its content."""

    path: Path
    size: int
    sha256: str


@typed
@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Tokens (words or phrases) and their vectors. It is public, and never fitted on the text to be protected.

    Attributes:
        tokens: V distinct tokens, at least two.
        vectors: Shape (V, D). They become contiguous float64 numbers that belong to the vocabulary, whatever array is
            given: every certificate is about the numbers that are used.
        provenance: Where tokens and vectors come from, in words.
        encoder: Embeds an unknown phrase; None if the vectors were given.
        clusters: A partition of the tokens into tuples of indices, if the source has one.
        sources: The files that the vocabulary was read from, so that a release can refuse a private one.
        unit: What a distance of 1 between two vectors is: "day", "km". Empty for embeddings, which have no unit.

    Raises:
        VocabularyError: There are fewer than two tokens or repeated ones, or the vectors have another shape or values
            that are not finite or lie beyond ±1e100.
    """

    tokens: tuple[str, ...]
    vectors: NDArray[np.float64]
    provenance: str
    encoder: Encoder | None = None
    clusters: tuple[tuple[int, ...], ...] | None = None
    sources: tuple[SourceFile, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        if len(self.tokens) < 2:
            raise VocabularyError(
                f"{self.provenance}: a vocabulary needs at least 2 tokens, and this one has {len(self.tokens)}; add "
                "tokens, because a single token cannot hide behind another."
            )
        object.__setattr__(self, "vectors", _owned(self.vectors, self.provenance))
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.tokens):
            raise VocabularyError(
                f"{self.provenance}: {len(self.tokens)} tokens need as many vectors, not an array of shape "
                f"{self.vectors.shape}."
            )
        bad = np.flatnonzero(~np.isfinite(self.vectors).all(axis=1))
        if bad.size:
            raise VocabularyError(
                f"{self.provenance}: the vector of entry {int(bad[0]) + 1} holds NaN or infinity; remove it."
            )
        sizes = np.maximum(self.vectors.max(axis=1, initial=0.0), -self.vectors.min(axis=1, initial=0.0))
        huge = np.flatnonzero(sizes > 1e100)  # squares and sums of squares of smaller numbers stay finite
        if huge.size:
            raise VocabularyError(
                f"{self.provenance}: the vector of entry {int(huge[0]) + 1} holds a number beyond 1e100, whose "
                "distances cannot be computed; rescale the vectors."
            )
        if len(set(self.tokens)) != len(self.tokens):
            seen: set[str] = set()
            repeat = next(i for i, t in enumerate(self.tokens) if t in seen or seen.add(t))  # type: ignore[func-returns-value]
            raise VocabularyError(f"{self.provenance}: entry {repeat + 1} repeats an earlier token; remove one.")
        if not all(map(str.strip, self.tokens)) or "\n" in "".join(self.tokens):
            raise VocabularyError(f"{self.provenance}: a token is empty or holds a line break; remove it.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle or a copy.

        Numpy loses the mark that makes the vectors read-only, so set it again.
        """
        self.__dict__.update(state)
        self.vectors.setflags(write=False)

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} tokens: {self.provenance})"

    def measured_in(self, unit: str, encoder: Encoder | None = None) -> Vocabulary:
        """Return the same tokens and vectors with this ``unit`` of distance and ``encoder``.

        They are shared, and so is the hash, which is computed here if it was not before.
        """
        made = copy(self)
        made.__dict__.update(unit=unit, encoder=encoder, hash=self.hash)
        return made

    @cached_property
    def hash(self) -> str:
        """Return the SHA-256 over tokens and vectors, in hexadecimal digits."""
        encoded = [token.encode() for token in self.tokens]
        lengths = [len(token).to_bytes(4, "little") for token in encoded]
        digest = hashlib.sha256(b"".join(chain.from_iterable(zip(lengths, encoded, strict=True))))
        digest.update(repr(self.vectors.shape).encode())
        digest.update(np.ascontiguousarray(self.vectors, dtype="<f8").data)
        return digest.hexdigest()

    @cached_property
    def _exact(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.tokens)}

    @cached_property
    def _folded(self) -> dict[str, int]:
        folded: dict[str, int] = {}
        for number, token in enumerate(self.tokens):
            folded.setdefault(token.casefold(), number)
        return folded

    def find(self, text: str) -> int | None:
        """Return the index of the token spelled ``text`` (first with its exact case, then in any case), or None."""
        index = self._exact.get(text)
        return index if index is not None else self._folded.get(text.casefold())

    def medoid(self, among: NDArray[np.int64] | None = None) -> int:
        """Return the token (of those ``among``) nearest the mean vector: the public surrogate for unknown words."""
        apart = np.linalg.norm(self.vectors - self.vectors.mean(axis=0), axis=1)
        return int(np.argmin(apart)) if among is None else int(among[np.argmin(apart[among])])

    @cached_property
    def canonical(self) -> NDArray[np.int64]:
        """Return for each token the first token with exactly the same vector, shape (V,): they must share one law."""
        first: dict[bytes, int] = {}
        rows = np.ascontiguousarray(self.vectors + 0.0)  # -0.0 and 0.0 are one number
        return np.array([first.setdefault(row.tobytes(), number) for number, row in enumerate(rows)], dtype=np.int64)

    def project(self, phrases: Sequence[str], among: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the token (of those ``among``) nearest to each unknown phrase under the encoder, shape (n,).

        Raise VocabularyError if the vocabulary has no encoder.
        """
        if self.encoder is None:
            raise VocabularyError(
                f"{self.provenance}: unknown words cannot be projected because no encoder made these vectors; "
                "use --set unknown=surrogate."
            )
        vectors = self.vectors if among is None else self.vectors[among]
        half_norms = 0.5 * np.einsum("ij,ij->i", vectors, vectors)
        nearest = np.argmax(self.encoder.encode(phrases) @ vectors.T - half_norms, axis=1)
        return np.asarray(nearest if among is None else among[nearest], dtype=np.int64)

    def subset(self, keep: Callable[[str], bool]) -> tuple[Vocabulary, NDArray[np.int64]]:
        """Return the tokens for which ``keep`` holds, as a vocabulary, and their indices here, shape (kept,)."""
        kept = np.array([i for i, token in enumerate(self.tokens) if keep(token)], dtype=np.int64)
        chosen = Vocabulary(
            tuple(self.tokens[i] for i in kept),
            np.array(self.vectors[kept]),
            f"{self.provenance}, {len(kept)} of {len(self)} tokens",
            self.encoder,
            sources=self.sources,
        )
        return chosen, kept


def _owned(vectors: object, provenance: str) -> NDArray[np.float64]:
    """Return ``vectors`` as contiguous, read-only float64 that no other code can change.

    An entry of the cache that is mapped is returned as it is, because nothing changes it. Raise
    :class:`VocabularyError` unless the vectors are real numbers.
    """
    try:
        given = np.asarray(vectors)
    except (ValueError, TypeError):
        raise VocabularyError(f"{provenance}: the vectors are not an array of numbers, one row each.") from None
    if given.dtype.kind not in "fiu":
        raise VocabularyError(f"{provenance}: the vectors are not real numbers (their type is {given.dtype}).")
    if isinstance(vectors, cache.CachedArray) and given.dtype == np.float64 and given.flags.c_contiguous:
        return vectors
    owned = np.array(given, dtype=np.float64, order="C")
    owned.setflags(write=False)
    return owned

"""Cut a public vocabulary into sets of similar tokens (CusText, Algorithm 1; CluSanT uses it too, its §5).

Tokens are taken in the vocabulary's own order (public), where the papers take an arbitrary or random one: the same
vocabulary always gives the same sets. No set holds one token only, unless the caller requests one-token sets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.types import FloatArray, IntArray

_PIVOTS = 64

Apart = Callable[[IntArray, IntArray], FloatArray]
"""How far each of n tokens is from each of m others, shape (n, m), in any order-preserving measure."""


def sizes_of(count: int, size: int) -> list[int]:
    """Return sizes of sets of ``size`` over ``count`` tokens.

    A remainder forms a smaller set. If it is one token, the token joins the last set. Raise
    :class:`ConfigurationError` for a ``size`` below 2.
    """
    if not size >= 2:
        raise ConfigurationError(f"A set needs at least 2 tokens to hide one among them, not {size}; try 20.")
    whole, rest = divmod(count, min(size, count))
    sizes = [min(size, count)] * whole
    if rest == 1:
        sizes[-1] += 1
    elif rest:
        sizes.append(rest)
    return sizes


def sizes_for(count: int, clusters: int) -> list[int]:
    """Return sizes of exactly ``clusters`` clusters over ``count`` tokens, as even as possible, larger ones first.

    Raise :class:`ConfigurationError` for fewer than 1 or more than ``count`` clusters.
    """
    if not 1 <= clusters <= count:
        raise ConfigurationError(f"{count} tokens can be cut into 1 to {count} clusters, not {clusters}.")
    size, larger = divmod(count, clusters)
    return [size + 1] * larger + [size] * (clusters - larger)


def by_vectors(vectors: FloatArray) -> Apart:
    """Return the order of Euclidean distance between ``vectors`` (V, D); for cosine similarity pass unit vectors."""

    def apart(tokens: IntArray, others: IntArray) -> FloatArray:
        points = vectors[others]
        squares = np.einsum("ij,ij->i", points, points)
        return np.asarray(squares - 2.0 * (vectors[tokens] @ points.T), dtype=np.float64)

    return apart


def greedy(apart: Apart, sizes: Sequence[int]) -> list[IntArray]:
    """Return sets of the given ``sizes`` over all tokens: the first token left, with its nearest tokens left.

    Ties go to the earlier token.
    """
    left = np.arange(sum(sizes))
    sets: list[IntArray] = []
    cut = 0
    while cut < len(sizes):
        pivots, rest = left[:_PIVOTS], left
        distances = apart(pivots, rest)
        free = np.ones(len(rest), dtype=np.bool_)
        for row in range(len(pivots)):
            if cut == len(sizes) or not free[row]:
                continue
            candidates = np.where(free, distances[row], np.inf)
            candidates[row] = -np.inf
            nearest = _smallest(candidates, sizes[cut])
            sets.append(rest[nearest])
            free[nearest] = False
            cut += 1
        left = rest[free]
    return sets


def _smallest(values: FloatArray, count: int) -> IntArray:
    """Return the indices of the ``count`` smallest values, smallest first, ties to the earlier index."""
    bound = np.partition(values, count - 1)[count - 1]
    near = np.flatnonzero(values <= bound)
    return near[np.argsort(values[near], kind="stable")][:count]


def checked(clusters: Sequence[Sequence[int]], count: int) -> list[IntArray]:
    """Return supplied clusters as arrays.

    Raise :class:`ConfigurationError` unless they partition ``range(count)``.
    """
    sets = [np.asarray(sorted(cluster), dtype=np.int64) for cluster in clusters if len(cluster)]
    together = np.sort(np.concatenate(sets)) if sets else np.empty(0, dtype=np.int64)
    if not np.array_equal(together, np.arange(count)):
        raise ConfigurationError(
            f"The supplied clusters must hold each of the {count} tokens exactly once; they hold {len(together)}."
        )
    return sets


def flatten(sets: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Return the members sorted by set (V,), the start of each set (sets + 1,), and the set of every token (V,)."""
    members = np.concatenate(sets)
    lengths = np.array([len(tokens) for tokens in sets], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    set_of = np.empty(len(members), dtype=np.int64)
    set_of[members] = np.repeat(np.arange(len(sets)), lengths)
    return members, starts, set_of


def fingerprint(sets: Sequence[IntArray]) -> str:
    """Return a hash of a partition, for certificates."""
    digest = hashlib.sha256()
    for tokens in sets:
        digest.update(len(tokens).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(tokens, dtype="<i8").data)
    return digest.hexdigest()

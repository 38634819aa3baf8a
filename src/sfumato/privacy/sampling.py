"""The only file that draws.

Every draw is by the inverse law: outcomes are put in ascending order of weight, their weights summed from the
smallest up, and a uniform number decides. Uniforms carry 53 significant bits *at every magnitude* (the exponent is
drawn bit by bit as far down as needed), and small outcomes stand where floating-point numbers are dense: the sum up
to an outcome is at most twice the number of outcomes times its weight, and rounding it once moves the probability of
that outcome, however rare, by at most that share of 2^-53. With the rounding of the total, and of its product with
the uniform, every probability is that of its weight to a relative error of :func:`sampling_error`.
Laws with a probability below ``exp(LOG_RESOLUTION)`` are refused (:func:`check_resolution`).

Sources of bits:

* :class:`SystemRandomness` asks the operating system for every bit. It keeps no state, so forked or spawned
  workers cannot repeat each other.
* :class:`PinnedRandomness` derives every draw from a secret key and its :func:`context`: everything that decides the
  law, the field and the record, the whole sequence of what was marked there, and the place. A repeated run gives the
  same answer and costs nothing more. Anything that differs draws afresh, because two draws that share a uniform under
  two laws, or for two tokens, would tell with certainty that they differ. The guarantee is computational (keyed
  BLAKE2b and SHAKE-256 as pseudo-random functions).
* :class:`SeededRandomness` is the same derivation from a number that anybody may guess: for tests, not private.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.kernels import compiled

LOG_RESOLUTION = -650.0
"""Natural logarithm of the smallest probability that a law may hold; float64 weights underflow below e^-708."""

_FEW = 48
_EXPONENTS = 2048  # that a float64 can have
_NO_LAW = (
    "The weights of a law do not add up to a finite number above 0, so nothing may be drawn from it; rescale the "
    "vectors or use a smaller epsilon."
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def sampling_error(outcomes: int) -> float:
    """Return a bound on the relative error that a draw adds to the probability of any of so many ``outcomes``."""
    return 8.0 * outcomes * 2.0**-53


def check_resolution(smallest_log_probability: float, what: str) -> None:
    """Refuse (:class:`GuaranteeError`) a law whose smallest probability cannot be drawn faithfully."""
    if not smallest_log_probability >= LOG_RESOLUTION:  # NaN is refused too
        raise GuaranteeError(
            f"{what}: the smallest probability would be e^{smallest_log_probability:.0f}, below the resolution "
            f"e^{LOG_RESOLUTION:.0f} of the sampler; use a smaller epsilon."
        )


PINS = "2"
"""Raise this when the meaning of a :func:`context` changes, so that old and new draws share nothing."""


def context(*parts: str | bytes | int) -> bytes:
    """Join what a keyed draw depends on, so that no two lists of ``parts`` give the same bytes.

    Each part carries its kind and its length: ("a/b", "c") and ("a", "b/c") differ, and so do 1 and "1".
    """
    joined = [len(parts).to_bytes(4, "little")]
    for part in parts:
        if isinstance(part, int):
            kind, content = b"n", part.to_bytes(8, "little")
        elif isinstance(part, bytes):
            kind, content = b"b", part
        else:
            kind, content = b"t", part.encode("utf-8", "surrogatepass")
        joined += [kind, len(content).to_bytes(8, "little"), content]
    return b"".join(joined)


class Randomness(ABC):
    """A source of uniforms. ``keyed`` says whether draws need their context; ``stamp`` goes into the statement."""

    keyed: ClassVar[bool]
    private: ClassVar[bool]

    @property
    @abstractmethod
    def stamp(self) -> str:
        """How randomness was made, for the statement."""

    def stamp_in_context(self) -> str:
        """The same for a mechanism whose draws depend on the whole document."""
        return self.stamp

    def stamp_without_guarantee(self) -> str:
        """Return the same for a method that promises nothing."""
        return self.stamp

    def fingerprint(self) -> str:
        """Tells two sources apart without giving a key away, for ``--resume``."""
        return type(self).__name__

    @abstractmethod
    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        """``(n, width)`` independent uniform 64-bit words; another ``layer`` gives fresh ones."""

    def check_names(self, names: Sequence[tuple[str, ...]]) -> None:
        """Refuse (:class:`ConfigurationError`) documents that a private keyed source could not tell apart."""
        if self.keyed and self.private and (not all(map(all, names)) or len(set(names)) < len(names)):
            raise ConfigurationError(
                "A pinned run needs an id of its own for every document, Document(text, id=...): two documents with "
                "one id would share their draws."
            )

    def uniforms(self, n: int, width: int, contexts: Sequence[bytes] | None = None) -> FloatArray:
        """``(n, width)`` independent uniforms in (0, 1] with 53 significant bits at every magnitude.

        ``contexts`` holds one context a row where :attr:`keyed`.
        """
        words = self._words(n, 2 * width, contexts, 0)
        result = _fractions(words)
        layer, scale = 1, 2.0**-64
        empty = (
            words[:, :width] == 0
        )  # with probability 2^-64 each: the number is smaller still, so draw further bits
        while empty.any():
            words = self._words(n, 2 * width, contexts, layer)
            result[empty] = _fractions(words)[empty] * scale
            high = words[:, :width]
            empty &= high == 0
            layer, scale = layer + 1, scale * 2.0**-64
        return result


@dataclass(frozen=True)
class SystemRandomness(Randomness):
    """The operating system's generator for every bit (``os.urandom``)."""

    keyed: ClassVar[bool] = False
    private: ClassVar[bool] = True

    @property
    def stamp(self) -> str:
        """For the statement."""
        return "system: every bit from the operating system's generator"

    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * n * width), dtype=np.uint64).reshape(n, width)


@dataclass(frozen=True)
class PinnedRandomness(Randomness):
    """Draws derived from a secret ``key`` (at least 32 bytes) and the context of each draw."""

    key: bytes = field(repr=False)
    keyed: ClassVar[bool] = True
    private: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.key) < 32:
            raise ConfigurationError(
                "The key file must hold at least 32 random bytes; make one with: head -c 32 /dev/urandom > KEYFILE."
            )

    @property
    def stamp(self) -> str:
        """For the statement."""
        return (
            "pinned: each draw is derived from a secret key and from the program's version, the law and its scale, "
            "the vocabularies, the detector, the field, the record's id, the whole sequence of marked tokens in the "
            "text, and the place; the same settings over the same marked tokens return the same outputs and cost "
            "nothing more; any other setting, field or marked token draws all of the text's outputs afresh and costs "
            "again; a second run therefore shows whether a text's sequence of marked tokens is unchanged, and "
            "otherwise no more than an independent draw; one key belongs to one data set; the guarantee is "
            "computational and lasts as long as the key is secret"
        )

    def stamp_in_context(self) -> str:
        """For the statement, where a draw depends on the whole document."""
        return (
            "pinned: each draw is derived from a secret key and from the program's version, the law, the model, the "
            "detector, the field, the record's id, the whole document with its marks, and the draw's number; the "
            "same file again, on the same kind of machine with the same versions, returns the same text (up to "
            "rounding in the scores) and costs nothing more; any edit, and any other setting, draws all of the "
            "document afresh and costs again; a second run therefore shows whether a document is unchanged; one key "
            "belongs to one data set; the guarantee is computational and lasts as long as the key is secret"
        )

    def stamp_without_guarantee(self) -> str:
        """Return the same for a method that promises nothing."""
        return (
            "pinned: whatever is random is derived from a secret key, the settings, the field, the record's id and "
            "the whole text with its marks; the same text again gives the same release, and any edit another one; "
            "that a text is unchanged stays visible"
        )

    def fingerprint(self) -> str:
        """A digest of the key under a purpose of its own."""
        return hashlib.blake2b(b"fingerprint", key=self.key[:64], digest_size=16, person=b"sfumato-name").hexdigest()

    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        if contexts is None or len(contexts) != n:
            raise ConfigurationError("A keyed source needs one context for each draw.")
        secret = hashlib.blake2b(self.key, digest_size=64, person=b"sfumato-key").digest()
        salt = layer.to_bytes(8, "little")
        blocks = []
        for given in contexts:
            seed = hashlib.blake2b(given, key=secret, salt=salt, digest_size=64, person=b"sfumato-draw").digest()
            blocks.append(hashlib.shake_256(seed).digest(8 * width))
        return np.frombuffer(b"".join(blocks), dtype="<u8").astype(np.uint64, copy=False).reshape(n, width)


class SeededRandomness(PinnedRandomness):
    """Reproducible draws from a public number: for tests and examples. Never private."""

    private: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        super().__init__(hashlib.sha256(f"sfumato seed {int(seed)}".encode()).digest())
        object.__setattr__(self, "seed", int(seed))

    @property
    def stamp(self) -> str:
        """For the statement."""
        return "seeded: not private (anyone who guesses the seed can undo the draws)"

    def stamp_in_context(self) -> str:
        """For the statement."""
        return self.stamp

    def stamp_without_guarantee(self) -> str:
        """Return the same: a seed promises nothing either."""
        return self.stamp


@compiled
def _fractions(words: NDArray[np.uint64]) -> FloatArray:
    """(high + (low + 1/2)·2^-64)·2^-64 for pairs of words standing in the two halves of a row."""
    n, width = len(words), words.shape[1] // 2
    out = np.empty((n, width))
    for i in range(n):
        for j in range(width):
            low = np.float64(words[i, width + j]) + 0.5
            out[i, j] = (np.float64(words[i, j]) + low * 2.0**-64) * 2.0**-64
    return out


@compiled
def _pick(cumulative: FloatArray, uniform: float) -> int:
    """First position whose cumulative weight reaches ``uniform`` times the total; weights ascend."""
    target = uniform * cumulative[-1]
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] >= target:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _pick_rows(cumulative: FloatArray, order: NDArray[np.int32], rows: IntArray, uniforms: FloatArray) -> IntArray:
    picked = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        picked[i] = order[rows[i], _pick(cumulative[rows[i]], uniforms[i])]
    return picked


@compiled
def _pick_weighted(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    picked = np.empty(len(weights), dtype=np.int64)
    outcomes = weights.shape[1]
    sums, order, running = np.empty(_EXPONENTS), np.empty(_FEW, dtype=np.int64), np.empty(_FEW)
    for i in range(len(weights)):
        if outcomes > _FEW:
            picked[i] = _pick_by_exponent(weights[i], uniforms[i], sums)
            continue
        for new in range(outcomes):  # insertion sort, without memory of its own
            place = new
            while place > 0 and weights[i, order[place - 1]] > weights[i, new]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = new
        total = 0.0
        for place in range(outcomes):
            total += weights[i, order[place]]
            running[place] = total
        picked[i] = order[_pick(running[:outcomes], uniforms[i])] if 0.0 < total < np.inf else -1
    return picked


@compiled
def _pick_by_exponent(weights: FloatArray, uniform: float, sums: FloatArray) -> int:
    """One outcome of many, or -1 where the total is no finite number above 0.

    Outcomes are taken in ascending order of their binary exponent, which is as exact as a full sort (weights of one
    exponent differ by less than a factor of 2) and looks at each weight twice.
    """
    bits = weights.view(np.int64)
    sums[:] = 0.0
    for j in range(len(weights)):
        sums[bits[j] >> 52 & _EXPONENTS - 1] += weights[j]
    total = 0.0
    for exponent in range(_EXPONENTS):
        total += sums[exponent]
    if not 0.0 < total < np.inf:
        return -1
    target, running, below, chosen = uniform * total, 0.0, 0.0, 0
    for exponent in range(_EXPONENTS):
        if sums[exponent] > 0.0:
            chosen, below = exponent, running
            running += sums[exponent]
            if running >= target:
                break
    picked, running, target = -1, 0.0, target - below  # from 0, so that this sum rounds as the one above did
    for j in range(len(weights)):
        if bits[j] >> 52 & _EXPONENTS - 1 == chosen and weights[j] > 0.0:
            picked = j
            running += weights[j]
            if running >= target:
                break
    return picked


@compiled
def _ascending(weights: FloatArray, cumulative: FloatArray, order: NDArray[np.int32]) -> None:
    for i in range(len(weights)):
        running = 0.0
        ascending = np.argsort(weights[i])
        for place in range(len(ascending)):
            running += weights[i, ascending[place]]
            cumulative[i, place] = running
            order[i, place] = ascending[place]


def draw_once(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    """One outcome for each row of non-negative ``weights`` (n, M), decided by ``uniforms`` (n,), shape (n,).

    Raises :class:`GuaranteeError` where a row's total is not finite and positive.
    """
    picked = _pick_weighted(weights, uniforms)
    if picked.min(initial=0) < 0:
        raise GuaranteeError(_NO_LAW)
    return picked


@dataclass(frozen=True, eq=False)
class LawTable:
    """Finite laws made ready for drawing: ``cumulative`` (R, M) ascending sums, ``order`` (R, M) the outcomes."""

    cumulative: FloatArray
    order: NDArray[np.int32]

    @classmethod
    def empty(cls, rows: int, outcomes: int) -> LawTable:
        """Room for ``rows`` laws, to be filled by :meth:`put`."""
        return cls(np.empty((rows, outcomes)), np.empty((rows, outcomes), dtype=np.int32))

    @classmethod
    def from_weights(cls, weights: FloatArray) -> LawTable:
        """A law for each row of non-negative ``weights`` (R, M), not necessarily normalised."""
        table = cls.empty(*weights.shape)
        table.put(slice(0, len(weights)), weights)
        return table

    def put(self, rows: slice, weights: FloatArray) -> None:
        """Write laws with these ``weights`` (rows, M) into ``rows``.

        Raises :class:`GuaranteeError` where a law's total is not finite and positive.
        """
        _ascending(weights, self.cumulative[rows], self.order[rows])
        totals = self.cumulative[rows, -1]
        if not ((totals > 0.0) & (totals < np.inf)).all():
            raise GuaranteeError(_NO_LAW)

    def resized(self, rows: int) -> LawTable:
        """The same laws in a table of ``rows`` rows."""
        table = LawTable.empty(rows, self.order.shape[1])
        kept = min(rows, len(self.order))
        table.cumulative[:kept], table.order[:kept] = self.cumulative[:kept], self.order[:kept]
        return table

    def draw(self, rows: IntArray, uniforms: FloatArray) -> IntArray:
        """One outcome for each of ``rows`` (n,), decided by ``uniforms`` (n,)."""
        return _pick_rows(self.cumulative, self.order, rows, uniforms)


def gaussian(uniforms: FloatArray) -> FloatArray:
    """Standard normal numbers from uniforms, by the inverse distribution function."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.minimum(uniforms, 1.0 - 2.0**-53)), dtype=np.float64)


def gamma(shape: int, uniforms: FloatArray) -> FloatArray:
    """Gamma(shape, 1) numbers from uniforms, by the inverse distribution function."""
    from scipy.special import gammainccinv

    return np.asarray(gammainccinv(shape, uniforms), dtype=np.float64)

"""Sources of uniforms: the operating system, a key, or a seed; and the context of a keyed draw."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.privacy.kernels import compiled
from sfumato.storage.keys import random_key
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from sfumato.types import FloatArray, IntArray

PINS = "8"
"""Raise this when the meaning of a :func:`context` changes, so that old and new draws share nothing."""

_INTEGERS = 1 << 32  # a layer that no uniform reaches
_FEW, _BLOCK = 32, 1024  # words of a stream that are asked for first, for most need no more, and at a time
_NUMBER = b"n" + (8).to_bytes(8, "little")  # what a number in a context begins with


def context(*parts: str | bytes | int) -> bytes:
    """Join everything that a keyed draw depends on, so that no two lists of ``parts`` give the same bytes.

    Each part carries its kind and its length: ("a/b", "c") and ("a", "b/c") differ, and so do 1 and "1".
    """
    return _joined(len(parts), parts)


def numbered(
    numbers: Sequence[int] | IntArray, *before: str | bytes | int, after: Sequence[str | bytes | int] = ()
) -> list[bytes]:
    """Return ``context(*before, number, *after)`` for each of ``numbers``, 0 or more: of many in less time."""
    opening = _joined(len(before) + 1 + len(after), before) + _NUMBER
    ending, digits = _joined(0, after)[4:], np.asarray(numbers, dtype="<u8").tobytes()
    return [opening + digits[place : place + 8] + ending for place in range(0, len(digits), 8)]


def _joined(count: int, parts: Sequence[str | bytes | int]) -> bytes:
    """Return a context of ``count`` parts as far as it holds ``parts``, the first of them."""
    joined = [count.to_bytes(4, "little")]
    for part in parts:
        if isinstance(part, int):
            joined += [_NUMBER, part.to_bytes(8, "little")]
            continue
        kind, content = (b"b", part) if isinstance(part, bytes) else (b"t", part.encode("utf-8", "surrogatepass"))
        joined += [kind, len(content).to_bytes(8, "little"), content]
    return b"".join(joined)


class Randomness(ABC):
    """A source of uniforms.

    ``keyed`` says whether draws need their context; ``private``, whether the source may protect text; ``stamp`` goes
    into the statement.
    """

    keyed: ClassVar[bool]
    private: ClassVar[bool]

    @property
    @abstractmethod
    def stamp(self) -> str:
        """Return the statement's description of the source."""

    def stamp_in_context(self) -> str:
        """Return the description for a mechanism whose draws depend on the whole document."""
        return self.stamp

    def stamp_without_guarantee(self) -> str:
        """Return the description for a method that promises nothing."""
        return self.stamp

    def fingerprint(self) -> str:
        """Return a name that distinguishes two sources without disclosing a key, for ``--resume``."""
        return type(self).__name__

    @abstractmethod
    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        """Return ``(n, width)`` independent uniform 64-bit words; another ``layer`` gives fresh ones."""

    def check_names(self, names: Sequence[tuple[str, ...]]) -> None:
        """Refuse (:class:`ConfigurationError`) documents whose names a private keyed source could not distinguish."""
        if self.keyed and self.private and (not all(map(all, names)) or len(set(names)) < len(names)):
            raise ConfigurationError(
                "A pinned run needs a separate id for every document, Document(text, id=...): two documents with "
                "one id would share their draws."
            )

    def uniforms(self, n: int, width: int, contexts: Sequence[bytes] | None = None) -> FloatArray:
        """Return ``(n, width)`` independent uniforms in (0, 1] with 53 significant bits at every magnitude.

        ``contexts`` holds one context a row if the source is :attr:`keyed`.
        """
        words = self._words(n, 2 * width, contexts, 0)
        result = _fractions(words)
        layer, scale = 1, 2.0**-64
        # with probability 2^-64 each: the number is smaller still, so draw further bits
        empty = words[:, :width] == 0
        while empty.any():
            words = self._words(n, 2 * width, contexts, layer)
            result[empty] = _fractions(words)[empty] * scale
            high = words[:, :width]
            empty &= high == 0
            layer, scale = layer + 1, scale * 2.0**-64
        return result

    def integers(self, n: int, width: int, contexts: Sequence[bytes] | None = None) -> NDArray[np.uint64]:
        """Return ``(n, width)`` independent uniform 64-bit words, with one of ``contexts`` a row if keyed.

        They share nothing with the :meth:`uniforms` of the same contexts.
        """
        return self._words(n, width, contexts, _INTEGERS)

    def words(self, source: bytes | None = None) -> Iterator[int]:
        """Yield independent uniform 64-bit words without end, those of the context ``source`` if keyed."""
        contexts = None if source is None else [source]
        for layer in count():  # a longer row of a key begins as a shorter one does
            for begin, end in ((0, _FEW), (_FEW, _BLOCK)):
                yield from self._words(1, end, contexts, layer)[0, begin:].tolist()


@dataclass(frozen=True)
class RandomDraws:
    """The random numbers of ``n`` draws (:class:`Uniforms`) from ``source``, with a context for each if keyed."""

    source: Randomness
    n: int
    contexts: Sequence[bytes] | None = None

    def __call__(self, width: int) -> FloatArray:
        """Return uniforms in (0, 1], shape (n, width)."""
        return self.source.uniforms(self.n, width, self.contexts)

    def words(self, width: int) -> NDArray[np.uint64]:
        """Return 64-bit words, shape (n, width)."""
        return self.source.integers(self.n, width, self.contexts)


@dataclass(frozen=True)
class SystemRandomness(Randomness):
    """The operating system's generator for every bit (`os.urandom`). It has no state to store or to disclose."""

    keyed: ClassVar[bool] = False
    private: ClassVar[bool] = True

    @property
    def stamp(self) -> str:
        """Return the statement's description of the source."""
        return "system: every bit from the operating system's generator"

    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * n * width), dtype=np.uint64).reshape(n, width)


@dataclass(frozen=True)
class PinnedRandomness(Randomness):
    """Draws derived from a secret key and the context of each draw: the same run again gives the same release.

    One key belongs to one data set. The guarantee is computational and lasts as long as the key is secret.

    Attributes:
        key: At least 32 secret bytes, drawn at random: fewer than 8 different ones are refused.
        keyed: Whether draws depend on the ids of the documents: True.
        private: Whether a release by it is private: True.
    """

    key: bytes = field(repr=False)
    keyed: ClassVar[bool] = True
    private: ClassVar[bool] = True

    def __post_init__(self) -> None:
        random_key(self.key, "The key")

    @property
    def stamp(self) -> str:
        """Return the statement's description of the source."""
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
        """Return the description for a mechanism whose draws depend on the whole document."""
        return (
            "pinned: each draw is derived from a secret key and from the program's version, the law, the model, the "
            "detector, the field, the record's id, the whole document with its marks, and the draw's number; the "
            "same file again, on the same machine with the same device and versions, returns the same text (up to "
            "rounding in the scores), and a ledger charges it again, because the key does not hold the rounding; any "
            "edit, and any other setting, draws all of the document afresh and costs again; a second run therefore "
            "shows whether a document is unchanged; one key belongs to one data set; the guarantee is computational "
            "and lasts as long as the key is secret"
        )

    def stamp_without_guarantee(self) -> str:
        """Return the description for a method that promises nothing."""
        return (
            "pinned: whatever is random is derived from a secret key, the settings, the field, the record's id and "
            "the whole text with its marks; the same text again gives the same release, and any edit another one; "
            "that a text is unchanged stays visible"
        )

    def fingerprint(self) -> str:
        """Return a digest of the key, under a separate purpose, in hexadecimal digits."""
        return hashlib.blake2b(b"fingerprint", key=self._secret, digest_size=16, person=b"sfumato-name").hexdigest()

    @property
    def _secret(self) -> bytes:
        """Return a digest of the whole key, however long it is."""
        return hashlib.blake2b(self.key, digest_size=64, person=b"sfumato-key").digest()

    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> NDArray[np.uint64]:
        if contexts is None or len(contexts) != n:
            raise ConfigurationError("A keyed source needs one context for each draw.")
        secret = self._secret
        salt = layer.to_bytes(8, "little")
        begun = hashlib.blake2b(key=secret, salt=salt, digest_size=64, person=b"sfumato-draw")
        blocks = []
        for source in contexts:
            seed = begun.copy()
            seed.update(source)
            blocks.append(hashlib.shake_256(seed.digest()).digest(8 * width))
        return np.frombuffer(b"".join(blocks), dtype="<u8").astype(np.uint64, copy=False).reshape(n, width)


class SeededRandomness(PinnedRandomness):
    """Reproducible draws from a public number, `SeededRandomness(7)`: for tests and examples. NEVER private.

    Attributes:
        key: What the draws are derived from: a hash of the number, which anyone can guess.
    """

    private: ClassVar[bool] = False

    @typed
    def __init__(self, seed: int) -> None:
        super().__init__(hashlib.sha256(f"sfumato seed {int(seed)}".encode()).digest())
        object.__setattr__(self, "seed", int(seed))

    @property
    def stamp(self) -> str:
        """Return the statement's description of the source."""
        return "seeded: not private (anyone who guesses the seed can undo the draws)"

    def stamp_in_context(self) -> str:
        """Return the description of the source: a seed is never private."""
        return self.stamp

    def stamp_without_guarantee(self) -> str:
        """Return the description of the source: a seed is never private."""
        return self.stamp


@compiled
def _fractions(words: NDArray[np.uint64]) -> FloatArray:
    """Return (high + (low + 1/2)·2^-64)·2^-64 for pairs of words in the two halves of a row."""
    n, width = len(words), words.shape[1] // 2
    out = np.empty((n, width))
    for i in range(n):
        for j in range(width):
            low = np.float64(words[i, width + j]) + 0.5
            out[i, j] = (np.float64(words[i, j]) + low * 2.0**-64) * 2.0**-64
    return out


def layout_key(setting: str, document: Document, layout: Layout) -> bytes:
    """Return the bytes that every keyed draw for ``document`` depends on: the setting, its origin, text and marks."""
    edges = [edge for span in layout.spans for edge in span]
    marked = context(layout.text, *edges, *layout.labels)
    return context(setting, context(*document.names), hashlib.sha256(marked).digest())

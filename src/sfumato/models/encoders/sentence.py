"""Sentence encoders: phrases to vectors, from local files only.

The default, all-MiniLM-L6-v2, travels with the package, and its files are checked by SHA-256. Any other model is a
local folder, or a Hugging Face name whose files are on this machine already. This file opens no connection.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.models.devices import check_device
from sfumato.models.encoders.files import (
    DEFAULT_DIMENSIONS,
    DEFAULT_NAME,
    default_folder,
    verified_digest,
)
from sfumato.models.encoders.networks import Part, PhraseNetwork, load_network
from sfumato.models.local_files import digest_of_all, local_folder

if TYPE_CHECKING:
    from sfumato.types import FloatArray, Progress

_MOST_PHRASES = 1 << 10


@dataclass(frozen=True)
class SentenceEncoder:
    """Turns phrases into unit vectors with a sentence encoder.

    ``model`` is None for the default, else a folder or the Hugging Face name of a model already on this machine.
    ``device`` is a torch device name, or None to use a GPU if there is one. Nothing is loaded before the first use. A
    pickled encoder carries its name only and loads again where it arrives. Threads may share an encoder; they take
    turns.

    Raises :class:`~sfumato.errors.MissingExtraError` if the model's files or the packages that it needs are missing,
    and :class:`~sfumato.errors.ConfigurationError` for files that are not safetensors or not the expected ones.
    """

    model: str | None = None
    device: str | None = None

    def __post_init__(self) -> None:
        check_device(self.device)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "device": self.device}

    @cached_property
    def _folder(self) -> Path:
        return default_folder() if self.model is None else local_folder(self.model, "sentence encoder")

    @cached_property
    def id(self) -> str:
        """Return the name and 16 hexadecimal digits of the SHA-256 of the weights (other models: of all files)."""
        if self.model is None:
            return f"{DEFAULT_NAME}@{verified_digest(self._folder)[:16]}"
        name = Path(self.model).name if Path(self.model).is_dir() else self.model
        return f"{name}@{digest_of_all(self._folder)[:16]}"

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        if self.model is None:
            return DEFAULT_DIMENSIONS
        return self._network.dimensions

    @cached_property
    def _network(self) -> PhraseNetwork:
        if self.model is None:
            verified_digest(self._folder)
        return load_network(self._folder, self.device)

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return the vectors of ``phrases``, shape (n, dimensions), float64.

        They have unit length (zero if the model gives zero). A phrase longer than the model's window (256 pieces for
        the default) is halved at the white space nearest its middle until every part fits. Its vector is the
        normalised mean of its parts' vectors, so nothing is cut off. Phrases that the model reads alike (case,
        accents) get exactly the same vector. The other phrases of a call change a vector by rounding only (about
        1e-7). ``progress`` receives the finished share.
        """
        if isinstance(phrases, str):
            raise ConfigurationError("encode takes a list of phrases, not one string; put it in a list.")
        sums = np.zeros((len(phrases), self.dimensions))
        with self.__dict__.setdefault("_turn", threading.Lock()):  # setdefault: threads agree on one lock
            network = self._network
            parts = _fitting_parts(network, phrases)
            for done, (owners, vectors) in _encoded(network, parts):
                np.add.at(sums, owners, vectors)
                if progress is not None:
                    progress(done)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(np.divide(sums, lengths, out=sums, where=lengths > 0))


def _fitting_parts(network: PhraseNetwork, phrases: Sequence[str]) -> dict[Part, list[int]]:
    """Return parts of ``phrases`` that fit the window, each with the indices of its phrases."""
    parts: dict[tuple[int, ...], tuple[str, list[int]]] = {}
    todo = list(enumerate(phrases))
    while todo:
        longer: list[tuple[int, str]] = []
        for (owner, text), pieces in zip(todo, network.pieces([text for _, text in todo]), strict=True):
            if len(pieces) > network.window and len(text) > 1:
                longer.extend((owner, half) for half in _halves(text))
            else:
                parts.setdefault(pieces, (text, []))[1].append(owner)
        todo = longer
    return {(pieces, text): owners for pieces, (text, owners) in parts.items()}


def _halves(text: str) -> tuple[str, str]:
    """Return ``text`` cut at the white space nearest its middle, or in the middle if there is none."""
    middle = len(text) // 2
    before = max((text.rfind(space, 1, middle + 1) for space in " \n\t"), default=-1)
    after = min((gap for space in " \n\t" if (gap := text.find(space, middle, -1)) > 0), default=-1)
    gaps = [gap for gap in (before, after) if gap > 0]
    cut = min(gaps, key=lambda gap: abs(gap - middle), default=middle)
    return text[:cut], text[cut:]


def _encoded(
    network: PhraseNetwork, parts: dict[Part, list[int]]
) -> Iterator[tuple[float, tuple[list[int], FloatArray]]]:
    """Yield the finished share, phrase indices and unit vectors of their parts, in batches of similar length."""
    order = sorted(parts, key=lambda part: (len(part[0]), part[1]))
    start = 0
    while start < len(order):
        longest = len(order[min(start + _MOST_PHRASES, len(order)) - 1][0])
        batch = order[start : start + max(1, min(_MOST_PHRASES, network.most_pieces // longest))]
        start += len(batch)
        vectors = network.vectors(batch).astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        owners = [parts[part] for part in batch]
        repeated = np.repeat(np.arange(len(batch)), [len(own) for own in owners])
        yield start / len(order), ([owner for own in owners for owner in own], vectors[repeated])

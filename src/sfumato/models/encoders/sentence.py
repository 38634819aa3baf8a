"""Sentence encoders: phrases to vectors, from local files only.

The default, all-MiniLM-L6-v2, travels with the package, and its files are checked by SHA-256. Any other model is a
local folder, or a Hugging Face name whose files are on this machine already. This file opens no connection. Networks
of BERT's build answer by onnxruntime, all others by sentence-transformers.
"""

from __future__ import annotations

import json
import math
import os
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, MissingExtraError, OutputError
from sfumato.models.bert.parameters import WORD_VECTORS, Parameters, read_parameters
from sfumato.models.bert.session import Row, Session
from sfumato.models.devices import check_device, inference, on_processor
from sfumato.models.encoders.files import DEFAULT_DIMENSIONS, encoder_folder, encoder_id, verified_digest
from sfumato.models.local_files import INSTALL_TORCH, quiet
from sfumato.types import FloatArray, Progress, unit_rows

_MOST_PHRASES = 1 << 10
Part = tuple[tuple[int, ...], str]
"""The numbers of the pieces that a network reads, and their text."""


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
        return encoder_folder(self.model, "sentence encoder")

    @cached_property
    def id(self) -> str:
        """Return the name and 16 hexadecimal digits of the SHA-256 of the weights (other models: of all files)."""
        return encoder_id(self.model, self._folder)

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return DEFAULT_DIMENSIONS if self.model is None else self._network.dimensions

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
        return unit_rows(sums)


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
    gaps = [gap for space in " \n\t" for gap in (text.rfind(space, 1, middle + 1), text.find(space, middle, -1))]
    cut = min((gap for gap in gaps if gap > 0), key=lambda gap: (abs(gap - middle), gap), default=middle)
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
        vectors = unit_rows(network.vectors(batch).astype(np.float64))
        owners = [parts[part] for part in batch]
        repeated = np.repeat(np.arange(len(batch)), [len(own) for own in owners])
        yield start / len(order), ([owner for own in owners for owner in own], vectors[repeated])


class PhraseNetwork(ABC):
    """A network that turns texts into vectors.

    ``window`` is the most pieces of a text, and ``most_pieces`` of a batch, which bounds memory.
    """

    window: float
    most_pieces: ClassVar[int] = 1 << 15

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Return the length of a vector."""

    @abstractmethod
    def pieces(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the piece numbers of each text, with everything that the model adds, never truncated."""

    @abstractmethod
    def vectors(self, parts: Sequence[Part]) -> NDArray[np.float32]:
        """Return the vectors of ``parts``, shape (n, dimensions). Their lengths do not matter."""


def load_network(folder: Path, device: str | None) -> PhraseNetwork:
    """Return the encoder in ``folder``, ready to encode.

    Print nothing and open no connection. Raise MissingExtraError without the packages that it needs, and
    ConfigurationError if the model cannot be loaded.
    """
    if on_processor(device) and (mean := _mean_of_bert(folder)) is not None:
        return mean
    return SentenceTransformersNetwork(_sentence_transformer(folder, device))


@dataclass(frozen=True, eq=False)
class MeanOfBert(PhraseNetwork):
    """The mean of the states of all pieces of a text, from a network of BERT's build."""

    network: Parameters
    session: Session
    tokenizer: Any
    window: float
    most_pieces: ClassVar[int] = 1 << 11  # more do not fit into a processor's caches

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return int(self.network.weights[WORD_VECTORS].shape[1])

    def pieces(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the piece numbers of each text, with those that begin and end it."""
        return [tuple(encoding.ids) for encoding in self.tokenizer.encode_batch(list(texts))]

    def vectors(self, parts: Sequence[Part]) -> NDArray[np.float32]:
        """Return the means (n, dimensions). Raise OutputError if there is too little memory."""
        states = self.session.answer([Row(pieces, len(pieces)) for pieces, _ in parts])
        if states is None:
            raise OutputError("There is too little memory for the sentence encoder; close other programs.")
        lengths = np.array([len(pieces) for pieces, _ in parts])
        sums = np.add.reduceat(states, np.cumsum(lengths) - lengths, axis=0)
        return np.asarray(sums / lengths[:, None].astype(np.float32))


@dataclass(frozen=True, eq=False)
class SentenceTransformersNetwork(PhraseNetwork):
    """A network of the package sentence-transformers."""

    network: Any

    @property
    def window(self) -> float:  # type: ignore[override]
        """Return the most pieces of a text."""
        length = self.network.max_seq_length
        return length if isinstance(length, int) else math.inf

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        # sentence-transformers before 5.2 uses the older name
        measure = getattr(self.network, "get_embedding_dimension", None)
        return int(measure() if measure else self.network.get_sentence_embedding_dimension())

    def pieces(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the piece numbers of each text, with its prompt and everything else that the model adds."""
        prompt = self.network.prompts.get(self.network.default_prompt_name) or ""
        prompted = [prompt + text for text in texts]
        tokenizer = self.network.tokenizer
        if not callable(tokenizer):  # static models have a bare tokenizers.Tokenizer
            return [tuple(encoding.ids) for encoding in tokenizer.encode_batch(prompted)]
        if not prompted:
            return []
        read = tokenizer(prompted, truncation=False, padding=False, verbose=False)["input_ids"]
        return [tuple(pieces) for pieces in read]

    def vectors(self, parts: Sequence[Part]) -> NDArray[np.float32]:
        """Return the model's vectors (n, dimensions)."""
        texts = [text for _, text in parts]
        with inference(self.network, len(parts) * max(len(pieces) for pieces, _ in parts)):
            made = self.network.encode(texts, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(made)


def _mean_of_bert(folder: Path) -> MeanOfBert | None:
    """Return the encoder in ``folder`` if it is nothing but the mean of a network of BERT's build, else None."""
    from tokenizers import Tokenizer

    if not _is_mean(folder) or not (folder / "tokenizer.json").is_file():
        return None
    if (network := read_parameters(folder)) is None:
        return None
    try:
        settings = _json(folder / "sentence_bert_config.json")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        longest = int(settings.get("max_seq_length") or network.most)
    except Exception as error:  # the library raises whatever its parser does
        raise ConfigurationError(f"The encoder in {folder} cannot be loaded: {type(error).__name__}.") from None
    if settings.get("do_lower_case"):
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return MeanOfBert(network, Session(network), tokenizer, min(longest, network.most))


def _is_mean(folder: Path) -> bool:
    """Return whether the modules are a transformer in the folder itself, the mean, and at most a normalisation."""
    try:
        modules = _json(folder / "modules.json")
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
        pooling = _json(folder / modules[1]["path"] / "config.json")
        prompts = folder / "config_sentence_transformers.json"
        named = _json(prompts).get("default_prompt_name") if prompts.is_file() else None
        own = modules[0]["path"] == "" and (folder / "sentence_bert_config.json").is_file()
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return False
    modes = {name for name, chosen in pooling.items() if name.startswith("pooling_mode") and chosen}
    mean = modes == {"pooling_mode_mean_tokens"} or pooling.get("pooling_mode") == "mean"
    plain = own and mean and named is None
    return plain and kinds in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _sentence_transformer(folder: Path, device: str | None) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError(f"This sentence encoder needs torch; {INSTALL_TORCH}") from None
    safe: Any = {"local_files_only": True, "trust_remote_code": False}
    with quiet():
        try:
            kind = {"use_safetensors": True, "dtype": "float32"}
            network = SentenceTransformer(os.fspath(folder), device=device, model_kwargs=kind, **safe)
        except Exception as error:  # the libraries raise whatever their parsers do
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConfigurationError(f"The encoder in {folder} cannot be loaded: {reason[0]}") from error
    return network.eval()

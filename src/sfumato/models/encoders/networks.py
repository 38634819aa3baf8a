"""The networks behind a sentence encoder: BERT's build by onnxruntime, anything else by sentence-transformers."""

from __future__ import annotations

import json
import math
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, MissingExtraError, OutputError
from sfumato.models.bert.parameters import WORD_VECTORS, Parameters, read_parameters
from sfumato.models.bert.rows import Row
from sfumato.models.bert.session import Session
from sfumato.models.devices import on_processor
from sfumato.models.inference import inference
from sfumato.models.local_files import INSTALL_TORCH, quiet

Part = tuple[tuple[int, ...], str]
"""The numbers of the pieces that a network reads, and their text."""


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
            return np.asarray(
                self.network.encode(texts, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True)
            )


def _mean_of_bert(folder: Path) -> MeanOfBert | None:
    """Return the encoder in ``folder`` if it is nothing but the mean of a network of BERT's build, else None."""
    from tokenizers import Tokenizer

    if not _is_mean(folder) or not (folder / "tokenizer.json").is_file():
        return None
    network = read_parameters(folder)
    if network is None:
        return None
    try:
        settings = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
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
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
        pooling = json.loads((folder / modules[1]["path"] / "config.json").read_text(encoding="utf-8"))
        prompts = folder / "config_sentence_transformers.json"
        named = (
            json.loads(prompts.read_text(encoding="utf-8")).get("default_prompt_name") if prompts.is_file() else None
        )
        own = modules[0]["path"] == "" and (folder / "sentence_bert_config.json").is_file()
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return False
    modes = {name for name, chosen in pooling.items() if name.startswith("pooling_mode") and chosen}
    mean = modes == {"pooling_mode_mean_tokens"} or pooling.get("pooling_mode") == "mean"
    return (
        own
        and mean
        and named is None
        and kinds in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
    )


def _sentence_transformer(folder: Path, device: str | None) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError(f"This sentence encoder needs torch; {INSTALL_TORCH}") from None
    with quiet():
        try:
            network = SentenceTransformer(
                os.fspath(folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True, "dtype": "float32"},
            )
        except Exception as error:  # the libraries raise whatever their parsers do
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConfigurationError(f"The encoder in {folder} cannot be loaded: {reason[0]}") from error
    return network.eval()

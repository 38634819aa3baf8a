"""A network to be fine-tuned for a task: the body from a folder, a new head, and its tokenizer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.models.devices import check_device, usable_device
from sfumato.models.encoders.files import encoder_folder, encoder_id, verified_digest
from sfumato.models.local_files import check_numbers, read_network


@dataclass(frozen=True)
class TunableModel:
    """A transformers model for :class:`~sfumato.attacks.transformer_classifier.TransformerClassifier`.

    ``model`` is a folder or the Hugging Face name of a model already on this machine, or None for the encoder that is
    installed with sfumato (all-MiniLM-L6-v2). ``device`` is a torch device, or None to use a GPU if there is one.
    """

    model: str | None = None
    device: str | None = None

    def __post_init__(self) -> None:
        check_device(self.device)

    @cached_property
    def _folder(self) -> Path:
        return encoder_folder(self.model, "model to be tuned")

    @cached_property
    def id(self) -> str:
        """Return the name and 16 digits of the SHA-256 of its files (of the default: of the weights)."""
        return encoder_id(self.model, self._folder)

    @cached_property
    def place(self) -> str:
        """Return the device to compute on."""
        return usable_device(self.device)

    def load(self, outputs: int) -> tuple[Any, Any]:
        """Return the network and its fast tokenizer. The head, ``outputs`` scores, is random.

        The network is in float32 on its device. The head is drawn from torch's generator. Raise MissingExtraError if
        transformers or the files are missing, and ConfigurationError if they cannot be read or hold no body.
        """
        if self.model is None:
            verified_digest(self._folder)
        network, tokenizer, missing = read_network(
            self._folder, "AutoModelForSequenceClassification", "model",
            num_labels=outputs, ignore_mismatched_sizes=True, use_safetensors=True,
        )  # fmt: skip
        self._check(network, missing)
        if tokenizer.pad_token_id is None:
            if tokenizer.eos_token_id is None:
                raise ConfigurationError(
                    f"The tokenizer in {self._folder} has no piece to pad with; give another model."
                )
            tokenizer.pad_token = tokenizer.eos_token
        network.config.pad_token_id = tokenizer.pad_token_id
        return network.to(self.place), tokenizer

    def _check(self, network: Any, missing: list[str]) -> None:
        """Refuse a body without its weights, or with weights that are not numbers."""
        body = f"{network.base_model_prefix}."
        lacking = [name for name in missing if name.startswith(body) and "pooler" not in name]
        if lacking:
            raise ConfigurationError(
                f"The model in {self._folder} lacks weights ({lacking[0]} and {len(lacking) - 1} more); give another."
            )
        check_numbers(network, self._folder)

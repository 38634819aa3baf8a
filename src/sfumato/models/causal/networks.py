"""Causal torch networks: loaded safely, checked, put on a device, run piece by piece with a cache."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.models.devices import inference, usable_device
from sfumato.models.local_files import pretrained, quiet

_TRIED = 9


def loaded_causal(folder: Path, **options: Any) -> tuple[Any, Any]:
    """Return the causal model in ``folder`` and its fast tokenizer, checked.

    Opens no connection and runs no foreign code. ``options`` go to transformers, for files that are not safetensors.
    Raise MissingExtraError if transformers is missing. Raise ConfigurationError if weights are missing or are not
    numbers, or if the network is not causal.
    """
    network, tokenizer = pretrained(folder, "causal", **options)
    with quiet():
        _check_causal(PlacedCausal(network, "cpu"), folder)
    return network, tokenizer


@dataclass
class PlacedCausal:
    """A causal network on a device."""

    network: Any
    device: str
    known: frozenset[str] = field(init=False)
    """The arguments that this architecture takes."""

    def __post_init__(self) -> None:
        self.known = frozenset(inspect.signature(self.network.forward).parameters)

    def first(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Return logits (rows, pieces) after the last piece of each row, the cache, and the attention mask."""
        longest = max(map(len, rows))
        ids, seen = np.zeros((len(rows), longest), dtype=np.int64), np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, longest - len(row) :] = row
            seen[number, longest - len(row) :] = 1
        positions = np.maximum(np.cumsum(seen, axis=1) - 1, 0)
        mask = self._sent(seen)
        return *self._answer(self._sent(ids), mask, self._sent(positions), None), mask

    def next(self, rows: Sequence[Sequence[int]], cache: Any, mask: Any) -> tuple[Any, Any, Any]:
        """Return the same after one more piece a row; only that piece is computed."""
        import torch

        mask = torch.cat([mask, mask.new_ones((len(rows), 1))], dim=1)
        ids = self._sent(np.array([[row[-1]] for row in rows], dtype=np.int64))
        positions = self._sent(np.array([[len(row) - 1] for row in rows], dtype=np.int64))
        return *self._answer(ids, mask, positions, cache), mask

    def _sent(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(numbers).to(self.device)

    def _answer(self, ids: Any, mask: Any, places: Any, cache: Any) -> tuple[Any, Any]:
        arguments = {"input_ids": ids, "attention_mask": mask, "position_ids": places, "past_key_values": cache}
        arguments |= {"use_cache": True, "logits_to_keep": 1}
        with inference(self.network, ids.numel()):
            answer = self.network(**{name: value for name, value in arguments.items() if name in self.known})
        return answer.logits[:, -1], answer.past_key_values


def placed_causal(network: Any, device: str | None, number_format: str) -> PlacedCausal:
    """Return ``network`` on ``device`` (None: a GPU if there is one) in ``number_format``."""
    import torch

    target = usable_device(device)
    if number_format == "bfloat16":
        network = network.to(torch.bfloat16)
    return PlacedCausal(network.to(target), target)


def _check_causal(placed: PlacedCausal, folder: Path) -> None:
    """Refuse a network that looks ahead, or whose answer changes with the padding or the cache."""
    import torch

    count = int(placed.network.config.get_text_config().vocab_size)
    row = [(7 * position + 3) % count for position in range(_TRIED)]
    other = [*row[:-1], (row[-1] + 1) % count]
    try:
        with inference(placed.network, 2 * len(row)):
            both = placed.network(input_ids=torch.tensor([row, other])).logits[:, -2]
        plain, _, _ = placed.first([row[2:]])
        _, cache, mask = placed.first([row[2:-1], row[:-1]])
        cache.batch_select_indices(torch.tensor([0]))
        stepped, _, _ = placed.next([row[2:]], cache, mask[:1])
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        raise ConfigurationError(
            f"The model in {folder} cannot be asked piece by piece; give a causal transformer that keeps a cache."
        ) from None
    bound = 1e-3 * (1.0 + float(plain.abs().max()))
    if not float((both[0] - both[1]).abs().max()) <= bound:
        raise ConfigurationError(f"The model in {folder} looks ahead in the text; give a causal language model.")
    if not float((plain - stepped).abs().max()) <= bound:
        raise ConfigurationError(
            f"The model in {folder} answers differently with a cache or beside longer texts; give another one."
        )

"""A transformer fine-tuned to infer labels, or numbers, from texts: the strongest and slowest of the classifiers.

The attackers of the DP-MLM paper (§5.2) tune DeBERTa for five epochs. Here the caller chooses the network. Training
is seeded: the same network, texts and labels give the same guesses on the same device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attribute_inference import Classifier
from sfumato.errors import ConfigurationError, MissingExtraError, OutputError
from sfumato.models.encoders.tunable import TunableModel
from sfumato.types import FloatArray, IntArray, in_batches

_PIECES = 256  # of a text; the rest is not read
_READ_AT_ONCE = 64
_WARM = 0.1  # of all steps, at the beginning


@dataclass(frozen=True, eq=False)
class TransformerClassifier(Classifier):
    """``source`` fine-tuned on the texts, ``epochs`` times over them. ``rate`` is the highest learning rate.

    It reads the first 256 pieces of a text, ``batch`` texts at a time. It uses two folds, because every training
    takes minutes.
    """

    source: TunableModel
    name: str = "fine-tuned"
    epochs: int = 4
    rate: float = 5e-5
    batch: int = 16
    seed: int = 0
    folds: ClassVar[int] = 2
    slow: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1 or not 0 < self.rate < 1:
            raise ConfigurationError(
                "Tuning needs at least one epoch, one text in a batch, and a rate between 0 and 1."
            )

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Return a function from rows to labels, learned by cross-entropy over the labels that occur."""
        names, coded = np.unique(labels, return_inverse=True)
        scores = self._tuned(rows, coded, len(names))
        return lambda asked: np.asarray(names[scores(asked).argmax(axis=1)], dtype=np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Return a function from rows to numbers, learned by the squared error of standardised numbers."""
        middle, spread = float(numbers.mean()), float(numbers.std()) or 1.0
        scores = self._tuned(rows, ((numbers - middle) / spread).astype(np.float32), 1)
        return lambda asked: np.asarray(scores(asked)[:, 0] * spread + middle, dtype=np.float64)

    def _tuned(self, rows: Any, wanted: NDArray[Any], outputs: int) -> Callable[[Any], NDArray[Any]]:
        """Return a function from texts to scores (n, outputs)."""
        try:
            import torch
        except ImportError:
            raise MissingExtraError(
                "A fine-tuned classifier needs torch; type: pip install 'sfumato[torch]'"
            ) from None
        with _alone(self.seed, self.source.place), _enough(self.source.place):
            network, tokenizer = self.source.load(outputs)
            reader = _Reader(tokenizer, network, self.source.place)
            self._train(network, reader, reader.pieces(rows), torch.from_numpy(wanted).to(self.source.place))
        network.eval()
        return lambda asked: _scores(network, reader, asked)

    def _train(self, network: Any, reader: _Reader, texts: Sequence[Sequence[int]], wanted: Any) -> None:
        import torch

        steps = self.epochs * -(-len(texts) // self.batch)
        optimizer = torch.optim.AdamW(network.parameters(), lr=self.rate, weight_decay=0.01)
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
        loss_of = torch.nn.functional.cross_entropy if not wanted.is_floating_point() else _squared
        network.train()
        order = np.random.default_rng(self.seed)
        for _ in range(self.epochs):
            shuffled = order.permutation(len(texts)).tolist()
            for batch in in_batches(shuffled, self.batch):
                loss = loss_of(network(**reader.tensors([texts[index] for index in batch])).logits, wanted[batch])
                if not bool(torch.isfinite(loss)):
                    raise ConfigurationError("Tuning the classifier went out of bounds; give a lower rate.")
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                optimizer.step()
                rates.step()
                optimizer.zero_grad()


@dataclass(frozen=True, eq=False)
class _Reader:
    """Turns texts into the inputs of the network."""

    tokenizer: Any
    network: Any
    place: str

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the first pieces of each text, special ones included; at least one."""
        most = getattr(self.network.config, "max_position_embeddings", None) or _PIECES
        most = min(_PIECES, self.tokenizer.model_max_length, most - 2)  # some count positions from 2 on
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        read = self.tokenizer(plain, truncation=True, max_length=most, verbose=False)["input_ids"] if plain else []
        return [pieces or [self.tokenizer.pad_token_id] for pieces in read]

    def tensors(self, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Return rows padded to one length, and the mask of what is not padding."""
        import torch

        longest = max(map(len, rows))
        ids = np.full((len(rows), longest), self.tokenizer.pad_token_id, dtype=np.int64)
        seen = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)], seen[number, : len(row)] = row, 1
        arrays = {"input_ids": ids, "attention_mask": seen}
        return {name: torch.from_numpy(array).to(self.place) for name, array in arrays.items()}


def _scores(network: Any, reader: _Reader, texts: Any) -> NDArray[Any]:
    """Return scores (n, outputs) of ``texts``. Texts of similar length are read together."""
    import torch

    rows = reader.pieces(texts)
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    scores = np.zeros((len(rows), network.config.num_labels), dtype=np.float32)
    with torch.inference_mode(), _enough(reader.place):
        for batch in in_batches(order, _READ_AT_ONCE):
            tensors = reader.tensors([rows[index] for index in batch])
            scores[batch] = network(**tensors).logits.float().cpu().numpy()
    return scores


def _rate(step: int, steps: int) -> float:
    """Return the share of the highest rate: linearly up, then linearly down."""
    warm = max(1, round(_WARM * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def _squared(scores: Any, wanted: Any) -> Any:
    return ((scores[:, 0] - wanted) ** 2).mean()


@contextmanager
def _alone(seed: int, device: str) -> Iterator[None]:
    """Set torch's generators to ``seed``, and restore them afterwards."""
    import torch

    devices = [torch.cuda.current_device()] if device.startswith("cuda") else []
    with torch.random.fork_rng(devices), torch.enable_grad():
        torch.manual_seed(seed)
        yield


@contextmanager
def _enough(device: str) -> Iterator[None]:
    """Raise OutputError if the GPU runs out of memory."""
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError:
        raise OutputError(
            f"The device {device} has too little memory to tune the classifier; leave out --classifier."
        ) from None

"""A transformer tuned to read labels, or numbers, out of texts: the strongest of the classifiers, and the slowest.

The attackers of the DP-MLM paper (§5.2) tune DeBERTa for five epochs; which network is tuned here is for the caller
to say. Training is seeded: the same network, texts and labels give the same guesses on the same device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attributes import Classifier
from sfumato.errors import ConfigurationError, MissingExtraError, OutputError
from sfumato.types import FloatArray, IntArray

_PIECES = 256  # of a text; what comes behind is not read
_READ_AT_ONCE = 64
_WARM = 0.1  # of all steps, at the beginning


class Tunable(Protocol):
    """A network that can be loaded anew for every training."""

    @property
    def id(self) -> str:
        """Name and content hash."""

    @property
    def place(self) -> str:
        """The torch device that it computes on."""

    def load(self, outputs: int) -> tuple[Any, Any]:
        """The network with a new head of ``outputs`` scores on its device, and its tokenizer."""


@dataclass(frozen=True, eq=False)
class TransformerClassifier(Classifier):
    """``source`` tuned on the texts: ``epochs`` times over them, ``rate`` the highest rate of learning.

    It reads the first 256 pieces of a text. In two folds, because every training takes minutes.
    """

    source: Tunable
    name: str = "fine-tuned"
    epochs: int = 4
    rate: float = 5e-5
    batch: int = 16
    seed: int = 0
    folds: ClassVar[int] = 2
    slow: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1 or not 0 < self.rate < 1:
            raise ConfigurationError("Tuning takes at least one epoch, texts in a batch, and a rate between 0 and 1.")

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """By cross-entropy over the labels that are there."""
        names, coded = np.unique(labels, return_inverse=True)
        scores = self._tuned(rows, coded, len(names))
        return lambda asked: np.asarray(names[scores(asked).argmax(axis=1)], dtype=np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """By squared error of standardised numbers."""
        middle, spread = float(numbers.mean()), float(numbers.std()) or 1.0
        scores = self._tuned(rows, ((numbers - middle) / spread).astype(np.float32), 1)
        return lambda asked: np.asarray(scores(asked)[:, 0] * spread + middle, dtype=np.float64)

    def _tuned(self, rows: Any, wanted: NDArray[Any], outputs: int) -> Callable[[Any], NDArray[Any]]:
        """A function from texts to scores (n, outputs)."""
        try:
            import torch
        except ImportError:
            raise MissingExtraError(
                "A fine-tuned classifier needs torch; type: pip install 'sfumato[models]'"
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
        chosen = torch.optim.AdamW(network.parameters(), lr=self.rate, weight_decay=0.01)
        rates = torch.optim.lr_scheduler.LambdaLR(chosen, lambda step: _rate(step, steps))
        loss_of = torch.nn.functional.cross_entropy if not wanted.is_floating_point() else _squared
        network.train()
        order = np.random.default_rng(self.seed)
        for _ in range(self.epochs):
            shuffled = order.permutation(len(texts))
            for first in range(0, len(texts), self.batch):
                some = shuffled[first : first + self.batch]
                loss = loss_of(network(**reader.tensors([texts[at] for at in some])).logits, wanted[some])
                if not bool(torch.isfinite(loss)):
                    raise ConfigurationError("Tuning the classifier went out of bounds; give a lower rate.")
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                chosen.step()
                rates.step()
                chosen.zero_grad()


@dataclass(frozen=True, eq=False)
class _Reader:
    """Texts to what the network takes."""

    tokenizer: Any
    network: Any
    place: str

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The first pieces of each text, special ones with them; one at least."""
        most = getattr(self.network.config, "max_position_embeddings", None) or _PIECES
        most = min(_PIECES, self.tokenizer.model_max_length, most - 2)  # some count positions from 2 on
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        found = self.tokenizer(plain, truncation=True, max_length=most, verbose=False)["input_ids"] if plain else []
        return [pieces or [self.tokenizer.pad_token_id] for pieces in found]

    def tensors(self, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Rows padded to one length, and what of them is no padding."""
        import torch

        longest = max(map(len, rows))
        ids = np.full((len(rows), longest), self.tokenizer.pad_token_id, dtype=np.int64)
        seen = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)], seen[number, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": seen}
        return {name: torch.from_numpy(one).to(self.place) for name, one in given.items()}


def _scores(network: Any, reader: _Reader, texts: Any) -> NDArray[Any]:
    """Scores (n, outputs) of ``texts``, those of like length together."""
    import torch

    rows = reader.pieces(texts)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
    found = np.zeros((len(rows), network.config.num_labels), dtype=np.float32)
    with torch.inference_mode(), _enough(reader.place):
        for first in range(0, len(order), _READ_AT_ONCE):
            some = order[first : first + _READ_AT_ONCE]
            found[some] = network(**reader.tensors([rows[at] for at in some])).logits.float().cpu().numpy()
    return found


def _rate(step: int, steps: int) -> float:
    """The share of the highest rate: up in a line, then down in one."""
    warm = max(1, round(_WARM * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def _squared(scores: Any, wanted: Any) -> Any:
    return ((scores[:, 0] - wanted) ** 2).mean()


@contextmanager
def _alone(seed: int, place: str) -> Iterator[None]:
    """torch's generators at ``seed``, and put back afterwards."""
    import torch

    devices = [torch.cuda.current_device()] if place.startswith("cuda") else []
    with torch.random.fork_rng(devices), torch.enable_grad():
        torch.manual_seed(seed)
        yield


@contextmanager
def _enough(place: str) -> Iterator[None]:
    """Raises OutputError where the GPU runs out of memory."""
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError:
        raise OutputError(
            f"The device {place} has too little memory to tune the classifier; use --device cpu."
        ) from None

"""The surprise of a model at whole records, for membership inference: of a public model, or a trained one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sfumato.abstract.models import CausalModel
from sfumato.building.chat import causal_model
from sfumato.building.models import SMOLLM2
from sfumato.metrics.perplexity import surprises
from sfumato.storage.digests import digest_of_everything
from sfumato.types import FloatArray

if TYPE_CHECKING:
    from sfumato.synthesis.finetune.tuned import TunedModel

_ADAPTER = "adapter.json"


class Loss(ABC):
    """How much texts surprise a model."""

    @property
    @abstractmethod
    def id(self) -> str:
        """Return the identity of the model."""

    @abstractmethod
    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the surprise of each text in nats, and how many of its pieces are scored, shape (n,) each."""

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return the mean surprise of a piece of each text in nats, shape (n,); infinity where none is scored."""
        nats, pieces = self.read(texts)
        mean: FloatArray = np.divide(nats, pieces, out=np.full(len(texts), np.inf), where=pieces > 0)
        return mean

    def nats(self, texts: Sequence[str]) -> list[float]:
        """Return the surprise of each whole text in nats."""
        return [float(value) for value in self.read(texts)[0]]


@dataclass(frozen=True, eq=False)
class PublicLoss(Loss):
    """The surprise of a causal model, as perplexity counts it."""

    model: CausalModel

    @property
    def id(self) -> str:
        """Return the identity of the model."""
        return self.model.id

    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return nats and pieces of each text."""
        read = surprises(self.model, texts)
        return np.array([each.nats for each in read], float), np.array([each.pieces for each in read], float)


@dataclass(frozen=True, eq=False)
class TunedLoss(Loss):
    """The surprise of a model that `finetune` tuned: each text is read as in training, behind every control code.

    The least surprise counts, because the attacker does not know the code. A text is read as far as the window goes.
    """

    tuned: TunedModel
    id: str = "tuned"

    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return nats and pieces of each text and its end, behind the code at which a piece surprises least."""
        from sfumato.synthesis.finetune.rows import end_piece, prompts

        model: Any = self.tuned.model
        end = end_piece(model)
        least, pieces = np.full(len(texts), np.inf), np.ones(len(texts))
        for before in prompts(model, self.tuned.codes):
            read = [[*model.pieces(text), end][: model.window - len(before)] for text in texts]
            with self.tuned.adapter.attached():
                nats = model.nats([(before, row) for row in read])
            counts = np.array([len(row) for row in read], dtype=np.float64)
            better = np.array(nats) / counts < least / pieces
            least, pieces = np.where(better, nats, least), np.where(better, counts, pieces)
        return least, pieces


def trained_loss(name: str, base: str | None) -> Loss:
    """Return the loss of the model ``name``: a causal model, or a folder that `finetune` wrote, tuned from ``base``.

    The base is SmolLM2 unless it is named. Raise InputError for files that do not belong together, ConfigurationError
    for another base.
    """
    folder = Path(name)
    if not (folder / _ADAPTER).is_file():
        return PublicLoss(causal_model(name))
    from sfumato.synthesis.finetune.tuned import Trainable, TunedModel

    model = cast("Trainable", causal_model(base or SMOLLM2))
    return TunedLoss(TunedModel.from_saved(folder, model), trained_id(name))


def trained_id(name: str) -> str:
    """Return the identity of the model ``name``, which no other model shares."""
    folder = Path(name)
    if (folder / _ADAPTER).is_file():
        return f"{folder.name}@{digest_of_everything(folder)[:16]}"
    return causal_model(name).id

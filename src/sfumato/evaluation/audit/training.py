"""The training steps of ``finetune``, audited in one run with canaries in their gradients.

Nasr, Hayes, Steinke, Balle, Tramèr, Jagielski, Carlini, Terzis: Tight Auditing of Differentially Private Machine
Learning (USENIX Security 2023) call them Dirac canaries: units whose gradient is large in one coordinate of their
own, and zero elsewhere. They go the way of every unit: coins of Poisson sampling, clipping, sum, noise, division.
Threat model: the attacker sees every noisy sum, as the proof supposes, and scores a canary by what the sums of all
steps hold in its coordinate. So the audit tests the code that samples, clips and draws; what the texts of a tuned
model tell is less. The network is tiny and random: the guarantee holds for any network.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.evaluation.audit.one_run import OneRun, check_claim, one_run
from sfumato.privacy.accounting import GaussianNoise, smallest_sigma
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.storage.locations import temporary_folder
from sfumato.synthesis.finetune.dp_sgd import Recipe, Training
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import Row
from sfumato.types import FloatArray, Progress

_CLIP, _LARGER = 1.0, 5.0  # a canary's gradient is so many times what is allowed, so that clipping is tested too
_PIECES, _LENGTH = 64, 12


class Dirac(tuple[Row, ...]):
    """A unit whose gradient is large in one ``coordinate`` of the trained vector, and zero in all others."""

    coordinate: int

    @classmethod
    def at(cls, coordinate: int) -> Dirac:
        """Return the canary of this coordinate."""
        made = cls((Row((0,), (0,)),))
        made.coordinate = coordinate
        return made


@dataclass(eq=False)
class AuditedTraining(Training):
    """The training of ``finetune``, with canaries among its units; ``seen`` adds up what an attacker sees."""

    seen: Any = field(init=False)

    def __post_init__(self) -> None:
        import torch

        super().__post_init__()
        self.seen = torch.zeros(len(self.adapter.trained), dtype=torch.float64, device=self.adapter.vector.device)

    def _gradients(self, group: Sequence[Sequence[Row]]) -> Any:
        gradients = super()._gradients([() if isinstance(unit, Dirac) else unit for unit in group])
        for number, unit in enumerate(group):
            if isinstance(unit, Dirac):
                gradients[number, unit.coordinate] = _LARGER * _CLIP
        return gradients

    def _update(self, mean: Any) -> None:
        self.seen += mean
        super()._update(mean)


@dataclass(frozen=True)
class TrainingAudit:
    """An audit of the training steps at a claim of (``epsilon``, ``delta``).

    Attributes:
        epsilon: The claim; the noise is the smallest that the accountant allows for it.
        delta: The δ of the claim.
        canaries: How many canaries are made; each takes part by a fair coin.
        steps: Training steps.
        rate: The probability with which a unit takes part in a step.
        others: Units that are no canaries.
        confidence: That the bound is not too large.
    """

    epsilon: float = 3.0
    delta: float = 1e-5
    canaries: int = 1000
    steps: int = 40
    rate: float = 0.25
    others: int = 16
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_claim(self.epsilon, self.delta, self.canaries, self.confidence)
        if self.steps < 1 or self.others < 0 or not 0.0 < self.rate <= 1.0:
            raise ConfigurationError("Training takes one step or more, and a rate above 0 and up to 1.")

    @property
    def recipe(self) -> Recipe:
        """Return the parameters of the training, fixed before the coins are tossed."""

        def events(sigma: float) -> tuple[GaussianNoise, ...]:
            return (GaussianNoise(sigma, self.steps, self.rate),)

        sigma = smallest_sigma(events, self.epsilon, self.delta)
        batch = max(1, round(self.rate * (self.canaries / 2 + self.others)))
        return Recipe(self.steps, batch, self.rate, _CLIP, sigma, 1e-3)

    def run(self, seed: int = 0, randomness: Randomness | None = None, progress: Progress | None = None) -> OneRun:
        """Return the audit; ``seed`` tosses the coins, ``randomness`` (the system's by default) draws as in a run.

        Raise MissingExtraError without torch and transformers.
        """
        included = np.random.default_rng([seed, 29]).random(self.canaries) < 0.5
        source, recipe = randomness or SystemRandomness(), self.recipe
        scores = self._scores(recipe, included, seed, source, progress or (lambda _: None))
        setting = {**asdict(recipe), "canaries": self.canaries, "others": self.others, "randomness": source.stamp}
        return one_run(
            "training steps of finetune", scores, included, self.epsilon, self.delta, self.confidence, setting
        )

    def _scores(
        self, recipe: Recipe, included: Any, seed: int, source: Randomness, report: Callable[[float], None]
    ) -> FloatArray:
        adapter = _adapter(self.canaries, seed)
        coordinates = np.linspace(0, len(adapter.trained) - 1, self.canaries).astype(np.int64)
        units: list[Sequence[Row]] = [Dirac.at(int(place)) for place in coordinates[included]]
        units += [(row,) for row in _rows(self.others, seed)]
        with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
            training = AuditedTraining(adapter, recipe, units, Workspace(Path(folder), source, f"audit {seed}"))
            for step in range(recipe.steps):
                training.step()
                report((step + 1) / recipe.steps)
        scores: FloatArray = training.seen.cpu().numpy()[coordinates]
        return scores


def _adapter(canaries: int, seed: int) -> Adapter:
    """Return a tiny random network with at least as many trained numbers as canaries."""
    try:
        import torch
        from transformers import LlamaConfig, LlamaForCausalLM
    except ImportError:
        raise MissingExtraError("Training needs torch and transformers; type: pip install 'sfumato[torch]'") from None
    width = 32
    rank = max(2, -(-canaries // 500))  # each adds 18 · width = 576 trained numbers
    config = LlamaConfig(
        vocab_size=_PIECES, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=2 * _LENGTH,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network: Any = LlamaForCausalLM(config)
    network.eval().requires_grad_(False)
    adapter = Adapter(network, rank, 16.0)
    adapter.initialise(seed)
    return adapter


def _rows(count: int, seed: int) -> list[Row]:
    draw = np.random.default_rng([seed, 31])
    return [Row((0,), tuple(map(int, draw.integers(1, _PIECES, _LENGTH)))) for _ in range(count)]

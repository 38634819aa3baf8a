"""The training steps of ``finetune``, audited in one run with canaries in their gradients.

Nasr, Hayes, Steinke, Balle, Tramèr, Jagielski, Carlini, Terzis: Tight Auditing of Differentially Private Machine
Learning (USENIX Security 2023) call them Dirac canaries: units whose gradient is large in one coordinate of their
own, and zero elsewhere. They go the way of every unit: coins of Poisson sampling, clipping, sum, noise, division.
Threat model: the attacker sees every noisy sum, as the proof supposes, and scores a canary by what the sums of all
steps hold in its coordinate. So the audit tests the code that samples, clips and draws; what the texts of a tuned
model tell is less. The network is tiny and random: the guarantee holds for any network.

The result says what was claimed, what the guesses show, and whether they refute the claim.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.synthesizer import Workspace
from sfumato.attacks.distinguishing import Guessed, guessed, lower_bound
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.evaluation.audit.findings import PROVES
from sfumato.privacy.accounting import GaussianNoise, smallest_sigma
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.storage.locations import temporary_folder
from sfumato.synthesis.finetune.dp_sgd import Recipe, Training
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import Row
from sfumato.types import FloatArray, Progress

PARTS = (0.6, 0.3, 0.1)
"""Shares of the canaries that are guessed about: many where little noise hides them, few where much does."""
_CLIP, _LARGER = 1.0, 5.0  # a canary's gradient is so many times what is allowed, so that clipping is tested too
_PIECES, _LENGTH = 64, 12


@dataclass(frozen=True)
class OneRun:
    """The result of an audit in one run.

    Attributes:
        name: What was audited.
        claim: The ε that was claimed, in nats, for one unit more or less.
        delta: The δ that was claimed.
        outcomes: For each number of guesses, how many were right.
        confidence: With this probability the bound does not exceed the true ε, for all numbers of guesses together.
        setting: The public parameters of the run, as JSON types.
    """

    name: str
    claim: float
    delta: float
    outcomes: tuple[Guessed, ...]
    confidence: float = 0.95
    setting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bound(self) -> float:
        """Return the lower bound on ε: the best of all numbers of guesses, each with its part of the doubt."""
        return max(lower_bound(outcome, self.delta, self._each) for outcome in self.outcomes)

    @property
    def most(self) -> float:
        """Return the largest bound that so many guesses can show, where all are right."""
        return max_bound([(canaries, guesses) for canaries, guesses, _ in self.outcomes], self.delta, self._each)

    @property
    def refuted(self) -> bool:
        """Return whether the claim is refuted."""
        return self.bound > self.claim

    @property
    def remarks(self) -> list[str]:
        """Return how far the bound can be trusted, a sentence each."""
        canaries = self.outcomes[0].canaries
        return [
            f"{canaries:,} canaries, each included by a fair coin of its own, in one run.",
            f"With {self.confidence:.4g} confidence the bound is not too large; so many guesses show at most "
            f"{self.most:.3g}.",
            PROVES,
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as JSON types."""
        return {
            "audited": self.name,
            "claim": self.claim,
            "delta": self.delta,
            "confidence": self.confidence,
            "lower_bound": self.bound,
            "most_that_can_be_shown": self.most,
            "guesses": [dict(outcome._asdict()) for outcome in self.outcomes],
            "setting": dict(self.setting),
            "refuted": self.refuted,
        }

    @property
    def _each(self) -> float:
        return 1.0 - (1.0 - self.confidence) / len(self.outcomes)


def numbers_of_guesses(canaries: int) -> tuple[int, ...]:
    """Return the even numbers of guesses that are tried: :data:`PARTS` of so many canaries, each once."""
    return tuple(dict.fromkeys(max(2, 2 * round(part * canaries / 2)) for part in PARTS))


def max_bound(sizes: Sequence[tuple[int, int]], delta: float, confidence: float) -> float:
    """Return the largest bound that canaries and guesses of these ``sizes`` can show."""
    return max(lower_bound(Guessed(canaries, guesses, guesses), delta, confidence) for canaries, guesses in sizes)


def check_claim(claim: float, delta: float, canaries: int, confidence: float) -> None:
    """Refuse (ConfigurationError) a claim that so many canaries could not refute, whatever was audited."""
    if not 0.0 <= claim < float("inf"):
        raise ConfigurationError("A claim is a finite epsilon of 0 or more.")
    if canaries < 10:
        raise ConfigurationError("An audit in one run takes 10 canaries or more; 1,000 are usual.")
    sizes = [(canaries, guesses) for guesses in numbers_of_guesses(canaries)]
    most = max_bound(sizes, delta, 1.0 - (1.0 - confidence) / len(sizes))
    if claim >= most:
        raise ConfigurationError(
            f"{canaries:,} canaries show an epsilon of at most {most:.3g}, so they could not refute {claim:g}; take "
            "more canaries, or audit a smaller claim with the same code."
        )


def one_run(
    name: str, scores: FloatArray, included: NDArray[np.bool_], claim: float, delta: float = 0.0,
    confidence: float = 0.95, setting: Mapping[str, Any] | None = None,
) -> OneRun:  # fmt: skip
    """Return the audit of a run in which the canaries ``included`` (m,) took part and have these ``scores`` (m,).

    A higher score says rather that a canary took part; scores may depend on everything except the coins.
    """
    check_claim(claim, delta, len(scores), confidence)
    outcomes = tuple(guessed(scores, included, guesses) for guesses in numbers_of_guesses(len(scores)))
    return OneRun(name, claim, delta, outcomes, confidence, setting or {})


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

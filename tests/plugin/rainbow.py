"""A package that adds one of each kind to sfumato; tests/test_plugins.py installs it for a test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.abstract.synthesizer import Order, Schedule, Synthesizer, Unit, Workspace
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Study
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.metrics.estimates import mean, share
from sfumato.options.option import Option
from sfumato.privacy.accounting import GaussianNoise, smallest_sigma
from sfumato.privacy.distances import Adjacency
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon
from sfumato.privacy.sampling import LawTable, gaussian
from sfumato.text.document import Document
from sfumato.text.marks import MarkedRecord, Span, Spans
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


@dataclass(frozen=True, eq=False)
class Ladder(Mechanism):
    """Exponential in how many steps apart two tokens stand in the vocabulary; ε is per step (metric-LDP)."""

    name: ClassVar[str] = "ladder"
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    step: Annotated[int, Option("how many tokens make a step")] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))

    @property
    def _points(self) -> FloatArray:
        return np.arange(len(self.vocabulary), dtype=np.float64)[:, None] / self.step

    @cached_property
    def _weights(self) -> FloatArray:
        return np.exp(-0.5 * self.epsilon * np.abs(self._points - self._points.T))

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee("metric-LDP", self.epsilon, "one token", "any two tokens", "step", "by triangle inequality")

    @property
    def parameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "step": self.step}

    def adjacency(self) -> Adjacency:
        return Adjacency(self.covered, self._points)

    def certify(self, progress: Progress | None = None) -> Certificate:
        laws = np.log(self._weights / self._weights.sum(axis=1, keepdims=True))
        apart = np.abs(self._points - self._points.T)
        losses = np.abs(laws[:, None] - laws[None]).max(axis=2) / np.where(apart > 0, apart, np.inf)
        worst = np.unravel_index(np.argmax(losses), losses.shape)
        pair = int(worst[0]), int(worst[1])
        scale = 0.5 * self.epsilon
        return Certificate("metric-LDP", self.epsilon, float(losses.max()), "exact", scale, scale, {}, pair)

    def law(self, token: int) -> FloatArray:
        return self._weights[token] / self._weights[token].sum()

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        return LawTable.from_weights(self._weights).draw(tokens, uniforms(1)[:, 0])


@dataclass(frozen=True, eq=False)
class Sparing(DPMLM):
    """DP-MLM that says how often it was thanked."""

    name: ClassVar[str] = "sparing"
    thanks: Annotated[int, Option("how often it is thanked")] = 0

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "thanks": self.thanks}


@dataclass(frozen=True)
class Initials(SpanHeuristic):
    """Leaves the first letter of each marked text."""

    name: ClassVar[str] = "initials"
    visible: ClassVar[tuple[str, ...]] = ("the first letter of each marked text",)
    default_detector: ClassVar[str] = "shouted"
    dots: Annotated[int, Option("how many dots follow the letter")] = 1
    words: Annotated[str | None, Option("FILE of words that stay", file=True)] = None

    @property
    def parameters(self) -> dict[str, Any]:
        return {"dots": self.dots}

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        return [record_outputs for record in records for record_outputs in record.by_document(self._initials(record))]

    def _initials(self, record: MarkedRecord) -> list[str]:
        return [text[0] + "." * self.dots for text in record.texts]


@dataclass(frozen=True)
class Shouted(Detector):
    """Words in capitals."""

    least: Annotated[int, Option("letters that a word has at least")] = 2
    words: Annotated[str | None, Option("FILE of words that are none", file=True)] = None

    @property
    def description(self) -> str:
        return "words in capitals"

    @property
    def unprotected(self) -> str:
        return "all other words"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        words = re.compile(rf"\b[A-Z]{{{self.least},}}\b")
        return [
            Spans.of([Span(*match.span(), "SHOUT") for match in words.finditer(document.text)])
            for document in documents
        ]


@dataclass(frozen=True)
class Copied(Measure):
    """An attack: which texts were released as they were?"""

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        same = sum(before == after for before, after in zip(pairs.originals, pairs.texts, strict=True))
        return Study("copied", [Figure("released as they were", share(same, len(pairs)), private="low")])


@dataclass(frozen=True)
class Lengths(Measure):
    """A metric: how much longer releases are."""

    seed: int = 0

    @classmethod
    def of(cls, bench: Bench) -> Lengths:
        return cls(bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        more = [float(len(after) - len(before)) for before, after in zip(pairs.originals, pairs.texts, strict=True)]
        return Study("lengths", [Figure("more characters", mean(more, self.seed))])


@dataclass(frozen=True)
class Tally(Synthesizer):
    """Writes how many units there are, with noise."""

    name: ClassVar[str] = "tally"
    proof: ClassVar[str] = "a Gaussian sum"
    digits: Annotated[int, Option("how many digits are written")] = 3

    def schedule(self, order: Order) -> Schedule:
        sigma = smallest_sigma(lambda sigma: (GaussianNoise(sigma),), order.epsilon or 1.0, order.delta)
        return Schedule((GaussianNoise(sigma),))

    def prepare(self, progress: Progress | None = None) -> None:
        pass

    def synthesize(
        self, order: Order, schedule: Any, units: Sequence[Unit], wanted: Sequence[int], workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:  # fmt: skip
        noise = schedule.events[0].sigma * gaussian(workspace.uniforms("tally", 0, 1))[0]
        yield from (f"{len(units) + noise:0{self.digits}.0f} came" for _ in wanted)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"digits": self.digits}

"""A small encoder, a chat model that writes about public things, and private units."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.privacy.randomness import SystemRandomness
from sfumato.synthesis.evolve.method import Evolve

THINGS = "apple bread chair door eagle fence glove house ice jam kite lamp moon nest oak pear".split()


@dataclass(frozen=True)
class Words:
    """Vectors of words, hashed into 64 directions. Public and deterministic, as a sentence encoder is."""

    dimensions: int = 64

    @property
    def id(self) -> str:
        return "words@1"

    def encode(self, phrases: Sequence[str], progress: Any = None) -> Any:
        vectors = np.zeros((len(phrases), self.dimensions))
        for row, phrase in zip(vectors, phrases, strict=True):
            for word in re.findall(r"\w+", phrase.casefold()):
                row[hashlib.sha256(word.encode("utf-8", "replace")).digest()[0] % self.dimensions] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths, out=vectors, where=lengths > 0)


def invented(question: Question) -> str | None:
    """An answer of public words alone that no other question gets: it may repeat words of the text to be varied."""
    digest = hashlib.sha256(repr(question).encode()).digest()
    kept = question.user.partition("Text: ")[2].rstrip(".").split()[:3]
    return " ".join([*kept, *(THINGS[byte % len(THINGS)] for byte in digest[:5])]) + "."


@dataclass(frozen=True)
class Bench:
    """Everything a run needs, and what the model was asked."""

    method: Evolve
    chat: ScriptedChat
    order: Order
    workspace: Workspace

    def run(self, units: Sequence[Unit], wanted: Sequence[int] = (0,) * 6) -> list[str]:
        schedule = self.method.schedule(self.order)
        return list(self.method.synthesize(self.order, schedule, units, wanted, self.workspace))


Make = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> Make:
    def make(
        codes: Sequence[str] = ("",),
        epsilon: float | None = 4.0,
        script: Callable[[Question], str | None] = invented,
        randomness: Any = None,
        texts_per_unit: int = 1,
        encoder: Any = None,
        units: int = 200,
        **options: Any,
    ) -> Bench:
        chat = ScriptedChat(script)
        chosen = {"rounds": 3, "candidates": 8, **options}
        method = Evolve(ChatUse(chat), encoder or Words(), **chosen)
        order = Order(tuple(codes), units, texts_per_unit, 6, epsilon, 1e-5)
        return Bench(method, chat, order, Workspace(tmp_path, randomness or SystemRandomness()))

    return make


def people(count: int, codes: int = 1, texts: int = 1) -> list[Unit]:
    """So many units, each of whose texts holds a word that nobody else has."""
    return [
        Unit(
            tuple(f"{THINGS[(n + k) % 16]} {THINGS[(3 * n + k) % 16]} canary{n}x{k}" for k in range(texts)),
            tuple((n + k) % codes for k in range(texts)),
        )
        for n in range(count)
    ]

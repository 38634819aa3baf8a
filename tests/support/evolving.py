"""A small encoder, a chat model that writes about public things, and private units."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.synthesis.evolve.method import Evolve

THINGS = (
    "apple", "bread", "chair", "door", "eagle", "fence", "glove", "house",
    "ice", "jam", "kite", "lamp", "moon", "nest", "oak", "pear",
)  # fmt: skip


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
    kept = question.user.partition(":\n\n")[2].rstrip(".").split()[:6]
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


def people(count: int, codes: int = 1, texts: int = 1) -> list[Unit]:
    """So many units, each of whose texts holds a word that nobody else has."""
    return [
        Unit(
            tuple(f"{THINGS[(n + k) % 16]} {THINGS[(3 * n + k) % 16]} canary{n}x{k}" for k in range(texts)),
            tuple((n + k) % codes for k in range(texts)),
        )
        for n in range(count)
    ]

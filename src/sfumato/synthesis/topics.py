r"""Topics: control codes for texts without labelled fields, read off each text by public means.

After CTCL (Tan et al., *Synthesizing Privacy-Preserving Text Data via Finetuning without Finetuning Billion-Scale
LLMs*, ICML 2025, arXiv 2503.12347), whose topics are clusters of Wikipedia with their keywords. Ours are short
phrases of our own, which ship with the package; the embedded sentence encoder decides which one a text is near to.

Claim. Choosing the topics of a run is one Gaussian mechanism of σ at rate 1, whatever the texts are.

Proof. The list of K topics and the encoder are public, so the topic nearest to a text is a function of that text
alone. A unit with n texts that hold a word adds 1/n to the count of the topic nearest to each. What it adds has norm
1 in L1, so at most 1 in the Euclidean norm. The K counts with independent normal noise of σ each are therefore the
Gaussian mechanism of noise multiplier σ for one unit more or less. Which topics are kept depends on the K noisy
counts and on public numbers, so it is post-processing. After that a text has the topic nearest to it among the kept
ones: a function of the text, of what was released, and of what is public. Mechanisms that read this code (the counts
of codes, training, votes) compose adaptively with the choice, and are paid for on their own. ∎

A topic is kept if its noisy count is among the ``most`` largest and exceeds σ·√(2·ln K), above which the noise of K
empty topics rarely gets (Donoho and Johnstone 1994). Otherwise noise would spread records over topics that nobody
writes about. If fewer than two are so many, the two with the largest noisy counts are kept: a run that failed because
of its counts, and counted again, would have chosen among draws.

Differences from CTCL: the noise is accounted together with the rest of the run; the unit may be a person; rare topics
are dropped by their noisy counts; the shares of the kept topics are counted a second time, with noise of their own,
because the texts of dropped topics go to the nearest that was kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.sampling import gaussian
from sfumato.synthesis.codes import OTHER, counts_of
from sfumato.synthesis.vectors import has_words, vector_of
from sfumato.types import FloatArray, IntArray, Progress, in_batches

TOPIC = "topic"
"""The name of the code, and of the field of the synthetic records."""
_LEAST = 2


@dataclass(frozen=True, eq=False)
class Topics:
    """A public list of topics as ``phrases``, of which a run keeps at most ``most``.

    Raise ConfigurationError if ``most`` is less than two or more than there are.
    """

    phrases: tuple[str, ...]
    most: int
    encoder: Encoder = field(default_factory=SentenceEncoder, repr=False)

    def __post_init__(self) -> None:
        if not _LEAST <= self.most <= len(self.phrases):
            raise ConfigurationError(
                f"topics is a number from {_LEAST} to {len(self.phrases)}, as many public topics as there are, "
                f"not {self.most}."
            )

    @classmethod
    def shipped(cls, most: int) -> Topics:
        """Return the topics that ship with sfumato."""
        content = (resources.files("sfumato") / "data" / "topics.txt").read_text(encoding="utf-8")
        return cls(tuple(content.splitlines()), most)

    @property
    def longest(self) -> tuple[str, ...]:
        """Return the longest phrases, as many as a run keeps at most: what a model's window must have room for."""
        return tuple(sorted(self.phrases, key=len, reverse=True)[: self.most])

    @cached_property
    def vectors(self) -> FloatArray:
        """Return the vectors of the phrases, shape (K, D).

        Raise MissingExtraError or ConfigurationError if the encoder is not there.
        """
        return self.encoder.encode(self.phrases)

    def limit(self, sigma: float | None) -> float:
        """Return the noisy count above which a topic is kept; 0 without noise."""
        return (sigma or 0.0) * math.sqrt(2.0 * math.log(len(self.phrases)))

    def as_dict(self) -> dict[str, Any]:
        """Return what decides the topic of a text, as JSON types."""
        digest = hashlib.sha256("\n".join(self.phrases).encode()).hexdigest()
        return {"of": len(self.phrases), "list_sha256": digest, "most": self.most, "encoder": self.encoder.id}


@dataclass(frozen=True, eq=False)
class TextVectors:
    """The vector of each text of each unit, None for a text without a word. PRIVATE: held in memory alone."""

    topics: Topics
    units: Sequence[Sequence[FloatArray | None]] = field(repr=False)

    @classmethod
    def of(cls, topics: Topics, units: Sequence[Sequence[str]], progress: Progress | None = None) -> TextVectors:
        """Return the vectors of the texts of ``units``. Raise InputError, which names a place, if one fails."""
        made = [
            [vector_of(text, topics.encoder, number) if has_words(text) else None for text in texts]
            for [(number, texts)] in in_batches(list(enumerate(units)), 1, progress)
        ]
        return cls(topics, made)

    @property
    def counts(self) -> FloatArray:
        """Return how many units are nearest to each topic, shape (K,); the texts of a unit share its 1."""
        every = np.arange(len(self.topics.phrases))
        near = [self._nearest(unit, every) for unit in self.units]
        return counts_of([Unit(("",) * len(topics), tuple(topics)) for topics in near], len(every))

    def chosen(self, sigma: float | None, workspace: Workspace) -> list[int]:
        """Return the indices of the topics that are kept, in the order of the list.

        A Gaussian mechanism of ``sigma`` at rate 1. ``sigma`` None: without noise.
        """
        counts = self.counts
        if sigma is not None:
            counts = counts + sigma * gaussian(workspace.uniforms("topics", 0, len(counts)))
        return kept(counts, self.topics.most, self.topics.limit(sigma))

    def named(self, chosen: Sequence[int]) -> list[list[str]]:
        """Return the topic of each text of each unit among the ``chosen``; OTHER for a text without a word."""
        among = np.array(chosen)
        rows = []
        for unit in self.units:
            near = iter(self._nearest(unit, among))
            rows.append([OTHER if vector is None else self.topics.phrases[next(near)] for vector in unit])
        return rows

    def _nearest(self, unit: Sequence[FloatArray | None], among: IntArray) -> list[int]:
        """Return the index of the nearest topic ``among`` these, for each text of a unit that has a vector."""
        candidates = self.topics.vectors[among]
        return [
            int(among[np.argmin(((candidates - vector) ** 2).sum(axis=1))]) for vector in unit if vector is not None
        ]


def kept(counts: FloatArray, most: int, limit: float) -> list[int]:
    """Return which topics are kept by their noisy ``counts``: at most ``most``, above ``limit``, and two at least."""
    order = np.argsort(-counts, kind="stable")[:most]
    above = [int(index) for index in order if counts[index] > limit]
    return sorted(above if len(above) >= _LEAST else map(int, order[:_LEAST]))


def described(topics: Topics, chosen: Sequence[str], noisy: bool) -> Mapping[str, Any]:
    """Return what a statement says of the ``chosen`` topics, as JSON types."""
    how = "chosen from a public list by a noisy count" if noisy else "chosen from a public list by an exact count"
    return {"values": list(chosen), "source": how, **topics.as_dict()}

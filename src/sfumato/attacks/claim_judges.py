"""What a retrieved record discloses beyond background knowledge: every new claim is judged against the record.

Paper: A False Sense of Privacy (§2, Appendix G.4): a language model says whether the record holds a claim (1, the
same information), something like it (2), or nothing of it (3); normalised to 0, 0.5 and 1, so that 1 is private. Any
:class:`Judge` can take that judge's place. Two judges here need no language model: sentence embeddings, and the share
of a claim's words (lexical). Paraphrase misleads the lexical judge, and embeddings less. A third judge asks an
entailment model, which is made for that question. Sentence embeddings measure only closeness of topic: to them "he
smokes" and "he does not smoke" are nearly the same.

Claims are of kinds: the paper's 24 of patients and 16 of chats (Appendix D.2, Table 7), whose names are kept. The
paper asks a language model. Here a claim goes to the kind whose descriptions are nearest by sentence embedding. That
is rough: a claim has at most one kind, and a claim that is near in topic is not always of the kind.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError
from sfumato.language.en.words import content_words
from sfumato.models.entailment import EntailmentModel
from sfumato.types import Progress

SAME, SIMILAR = 0.80, 0.55
"""Cosine of all-MiniLM-L6-v2 from which a claim counts as stated, and as stated in part."""
_MARK = re.compile(r"\[[A-Z][A-Z0-9_ -]*\]|<[A-Z][A-Z0-9_]*>|\*{2,}|█+")
"""The placeholders that tools leave for removed text."""


class Judge(ABC):
    """Judges how far records support claims: 0 the same information, 0.5 something like it, 1 nothing (private)."""

    name: str

    @abstractmethod
    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Return a distance for each claim against its record, which is given as its claims (sentences).

        ``claims`` and ``records`` have the same length. A distance is None if the judge gave no readable answer.
        ``progress`` receives the finished share.
        """


@dataclass(frozen=True, eq=False)
class EmbeddingJudge(Judge):
    """The best cosine of a claim and any claim of the record, on the three-point scale.

    Placeholders in the record ([NAME], <DATE>, ****) are skipped, as a reader skips them, unless ``marks`` says to
    read them as words.
    """

    encoder: Encoder
    name: str = "embeddings"
    marks: bool = False

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Return distances on the three-point scale. Each distinct claim is encoded once."""
        return stepped(self.similarities(claims, records, progress))

    def similarities(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float]]:
        """Return the best cosine for each claim, 0 against an empty record."""
        if not self.marks:
            records = [[bare for sentence in record if (bare := without_marks(sentence))] for record in records]
        texts = list(dict.fromkeys(text for group in (claims, records) for own in group for text in own))
        vectors = self.encoder.encode(texts, progress)
        index = {text: number for number, text in enumerate(texts)}
        similarities = []
        for own, record in zip(claims, records, strict=True):
            if not own or not record:
                similarities.append([0.0] * len(own))
                continue
            cosines = vectors[[index[claim] for claim in own]] @ vectors[[index[claim] for claim in record]].T
            similarities.append([max(0.0, float(cosine)) for cosine in cosines.max(axis=1)])
        return similarities


def without_marks(text: str) -> str:
    """Return ``text`` without placeholders; empty if it holds nothing else."""
    if not _MARK.search(text):
        return text
    bare = " ".join(_MARK.sub(" ", text).split())
    return bare if any(sign.isalnum() for sign in bare) else ""


def stepped(similarities: Sequence[Sequence[float]]) -> list[list[float | None]]:
    """Return similarities on the three-point scale: 0 the same, 0.5 something like it, 1 nothing."""
    return [[0.0 if value >= SAME else 0.5 if value >= SIMILAR else 1.0 for value in own] for own in similarities]


@dataclass(frozen=True, eq=False)
class LexicalJudge(Judge):
    """One minus the share of a claim's words (stop words aside) that the record holds."""

    name: str = "words"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Return distances between 0 and 1 without steps."""
        distances: list[list[float | None]] = []
        for own, record in zip(claims, records, strict=True):
            present = {word for sentence in record for word in content_words(sentence)}
            rows = [set(content_words(claim)) for claim in own]
            distances.append([1.0 - len(row & present) / len(row) if row else 1.0 for row in rows])
        return distances


@dataclass(frozen=True, eq=False)
class EntailmentJudge(Judge):
    """One minus the probability that a claim follows from the record; 1 against an empty record."""

    model: EntailmentModel

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return the name, which includes the model's."""
        return f"entailment by {self.model.id}"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Return distances between 0 and 1 without steps."""
        pairs = [(record, claim) for own, record in zip(claims, records, strict=True) if record for claim in own]
        chances = iter(self.model.entailed([record for record, _ in pairs], [claim for _, claim in pairs], progress))
        return [
            [1.0 - next(chances) if record else 1.0 for _ in own] for own, record in zip(claims, records, strict=True)
        ]


Kinds = Sequence[tuple[str, str]]
"""The name of each kind and a description of what belongs to it."""

SETS = ("clinical", "chat")
NEAR = 0.28
"""The threshold of a kind: the mean of a claim's best and mean cosine (all-MiniLM-L6-v2)."""


def kinds(name: str) -> list[tuple[str, str]]:
    """Return the ``clinical`` or ``chat`` kinds. Raise ConfigurationError for another name."""
    if name not in SETS:
        raise ConfigurationError(f"There are no kinds {name!r}; choose from {', '.join(SETS)}.")
    text = (resources.files("sfumato") / "data" / f"kinds_{name}.json").read_text(encoding="utf-8")
    return [(kind, about) for kind, about in json.loads(text)]


class Sorter(Protocol):
    """Sorts claims into kinds."""

    def of(self, claims: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...] | None]:
        """Return the kinds of each claim; None if there is no answer."""


@dataclass(frozen=True, eq=False)
class EmbeddedSorter:
    """The kind that is nearest by ``encoder``, if it is at least as near as ``near``; a rough answer."""

    encoder: Encoder
    kinds: Kinds
    near: float = NEAR

    def of(self, claims: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...] | None]:
        """Return one kind or none for each claim."""
        names = [name for name, _ in self.kinds]
        if not claims or not names:
            return [() for _ in claims]
        phrases = [_phrases(kind) for kind in self.kinds]
        described = self.encoder.encode([phrase for own in phrases for phrase in own])
        cosines = self.encoder.encode(claims, progress) @ described.T
        cuts = np.cumsum([len(own) for own in phrases])[:-1]
        by_kind = np.stack([(own.max(axis=1) + own.mean(axis=1)) / 2 for own in np.split(cosines, cuts, axis=1)], 1)
        best = by_kind.argmax(axis=1)
        return [(names[kind],) if row[kind] >= self.near else () for row, kind in zip(by_kind, best, strict=True)]


def _phrases(kind: tuple[str, str]) -> list[str]:
    """Return the phrases of a kind: its name, its description, and each thing that the description lists."""
    name, about = kind
    listed = [part.strip() for part in about.replace(":", ",").split(",")]
    return list(dict.fromkeys([name.replace("_", " ").lower(), about, *(part for part in listed if part)]))

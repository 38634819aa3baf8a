"""What a retrieved record tells beyond what was known: every claim not held is judged against it.

Paper: A False Sense of Privacy (§2, Appendix G.4): a language model says whether a claim stands in the record
(1, the same information), something like it does (2), or nothing (3); normalised to 0, 0.5 and 1, so that 1 is
private. Beside that judge, which any :class:`Judge` can be, stand two that need no language model: sentence
embeddings, and the share of a claim's words (lexical), which paraphrase fools and embeddings less.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.models import Encoder
from sfumato.text.stop_words import content_words
from sfumato.types import Progress

SAME, SIMILAR = 0.80, 0.55
"""Cosine of all-MiniLM-L6-v2 from which a claim counts as stated, and as stated in part."""
_MARK = re.compile(r"\[[A-Z][A-Z0-9_ -]*\]|<[A-Z][A-Z0-9_]*>|\*{2,}|█+")
"""What tools put in place of what they remove."""


class Judge(ABC):
    """Says how far records support claims: 0 the same information, 0.5 something like it, 1 nothing (private)."""

    name: str

    @abstractmethod
    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """A distance for each claim against the record beside it; a record is given as its claims (sentences).

        None where the judge gave no readable answer.
        """


@dataclass(frozen=True, eq=False)
class EmbeddingJudge(Judge):
    """The best cosine of a claim and any claim of the record, on the three-point scale.

    Placeholders in the record ([NAME], <DATE>, ****) are passed over, as a reader does it, unless ``marks`` are to be
    read as words.
    """

    encoder: Encoder
    name: str = "embeddings"
    marks: bool = False

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Encodes each distinct claim once."""
        return stepped(self.similarities(claims, records, progress))

    def similarities(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float]]:
        """The best cosine for each claim, 0 against an empty record."""
        if not self.marks:
            records = [[bare for one in record if (bare := _unmarked(one))] for record in records]
        texts = list(dict.fromkeys(one for group in (claims, records) for own in group for one in own))
        vectors = self.encoder.encode(texts, progress)
        at = {text: number for number, text in enumerate(texts)}
        found = []
        for own, record in zip(claims, records, strict=True):
            if not own or not record:
                found.append([0.0] * len(own))
                continue
            cosines = vectors[[at[one] for one in own]] @ vectors[[at[one] for one in record]].T
            found.append([max(0.0, float(one)) for one in cosines.max(axis=1)])
        return found


def _unmarked(text: str) -> str:
    """``text`` without placeholders; empty where nothing else stands in it."""
    if not _MARK.search(text):
        return text
    bare = " ".join(_MARK.sub(" ", text).split())
    return bare if any(sign.isalnum() for sign in bare) else ""


def stepped(similarities: Sequence[Sequence[float]]) -> list[list[float | None]]:
    """Similarities on the three-point scale: 0 the same, 0.5 something like it, 1 nothing."""
    return [[0.0 if one >= SAME else 0.5 if one >= SIMILAR else 1.0 for one in own] for own in similarities]


@dataclass(frozen=True, eq=False)
class LexicalJudge(Judge):
    """One minus the share of a claim's words (stop words aside) that the record holds."""

    name: str = "words"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Between 0 and 1 without steps."""
        found: list[list[float | None]] = []
        for own, record in zip(claims, records, strict=True):
            there = {word for one in record for word in content_words(one)}
            rows = [set(content_words(one)) for one in own]
            found.append([1.0 - len(row & there) / len(row) if row else 1.0 for row in rows])
        return found

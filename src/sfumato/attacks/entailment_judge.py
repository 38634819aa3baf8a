"""A judge by entailment: does the record found, taken as true, make a claim true?

An entailment model is made for that question. Sentence embeddings measure only closeness of topic: to them "he
smokes" and "he does not smoke" are nearly the same. Distance is one minus the probability of entailment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sfumato.attacks.claim_judges import Judge
from sfumato.types import Progress


class Entails(Protocol):
    """A model of entailment."""

    @property
    def id(self) -> str:
        """Return the name and content hash of the model."""

    def entailed(
        self, premises: Sequence[Sequence[str]], hypotheses: Sequence[str], progress: Progress | None = None
    ) -> list[float]:
        """Return the probability that each hypothesis follows from its premise, a list of sentences.

        ``premises`` and ``hypotheses`` have the same length. ``progress`` receives the finished share.
        """


@dataclass(frozen=True, eq=False)
class EntailmentJudge(Judge):
    """One minus the probability that a claim follows from the record; 1 against an empty record."""

    model: Entails

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

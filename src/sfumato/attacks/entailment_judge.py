"""A judge by entailment: does the record found, taken as true, make a claim true?

An entailment model is made for that question, where sentence embeddings say only what is near in topic: to them "he
smokes" and "he does not smoke" are nearly one. Distance is one minus the probability of entailment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sfumato.attacks.claim_judges import Judge
from sfumato.types import Progress


class Entails(Protocol):
    """A model of what follows from what."""

    @property
    def id(self) -> str:
        """Name and content hash of the model."""

    def entailed(
        self, premises: Sequence[Sequence[str]], hypotheses: Sequence[str], progress: Progress | None = None
    ) -> list[float]:
        """The probability that each hypothesis follows from the premise (some sentences) beside it."""


@dataclass(frozen=True, eq=False)
class EntailmentJudge(Judge):
    """One minus the probability that a claim follows from the record; 1 against an empty record."""

    model: Entails

    @property
    def name(self) -> str:  # type: ignore[override]
        """Which model."""
        return f"entailment by {self.model.id}"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Between 0 and 1 without steps."""
        asked = [(record, claim) for own, record in zip(claims, records, strict=True) if record for claim in own]
        found = iter(self.model.entailed([record for record, _ in asked], [claim for _, claim in asked], progress))
        return [
            [1.0 - next(found) if record else 1.0 for _ in own] for own, record in zip(claims, records, strict=True)
        ]

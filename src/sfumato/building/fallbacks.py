"""How often a policy cannot read what is marked, so that a public stand-in replaces it: "[DATE]", "London".

Counts alone leave this module: no text, and nothing that says which mark it was. They depend on private texts, so
they are for the holder of the texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.abstract.kind import Kind
from sfumato.building.policies import parting_of
from sfumato.policy.policy import Policy
from sfumato.text.marks import MarkedRecord


@dataclass(frozen=True)
class Fallbacks:
    """Counts of marks by kind: all of them, and those that could not be read."""

    marks: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)

    def share(self, kind: str | None = None) -> float:
        """Return which share of the marks, or of those of ``kind``, could not be read; 0 without marks."""
        unread, marks = (counts.total() if kind is None else counts[kind] for counts in (self.unread, self.marks))
        return unread / marks if marks else 0.0


def fallbacks(policy: Policy, kinds: Mapping[str, Kind], records: Sequence[MarkedRecord]) -> Fallbacks:
    """Return how many marks of ``records`` the ``kinds`` of ``policy`` cannot read.

    A mark is not read if a draw or a shift replaces its kind and the kind's reader gives nothing for it, or if no
    treatment names its kind or label. A kind that does not look at its values reads all of them.
    """
    counted, parting = Fallbacks(), parting_of(policy, kinds)
    for record in records:
        for text, kind in zip(record.texts, record.labels, strict=True):
            counted.marks[kind] += 1
            counted.unread[kind] += parting.is_unread(kind, text)
    return counted

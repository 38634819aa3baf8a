"""What a policy does with a mark: the page names the kind as the policy and the statement do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sfumato.building.policies import KindOf, kind_of
from sfumato.kinds.labels import candidates
from sfumato.kinds.registry import kinds_of
from sfumato.policy.policy import Policy
from sfumato.policy.suitability import KINDS


class Treated(NamedTuple):
    """The kind of a mark, and the mechanism or method that replaces it; ``keep`` if a release shows the text."""

    kind: str
    treatment: str = ""

    @property
    def stays(self) -> bool:
        """Return whether a release shows the text as it is."""
        return self.treatment == "keep"


TreatmentOf = Callable[[str, str], Treated]
"""Takes the label of a mark and its text."""


def family_of(label: str) -> str:
    """Return the kind whose colour a mark with ``label`` has, also if a policy treats the label by itself."""
    return candidates(label)[-1]


def by_label(label: str, _text: str) -> Treated:
    """Return the usual kind of ``label``, without a policy."""
    return Treated(family_of(label))


@dataclass(frozen=True)
class ByPolicy:
    """The treatments of ``policy``: what a release does with a mark follows from its label and its text."""

    policy: Policy
    _kind_of: KindOf = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_kind_of", kind_of(self.policy, kinds_of(options=self.policy.kinds)))

    def __call__(self, label: str, text: str) -> Treated:
        """Return the kind of a mark, or its label if the policy names it, and the treatment."""
        return self._treated(self._kind_of(label, text))

    @property
    def names(self) -> list[str]:
        """Return every kind, and the labels that the policy treats by themselves."""
        return list(dict.fromkeys([*KINDS, *(label for rule in self.policy.treat for label in rule.labels)]))

    def as_facts(self) -> list[dict[str, Any]]:
        """Return what the page offers to mark, and what becomes of it."""
        every = [self._treated(name) for name in self.names]
        return [{**each._asdict(), "stays": each.stays, "family": family_of(each.kind)} for each in every]

    def _treated(self, kind: str) -> Treated:
        rule = self.policy.treatment_of_label(kind) or self.policy.treatment_of(kind)
        return Treated(kind, rule.name)

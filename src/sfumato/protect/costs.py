"""What a run would cost, before anything is drawn: values by kind, and the most that a record pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sfumato.building.policies import build_policy
from sfumato.policy.wording import in_words
from sfumato.protect.attacking import read_originals
from sfumato.protect.marked import marked
from sfumato.protect.request import Request
from sfumato.types import Stages, silent


@dataclass(frozen=True)
class Cost:
    """One kind: how many values there are, the most in one text, how each is treated, and the sum of its ε."""

    kind: str
    values: int
    largest: int
    treatment: str
    epsilon: float | None

    @property
    def sentence(self) -> str:
        """Return the cost in words."""
        sums = "" if self.epsilon is None else f"; at most {self.largest} x {self.epsilon:.4g} for one record"
        return f"{self.kind}: {self.values:,} values ({self.treatment}){sums}"


@dataclass(frozen=True)
class Costs:
    """What a run over so many ``records`` would draw."""

    records: int
    kinds: Sequence[Cost]

    def lines(self) -> Iterator[str]:
        """Yield the costs in words."""
        yield f"{self.records:,} texts. Nothing was drawn."
        yield from (cost.sentence for cost in self.kinds)

    def as_json(self) -> dict[str, Any]:
        """Return the costs for a program."""
        return {"texts": self.records, "kinds": [vars(cost) for cost in self.kinds]}


def costs(request: Request, stages: Stages | None = None) -> Costs:
    """Return what ``request`` would cost: an upper bound, as values that are drawn once count each time here."""
    stages = stages or silent
    sanitizer = build_policy(request.policy, progress=partial(stages, "Preparing"))
    originals = read_originals(request.input, replace(request.files, adjustable=False))
    found = marked(sanitizer, originals.documents, partial(stages, "Looking for values"))
    total, largest = Counter[str](), Counter[str]()
    for record in (*found.replaced, *found.kept):
        for kind, values in record.items():
            total[kind] += len(values)
            largest[kind] = max(largest[kind], len(values))
    kinds = []
    for kind, count in total.most_common():
        rule = request.policy.treatment_of_label(kind) or request.policy.treatment_of(kind)
        epsilon = rule.epsilon_per_unit if rule.has_guarantee else None
        kinds.append(Cost(kind, count, largest[kind], in_words(rule), epsilon))
    return Costs(len(originals), kinds)

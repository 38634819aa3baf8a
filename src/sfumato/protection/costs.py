"""What a run would cost and what its limits need, before anything is drawn.

Costs are values by kind, and what the person pays who pays most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sfumato.abstract.detector import Around
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.policies import build_policy
from sfumato.policy.wording import in_words
from sfumato.protection.needs import Need, checked_needs
from sfumato.protection.originals import Originals, batches, marked, read_originals
from sfumato.protection.request import Request, check_input
from sfumato.protection.reviewing import review_of
from sfumato.run.synthesize_file import planned_by
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans
from sfumato.types import Stages, silent


@dataclass(frozen=True)
class Cost:
    """One kind: how many values there are, how they are treated, and the ε of a draw with the most draws of a payer.

    Attributes:
        kind: The kind.
        values: How many values of it are marked.
        draws: The most draws that a record pays for, or a person if a field names people; 0 without a guarantee.
        payer: Who pays: a record or a person.
        treatment: How the values are treated, in words.
        epsilon: The ε of a draw; None without a guarantee.
    """

    kind: str
    values: int
    draws: int
    payer: str
    treatment: str
    epsilon: float | None

    @property
    def sentence(self) -> str:
        """Return the cost in words."""
        told = f"{self.kind}: {self.values:,} values ({self.treatment})"
        if not self.epsilon:
            return told
        return f"{told}; {self.draws} x {self.epsilon:.4g} at most for one {self.payer}"


@dataclass(frozen=True)
class Costs:
    """What a run over so many ``records`` would draw, or what their ``synthesis`` would do, in words."""

    records: int
    kinds: Sequence[Cost]
    needs: Sequence[Need] = ()
    synthesis: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """Yield the costs in words."""
        yield f"{self.records:,} texts. Nothing was drawn."
        yield from (cost.sentence for cost in self.kinds)
        yield from self.synthesis
        yield from (f"{need.sentence}." for need in self.needs)

    def as_json(self) -> dict[str, Any]:
        """Return the costs for a program."""
        needs = [need.as_json() for need in self.needs]
        facts = {"texts": self.records, "kinds": [vars(cost) for cost in self.kinds], "needs": needs}
        return {**facts, "synthesis": list(self.synthesis)} if self.synthesis else facts


def costs(request: Request, stages: Stages | None = None) -> Costs:
    """Return what ``request`` would cost, as a ledger would reserve it for the same marks, and what limits need."""
    stages = stages or silent
    check_input(request)
    if request.policy.synthesize:
        return _of_synthesis(request)
    sanitizer = build_policy(request.drawn_by, progress=partial(stages, "Preparing"))
    review = review_of(request, sanitizer.detector)
    finder = _Once(sanitizer.detector if review is None else review.detector)
    sanitizer = sanitizer.with_parts(detector=finder)
    originals = read_originals(request.input, request.files)
    marks = marked(sanitizer, originals.documents, originals.record_of, partial(stages, "Looking for values"))
    total = Counter[str]()
    for record in (*marks.replaced, *marks.kept):
        total.update({kind: len(values) for kind, values in record.items()})
    draws, subjects = _largest(sanitizer, originals), originals.subject is not None
    kinds = []
    for kind, count in total.most_common():
        rule = request.policy.treatment_of_label(kind) or request.policy.treatment_of(kind)
        epsilon = rule.epsilon_per_unit or 0.0 if rule.has_guarantee else None
        payer = "person" if subjects else "record"
        kinds.append(Cost(kind, count, draws.get(kind, 0), payer, in_words(rule, subjects), epsilon))
    there = replace(request, anyway=True)  # a dry run says what is missing, and refuses nothing
    needs = checked_needs(there, originals, marks, None if review is None else review.missed)
    return Costs(len(originals), kinds, needs)


def _of_synthesis(request: Request) -> Costs:
    """Return what a synthesis would do and cost. Nothing is marked."""
    plan, originals = planned_by(request.policy), read_originals(request.input, request.files)
    return Costs(len(originals), (), checked_needs(replace(request, anyway=True), originals), tuple(plan.lines()))


def _largest(sanitizer: Sanitizer, originals: Originals) -> Mapping[str, int]:
    """Return the most draws of each kind that anyone pays for."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    shared: dict[tuple[int, str], set[bytes]] = defaultdict(set)
    owner = originals.owners
    for places in batches(originals.record_of):
        planned = sanitizer.planned([originals.documents[place] for place in places])
        for place, each in ((place, each) for place, own in zip(places, planned, strict=True) for each in own):
            if each.shared:
                shared[owner[place], each.treatment].update(each.shared)
            else:
                counts[owner[place]][each.treatment] += each.count
    for (person, treatment), digests in shared.items():
        counts[person][treatment] += len(digests)
    largest: dict[str, int] = {}
    for own in counts.values():
        largest |= {treatment: max(count, largest.get(treatment, 0)) for treatment, count in own.items()}
    return largest


@dataclass(frozen=True)
class _Once(Around):
    """Looks at each document once, however often it is asked about. Private: it keeps what was found."""

    _found: dict[int, Spans] = field(default_factory=dict, init=False, repr=False, compare=False)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document."""
        new = [document for document in documents if id(document) not in self._found]
        if new:
            self._found.update(zip(map(id, new), self.detector.detect(new), strict=True))
        return [self._found[id(document)] for document in documents]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings of the detector."""
        return self.detector.findings(documents)

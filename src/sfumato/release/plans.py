"""The plan of a run with a ledger: what each record will draw, and what a draw costs.

It is counted before the first draw and compared after it. A plan is private: it names records and subjects, and its
digests depend on their texts. It lies in the hidden folder of the run, whose parts are private as well, and goes with
it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import Chunk, Counts, FileOptions, Parts, Shard
from sfumato.files.counts import NOTHING
from sfumato.ledger import Budget, Currency, Level, nano
from sfumato.ledger.amounts import DP, DP_DELTA, MICRO, stated
from sfumato.privacy.guarantee import Guarantee
from sfumato.release.chunks import Releasing
from sfumato.release.kept_marks import KeptMarks, watched
from sfumato.text.document import Document

SUFFIX = "plan"
MARKS = "marks"


class RecordPlan(NamedTuple):
    """The id of a record, its subject if there is one, its draws, and a digest of its marks. Private."""

    id: str
    subject: str | None
    draws: tuple[PlannedDraws, ...]
    marks: str

    @property
    def counts(self) -> dict[str, int]:
        """Return how many draws each treatment takes."""
        counts: Counter[str] = Counter()
        for draws in self.draws:
            counts[draws.treatment] += draws.count
        return dict(counts)

    def as_json(self) -> bytes:
        """Return the plan as a line."""
        draws = [[d.treatment, d.count, d.source.hex(), [own.hex() for own in d.shared]] for d in self.draws]
        return json.dumps([self.id, self.subject, draws, self.marks]).encode() + b"\n"

    @classmethod
    def from_json(cls, line: bytes) -> RecordPlan:
        """Return the plan of a line."""
        identity, subject, rows, marks = json.loads(line)
        draws = [
            PlannedDraws(treatment, count, bytes.fromhex(source), tuple(map(bytes.fromhex, shared)))
            for treatment, count, source, shared in rows
        ]
        return cls(identity, subject, tuple(draws), marks)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The draws planned for one document, in the place of its release."""

    id: str
    planned: tuple[PlannedDraws, ...]


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans where a sanitizer would draw."""

    sanitizer: Sanitizer

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Any]:
        """Return what each document will draw."""
        planned = self.sanitizer.planned(documents)
        return [_Answer(document.id, own) for document, own in zip(documents, planned, strict=True)]


@dataclass(frozen=True, slots=True)
class Planning:
    """The first half of a run: it reads what the run will sanitize, and keeps a plan of it beside the parts."""

    sanitizer: Sanitizer
    files: FileOptions
    parts: Parts

    def finish(self, task: Chunk | Shard) -> Counts:
        """Plan ``task`` and keep the plan. Raise InputError as the sanitizer would."""
        chunks = task.opened(self.files).chunks() if isinstance(task, Shard) else iter([task])
        sanitizer, marks = watched(self.sanitizer)
        planning = Releasing(_Planner(sanitizer), None, self.files)
        lines, kept = list[bytes](), list[bytes]()
        for chunk in chunks:
            good, answers, _ = planning.sanitized(chunk)
            kept.append(marks.segment(good.documents))
            lines += [plan.as_json() for plan in self._plans(good, answers, marks)]
        self.parts.keep(task.number, MARKS, b"".join(kept))
        self.parts.keep(task.number, SUFFIX, b"".join(lines))
        return NOTHING

    def _plans(self, chunk: Chunk, answers: Sequence[Any], marks: KeptMarks) -> Iterator[RecordPlan]:
        subject = self.files.subject_field
        for start, end in _records(chunk):
            draws = [draws for answer in answers[start:end] for draws in answer.planned]
            first = chunk.documents[start]
            person = None if subject is None else str(first.metadata[subject]).strip()  # as the owner wrote it
            own = marks.taken(chunk.documents[start:end])
            yield RecordPlan(first.names[-1], person, tuple(draws), own)


def plans_of(parts: Parts, numbers: Iterable[int]) -> Iterator[RecordPlan]:
    """Yield the plan of every record of the tasks with these ``numbers``."""
    for number in numbers:
        for line in (parts.kept(number, SUFFIX) or b"").splitlines():
            yield RecordPlan.from_json(line)


def digest_of_plans(plans: Iterable[RecordPlan]) -> str:
    """Return a digest of what all records draw, and of how they are marked."""
    digest = hashlib.sha256()
    for plan in plans:
        digest.update(json.dumps([plan.id, plan.subject, plan.counts, plan.marks]).encode())
    return digest.hexdigest()


def marked_as_planned(marks: KeptMarks, parts: Parts, number: int) -> None:
    """Let ``marks`` mark the texts of the task ``number`` as they were marked when it was planned."""
    planned = {plan.id: plan.marks for plan in plans_of(parts, [number])}
    marks.begin(parts.kept(number, MARKS) or b"", planned)


def marked_otherwise(parts: Parts) -> OutputError:
    """Return the error where marks are not those that were paid for."""
    return OutputError(
        f"{parts.output}: a record was marked otherwise than when its cost was reserved: its detector did "
        "not find the same twice; nothing is released: use a detector that does, and report this."
    )


def check_drawn(parts: Parts, number: int, drawn: Sequence[tuple[str, dict[str, int], str]]) -> None:
    """Raise OutputError if a record drew anything else than was planned for it, and so reserved.

    As many draws are not enough: under a key, other places make other draws, which nobody paid for.
    """
    plans = {plan.id: plan for plan in plans_of(parts, [number])}
    for identity, counts, marks in drawn:
        plan = plans.get(identity)
        planned = {} if plan is None else plan.counts
        if plan is None or marks != plan.marks:
            raise marked_otherwise(parts)
        if any(count > planned.get(treatment, 0) for treatment, count in counts.items()):
            raise OutputError(
                f"{parts.output}: a record drew more than was reserved for it; nothing is released: report this."
            )


def _records(chunk: Chunk) -> list[tuple[int, int]]:
    """Return where among the documents those of each record with a text begin and end."""
    return [(start, end) for start, end in pairwise(chunk.edges) if start < end]


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one draw."""

    currency: Currency
    epsilon: Fraction
    rho: Fraction

    @classmethod
    def of(cls, guarantee: Guarantee, kind: str, domain: str) -> Price:
        """Return the price of a draw with this ``guarantee``."""
        epsilon, rho = stated(guarantee.epsilon), Fraction(0)
        if guarantee.definition == "LDP":
            rho = epsilon**2 / 2 if guarantee.rho is None else min(epsilon**2 / 2, stated(guarantee.rho))
        return cls(Currency.of(guarantee, kind, domain), epsilon, rho)

    def amount(self, times: int) -> int:
        """Return the ε of so many draws, in nano-nats, rounded up."""
        return nano(self.epsilon, times)

    def lost(self, times: int) -> int:
        """Return the ρ of so many draws in millionths, rounded up."""
        return math.ceil(self.rho * times * MICRO)


def guarantees_of(sanitizer: Sanitizer) -> dict[str, Guarantee]:
    """Return the guarantee of a draw of each treatment; of a single method under the empty name.

    Raise ConfigurationError for a method without any guarantee, whose cost no ledger could hold.
    """
    guarantees = {
        treatment.kinds[0]: treatment.guarantee
        for treatment in sanitizer.treatments
        if treatment.guarantee is not None
    }
    if sanitizer.guarantee is not None:
        guarantees[""] = sanitizer.guarantee
    if not guarantees:
        raise ConfigurationError(
            "A method without a guarantee has no cost that a ledger could hold; leave out the ledger, or choose a "
            "method with a guarantee."
        )
    return guarantees


def prices_of(sanitizer: Sanitizer) -> dict[str, Price]:
    """Return the price of a draw by each guarantee. Raise ConfigurationError as :func:`guarantees_of` does."""
    guarantees = guarantees_of(sanitizer)
    described: dict[str, Callable[[], Mapping[str, Any]]] = {"": sanitizer.statement_fields}
    described |= {kind: treatment.described for treatment in sanitizer.treatments for kind in treatment.kinds[:1]}
    return {name: Price.of(guarantee, name, _domain(described[name]())) for name, guarantee in guarantees.items()}


def check_caps(budget: Budget, sanitizer: Sanitizer, subject_field: str | None) -> None:
    """Raise ConfigurationError if no run of ``sanitizer`` keeps ``budget``.

    It needs a cap for everything that is charged; caps over people need the field that names them.
    """
    if subject_field is None:
        _refuse_caps_over_people(budget)
    for kind, guarantee in guarantees_of(sanitizer).items():
        if guarantee.epsilon:
            budget.limits(Currency.of(guarantee, kind).name)


def check_synthesis_caps(budget: Budget, subject_field: str | None) -> None:
    """Raise ConfigurationError if no synthesis keeps ``budget``: caps over people need the field that names them."""
    if subject_field is None:
        _refuse_caps_over_people(budget)
    for name in (DP, DP_DELTA):
        budget.limits(name)


def _refuse_caps_over_people(budget: Budget) -> None:
    """Raise ConfigurationError if ``budget`` has a cap that a run without people cannot keep."""
    for level, whom in ((Level.SUBJECT, "subjects"), (Level.DATASET, "the data set")):
        if any(cap is not None for cap in budget.caps.get(level, {}).values()):
            raise ConfigurationError(
                f"The budget has caps for {whom}; name the field that says whose record it is (--subject-field, or "
                "subject in [fields]), which is the id field where each record is a person of its own."
            )


def _domain(described: Mapping[str, Any]) -> str:
    """Return one hash over the hashes of all domains that a statement describes."""
    hashes = sorted(_hashes(described))
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()[:32] if hashes else ""


def _hashes(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name == "hash" and isinstance(item, str):
                yield item
            else:
                yield from _hashes(item)

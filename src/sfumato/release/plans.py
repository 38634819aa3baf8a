"""The plan of a run with a ledger: what each record will draw, counted before the first draw and compared after it.

A plan is private: it names records and subjects, and its digests depend on their texts. It lies in the hidden folder
of the run, whose parts are private as well, and goes with it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import OutputError
from sfumato.files import Chunk, Counts, FileOptions, Parts, Shard
from sfumato.files.counts import NOTHING
from sfumato.release.chunks import Releasing
from sfumato.release.noted_marks import noting
from sfumato.text.document import Document

SUFFIX = "plan"


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
        lines = [plan.as_json() for chunk in chunks for plan in self._plans(chunk)]
        self.parts.keep(task.number, SUFFIX, b"".join(lines))
        return NOTHING

    def _plans(self, chunk: Chunk) -> Iterator[RecordPlan]:
        subject = self.files.subject_field
        sanitizer, noted = noting(self.sanitizer)
        reading = Releasing(_Planner(sanitizer), None, self.files.on_error == "quarantine", subject)
        chunk, answers, _ = reading.sanitized(chunk)
        for start, end in _records(chunk):
            draws = [draws for answer in answers[start:end] for draws in answer.planned]  # type: ignore[attr-defined]
            first = chunk.documents[start]
            person = None if subject is None else str(first.metadata[subject]).strip()  # as the owner wrote it
            marks = noted.taken(chunk.documents[start:end])
            yield RecordPlan(first.names[-1], person, tuple(draws), marks)


def plans_of(parts: Parts, tasks: int) -> Iterator[RecordPlan]:
    """Yield the plan of every record of a run with so many ``tasks``."""
    for number in range(tasks):
        for line in (parts.kept(number, SUFFIX) or b"").splitlines():
            yield RecordPlan.from_json(line)


def check_drawn(parts: Parts, number: int, drawn: Sequence[tuple[str, dict[str, int], str]]) -> None:
    """Raise OutputError if a record drew anything else than was planned for it, and so reserved.

    As many draws are not enough: under a key, other places make other draws, which nobody paid for.
    """
    lines = (parts.kept(number, SUFFIX) or b"").splitlines()
    plans = {plan.id: plan for plan in map(RecordPlan.from_json, lines)}
    for identity, counts, marks in drawn:
        plan = plans.get(identity)
        planned = {} if plan is None else plan.counts
        if plan is None or marks != plan.marks:
            raise OutputError(
                f"{parts.output}: a record was marked otherwise than when its cost was reserved: its detector did "
                "not find the same twice; nothing is released: use a detector that does, and report this."
            )
        if any(count > planned.get(treatment, 0) for treatment, count in counts.items()):
            raise OutputError(
                f"{parts.output}: a record drew more than was reserved for it; nothing is released: report this."
            )


def _records(chunk: Chunk) -> list[tuple[int, int]]:
    """Return where among the documents those of each record with a text begin and end."""
    return [(start, end) for start, end in pairwise(chunk.edges) if start < end]

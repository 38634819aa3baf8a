"""The plan of a run with a ledger: what each record will draw, counted before the first draw and compared after it.

A plan is private: it names records and subjects, and its digests depend on their texts. It lies in the hidden folder
of the run, whose parts are private as well, and goes with it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import OutputError
from sfumato.files import Chunk, Counts, FileOptions, Parts, Shard
from sfumato.files.counts import NOTHING
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

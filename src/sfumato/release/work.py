"""The work of a run: a chunk or a whole shard sanitized, and kept as a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sfumato.errors import InputError
from sfumato.files import Chunk, Counts, Part, Parts, Shard
from sfumato.files.assembly import joined
from sfumato.files.counts import NOTHING
from sfumato.files.keyed_rows import added, rows_of_ids
from sfumato.release.chunks import Releasing
from sfumato.release.plans import check_drawn, marked_as_planned

Task = Chunk | Shard
"""What is sanitized at once: a chunk that was read, or a shard that is still to be read."""


def part_of(task: Task, releasing: Releasing) -> Part:
    """Return what ``task`` becomes in the output. Raise InputError, which names file and place."""
    return _part_of_shard(task, releasing) if isinstance(task, Shard) else releasing.part(task)


def _part_of_shard(shard: Shard, releasing: Releasing) -> Part:
    """Return the part of a shard: the very bytes that it becomes as a file of its own."""
    source = shard.opened(releasing.files)
    ids: list[str] = []
    parts = [releasing.part(chunk) for chunk in _noting(source.chunks(), ids)]
    body = joined(source.kind, [part.body for part in parts], shard.name.lower().endswith(".gz"))
    counts = replace(sum((part.counts for part in parts), NOTHING), size=len(body))
    return Part(
        body,
        tuple(replace(bad, file=shard.name) for part in parts for bad in part.bad),
        counts,
        None if releasing.files.subject_field is None else _of_people(parts),
        None if releasing.files.id_field is None else rows_of_ids(ids, releasing.secret),
        [row for part in parts for row in part.drawn],
    )


def _of_people(parts: Sequence[Part]) -> dict[str, bytes]:
    """Return what people spent over ``parts``, on everything and on each treatment."""
    every = [part.people for part in parts if part.people is not None]
    names = sorted({"", *(name for people in every for name in people)})
    return {name: added([people[name] for people in every if name in people]) for name in names}


def _noting(chunks: Iterator[Chunk], ids: list[str]) -> Iterator[Chunk]:
    """Yield ``chunks``, and note the id of each record in ``ids``."""
    for chunk in chunks:
        ids += dict.fromkeys(document.names[-1] for document in chunk.documents)
        yield chunk


@dataclass(frozen=True, slots=True)
class Work:
    """What makes parts, and where they are kept on this machine."""

    releasing: Releasing
    parts: Parts

    def finish(self, task: Task) -> Counts:
        """Sanitize ``task`` and keep it as a part."""
        if (marks := self.releasing.marks) is not None:
            marked_as_planned(marks, self.parts, task.number)
        return self.keep(task, part_of(task, self.releasing))

    def keep(self, task: Task, part: Part) -> Counts:
        """Keep ``part``, which was made of ``task``. Raise OutputError if it draws what was not reserved for it."""
        if self.releasing.marks is not None:
            check_drawn(self.parts, task.number, part.drawn)
        self.parts.add(task.number, part)
        return part.counts


def check_ids(parts: Parts, shards: list[Shard]) -> None:
    """Refuse two shards that share an id: a shard that is there twice, or records that would share their draws."""
    pair = parts.repeated_ids(len(shards))
    if pair is not None:
        first, second = (shards[number].name for number in pair)
        raise InputError(
            f"{first} and {second} hold records with one id, perhaps because a shard is there twice; remove the "
            "copy, or give every record an id of its own."
        )

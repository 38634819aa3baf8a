"""The first records of an input, read before anything is built, so that a wrong field is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sfumato.files import Chunk, Shard, Source
from sfumato.release.chunks import Releasing
from sfumato.text.document import Document

_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is said of a document: that it is there."""

    id: str


class _Looking:
    """Takes the place of a sanitizer, and does nothing."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Any]:
        """Return an answer for each document."""
        return [_Answer(document.id) for document in documents]


def check_first_records(source: Source, spans_pass: bool = True) -> None:
    """Raise for the first records of ``source`` what the run would raise for them: InputError, ConfigurationError.

    ``spans_pass`` says that a field with spans would pass unchanged, as no detector reads it; such a field is
    refused.
    """
    files = source.options
    looked = source.with_options(replace(files, chunk_records=min(files.chunk_records, _LOOKED_AT)))
    chunk = _first_chunk(looked)
    if not spans_pass:
        chunk = replace(chunk, passing=replace(chunk.passing, spans=None))
    Releasing(_Looking(), None, files.on_error == "quarantine", files.subject_field).sanitized(chunk)


def _first_chunk(source: Source) -> Chunk:
    """Return the first chunk, of the first shard if there are several."""
    task = next(iter(source.tasks()))
    return next(iter(task.opened(source.options).chunks())) if isinstance(task, Shard) else cast(Chunk, task)

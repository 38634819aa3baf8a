"""Files going in and coming out: streamed in chunks, untouched outside the released text.

``open_source`` gives a :class:`Source`; its chunks hold the documents of a few thousand records and know
how to write themselves with the released texts in place. ``Parts`` keeps the finished chunks of a run
beside its output until the last one is there.
"""

from __future__ import annotations

from sfumato.files.counts import Assembled, Counts, Part
from sfumato.files.options import FileOptions
from sfumato.files.parts import Parts, writing
from sfumato.files.shards import Shard, ShardsSource, open_input
from sfumato.files.source import BadRecord, Chunk, Source
from sfumato.files.suffixes import SUFFIXES, check_same_kind, has_fields, kind_of, open_release, open_source

__all__ = [
    "SUFFIXES",
    "Assembled",
    "BadRecord",
    "Chunk",
    "Counts",
    "FileOptions",
    "Part",
    "Parts",
    "Shard",
    "ShardsSource",
    "Source",
    "check_same_kind",
    "has_fields",
    "kind_of",
    "open_input",
    "open_release",
    "open_source",
    "writing",
]

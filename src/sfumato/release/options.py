"""How a run is made, what it did, and what gets its name together with the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

from sfumato.errors import ConfigurationError
from sfumato.files import Counts, FileOptions, Source
from sfumato.storage import Place

FileProgress = Callable[[int, int, int], None]
"""``progress(done_bytes, total_bytes, records)``: called after every chunk."""


Engine = Literal["processes", "ray"]
ENGINES = ("processes", "ray")
_MOST_WORKERS = 10_000


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a file is sanitized: how it is read, by how many processes, what may be replaced or continued.

    A ``private`` output can be read by its owner only. The ``engine`` decides where the ``workers`` are: processes of
    this machine, or actors of a Ray cluster. It decides nothing about the output.
    """

    files: FileOptions = field(default_factory=FileOptions)
    workers: int = 1
    overwrite: bool = False
    resume: bool = False
    private: bool = False
    engine: Engine = "processes"

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ConfigurationError(f"engine is one of {', '.join(ENGINES)}, not {self.engine!r}.")
        if not 1 <= self.workers <= _MOST_WORKERS:
            raise ConfigurationError(f"workers must be 1 or more, and at most {_MOST_WORKERS:,}, not {self.workers}.")
        if self.engine == "ray" and self.files.on_error == "quarantine":
            raise ConfigurationError(
                "Records that are set aside are private, and would pass through the object store of Ray; correct "
                "them, or set them aside in a run without --engine ray."
            )

    @property
    def replaces(self) -> bool:
        """Return whether something may already stand where the run writes."""
        return self.overwrite or self.resume


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did. ``draws_per_record`` maps a number of draws to how many records took that many.

    ``people`` maps what a person spent altogether to how many people spent it, in a run with a subject field.
    ``draws_by`` maps each treatment of a policy to the draws of the records that took some of it, and ``people_by``
    does so for people. ``labels`` maps a label to how many spans with it were replaced, if spans have labels of their
    own; ``untouched`` is how many records remain as they were, and ``absent`` how many texts are null or missing.
    ``passing`` maps each field that is written as it was read to how many records have it.
    """

    records: int
    draws: int
    draws_per_record: Mapping[int, int]
    quarantined: int
    seconds: float
    characters: int
    labels: Mapping[str, int]
    untouched: int
    absent: int = 0
    people: Mapping[int, int] = field(default_factory=dict)
    draws_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    people_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    passing: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Counts, seconds: float) -> Self:
        """Return what a run that took so many ``seconds`` did, by the ``counts`` of all its chunks."""
        return cls(
            records=counts.records,
            draws=sum(draws * records for draws, records in counts.draws.items()),
            draws_per_record=counts.draws,
            quarantined=counts.quarantined,
            seconds=seconds,
            characters=counts.characters,
            labels=dict(sorted(counts.labels.items())),
            untouched=counts.untouched,
            absent=counts.absent,
            people=counts.people,
            draws_by=counts.draws_by,
            people_by=counts.people_by,
            passing=counts.passing,
        )


@dataclass(frozen=True, slots=True)
class Companion:
    """A file that gets its name together with the output, such as its statement.

    ``write(ready, release, summary, source)`` writes it to ``ready``, whole. ``release`` is where the output is,
    which need not have its name yet, and ``source`` what it was made from. A run that is resumed calls it again.
    """

    place: Place
    write: Callable[[Path, Path, RunSummary, Source], object]

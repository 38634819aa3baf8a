"""How a run is made, what it did, and what gets its name together with the output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
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


@dataclass(frozen=True)
class RunSummary(Counts):
    """What a run did: the counts of all its chunks, and the ``seconds`` that it took."""

    seconds: float = 0.0

    @property
    def draws(self) -> int:
        """Return how many draws all records took."""
        return sum(draws * records for draws, records in self.draws_per_record.items())

    @classmethod
    def of(cls, counts: Counts, seconds: float) -> Self:
        """Return what a run that took so many ``seconds`` did, by the ``counts`` of all its chunks."""
        values = {each.name: getattr(counts, each.name) for each in fields(counts)}
        return cls(**{**values, "labels": dict(sorted(counts.labels.items())), "seconds": seconds})


@dataclass(frozen=True, slots=True)
class Companion:
    """A file that gets its name together with the output, such as its statement.

    ``write(ready, release, summary, source)`` writes it to ``ready``, whole. ``release`` is where the output is,
    which need not have its name yet, and ``source`` what it was made from. A run that is resumed calls it again.
    """

    place: Place
    write: Callable[[Path, Path, RunSummary, Source], object]

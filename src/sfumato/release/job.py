"""One input on its way to one output: how a run is made, its input opened once, its output owned and checked once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal, Self

from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files import Counts, FileOptions, Parts, ShardsSource, Source, check_same_kind, kind_of, open_input
from sfumato.files.shards import one_file
from sfumato.files.text import check_only_texts
from sfumato.storage import Place, owned

State = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """What :func:`opened` has opened and checked, to be handed on to everything that works for the run.

    ``state`` is that of ``source`` when it was opened. ``checked`` says whether the output was checked. It was not
    if an earlier run left parts or a release that this one may resume: only the run knows whether they are its own.
    """

    source: Source
    output: Path
    options: RunOptions
    state: State
    checked: bool

    @property
    def input(self) -> Path:
        """Return the path of the input."""
        return self.source.path

    def parts(self, run: str = "") -> Parts:
        """Return where the ``run`` with that mark keeps its finished chunks, and what it gives a name to."""
        return Parts(self.output, self.source.kind, run, self.options.private)

    def reading(self, files: FileOptions) -> Job:
        """Return the same job, whose source is read as ``files`` says; it is not opened again."""
        return replace(self, source=self.source.with_options(files), options=replace(self.options, files=files))

    def check_unchanged(self) -> None:
        """Raise InputError if the input changed since it was opened."""
        if _state(self.source) != self.state:
            raise InputError(f"{self.source.name} changed while it was read; run again when nothing writes to it.")


@contextmanager
def opened(input: Path | str, output: Path | str, options: RunOptions) -> Iterator[Job]:
    """Yield the job of sanitizing ``input`` into ``output``, which belongs to this process until the block ends.

    Raises InputError for an input that cannot be read, OutputError for an output that must not be replaced or
    that another run is writing: all before minutes of preparation.
    """
    output = Place(Path(output)).path
    source = open_input(input, options.files)
    source = one_file(source, output)
    state = _state(source)
    check_same_kind(source, output)
    parts = Parts(output, source.kind, "")
    with owned(parts.places):
        resumable = options.resume and (parts.begun or parts.ended)
        if not resumable:
            check_output(source, parts, options)
        yield Job(source, output, options, state, not resumable)


def _state(source: Source) -> State:
    return tuple(source.state)


def check_output(source: Source, parts: Parts, options: RunOptions) -> None:
    """Refuse an output that would destroy the input, or something else that the caller did not mean."""
    check_places(source, parts, options, parts.places)


def check_places(source: Source, parts: Parts, options: RunOptions, places: Sequence[Place]) -> None:
    """Refuse those of ``places`` that would destroy the input, or something else that the caller did not mean."""
    for path in source.paths:
        _check_apart(path.resolve(), parts, places)
    if isinstance(source, ShardsSource):
        own = [parts.output / shard.name for shard in source.shards] if parts.release in places else []
        unused = () if options.files.on_error == "quarantine" else (parts.quarantine,)
        source.check_unread([*(place.path for place in places if place not in unused), *own])
    if not options.overwrite:
        for place in sorted(places, key=lambda place: place != parts.release):  # which is the one that was named
            # A stopped run may have given other files their names before the output.
            resumed = options.resume and parts.begun and place != parts.release
            if os.path.lexists(place.path) and not resumed:
                raise OutputError(f"{place.path} exists; choose another output, or replace it (--force).")
    elif source.makes_folder and parts.release in places and os.path.lexists(parts.output):
        _check_folder_replaceable(source, parts.output)
    for path in (place.path for place in places):
        if os.path.lexists(path) and not path.is_file() and (not source.makes_folder or path != parts.output):
            raise OutputError(f"{path} is not a regular file and is not replaced; choose another output.")


def _check_apart(given: Path, parts: Parts, places: Sequence[Place]) -> None:
    """Refuse ``places`` that are the input ``given``, lie inside it, or hold it, with what is hidden beside them."""
    hidden = [path for place in places for path in (place.path, place.ready, place.replaced, place.lock)]
    for path in (*hidden, parts.folder):
        target = path.resolve()
        if target == given or (path.exists() and path.samefile(given)):
            raise OutputError(f"{path.name} is the input itself; choose another output.")
        if given in target.parents or target in given.parents:
            raise OutputError("The input and the output must not lie inside each other; choose another output.")


def _check_folder_replaceable(source: Source, output: Path) -> None:
    # Replacing a folder removes it: only one that could be an earlier output is.
    if not output.is_dir() or output.is_symlink():
        raise OutputError(f"{output} is not a folder and is not replaced by one; choose another output.")
    if not isinstance(source, ShardsSource):
        check_only_texts(output)
    elif any(kind_of(path) != source.form for path in output.rglob("*") if path.is_file()):
        raise OutputError(
            f"{output} holds other files than .{source.form} and is not replaced; choose another output."
        )


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

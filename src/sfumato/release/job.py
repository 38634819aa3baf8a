"""One input on its way to one output: opened once, its output owned and checked once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.errors import InputError
from sfumato.files import FileOptions, Parts, Source, check_same_kind, open_input
from sfumato.files.shards import one_file
from sfumato.release.options import RunOptions
from sfumato.release.outputs import check_output
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

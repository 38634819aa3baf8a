"""Sanitizing a file: chunks, worker processes, resume, and one final rename.

Every finished chunk is kept as a part beside the output (``files/parts.py``), so a run that was killed can
go on where it stopped and every record ends up in the output exactly once. Nothing bears the output's name
before all of it is there, and all that belongs to it. A run owns its output while it lasts.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice, pairwise
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any, Protocol, cast

from threadpoolctl import threadpool_limits

from sfumato import errors, version
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.files import (
    Assembled,
    BadRecord,
    Chunk,
    Counts,
    FileOptions,
    Parts,
    Source,
    check_same_kind,
    open_source,
    writing,
)
from sfumato.files.folder import check_only_texts
from sfumato.privacy import certificates
from sfumato.privacy.kernels import processors
from sfumato.storage import Place, owned
from sfumato.text.document import Document, Release

FileProgress = Callable[[int, int, int], None]
"""``progress(done_bytes, total_bytes, records)``: told after every chunk."""

_NOTHING = Counts(0, 0, 0, {}, 0)
_AHEAD = 2  # chunks waiting beside those being worked on


class BatchSanitizer(Protocol):
    """What this file asks of a sanitizer."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Release]:
        """One release a document, in order."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a file is sanitized: how it is read, by how many processes, what may be replaced or continued.

    A ``private`` output can be read by its owner only.
    """

    files: FileOptions = field(default_factory=FileOptions)
    workers: int = 1
    overwrite: bool = False
    resume: bool = False
    private: bool = False

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ConfigurationError(f"workers must be 1 or more, not {self.workers}.")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did. ``draws_per_record`` maps a number of draws to how many records took that many.

    ``labels`` maps a label to how many spans with it were replaced, where spans have labels of their own;
    ``untouched`` is how many records stand as they stood, and ``absent`` how many texts are null or missing.
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


@dataclass(frozen=True, slots=True)
class Companion:
    """A file that gets its name together with the output, such as its statement.

    ``write(ready, release, summary)`` writes it to ``ready``, whole; ``release`` is where the output stands, which
    need not bear its name yet. It is called again by a run that is resumed.
    """

    place: Place
    write: Callable[[Path, Path, RunSummary], object]


def sanitize_file(
    sanitizer: BatchSanitizer,
    input: Path,
    output: Path,
    options: RunOptions,
    randomness: Any,
    progress: FileProgress | None = None,
    companions: Sequence[Companion] = (),
) -> RunSummary:
    """Sanitize the file or folder ``input`` into ``output``, whole and with its ``companions``, or not at all.

    Raises InputError for an input that cannot be read (naming file and place, never content) and
    OutputError for an output that cannot be written, must not be replaced, or is being written by another run.
    ``randomness`` is handed to the sanitizer as it is.
    """
    started = time.perf_counter()
    input, output = Path(input), Path(output)
    source = open_source(input, options.files)
    check_same_kind(source, output)
    run = fingerprint_of(source, output, options, sanitizer, randomness)
    parts = Parts(output, source.kind, run, options.private)
    places = [companion.place for companion in companions]
    with owned((*parts.places, *places)):
        assembled = parts.assembled() if options.resume else None
        if assembled is None:
            _check_output(source, parts, options, places)
            parts.start(options.resume)
            work = _Work(sanitizer, randomness, parts, options.files.on_error == "quarantine")
            assembled = _assembled(source, work, options.workers, progress)
        summary = _summary(assembled.counts, started)
        _publish(parts, assembled, companions, summary)
        clear(parts, places)
    return summary


def _publish(parts: Parts, assembled: Assembled, companions: Sequence[Companion], summary: RunSummary) -> None:
    """Write the companions and give everything its name; only what is missing, where the output has its name."""
    release = parts.complete(assembled)
    if release == parts.output:
        companions = [companion for companion in companions if not companion.place.path.exists()]
    for companion in companions:
        with writing(companion.place.path):
            companion.write(companion.place.ready, release, summary)
    parts.publish(assembled, [companion.place for companion in companions])


def _assembled(source: Source, work: _Work, workers: int, progress: FileProgress | None) -> Assembled:
    """Everything that is left to do until the output is complete under its hidden name."""
    state = source.state
    total, size, chunks = _NOTHING, source.size, 0
    try:
        for done, counts in _finished(work, source.chunks(), workers):
            total, chunks = total + counts, chunks + 1
            if progress is not None:
                progress(done, size, total.records)
    except SfumatoError:
        with suppress(OSError):  # what went wrong first is said
            work.parts.abandon()
        raise
    if source.state != state:
        raise InputError(f"{source.name} changed while it was read; run again when nothing writes to it.")
    return work.parts.assemble(chunks, total)


def clear(parts: Parts, places: Sequence[Place]) -> None:
    """Remove what a run that has ended keeps hidden. Raises OutputError, which says that the output is complete."""
    try:
        for place in (*parts.places, *places):
            place.forget()
        parts.clear()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{parts.output} is complete, and so is all that belongs to it; but hidden files of the run beside it, "
            f"which may be private, cannot be removed ({reason}): remove them, or run again with --resume."
        ) from None


def check_output(input: Path, output: Path, options: RunOptions) -> None:
    """Refuse what :func:`sanitize_file` would refuse about input and output, before minutes of preparation.

    Whether an output that is there is the one that ``resume`` is to finish is left to the run itself.
    """
    source = open_source(Path(input), options.files)
    check_same_kind(source, Path(output))
    parts = Parts(Path(output), source.kind, "")
    with owned(parts.places):
        if not (options.resume and (parts.begun or parts.ended)):
            _check_output(source, parts, options)


def _summary(counts: Counts, started: float) -> RunSummary:
    return RunSummary(
        records=counts.records,
        draws=sum(draws * records for draws, records in counts.draws.items()),
        draws_per_record=counts.draws,
        quarantined=counts.quarantined,
        seconds=time.perf_counter() - started,
        characters=counts.characters,
        labels=dict(sorted(counts.labels.items())),
        untouched=counts.untouched,
        absent=counts.absent,
    )


def fingerprint_of(
    source: Source, output: Path, options: RunOptions, sanitizer: BatchSanitizer, randomness: Any
) -> str:
    """Return what changes with program, input, options, sanitizer and randomness: two runs of one are the same run.

    It holds the input's name, size and time, so that it must not leave the machine without a key.
    """
    made_by = [version.VERSION, certificates.ANALYSIS]
    facts = [*made_by, source.state, output.name, repr(options.files), _name(sanitizer), _name(randomness)]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _name(thing: Any) -> str:
    fingerprint = getattr(thing, "fingerprint", None)
    return f"{type(thing).__qualname__} {fingerprint() if callable(fingerprint) else fingerprint}"


def _check_output(source: Source, parts: Parts, options: RunOptions, others: Sequence[Place] = ()) -> None:
    """Refuse an output that would destroy the input, or something else that the caller did not mean."""
    output, given = parts.output, source.path.resolve()
    places = (*parts.places, *others)
    hidden = [path for place in places for path in (place.path, place.ready, place.replaced, place.lock)]
    for path in (*hidden, parts.folder):
        target = path.resolve()
        if target == given or (path.exists() and path.samefile(given)):
            raise OutputError(f"{path.name} is the input itself; choose another output.")
        if given in target.parents or target in given.parents:
            raise OutputError("The input and the output must not lie inside each other; choose another output.")
    if not options.overwrite:
        # After a kill other files may have got their names before the output did.
        for place in (parts.release,) if options.resume and parts.begun else places:
            if os.path.lexists(place.path):
                raise OutputError(
                    f"{place.path} exists; choose another output, or allow it to be replaced (--force)."
                )
    elif source.kind == "folder" and os.path.lexists(output):
        _check_folder_replaceable(output)
    for place in places:
        path = place.path
        if os.path.lexists(path) and not path.is_file() and (source.kind != "folder" or path != output):
            raise OutputError(f"{path} is not a regular file and is not replaced; choose another output.")


def _check_folder_replaceable(output: Path) -> None:
    # Replacing a folder removes it: only one that could be an earlier output is.
    if not output.is_dir() or output.is_symlink():
        raise OutputError(f"{output} is not a folder and is not replaced by one; choose another output.")
    check_only_texts(output)


@dataclass(frozen=True, slots=True)
class _Work:
    """Everything that a process needs to finish a chunk."""

    sanitizer: BatchSanitizer
    randomness: Any
    parts: Parts
    quarantine: bool

    def finish(self, chunk: Chunk) -> Counts:
        """Sanitize the chunk and keep it as a part."""
        chunk, releases, bad = self._sanitize(chunk)
        body = chunk.head + chunk.render(releases)
        edges = chunk.edges
        counts = Counts(
            records=len(chunk.places),
            characters=sum([len(document.text) for document in chunk.documents]),
            quarantined=len(bad),
            draws=_draws(releases, edges),
            size=len(body),
            labels=_labels(releases),
            untouched=_untouched(releases, edges),
            absent=chunk.absent,
        )
        self.parts.add(chunk.number, body, bad, counts)
        return counts

    def _sanitize(self, chunk: Chunk) -> tuple[Chunk, Sequence[Release], list[BadRecord]]:
        if not chunk.documents:
            return chunk, [], chunk.bad
        try:
            return chunk, self._releases(chunk, chunk.edges, 0, len(chunk.places)), chunk.bad
        except InputError:
            pass  # and again one by one, to say which record it is
        releases, bad = self._one_by_one(chunk)
        dropped = set(bad)
        aside = [chunk.set_aside(record, reason) for record, reason in bad.items()]
        return chunk.without(dropped), releases, sorted(chunk.bad + aside, key=lambda one: one.line)

    def _one_by_one(self, chunk: Chunk) -> tuple[list[Release], dict[int, str]]:
        """The releases of the good records, and a reason for each bad one."""
        releases: list[Release] = []
        bad: dict[int, str] = {}
        edges = chunk.edges
        for record in range(len(chunk.places)):
            try:
                releases += self._releases(chunk, edges, record, record + 1)
            except InputError as error:
                if not self.quarantine:
                    raise
                bad[record] = str(error)
        return releases, bad

    def _releases(self, chunk: Chunk, edges: Sequence[int], first: int, last: int) -> Sequence[Release]:
        """One release a document of the records ``first`` to ``last``, whose documents lie between ``edges``.

        Foreign errors are renamed, and sfumato's own made anew: messages, contexts and notes of what lies under them
        may hold private text, and a worker process sends all of it along.
        """
        documents = chunk.documents[edges[first] : edges[last]]
        if not documents:
            return []
        try:
            releases = self.sanitizer.sanitize_batch(documents, self.randomness)
            if [release.id for release in releases] == [document.id for document in documents]:
                return releases
            failure: SfumatoError = OutputError(
                f"{chunk.file}: the sanitizer did not answer with one release a document; report it."
            )
        except SfumatoError as error:
            failure = anew(error, chunk, edges[first : last + 1], first)
        except Exception as error:
            failure = OutputError(
                f"The sanitizer failed with {type(error).__name__} between {chunk.where(first)} and "
                f"{chunk.where(last - 1)}; nothing was released; report it."
            )
        # Raised outside the except block, so that no context drags the private message along.
        raise failure


def anew(error: SfumatoError, chunk: Chunk, edges: Sequence[int], first: int = 0) -> SfumatoError:
    """``error`` with nothing but its message; an InputError gets the place in the file for that in the batch.

    The batch holds the documents between the ``edges`` of the records from ``first`` on.
    """
    if not isinstance(error, InputError):
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        return cast(SfumatoError, kind(str(error)))
    if error.document is None or not 0 <= error.document < edges[-1] - edges[0]:
        return InputError(f"{chunk.where(first)}: {error.reason}")
    document = edges[0] + error.document
    record = bisect_right(edges, document) - 1
    return InputError(f"{chunk.where_text(first + record, document - edges[record])}: {error.reason}")


def _draws(releases: Sequence[Release], edges: Sequence[int]) -> dict[int, int]:
    """How many records took each number of draws; those of a record lie between two ``edges``."""
    draws = [0, *accumulate(release.draws for release in releases)]
    return dict(Counter(draws[end] - draws[start] for start, end in pairwise(edges)))


def _labels(releases: Sequence[Release]) -> dict[str, int]:
    """How many spans have each label, where they have one each."""
    return dict(Counter(chain.from_iterable(one.labels for one in releases if not isinstance(one.labels, str))))


def _untouched(releases: Sequence[Release], edges: Sequence[int]) -> int:
    """How many records have texts, between two ``edges``, and no replaced span in any of them."""
    spans = [0, *accumulate(len(release.bounds) for release in releases)]
    return sum(start < end and spans[start] == spans[end] for start, end in pairwise(edges))


def _finished(work: _Work, chunks: Iterable[Chunk], workers: int) -> Iterator[tuple[int, Counts]]:
    """Bytes read and counts of every chunk, in order."""
    tasks = ((chunk, work.parts.counts(chunk.number)) for chunk in chunks)
    if workers > 1:
        # Processes take a second to start, for which one unfinished chunk gives no reason.
        first = list(islice(tasks, 2))
        tasks = chain(first, tasks)  # type: ignore[assignment]
        if len(first) > 1:
            yield from _by_processes(work, tasks, workers)
            return
    for chunk, counts in tasks:
        yield chunk.done, work.finish(chunk) if counts is None else counts


def _by_processes(
    work: _Work, tasks: Iterable[tuple[Chunk, Counts | None]], workers: int
) -> Iterator[tuple[int, Counts]]:
    waiting: deque[tuple[int, Counts | Future[Counts]]] = deque()
    # "spawn": a forked process would copy the state of random generators and of threads.
    threads = max(1, processors() // workers)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (work, threads))
    try:
        for chunk, counts in tasks:
            waiting.append((chunk.done, pool.submit(_finish, chunk) if counts is None else counts))
            if len(waiting) >= workers + _AHEAD:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    except BrokenProcessPool:
        raise OutputError(
            f"{work.parts.output}: a worker process ended unexpectedly, for example for lack of memory; run "
            "again with --resume and fewer --workers."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(done: int, counts: Counts | Future[Counts]) -> tuple[int, Counts]:
    return done, counts if isinstance(counts, Counts) else counts.result()


# A pool hands its functions no state; this is the one value that a worker process keeps, set once when it
# begins.
_WORK: list[_Work] = []


def _begin(work: _Work, threads: int) -> None:
    _WORK[:] = [work]
    # Every process would otherwise multiply matrices with as many threads as there are cores, and they would wait for
    # each other. The names are for what is loaded later, the limits for what is there.
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads)))
    threadpool_limits(threads)
    signal(SIGINT, SIG_IGN)  # Ctrl-C reaches every process of the terminal; the parent alone answers it
    Thread(target=_end_with_parent, daemon=True).start()


def _finish(chunk: Chunk) -> Counts:
    return _WORK[0].finish(chunk)


def _end_with_parent() -> None:
    """End this worker when the run is killed: it would otherwise wait for chunks forever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)

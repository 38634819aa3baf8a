"""Sanitizing a file: chunks, worker processes, resume, and one final rename.

Every finished chunk is kept as a part beside the output (``files/parts.py``), so a run that was killed can
resume where it stopped and every record ends up in the output exactly once. Nothing has the output's name
before all of it is there, and all that belongs to it. A run owns its output while it lasts.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sfumato import version
from sfumato.errors import OutputError, RefusedReleaseError, SfumatoError
from sfumato.files import Assembled, Counts, Parts, ShardsSource, Source, writing
from sfumato.files.counts import NOTHING
from sfumato.files.parts import CHANGED
from sfumato.privacy import certificates
from sfumato.release.account import Account
from sfumato.release.chunks import BatchSanitizer, Releasing
from sfumato.release.job import Companion, FileProgress, Job, RunSummary, check_output, check_places
from sfumato.release.kept_marks import watched
from sfumato.release.plans import SUFFIX, Planning
from sfumato.release.work import Work, check_ids
from sfumato.release.workers import Known, finished
from sfumato.storage import Place, cache, owned

_LOG = logging.getLogger(__name__)
GONE = (
    "its draws for subjects came from a key that ended with it, so nothing of it can be resumed; a run with a pinned "
    "key can be"
)


def sanitize_job(
    job: Job,
    run: str,
    sanitizer: BatchSanitizer,
    randomness: Any,
    progress: FileProgress | None = None,
    companions: Sequence[Companion] = (),
    account: Account | None = None,
) -> RunSummary:
    """Sanitize ``job`` as the ``run`` that :func:`fingerprint_of` names, and return what was done.

    With an ``account``, everything that the run will draw is reserved before its first draw.

    Raises InputError for an input that cannot be read (naming file and place, never content) and OutputError for an
    output that cannot be written, must not be replaced, or is being written by another run. ``randomness`` is handed
    to the sanitizer as it is.
    """
    started = time.perf_counter()
    job.check_unchanged()
    parts = job.parts(run)
    places = [companion.place for companion in companions if companion.place not in parts.places]
    with owned(places):
        assembled = parts.assembled() if job.options.resume else None
        if assembled is None:
            if not job.checked:
                check_output(job.source, parts, job.options)
            check_places(job.source, parts, job.options, places)
            left = None if account is None or job.options.resume else account.left_by(parts)
            parts.start(job.options.resume, CHANGED if resumable(sanitizer, randomness) else GONE)
            if account is not None:
                account.take_back(left, parts)
                _reserve(job, sanitizer, parts, account)
            # The run's name alone is no secret.
            secret = cache.own_mark(f"people of {run}") or run
            drawing, marks = (sanitizer, None) if account is None else watched(sanitizer)
            releasing = Releasing(drawing, randomness, job.options.files, secret, marks)
            reserved = None if account is None else account.reservation(parts)
            try:
                assembled = _assembled(job, Work(releasing, parts), progress)
            except RefusedReleaseError:  # its draws were made, so what they cost is not taken back
                with suppress(OSError):  # what went wrong first is said
                    parts.clear()
                raise
            except SfumatoError:
                if account is not None:
                    account.take_back(reserved, parts)
                raise
        summary = RunSummary.of(assembled.counts, time.perf_counter() - started)
        publish(parts, assembled, companions, summary, job.source, account)
        clear(parts, places)
    _LOG.info("released %d records with %d draws in %.1f s", summary.records, summary.draws, summary.seconds)
    return summary


def _reserve(job: Job, sanitizer: Any, parts: Parts, account: Account) -> None:
    """Plan all that is to be drawn, and reserve its cost; nothing is left behind if it cannot be paid."""
    planning = Planning(sanitizer, job.options.files, parts)
    planned = ((task, None if parts.kept(task.number, SUFFIX) is None else NOTHING) for task in job.source.tasks())
    try:
        tasks = sum(1 for _ in finished(planning, planned, job.options.workers))
        job.check_unchanged()
        account.reserve(parts, tasks)
        _LOG.info("reserved what %d parts cost", tasks)
    except SfumatoError:
        with suppress(OSError):  # what went wrong first is said
            parts.abandon()
        raise


def _assembled(job: Job, work: Work, progress: FileProgress | None) -> Assembled:
    """Do everything that is left to do until the output is complete under its hidden name."""
    total, size, tasks, parts = NOTHING, job.source.size, 0, work.parts
    known: Iterator[Known] = ((task, parts.counts(task.number)) for task in job.source.tasks())
    try:
        for done, counts in _by_engine(job, work, known):
            _LOG.debug("part %d: %d records, %d set aside", tasks, counts.records, counts.quarantined)
            total, tasks = total + counts, tasks + 1
            if progress is not None:
                progress(done, size, total.records)
    except SfumatoError:
        with suppress(OSError):  # what went wrong first is said
            parts.abandon()
        raise
    job.check_unchanged()
    if job.options.files.subject_field is not None:
        by = {treatment: parts.people(tasks, treatment) for treatment in total.draws_by}
        total = replace(total, people=parts.people(tasks), people_by=by)
    if not isinstance(job.source, ShardsSource):
        return parts.assemble(tasks, total, write=getattr(job.source, "assemble", None))
    if job.options.files.id_field is not None:
        check_ids(parts, job.source.shards)
    return parts.assemble(tasks, total, [shard.name for shard in job.source.shards])


def _by_engine(job: Job, work: Work, tasks: Iterable[Known]) -> Iterator[tuple[int, Counts]]:
    if job.options.engine == "ray":
        from sfumato.release.on_ray import finished_on_ray

        return finished_on_ray(work, tasks, job.options.workers)
    return finished(work, tasks, job.options.workers)


def fingerprint_of(job: Job, sanitizer: BatchSanitizer, randomness: Any, ledger: str = "") -> str:
    """Return what changes with program, input, options, sanitizer, randomness, ledger: two of one are one run.

    It holds the input's name, size and time, so that it must not leave the machine without a key.
    """
    made_by = [version.VERSION, certificates.ANALYSIS]
    read = repr(job.options.files)
    own = "" if resumable(sanitizer, randomness) else getattr(sanitizer, "run_digest", "")
    facts = [
        *made_by,
        job.state,
        job.output.name,
        read,
        _name(sanitizer),
        own,
        _name(randomness),
        *filter(None, [ledger]),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def resumable(sanitizer: BatchSanitizer, randomness: Any) -> bool:
    """Return whether a stopped run can go on: not where draws for subjects come from a key that ends with the run."""
    return bool(getattr(randomness, "keyed", False)) or not getattr(sanitizer, "run_digest", "")


def _name(thing: Any) -> str:
    fingerprint = getattr(thing, "fingerprint", None)
    return f"{version.origin(type(thing))} {fingerprint() if callable(fingerprint) else fingerprint}"


def publish(
    parts: Parts, assembled: Assembled, companions: Sequence[Companion], summary: RunSummary, source: Source,
    account: Account | None = None,
) -> None:  # fmt: skip
    """Write the companions and give everything its name; only what is missing, if the output has its name.

    A run with an ``account`` is published in its ledger before the first rename.
    """
    release = parts.complete(assembled)
    if release == parts.output:
        companions = [companion for companion in companions if not companion.place.path.exists()]
    for companion in companions:
        with writing(companion.place.path):
            companion.write(companion.place.ready, release, summary, source)
    if account is not None:
        account.publish(parts, release)
    parts.publish(assembled, [companion.place for companion in companions])


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

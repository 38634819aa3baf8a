"""A release and its statement, which always go together."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions, Parts, Source
from sfumato.ledger import Ledger
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.release.account import Account, refused_list
from sfumato.release.job import Job, opened
from sfumato.release.options import Companion, FileProgress, RunOptions, RunSummary
from sfumato.release.outputs import clear
from sfumato.release.run import fingerprint_of, sanitize_job
from sfumato.release.statement import statement
from sfumato.storage import cache, created, owned
from sfumato.storage.digests import digest_of_everything
from sfumato.text import notebook
from sfumato.types import Progress
from sfumato.vocabularies.private import refuse_private

_LOG = logging.getLogger(__name__)
_CHARACTERS = 250  # of a record of a rewriting, about: longer ones fill a chunk sooner


class Released(NamedTuple):
    """What a run did, what the release guarantees, and where both are.

    Attributes:
        summary: How many records, draws and seconds it took; None if an earlier run had done everything.
        statement: The privacy statement, as JSON types.
        output: Where the release is.
        statement_path: Where the statement is.
    """

    summary: RunSummary | None
    statement: dict[str, Any]
    output: Path
    statement_path: Path

    def __repr__(self) -> str:
        done = "complete since an earlier run" if self.summary is None else f"{self.summary.records:,} records"
        return f"Released({self.output.name}: {done})"

    def _repr_html_(self) -> str:
        done, rows = self.summary, list[tuple[str, object]]()
        if done is not None:
            counts = (("records", done.records), ("draws", done.draws), ("spans replaced", sum(done.labels.values())))
            rows += [(name, f"{count:,}") for name, count in counts if count]
        if certificate := self.statement.get("certificate"):
            rows.append(("certified loss", f"{certificate['certified']:.6g} ({certificate['kind']})"))
        rows.append(("statement", self.statement_path.name))
        guaranteed = f"<p>{notebook.escaped(self.statement.get('summary', ''))}</p>"
        return notebook.caption(self.output.name) + guaranteed + notebook.table(rows)


def release_file(
    sanitizer: Sanitizer,
    input: Path | str,
    output: Path | str,
    options: RunOptions | None = None,
    randomness: Randomness | None = None,
    progress: FileProgress | None = None,
    companions: Sequence[Companion] = (),
) -> Released:
    """Sanitize ``input`` into ``output``, which appears together with ``output``.privacy.json and ``companions``.

    Every claim is certified before a record is read. Raises InputError and OutputError as
    :func:`sfumato.release.run.sanitize_file` does, VocabularyError where a vocabulary is the input or a copy of it,
    GuaranteeError where the claim cannot be certified.
    """
    with opened(input, output, options or RunOptions()) as job:
        return prepared(job, sanitizer, randomness).release(progress, companions)


def prepared(
    job: Job, sanitizer: Sanitizer, randomness: Randomness | None = None, progress: Progress | None = None
) -> Prepared:
    """Return ``job`` ready to be released by ``sanitizer``, which has loaded and certified everything.

    Raises VocabularyError if a file that the sanitizer was built from is the input or a copy of it,
    ConfigurationError if the sanitizer cannot sanitize such records, GuaranteeError if the claim cannot be stated.
    """
    randomness = randomness or SystemRandomness()
    if job.options.engine == "ray" and not randomness.keyed:
        raise no_run_key()
    if job.source.kind == "shards" and randomness.keyed and randomness.private and job.options.files.id_field is None:
        raise ConfigurationError(
            "Pinned randomness needs the field of the record's id (--id-field): draws are tied to it, and records of "
            "several files would share the draws of their places."
        )
    sanitizer = sanitizer.suited_to(randomness)
    refuse_private(sanitizer.sources, job.source.paths, job.source.remote)
    sanitizer.check_fields(job.options.files)
    if sanitizer.rewrites_whole_text and job.options.files.quoting == "none":
        raise ConfigurationError(
            "A text that is written anew may hold the cells' delimiter, which cannot be written without quotation "
            "marks; leave out --quoting none."
        )
    check_subject_field(sanitizer, job.options.files)
    job = job.reading(suiting(sanitizer, job.options.files))
    started = time.perf_counter()
    sanitizer.prepare(progress)
    statement(sanitizer, randomness, {1: 1})  # what cannot be stated must not be released
    _LOG.info("certified in %.1f s", time.perf_counter() - started)
    return Prepared(job, sanitizer, randomness)


def no_run_key() -> ConfigurationError:
    """Return the error of a run on an engine that has no key."""
    return ConfigurationError(
        "An engine repeats a task whose worker died, and a draw that is repeated without a key is a second draw of "
        "the same text; give a run key (--pin KEY), which `sfumato key KEY` makes."
    )


def check_subject_field(sanitizer: Sanitizer, files: FileOptions) -> None:
    """Raise ConfigurationError for a field of people that no cost of ``sanitizer`` is added up over."""
    promises = sanitizer.guarantee is not None or any(treatment.guarantee for treatment in sanitizer.treatments)
    if not promises and files.subject_field is not None and not sanitizer.reads:
        raise ConfigurationError(
            "A method without a guarantee has no costs to add up over a person; leave out the subject field."
        )


def suiting(sanitizer: Sanitizer, files: FileOptions) -> FileOptions:
    """Return ``files`` with the fields that ``sanitizer`` reads, and with chunks of its size."""
    if sanitizer.records_at_once is not None:  # so slow that a stopped run should have lost little
        most = min(files.chunk_records, sanitizer.records_at_once)
        room = min(files.chunk_characters, _CHARACTERS * most)
        files = replace(files, chunk_records=most, chunk_characters=room)
    spans_field = sanitizer.detector.spans_field
    if files.spans_field not in (None, spans_field):  # one would keep the offsets of what was replaced
        reads = "no field of spans" if spans_field is None else f"spans in the field {spans_field!r}"
        raise ConfigurationError(
            f"The detector reads {reads}, not in {files.spans_field!r}; leave out the field of spans, or detect the "
            "spans that it gives (--detect given)."
        )
    return replace(files, spans_field=spans_field).reading(sanitizer.reads)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job and the sanitizer that is ready for it. Made by :func:`prepared`."""

    job: Job
    sanitizer: Sanitizer
    randomness: Randomness

    def release(
        self,
        progress: FileProgress | None = None,
        companions: Sequence[Companion] = (),
        on_draws: Callable[[int], None] | None = None,
        ledger: Ledger | None = None,
    ) -> Released:
        """Write the output, its statement and the ``companions``, all of them or none.

        With a ``ledger`` all that the run will draw is reserved there before the first draw. Raises BudgetError if
        someone cannot pay, with a private list beside the output, and LedgerError. A method that is slow between two
        records calls ``on_draws`` with how many draws it has made since.
        """
        job, parts = self.job, self.job.parts()
        sanitizer = self.sanitizer if on_draws is None else self.sanitizer.reporting(on_draws)
        run = fingerprint_of(job, sanitizer, self.randomness, "" if ledger is None else ledger.id)
        mark = cache.own_mark(run)
        summary: RunSummary | None = None
        if not (job.options.resume and _is_done(parts, mark, companions)):
            account = None if ledger is None else self._account(ledger)
            write = self._statement_writer(mark, account)
            together = (Companion(parts.statement, write), *companions)
            summary = sanitize_job(job, run, sanitizer, self.randomness, progress, together, account)
        return Released(summary, _read(parts.statement.path), job.output, parts.statement.path)

    def _account(self, ledger: Ledger) -> Account:
        """Return the account of this run. Raise ConfigurationError if a ledger cannot hold its cost."""
        files = self.job.options.files
        if files.id_field is None and self.job.source.kind != "folder":
            raise ConfigurationError(
                "A ledger charges each record by its id; name the field that holds it (--id-field)."
            )
        if self.job.options.engine == "ray":
            raise ConfigurationError("A run with a ledger is planned on this machine; leave out --engine ray.")
        if refused_list(self.job.output).resolve() in {path.resolve() for path in self.job.source.paths}:
            raise ConfigurationError(
                "The input has the name that the list of those who cannot pay would get; choose another output."
            )
        return Account.of(ledger, self.sanitizer, self.randomness, files.subject_field)

    def _statement_writer(
        self, mark: str | None, account: Account | None
    ) -> Callable[[Path, Path, RunSummary, Source], None]:
        """Return what writes the statement of the run with this ``mark``."""

        def write(ready: Path, release: Path, done: RunSummary, source: Source) -> None:
            stated = statement(
                self.sanitizer, self.randomness, done.draws_per_record, done.quarantined, source.stated,
                source.options.others_kept, done.absent,
                None if source.options.subject_field is None else done.people, done.draws_by,
                done.people_by,
            )  # fmt: skip
            if account is not None:
                stated["ledger"] = account.facts(self.job.parts())
            named = {"name": self.job.output.name, "sha256": digest_of_everything(release), "run": mark}
            # A name that is no text keeps its bytes, in JSON's own escapes.
            text = json.dumps({**stated, "release": named}, indent=2, ensure_ascii=False) + "\n"
            with created(ready) as file:
                file.write(text.encode("utf-8", "backslashreplace"))

        return write


def _is_done(parts: Parts, mark: str | None, companions: Sequence[Companion]) -> bool:
    """Return whether the very run with this ``mark`` has ended: its statement says so, and the release is unchanged.

    Without a mark nothing is known of an earlier run. What that run kept hidden, if it was killed while it removed
    it, goes.
    """
    places = [companion.place for companion in companions if companion.place not in parts.places]
    with owned(places):
        if not parts.ended or not all(place.path.exists() for place in places):
            return False
        released = _read(parts.statement.path).get("release", {})
        if mark is None or not isinstance(released, dict) or released.get("run") != mark:
            return False
        if released.get("sha256") != digest_of_everything(parts.output):
            return False
        clear(parts, places)
        return True


def _read(path: Path) -> dict[str, Any]:
    """Return the statement at ``path``; nothing if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

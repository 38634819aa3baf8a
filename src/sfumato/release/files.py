"""A release and its statement, which always go together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.files import Parts, Source
from sfumato.ledger import Ledger
from sfumato.privacy.randomness import Randomness
from sfumato.release.account import Account
from sfumato.release.job import Companion, FileProgress, Job, RunSummary
from sfumato.release.run import clear, fingerprint_of, sanitize_job
from sfumato.release.statement import statement
from sfumato.storage import cache, created, owned
from sfumato.storage.digests import digest_of_everything
from sfumato.text import notebook

_COUNTED = (
    "how many records the detector is unsure of, such as those in another language than is set, which words that are "
    "replaced may show too"
)


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


def release_job(
    job: Job, sanitizer: Sanitizer, randomness: Randomness, companions: Sequence[Companion] = (),
    progress: FileProgress | None = None, ledger: Ledger | None = None,
) -> Released:  # fmt: skip
    """Write the output of ``job``, its statement and the ``companions``, all of them or none.

    The ``sanitizer`` is prepared. With a ``ledger`` all that the run will draw is reserved there before the first
    draw. Raises BudgetError if someone cannot pay, with a private list beside the output, and LedgerError.
    """
    parts = job.parts()
    run = fingerprint_of(job, sanitizer, randomness, "" if ledger is None else ledger.id)
    mark = cache.own_mark(run)
    summary: RunSummary | None = None
    if not (job.options.resume and _is_done(parts, mark, companions)):
        subject = job.options.files.subject_field
        account = None if ledger is None else Account.of(ledger, sanitizer, randomness, subject)
        written = Companion(parts.statement, partial(_write, job, sanitizer, randomness, mark, account))
        summary = sanitize_job(job, run, sanitizer, randomness, progress, (written, *companions), account)
    return Released(summary, _read(parts.statement.path), job.output, parts.statement.path)


def _write(
    job: Job, sanitizer: Sanitizer, randomness: Randomness, mark: str | None, account: Account | None, ready: Path,
    release: Path, done: RunSummary, source: Source,
) -> None:  # fmt: skip
    """Write the statement of the run with this ``mark`` to ``ready``."""
    stated = statement(
        sanitizer, randomness, done.draws_per_record, done.quarantined, source.stated, source.options.others_kept,
        done.absent, None if source.options.subject_field is None else done.people, done.draws_by, done.people_by,
    )  # fmt: skip
    if done.cautions:
        stated["detector"]["cautions"] = dict(done.cautions)
        stated["visible"].append(_COUNTED)
    if done.documents:
        stated["documents"] = done.documents
    if account is not None:
        stated["ledger"] = account.facts(job.parts())
    named = {"name": job.output.name, "sha256": digest_of_everything(release), "run": mark}
    # A name that is no text keeps its bytes, in JSON's own escapes.
    text = json.dumps({**stated, "release": named}, indent=2, ensure_ascii=False) + "\n"
    with created(ready) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


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

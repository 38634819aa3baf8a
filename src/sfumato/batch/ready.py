"""What a callable needs to release a table, made once in each process."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.batch.counts import ALL, DOCUMENTS, Columns, Drawn, Draws
from sfumato.building.build import build
from sfumato.building.policies import build_policy
from sfumato.files.options import FileOptions
from sfumato.files.tables import TableSource
from sfumato.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SystemRandomness
from sfumato.release.chunks import Releasing
from sfumato.release.statement import statement
from sfumato.run.execute import certify, fitted
from sfumato.storage.keys import keyed, read_secret
from sfumato.text.document import Document, Release, name_of_person


@dataclass(frozen=True)
class Ready:
    """A sanitizer that is loaded and certified, with its randomness and how it reads a table.

    People are marked under ``secret``: by the run key, so that every machine marks a person alike.
    """

    sanitizer: Sanitizer
    randomness: Randomness
    files: FileOptions
    secret: bytes = field(repr=False)

    def released(self, table: pa.Table, columns: Columns) -> pa.Table:
        """Return the release of ``table``, with the ``columns`` about its records."""
        releasing = Releasing(self.sanitizer, self.randomness, self.files)
        tables, draws, people = list[pa.Table](), list[Draws](), list[str | None]()
        for chunk in TableSource(table, self.files).chunks():
            good, releases, _ = releasing.sanitized(chunk)
            tables.append(good.table(releases))  # type: ignore[attr-defined]
            for start, end in pairwise(good.edges):
                draws.append(self._drawn(releases[start:end]))
                people.append(self._person(good.documents[start:end]))
        # in one chunk: the length of chunks follows from the length of private records
        return columns.added(pa.concat_tables(tables).combine_chunks(), draws, people)

    def _drawn(self, releases: Sequence[Release]) -> Draws:
        """Return the draws of a record with these ``releases``."""
        drawn: Counter[str] = Counter({ALL: sum(release.draws for release in releases)})
        for release in releases:
            drawn.update(release.draws_by)
        if self.sanitizer.spends_by_document:
            drawn[DOCUMENTS] = sum(min(release.draws, 1) for release in releases)
        return drawn

    def _person(self, documents: Sequence[Document]) -> str | None:
        """Return the mark of the person of a record with these ``documents``; None without a text or a person."""
        name = self.files.subject_field
        if name is None or not documents:
            return None
        return keyed(self.secret, "person of a record in a table", name_of_person(documents[0].metadata[name])).hex()

    def statement(self, drawn: Drawn, columns: Columns) -> dict[str, Any]:
        """Return the statement of a release with the draws ``drawn`` and these ``columns``."""
        stated = statement(
            self.sanitizer, self.randomness, drawn.draws, keep=self.files.others_kept, people=drawn.people,
            draws_by=drawn.draws_by, people_by=drawn.people_by,
        )  # fmt: skip
        if columns.person is not None:
            stated["visible"].append(
                f"which records are about one person, unless the column {columns.person!r} is removed"
            )
        return stated


_MADE: dict[str, Ready] = {}
_LOCK = Lock()


def ready(
    mark: str, method: Policy | str, epsilon: float | None, options: Mapping[str, Any], files: FileOptions,
    pin: bytes | Path | None,
) -> Ready:  # fmt: skip
    """Return what releases tables so; every call of this process with the same ``mark`` returns the same.

    The mark is a callable's own, and travels with it. What a callable chose would not do: files that a policy names
    may have changed since another one read them.
    """
    with _LOCK:
        if mark not in _MADE:
            _MADE[mark] = _made(method, epsilon, options, files, pin)
        return _MADE[mark]


def _made(
    method: Policy | str, epsilon: float | None, options: Mapping[str, Any], files: FileOptions,
    pin: bytes | Path | None,
) -> Ready:  # fmt: skip
    """Build the sanitizer, and certify it before a text is read."""
    key = read_secret(pin, "the key file") if isinstance(pin, Path) else pin
    randomness = SystemRandomness() if key is None else PinnedRandomness(key)
    sanitizer = build_policy(method) if isinstance(method, Policy) else build(method, epsilon, **options)
    sanitizer, files = fitted(sanitizer, randomness, files)
    certify(sanitizer, randomness)
    return Ready(sanitizer, randomness, files, secrets.token_bytes(32) if key is None else key)

"""What a callable needs to release a table, made once in each process, and the draws that released tables took.

An engine may run a task twice, but a record is in its output once. So what is counted there is counted once.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.policies import build_policy
from sfumato.errors import ConfigurationError
from sfumato.files.options import FileOptions
from sfumato.files.parquet import TableSource
from sfumato.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SystemRandomness
from sfumato.release.chunks import Releasing
from sfumato.release.statement import statement
from sfumato.run.execute import certify, fitted
from sfumato.storage.keys import keyed, read_secret
from sfumato.text.document import Document, Release, name_of_person

TYPE = pa.map_(pa.string(), pa.int64())
ALL = "all"
"""The key of all draws of a record; the others are treatments of a policy."""
DOCUMENTS = "documents"
"""The key of how many texts of a record had draws, where a text has a budget of its own: a person pays by them."""
Draws = Mapping[str, int]


@dataclass(frozen=True)
class Columns:
    """The columns that are added to a released table: the draws of each record, and the mark of its person.

    Raises:
        ConfigurationError: They are one column, or people are to be marked without what they pay for.
    """

    draws: str | None = None
    person: str | None = None

    def __post_init__(self) -> None:
        if self.person is None:
            return
        if self.draws is None:
            raise ConfigurationError("person_field says who took the draws of a record; name draws_field as well.")
        if self.person == self.draws:
            raise ConfigurationError("draws_field and person_field are two columns; give each a name of its own.")

    def added(self, table: pa.Table, draws: Sequence[Draws], people: Sequence[str | None]) -> pa.Table:
        """Return ``table`` with these columns. Raise ConfigurationError if it has one of them already."""
        new = (
            ("draws_field", self.draws, pa.array([sorted(record.items()) for record in draws], TYPE)),
            ("person_field", self.person, pa.array(people, pa.string())),
        )
        for option, name, column in new:
            if name is None:
                continue
            if name in table.column_names:
                raise ConfigurationError(f"The column of {option} is there already; give {option} another name.")
            table = table.append_column(name, column)
        return table

    def rows_of(self, table: pa.Table) -> Iterable[tuple[dict[str, int], str | None]]:
        """Yield the draws of each record of ``table``, and the mark of its person if it has one."""
        if not isinstance(table, pa.Table):
            raise ConfigurationError("A statement counts Arrow tables; give it a list of the releases.")
        try:
            draws = [dict(record) for record in self._of(table, "draws_field", self.draws)]
        except (TypeError, ValueError) as error:
            if isinstance(error, ConfigurationError):
                raise
            raise ConfigurationError("The column of draws_field holds something else; name it as it was.") from None
        people = [None] * len(draws) if self.person is None else self._of(table, "person_field", self.person)
        return zip(draws, people, strict=True)

    def _of(self, table: pa.Table, option: str, name: str | None) -> list[Any]:
        if name is None or name not in table.column_names:
            raise ConfigurationError(
                f"A table has no column that says what its records took; name one ({option}) when the table is "
                "sanitized, and count it before the column is removed."
            )
        rows: list[Any] = table.column(name).to_pylist()
        return rows


@dataclass(frozen=True)
class Drawn:
    """How many records, and how many people, took each number of draws, altogether and of each treatment.

    ``people`` is None if nobody is marked.
    """

    draws: Mapping[int, int]
    draws_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    people: Mapping[int, int] | None = None
    people_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Iterable[pa.Table], columns: Columns) -> Drawn:
        """Return what the ``columns`` of ``tables`` say. Raise ConfigurationError if a table lacks one."""
        records: dict[str, Counter[int]] = {ALL: Counter()}
        spent: dict[str, Counter[str]] = {ALL: Counter()}
        for table in tables:
            for draws, person in columns.rows_of(table):
                paid = draws.pop(DOCUMENTS, draws[ALL])
                for name, number in draws.items():
                    records.setdefault(name, Counter())[number] += 1
                    if person is not None:
                        spent.setdefault(name, Counter())[person] += paid if name == ALL else number
        people = {name: dict(Counter(totals.values())) for name, totals in sorted(spent.items())}
        draws_of_all, people_of_all = records.pop(ALL), people.pop(ALL)
        by_treatment = {name: dict(counts) for name, counts in sorted(records.items())}
        return cls(dict(draws_of_all), by_treatment, None if columns.person is None else people_of_all, people)


@dataclass(frozen=True)
class WorkerSanitizer:
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


_MADE: dict[str, WorkerSanitizer] = {}
_LOCK = Lock()


def sanitizer_of_worker(
    mark: str, method: Policy | str, epsilon: float | None, options: Mapping[str, Any], files: FileOptions,
    pin: bytes | Path | None,
) -> WorkerSanitizer:  # fmt: skip
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
) -> WorkerSanitizer:  # fmt: skip
    """Build the sanitizer, and certify it before a text is read."""
    key = read_secret(pin, "the key file") if isinstance(pin, Path) else pin
    randomness = SystemRandomness() if key is None else PinnedRandomness(key)
    sanitizer = build_policy(method) if isinstance(method, Policy) else build(method, epsilon, **options)
    sanitizer, files = fitted(sanitizer, randomness, files)
    certify(sanitizer, randomness)
    return WorkerSanitizer(sanitizer, randomness, files, secrets.token_bytes(32) if key is None else key)

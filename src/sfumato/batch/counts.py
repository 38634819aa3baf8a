"""How many draws the records of released tables took, added up from the tables themselves.

An engine may run a task twice, but a record is in its output once. So what is counted there is counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sfumato.errors import ConfigurationError

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

"""How many draws the records of released tables took, added up from the tables themselves.

An engine may run a task twice, but a record is in its output once. So what is counted there is counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from sfumato.errors import ConfigurationError

TYPE = pa.map_(pa.string(), pa.int64())
ALL = "all"
"""The key of all draws of a record; the others are treatments of a policy."""


def drawn_column(draws: Sequence[Mapping[str, int]]) -> pa.Array:
    """Return the column with the ``draws`` of each record, by treatment."""
    return pa.array([sorted(record.items()) for record in draws], TYPE)


@dataclass(frozen=True)
class Drawn:
    """How many records took each number of draws, altogether and of each treatment."""

    draws: Mapping[int, int]
    draws_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Iterable[pa.Table], column: str | None) -> Drawn:
        """Return the draws in the ``column`` of ``tables``. Raise ConfigurationError if a table has none."""
        found: dict[str, Counter[int]] = {ALL: Counter()}
        for table in tables:
            if column is None or column not in table.column_names:
                raise ConfigurationError(
                    "The draws of a table are counted in a column of its own; name one (draws_field) when it is "
                    "sanitized."
                )
            for record in table.column(column).to_pylist():
                for name, draws in dict(record).items():
                    found.setdefault(name, Counter())[draws] += 1
        draws = found.pop(ALL)
        return cls(dict(draws), {name: dict(counts) for name, counts in sorted(found.items())})

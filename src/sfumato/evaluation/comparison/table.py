"""The figures of a comparison as one table, with a row for each run and measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.evaluation.comparison.frontier import Frontier
from sfumato.evaluation.comparison.methods import Method

_COLUMNS = {
    "input": "string", "method": "string", "kind": "string", "budget": "string", "epsilon": "float64",
    "seed": "int64", "measure": "string", "side": "string", "value": "float64", "low": "float64", "high": "float64",
    "n": "int64", "of": "string", "attacker": "string", "failed": "string",
}  # fmt: skip


def as_table(frontiers: Sequence[Frontier]) -> Any:
    """Return a table of Arrow: for each run and measure the ``value`` with its interval from ``low`` to ``high``.

    ``attacker`` names the strongest attacker of a measure of privacy. A run without results has one row, whose
    ``failed`` is the reason. It holds no text of a record.
    """
    import pyarrow as pa

    rows = [row for part in frontiers for row in _rows(part)]
    columns = {name: [row.get(name) for row in rows] for name in _COLUMNS}
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in _COLUMNS.items()])
    return pa.table(columns, schema=schema)


def as_csv(frontiers: Sequence[Frontier]) -> str:
    """Return :func:`as_table` as CSV with a header; what is not known is empty."""
    import pyarrow as pa
    from pyarrow import csv

    stream = pa.BufferOutputStream()
    csv.write_csv(as_table(frontiers), stream)
    return str(stream.getvalue().to_pybytes(), "utf-8")


def _rows(part: Frontier) -> Iterator[dict[str, Any]]:
    sides = {measure.name: measure.side for measure in part.measures}
    for outcome, values, attackers in zip(part.outcomes, part.rows, part.attackers, strict=True):
        run = outcome.run
        own: dict[str, Any] = {
            "input": part.comparison.name,
            "method": run.source.name,
            "kind": run.kind,
            "seed": run.seed,
        }
        if isinstance(run.source, Method) and run.budget is not None:
            own |= {"budget": run.source.budget, "epsilon": run.budget}
        if values is None:
            yield {**own, "failed": outcome.reason}
        for name, value in (values or {}).items():
            figures = {"value": value.value, "low": value.low, "high": value.high, "n": value.n, "of": value.of}
            yield {**own, "measure": name, "side": sides[name], "attacker": attackers.get(name), **figures}

"""A table of a population from a CSV or Parquet file, refused where a person would be counted twice.

The columns are attributes (``age``, or ``age_low`` and ``age_high``; ``sex``, ``place``, ``occupation``, others) and
``count``. A row is a cell. The place is never left out: without it everybody of an age, wherever they live, would
count as sharing it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.attacks.population import AGE, OLDEST, PLACE, Ages, ListedPlaces, Population, Table, Value
from sfumato.attacks.population_values import value_of
from sfumato.errors import InputError
from sfumato.kinds.places.populated import Located, located
from sfumato.language.en.sexes import EVERYBODY
from sfumato.types import FloatArray

LISTED = "shipped:places"
"""What names the places that come with sfumato, in the place of a file."""
COUNT, LOW, HIGH = "count", "age_low", "age_high"


def population_of(name: str) -> Population:
    """Return the population called ``name``: :data:`LISTED`, or a file. Raise InputError."""
    return ListedPlaces() if name == LISTED else read_population(Path(name))


def read_population(path: Path) -> Table:
    """Return the table in the file at ``path``. Raise InputError, which names the row, for one that is of no use."""
    rows = _columns(path)
    if COUNT not in rows:
        raise InputError(f"{path.name} has no column {COUNT!r} with the number of people of each row; add it.")
    if PLACE not in rows:
        raise InputError(
            f"{path.name} has no column {PLACE!r}, so it does not say where these people live, and everybody else of "
            "an age would count as sharing it; add the column (a table of one town has its name in every row)."
        )
    counts = _counts(path, rows.pop(COUNT))
    columns = _attributes(path, rows)
    _check_cells(path, columns)
    return Table(path.name, columns, counts)


def _columns(path: Path) -> dict[str, list[Any]]:
    """Return the columns of the file by their names in small letters."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    try:
        if path.suffix.lower() == ".parquet":
            table = parquet.read_table(path)
        else:
            as_text = csv.ConvertOptions(
                strings_can_be_null=False, column_types=dict.fromkeys(_names(path), pa.string())
            )
            table = csv.read_csv(path, convert_options=as_text)
    except (OSError, ValueError, KeyError):  # arrow's errors quote what they read
        raise InputError(f"{path.name} is no table; give a .csv with a header, or a .parquet.") from None
    names = [name.strip().lower() for name in table.column_names]
    if len(set(names)) < len(names) or not table.num_rows:
        raise InputError(f"{path.name} has two columns of one name, or no rows; correct it.")
    return {name: table.column(number).to_pylist() for number, name in enumerate(names)}


def _names(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file."""
    from pyarrow import csv

    with csv.open_csv(path) as reader:
        return list(reader.schema.names)


def _counts(path: Path, written: Sequence[Any]) -> FloatArray:
    counts = []
    for number, value in enumerate(written, 1):
        try:
            count = float(str(value).replace(",", ""))
        except ValueError:
            count = -1.0
        if not (np.isfinite(count) and count >= 0):
            raise InputError(f"{path.name}, row {number}: a count is a number of people, 0 or more; correct it.")
        counts.append(count)
    if not sum(counts):
        raise InputError(f"{path.name} counts nobody; give a table with people in it.")
    return np.array(counts, dtype=np.float64)


def _attributes(path: Path, rows: Mapping[str, Sequence[Any]]) -> dict[str, list[Value]]:
    """Return the values of each attribute. Raise InputError for a value that cannot be read, and for sums."""
    written = dict(rows)
    if (LOW in rows) != (HIGH in rows) or (LOW in rows and AGE in rows):
        raise InputError(
            f"{path.name}: ages are one column {AGE!r}, or two, {LOW!r} and {HIGH!r}; keep one of these."
        )
    if LOW in rows:
        lows, highs = written.pop(LOW), written.pop(HIGH)
        written[AGE] = [f"{_bare(low)}-{_bare(high) or OLDEST}" for low, high in zip(lows, highs, strict=True)]
    columns: dict[str, list[Value]] = {}
    for name, column in written.items():
        own: list[Value] = []
        for number, text in enumerate(column, 1):
            value = None if text is None else value_of(name, text)
            if value is None:
                raise InputError(f"{path.name}, row {number}: the column {name!r} holds no value that can be read.")
            if " ".join(str(text).lower().split()) in EVERYBODY:
                raise InputError(
                    f"{path.name}, row {number}: the column {name!r} holds a sum over other rows, whose people would "
                    "count twice; leave such rows out."
                )
            own.append(value)
        columns[name] = own
    return columns


def _bare(text: Any) -> str:
    """Return a number as it is written without decimals."""
    return "" if text is None else str(text).strip().removesuffix(".0")


def _check_cells(path: Path, columns: Mapping[str, Sequence[Value]]) -> None:
    """Raise InputError where two cells hold the same people: places inside places, ages of two bands, a cell."""
    _check_places(path, columns[PLACE])
    others = [column for name, column in columns.items() if name != AGE]
    bands: dict[tuple[Value, ...], list[tuple[Ages, int]]] = {}
    for number, cell in enumerate(zip(*others, strict=True)):
        ages = columns[AGE][number] if AGE in columns else (0, OLDEST)
        assert isinstance(ages, tuple)
        bands.setdefault(cell, []).append((ages, number))
    for own in bands.values():
        own.sort()
        for (before, first), (after, second) in pairwise(own):
            if after[0] <= before[1]:
                raise InputError(
                    f"{path.name}, rows {min(first, second) + 1} and {max(first, second) + 1}: both count the same "
                    "people, who would count twice; keep one of them."
                )


def _check_places(path: Path, column: Sequence[Value]) -> None:
    rows = {name: number for number, name in reversed(list(enumerate(column)))}
    places: dict[Located, Value] = {}
    for name in rows:
        place = located(str(name))
        if place is not None:
            other = places.setdefault(place, name)
            if other != name:
                raise InputError(_twice(path, rows[other], rows[name]))
    for place, name in places.items():
        around = (place._replace(city=""), place._replace(city="", region=""), Located(place.continent))
        for area in around:
            if area != place and area in places:
                raise InputError(_twice(path, rows[places[area]], rows[name]))


def _twice(path: Path, first: int, second: int) -> str:
    return (
        f"{path.name}, rows {min(first, second) + 1} and {max(first, second) + 1}: one place is, or lies inside, the "
        "other, whose people would count twice; keep one of them."
    )

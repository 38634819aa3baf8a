"""Control codes: what a synthetic record is to be about, such as `topic: move | stars: 5`.

A field's values are declared (public), or found in the private records by a noisy threshold: each unit names one
value, every value's count gets normal noise, and a value is found if its noisy count exceeds ``threshold``. A value
that one unit alone has exceeds it with probability at most δ; all other values exist with or without that unit, so
the counts of them are one Gaussian mechanism (Korolova et al. 2009; Wilkins et al. 2024 have a tighter joint analysis
for normal noise, which is not used). What is not declared or not found becomes :data:`OTHER`.

How many records of each code are written follows from one noisy histogram, which is paid for.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.privacy.sampling import gaussian
from sfumato.types import FloatArray

OTHER = "other"
MOST_CODES = 10_000
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class CodeField:
    """A field of the records whose value is a control code; ``values`` is None where they are to be found."""

    name: str
    values: tuple[str, ...] | None

    def __post_init__(self) -> None:
        if self.values is None:
            return
        if len(set(self.values)) < max(2, len(self.values)):
            raise ConfigurationError(
                f"The code {self.name} needs two values or more, each once: with one value it says nothing."
            )
        for value in self.values:
            if not value or plain(value) != value:
                raise ConfigurationError(
                    f"A value of the code {self.name} is empty, longer than {_LONGEST} characters, or holds a line "
                    "break or |; declare other values."
                )

    @classmethod
    def of(cls, text: str) -> CodeField:
        """Return what FIELD=VALUE,VALUE declares, or a field whose values are to be found."""
        name, equals, values = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not name.strip():
            raise ConfigurationError("--code takes FIELD=VALUE,VALUE… or FIELD.")
        return cls(name.strip(), tuple(value.strip() for value in values.split(",")) if equals else None)


def plain(value: str) -> str:
    """Return ``value`` on one line, without the sign between codes, and not longer than a code may be."""
    return " ".join(value.replace("|", " ").split())[:_LONGEST]


def value_of(record: Mapping[str, Any], name: str) -> str:
    """Return the value of the field ``name`` as a code; :data:`OTHER` where it is missing, null or empty."""
    value = record.get(name)
    if value is None or isinstance(value, Mapping | list):
        return OTHER
    return plain(str(value)) or OTHER


def threshold(sigma: float, delta: float) -> float:
    """Return the noisy count that a value named by one unit exceeds with probability at most ``delta``."""
    from scipy.special import ndtri

    return 1.0 - sigma * float(ndtri(delta))


def found(values: Sequence[str], name: str, sigma: float, delta: float, workspace: Workspace) -> list[str]:
    """Return the values of one field, of which each unit names one, that exceed the noisy threshold, sorted.

    Costs a Gaussian event of ``sigma`` at rate 1, and ``delta``.
    """
    counts = Counter(values)
    names = sorted(counts)
    noise = gaussian(workspace.uniforms(f"code {name}", 0, len(names)))
    limit = threshold(sigma, delta)
    return [
        value
        for value, drawn in zip(names, noise, strict=True)
        if value != OTHER and counts[value] + sigma * float(drawn) > limit
    ]


def check_found(values: Mapping[str, Sequence[str]]) -> None:
    """Raise ConfigurationError for a field of which fewer than two values were found, which are kept by now."""
    for name, own in values.items():
        if len(own) < 2:
            raise ConfigurationError(
                f"Fewer than two values of the code {name} are held by enough people or records; start again with "
                "declared values, or without this code. What was spent adds to the cost."
            )


@dataclass(frozen=True, slots=True)
class CodeTable:
    """All combinations of the values of ``fields``, each with :data:`OTHER`; one empty code without fields."""

    fields: tuple[tuple[str, tuple[str, ...]], ...]

    def __post_init__(self) -> None:
        if len(self) > MOST_CODES:
            raise ConfigurationError(
                f"The codes have {len(self):,} combinations, more than {MOST_CODES:,}; name fewer fields or values."
            )

    def __len__(self) -> int:
        return math.prod(len(values) for _, values in self.fields)

    @classmethod
    def of(cls, fields: Sequence[CodeField], values: Mapping[str, tuple[str, ...]]) -> CodeTable:
        """Return the table of ``fields``; ``values`` holds those that were found."""
        rows = [(field.name, field.values if field.values is not None else values[field.name]) for field in fields]
        return cls(tuple((name, tuple(dict.fromkeys((*own, OTHER)))) for name, own in rows))

    def index(self, record: Mapping[str, Any]) -> int:
        """Return the index of the code of ``record``."""
        index = 0
        for name, values in self.fields:
            value = value_of(record, name)
            index = index * len(values) + values.index(value if value in values else OTHER)
        return index

    def rows(self) -> list[dict[str, str]]:
        """Return the values of each code by field, in the order of :meth:`index`."""
        names = [name for name, _ in self.fields]
        return [dict(zip(names, row, strict=True)) for row in itertools.product(*(own for _, own in self.fields))]

    def texts(self) -> tuple[str, ...]:
        """Return the text of each code, which a model is prompted with."""
        return tuple(text_of(row) for row in self.rows())


def text_of(values: Mapping[str, str]) -> str:
    """Return a code as text."""
    return " | ".join(f"{name}: {value}" for name, value in values.items())


def noisy_shares(units: Sequence[Unit], codes: int, sigma: float | None, workspace: Workspace) -> FloatArray:
    """Return the share of each code, shape (codes,): of its :func:`counts_of` the units, with normal noise.

    A Gaussian mechanism of ``sigma`` at rate 1. The total is not used otherwise. ``sigma`` None: without noise.
    """
    counts = counts_of(units, codes)
    if sigma is not None:
        counts += sigma * gaussian(workspace.uniforms("shares of codes", 0, codes))
    counts = np.maximum(counts, 0.0)
    total = float(counts.sum())
    return counts / total if total > 0.0 else np.full(codes, 1.0 / codes)


def counts_of(units: Sequence[Unit], codes: int) -> FloatArray:
    """Return how many units there are of each code, shape (codes,); a unit's texts count 1 together.

    So one unit more or less moves the counts by a vector of norm at most 1.
    """
    counts = np.zeros(codes)
    for unit in units:
        for code in unit.codes:
            counts[code] += 1.0 / len(unit.codes)
    return counts


def apportioned(shares: FloatArray, wanted: int) -> list[int]:
    """Return the code of each of ``wanted`` records: as many of each as its share says, by largest remainders."""
    exact = shares * wanted
    whole = np.floor(exact).astype(np.int64)
    rest = wanted - int(whole.sum())
    whole[np.argsort(-(exact - whole), kind="stable")[:rest]] += 1
    return [code for code, count in enumerate(whole) for _ in range(int(count))]


def codes_wanted(codes: int, shares: Sequence[float] | None, records: int | None) -> list[int]:
    """Return the code of each of so many ``records``, by the ``shares`` of the ``codes``.

    Without shares every record has a code of its own, and there are as many as codes unless ``records`` says more.
    Raise ConfigurationError where the number of records is open.
    """
    if shares is None:
        return [index % codes for index in range(records or codes)]
    if records is None:
        raise ConfigurationError("How many records are to be written? Give --records.")
    return apportioned(np.asarray(shares), records)

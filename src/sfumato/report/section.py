"""A section of a report: a heading, sentences, pictures with captions, a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.metrics.estimates import Estimate


@dataclass
class Table:
    """A table behind a line to click on."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Section:
    """A heading, sentences, pictures with captions, and tables. ``headline`` is what to know of it first."""

    title: str
    headline: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def percent(value: float | Estimate) -> str:
    """A share as people say it."""
    return f"{100 * (value.value if isinstance(value, Estimate) else value):.0f} %"

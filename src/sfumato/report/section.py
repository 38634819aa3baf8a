"""A section of a report: a heading, sentences, pictures with captions, a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.metrics.estimates import Estimate


@dataclass
class Table:
    """A table that opens with a click on its title."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Section:
    """A section of the page: ``pictures`` are SVG texts with their captions."""

    title: str
    sentences: list[str] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def percent(value: float | Estimate) -> str:
    """Return a share as a percentage: ``0.421`` as "42 %"."""
    return f"{100 * (value.value if isinstance(value, Estimate) else value):.0f} %"

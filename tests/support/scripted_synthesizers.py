"""Synthesizers that a test can foresee: one that copies the records, and one that never looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from sfumato import registry
from sfumato.abstract.synthesizer import Order, Schedule, Synthesizer, Unit, Workspace
from sfumato.privacy.accounting import GaussianNoise, smallest_sigma
from sfumato.types import Progress

PUBLIC = "A visitor asked about {}. The desk answered on the next morning and wrote a note."


@dataclass(frozen=True)
class Copying(Synthesizer):
    """Copies the records of its units, whatever ε it claims: what a mistaken proof would do."""

    name: ClassVar[str] = "copying"
    proof: ClassVar[str] = "none"
    place: ClassVar[int] = 0

    def schedule(self, order: Order) -> Schedule:
        sigma = smallest_sigma(lambda sigma: (*order.spent, GaussianNoise(sigma)), order.epsilon or 1.0, order.delta)
        return Noted((GaussianNoise(sigma),))

    def prepare(self, progress: Progress | None = None) -> None:
        pass

    def synthesize(
        self, order: Order, schedule: Any, units: Sequence[Unit], wanted: Sequence[int], workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:  # fmt: skip
        for number, _ in enumerate(wanted):
            yield units[number % len(units)].texts[self.place]

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True)
class CopyingLast(Copying):
    """Copies the last record of each person."""

    name: ClassVar[str] = "copying-last"
    place: ClassVar[int] = -1


@dataclass(frozen=True)
class Inventing(Copying):
    """Writes from a public sentence alone."""

    name: ClassVar[str] = "inventing"
    topics: ClassVar[tuple[str, ...]] = ("a parcel", "an invoice", "a cough", "a fence", "a lost key")

    def synthesize(
        self, order: Order, schedule: Any, units: Sequence[Unit], wanted: Sequence[int], workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:  # fmt: skip
        for number, _ in enumerate(wanted):
            yield PUBLIC.format(self.topics[number % len(self.topics)])


@dataclass(frozen=True)
class Noted(Schedule):
    def as_dict(self) -> dict[str, Any]:
        return {}


def registered(patched: pytest.MonkeyPatch) -> None:
    """Give both their names."""
    for kind in (Copying, CopyingLast, Inventing):
        row = registry.Row(f"{__name__}:{kind.__name__}", registry.SYNTHESIS, "for a test")
        patched.setitem(registry.SYNTHESIZERS, kind.name, row)

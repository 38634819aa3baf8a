"""A shift: all dates of a record, or of a person, move by one drawn number of days.

The offset N is a discrete Laplace number with scale b days: P(N = n) is proportional to exp(-|n| / b), over all whole
numbers, drawn exactly (:mod:`sfumato.privacy.discrete_noise`).

Analysis. Let D and D' be two versions of the records of a person that are marked alike, in the same places as the
same kinds, and that differ in this alone: each date of D' is the date of D and k days, in the same written form.
Whether a text is marked as a date, and in which form it is read, can depend on which date it is; nothing is said of
two versions in which it does. A release is a function of the shifted dates (and of what D and D' share). For every
list z of shifted dates P(z | D) = P(N = n) and P(z | D') = P(N = n - k) for the one n that takes D to z, so that the
log ratio is at most (|n - k| - |n|) / b ≤ |k| / b. So a shift is metric-LDP with ε = 1/b for each day between the two
timelines. It says nothing of two records whose dates differ in any other way: the intervals between the dates are
released as they are. Dates that leave the range of years are moved to its end, and a month or a year becomes the one
that holds its shifted first day, both after the draw.

Some grains hold no date (:attr:`sfumato.kinds.dates.date.Date.undated`): a day of a month without its month, and
words such as "yesterday". They do not move when the timeline does: an offset that moved them would show in them. They
are drawn from their public list without looking at the value, which costs nothing.

A shift of 0 days is an outcome like any other. A law without it would tell that the true timeline is not the released
one, and lose its bound. A date that cannot be read becomes its kind in brackets: a public date, shifted
with the others, would tell the offset, and with it every other date.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sfumato.abstract.batch import Batch, Made, Outputs, PlannedDraws, Row
from sfumato.abstract.kind import Kind
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.privacy.composition import Composed, compose
from sfumato.privacy.discrete_noise import discrete_laplace
from sfumato.privacy.guarantee import (
    OF_KINDS,
    RECORDS,
    Certificate,
    Guarantee,
    checked_epsilon,
    compared,
    marked_alike,
)
from sfumato.privacy.randomness import PinnedRandomness, RandomDraws, Randomness, context
from sfumato.types import FloatArray, IntArray

Owner = Literal["record", "subject"]


@dataclass(frozen=True, eq=False)
class _Days:
    """The values of a domain in order: the day on which each begins, and after how many ``days`` they come again."""

    tokens: tuple[str, ...]
    begins: FloatArray
    days: float
    places: Mapping[str, int]

    @classmethod
    def of(cls, domain: Vocabulary) -> _Days:
        """Return the values of ``domain``, which lie on a line, or around a circle as weekdays do."""
        if domain.vectors.shape[1] == 1:
            begins, days = domain.vectors[:, 0], np.inf
        else:
            radius = float(np.linalg.norm(domain.vectors, axis=1).mean())
            angles = np.arctan2(domain.vectors[:, 1], domain.vectors[:, 0]) % (2.0 * np.pi)
            days = float(np.round(2.0 * np.pi * radius, 6))
            begins = np.round(angles * radius, 6) % days
        order = np.argsort(begins, kind="stable")
        tokens = tuple(domain.tokens[index] for index in order)
        return cls(tokens, begins[order], days, {token: place for place, token in enumerate(tokens)})

    def moved(self, value: str, offset: int) -> str:
        """Return the value that has begun ``offset`` days after ``value`` begins; the first or last beyond an end."""
        day = self.begins[self.places[value]] + offset
        day = day if np.isinf(self.days) else round(day % self.days, 6) % self.days
        return self.tokens[max(0, int(np.searchsorted(self.begins, day, side="right")) - 1)]


@dataclass(frozen=True, eq=False)
class Shifted(Treatment):
    """Moves all dates of a record, or of a person, by one number of days.

    Attributes:
        kind: The kind of the dates, whose domains lie on a line of days.
        epsilon: ε for each day between two timelines; 1/ε days are the scale of the noise.
        owner: Whose dates move together: those of a "record" or of a "subject".
        run_key: Secret bytes of this run, from which the offsets of subjects come if no key is pinned.
    """

    kind: Kind
    epsilon: Fraction
    owner: Owner = "record"
    run_key: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        checked_epsilon(float(self.epsilon))
        if self.kind.unit != "day":
            raise ConfigurationError("A shift moves dates; give the other kinds a mechanism of their own.")
        if self.owner == "subject" and len(self.run_key) < 32:
            raise ConfigurationError("A shift for subjects needs 32 secret bytes for the run; report it.")

    @property
    def kinds(self) -> Sequence[str]:  # type: ignore[override]
        """Return the name of the kind."""
        return (self.kind.name,)

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return "shift"

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-metric-LDP for a whole timeline, per day."""
        differ = (
            "all moved by the same number of days; a month, a season, a year or a decade counts as its first day; "
            "days, months and seasons without a year lie on a circle of 366 days, and weekdays on one of 7"
        )
        adjacency = compared(
            marked_alike(RECORDS[self.owner], OF_KINDS), differ + self._undated_too,
            of=f"{self.kind.name} values", sharing=("of the same domain", "of the same written form"),
        )  # fmt: skip
        return Guarantee(
            "metric-LDP",
            float(self.epsilon),
            f"all dates of a {self.owner} together",
            adjacency,
            "absolute",
            "docs/mechanisms.md#laws-over-values; noise by Canonne, Kamath and Steinke 2020, Algorithm 2",
            ("the intervals between the dates are not protected", f"each {self.owner} is shifted once"),
            per="day",
        )

    @property
    def certificate(self) -> Certificate:
        """Return the certificate: the loss is that of exact integer noise, in closed form."""
        epsilon = float(self.epsilon)
        conditions = {"scale_in_days": 1 / epsilon}
        return Certificate("metric-LDP", epsilon, epsilon, "analytic", epsilon, epsilon, conditions)

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return the total cost of so many offsets, in nats per day."""
        return compose(self.guarantee, draws)

    def described(self) -> dict[str, Any]:
        """Return the parameters, for the statement."""
        return {
            "parameters": {"epsilon": float(self.epsilon)},
            "scale_in_days": float(1 / self.epsilon),
            "moves_together": f"all dates of a {self.owner}",
            **({"undated": f"drawn without looking at them: {', '.join(self._undated)}"} if self._undated else {}),
            "unreadable": f"what cannot be read as {self.kind.name} becomes {self._unread!r}, which is not shifted",
        }

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of what it put in."""
        return [
            f"which texts of a {self.owner} are marked as {self.kind.name}, which may depend on the date",
            f"the intervals between the dates of a {self.owner}, exactly where days are given",
            f"in which form each {self.kind.name} was written, and so whether it could be read",
            "the offset, to anyone who knows one true date; and more of it where months, years or unmarked days "
            "are named beside exact dates",
            *self.kind.visible,
        ]

    def draws_of_person(self, added: int) -> int:
        """Return for how many offsets a person pays, whose records took ``added``: for one that is the subject's."""
        return min(added, 1) if self.for_subjects else added

    @property
    def for_subjects(self) -> bool:
        """Return whether the offset is for all records of a person."""
        return self.owner == "subject"

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        hashes = [self.kind.vocabulary(grain).hash for grain in self.kind.grains]
        return [repr(self.kind), str(self.epsilon), self.owner, hashes]

    @property
    def _unread(self) -> str:
        """Return what a date that cannot be read becomes: a public date that was shifted would give the offset."""
        return f"[{self.kind.name}]"

    @cached_property
    def _undated(self) -> tuple[str, ...]:
        """Return the grains whose values no offset moves."""
        return tuple(grain for grain in self.kind.grains if grain in self.kind.undated)

    @property
    def _undated_too(self) -> str:
        if not self._undated:
            return ""
        return "; days of a month, days with a name and words for days may be any of their grain"

    @cached_property
    def _domains(self) -> dict[str, _Days]:
        moved = (grain for grain in self.kind.grains if grain not in self._undated)
        return {grain: _Days.of(self.kind.vocabulary(grain)) for grain in moved}

    @property
    def why_no_law(self) -> str:
        """Return that the offset is what is drawn, how large it mostly is, and what plays against it."""
        most = math.ceil(float(1 / self.epsilon) * math.log(20))
        return (
            f"which has no law of single values: all dates of a {self.owner} move by one offset, of at most {most} "
            f"days in 95 % of draws. `sfumato audit --policy POLICY --kind {self.kind.name}` plays against it."
        )

    def fallback(self, kind: str, text: str) -> str | None:
        """Return the kind in brackets if ``text`` is no date that can be read."""
        return self._unread if self.kind.read(text) is None else None

    def positions(self, values: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return dates, what each says, and the day on which it begins; by default two that are a scale apart."""
        kind = self.kind
        if not values:
            days, form = kind.vocabulary("day").tokens, kind.public_form("day")
            middle = len(days) // 2
            apart = min(max(1, round(1 / self.epsilon)), middle - 1)
            values = [kind.write(days[place], form) for place in (middle, middle + apart)]
        readings = kind.all_read(values)
        domain = kind.vocabulary(readings[0].form.grain)
        if domain.vectors.shape[1] != 1:
            raise ConfigurationError("Dates without a year lie on a circle; give dates with a year.")
        said = [reading.value for reading in readings]
        begins = [float(domain.vectors[domain.tokens.index(value), 0]) for value in said]
        return list(zip(values, said, begins, strict=True))

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold."""
        return 1024

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return what replaces the dates, and how many offsets each document paid for."""
        outputs, spent = [""] * len(places), dict[int, int]()
        for record, positions in batch.by_record(places).items():
            offset = self._offset(batch, record)
            spent[record] = 1
            for position in positions:
                reading = self.kind.read(batch.texts[places[position]])
                if reading is None:
                    outputs[position] = self._unread
                elif reading.form.grain in self._undated:
                    value = self._drawn(batch, batch.rows[places[position]], reading.form.grain)
                    outputs[position] = self.kind.write(value, reading.form)
                else:
                    moved = self._domains[reading.form.grain].moved(reading.value, offset)
                    outputs[position] = self.kind.write(moved, reading.form)
        return Made([Outputs.of(places, outputs)], batch.paid(spent))

    def planned(self, batch: Batch, places: IntArray) -> Iterator[tuple[int, PlannedDraws]]:
        """Yield how many offsets each document will pay for, and which are the subject's; draw nothing."""
        rows = {}
        for record in batch.by_record(places):
            own = [hashlib.sha256(self._of_subject(batch, record)).digest()] if self.for_subjects else []
            rows[record] = (1, own)
        yield from batch.plans(self.kind.name, rows)

    def _of_subject(self, batch: Batch, record: int) -> bytes:
        return context(batch.setting, "shift of a subject", batch.subject(record))

    def _drawn(self, batch: Batch, row: Row, grain: str) -> str:
        """Return any value of ``grain``, for the place ``row`` and not for what is there."""
        vocabulary = self.kind.vocabulary(grain)
        contexts = batch.contexts([row[0]], [("undated", grain, row[1])])
        word = RandomDraws(batch.randomness, 1, contexts).words(1)[0, 0]
        return vocabulary.tokens[int(word) % len(vocabulary)]

    def _offset(self, batch: Batch, record: int) -> int:
        """Return the offset of a record or of its person, in days; the same whenever it is asked for a person."""
        source: Randomness = batch.randomness
        if self.owner == "record":
            contexts = batch.contexts([record], [("shift",)])
            return discrete_laplace(1 / self.epsilon, source.words(None if contexts is None else contexts[0]))
        if not source.keyed:
            source = PinnedRandomness(self.run_key)
        return discrete_laplace(1 / self.epsilon, source.words(self._of_subject(batch, record)))

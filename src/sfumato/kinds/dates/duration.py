"""DURATION: whole numbers of seconds, minutes, hours, days, nights, weeks, months, years, decades and centuries.

The distance is the absolute log ratio: 2 weeks and 4 weeks are as far apart as 10 and 20, by 0.69 e-folds. The unit
is part of the form, so weeks stay weeks and a draw changes their number alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.counting import Counted, Counts
from sfumato.language.languages import language_of
from sfumato.language.numbers import DIGITS
from sfumato.options.option import Part

_MOST = {
    **{"second": 999, "minute": 999, "hour": 999, "day": 999, "night": 99, "week": 999, "fortnight": 99},
    **{"month": 999, "year": 99, "decade": 20, "century": 20},
}
"""The units, and the largest number of each that is readable."""

_THREE = ", 3 digits"


@dataclass(frozen=True)
class Duration(Kind):
    """Read and write durations.

    A grain is a unit with numbers of at most two significant digits ("week": 1, 2, ... 99, 100, 110, ... 990), or a
    unit with numbers of three ("day, 3 digits": 365). The first has few large numbers. If it had all of them, a draw
    far from the value would nearly always be large, because most numbers up to 990 have three digits.

    The form keeps the unit, its abbreviation, and whether the number is in figures or words. A form can hold every
    number, so what only some numbers show is not kept: "a week" becomes "one week", and "5 min" becomes "5 mins",
    because 1 min shows no plural. "6-month-old" is an AGE.

    Attributes:
        language: The code of the language that durations are written in.
    """

    name: ClassVar[str] = "DURATION"
    unit: ClassVar[str] = "e-fold"
    reads_around: ClassVar[bool] = True

    language: Annotated[str, Part("the code of the language that durations are written in")] = "en"

    @property
    def _counts(self) -> Counts:
        return language_of(self.language).counts

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        units = self._counts.units
        return (*(f"{unit}{_THREE}" for unit in units if _MOST[unit] > 100), *units)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the numbers of the unit of ``grain``."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the duration that ``text`` is, or None."""
        counted = self._counts.duration(text)
        if counted is None or not 0 < counted.number <= _MOST[counted.unit]:
            return None
        unit, number, pattern, notation = counted
        grain = unit if number < 100 or number % 10 == 0 else unit + _THREE
        return Reading(str(number), Form(grain, (pattern, notation)))

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return the duration as the language writes it there: "vor [2 Jahre]" is "vor 2 Jahren"."""
        pattern, notation = reading.form.style
        return Reading(
            reading.value, Form(reading.form.grain, (self._counts.placed(pattern, before, after), notation))
        )

    def write(self, value: str, form: Form) -> str:
        """Return the duration ``value`` as it is written in ``form``."""
        return self._counts.written(Counted(form.grain.removesuffix(_THREE), int(value), *form.style))

    @property
    def surrogate(self) -> Reading:
        """Return 2 weeks."""
        return Reading("2", self.public_form("week"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "3 weeks"."""
        return Form(grain, (self._counts.public_duration(grain.removesuffix(_THREE)), DIGITS))


@lru_cache(maxsize=64)
def _domain(grain: str) -> Vocabulary:
    unit, three = grain.removesuffix(_THREE), grain.endswith(_THREE)
    numbers = [number for number in range(1, _MOST[unit] + 1) if (number > 100 and number % 10 > 0) is three]
    return Vocabulary(
        tuple(map(str, numbers)),
        np.log(np.array(numbers, dtype=np.float64))[:, None],
        f"whole numbers of the unit {grain}, by their logarithms (sfumato)",
    )

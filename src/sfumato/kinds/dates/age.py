"""AGE: years from 1 to 110, months, weeks and days of small children, and decades of life.

Distances are in years, also between months (1/12), weeks and days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.counting import DECADE_OF_LIFE, Counted, Counts
from sfumato.language.languages import language_of
from sfumato.options.option import Part

_DOMAINS = {
    **{"day": (range(1, 61), 1 / 365.25), "week": (range(1, 61), 7 / 365.25), "month": (range(1, 61), 1 / 12)},
    **{"year": (range(1, 111), 1.0), "decade": (range(20, 100, 10), 1.0)},
}
"""The numbers of each grain, and the years that one of them is. Nobody writes "zero-year-old", so all begin at 1."""
_UNITS = {grain: DECADE_OF_LIFE if grain == "decade" else grain for grain in _DOMAINS}
_GRAINS = {unit: grain for grain, unit in _UNITS.items()}


@dataclass(frozen=True)
class Age(Kind):
    """Read and write ages.

    The grains are "year", "month", "week" and "day" for ages in these units, and "decade" for "in her 60s". An age
    beyond its domain (above 110 years, or "70 months") is not readable. An age of 0 counts as the nearest one,
    which is 1.

    A form can hold every age, so what only some ages show is not kept. "62 year old" counts as "62 years old",
    because "1 year old" may be either, unless the text beside it says that a noun follows. "A 62 year old" counts as
    "a 62-year-old". "An 8-year-old" and "a 9-year-old"
    have one form.

    Attributes:
        language: The code of the language that ages are written in.
    """

    name: ClassVar[str] = "AGE"
    unit: ClassVar[str] = "year"
    reads_around: ClassVar[bool] = True

    language: Annotated[str, Part("the code of the language that ages are written in")] = "en"

    @property
    def _counts(self) -> Counts:
        return language_of(self.language).counts

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return tuple(_DOMAINS)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the ages of ``grain``."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the age that ``text`` is, or None."""
        counted = self._counts.age(text)
        grain = None if counted is None else _GRAINS.get(counted.unit)
        if counted is None or grain is None:
            return None
        number = max(counted.number, 1)
        if number not in _DOMAINS[grain][0]:
            return None
        return Reading(str(number), Form(grain, (counted.pattern, counted.notation)))

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return the age as the language writes it there: "a [37 year old] bus driver" is "a 43-year-old"."""
        pattern, notation = reading.form.style
        placed = self._counts.placed(pattern, before, after)
        return Reading(reading.value, Form(reading.form.grain, (placed, notation)))

    def write(self, value: str, form: Form) -> str:
        """Return the age ``value`` as it is written in ``form``."""
        return self._counts.written(Counted(_UNITS[form.grain], int(value), *form.style))

    @property
    def surrogate(self) -> Reading:
        """Return 40 years."""
        return Reading("40", self.public_form("year"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "40 years old", or of "in the 40s"."""
        return Form(grain, self._counts.public_age(_UNITS[grain]))


@lru_cache(maxsize=8)
def _domain(grain: str) -> Vocabulary:
    numbers, years = _DOMAINS[grain]
    vectors = np.array(numbers, dtype=np.float64)[:, None] * years
    return Vocabulary(tuple(map(str, numbers)), vectors, f"ages of the grain {grain}, in years (sfumato)")

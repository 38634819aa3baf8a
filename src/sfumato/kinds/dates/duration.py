"""DURATION: whole numbers of seconds, minutes, hours, days, nights, weeks, months, years, decades and centuries.

The distance is the absolute log ratio: 2 weeks and 4 weeks are as far apart as 10 and 20, by 0.69 e-folds. The unit
is part of the form, so weeks stay weeks and a draw changes their number alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.numbers.counts import COUNT, DIGITS, count_field, count_fields, count_of, single_notation
from sfumato.language.en.units import UNITS_OF_TIME, unit_of
from sfumato.language.patterns import FLAGS, GAP, filled, matched, one_of, pattern_of

_MOST = {
    **{"second": 999, "minute": 999, "hour": 999, "day": 999, "night": 99, "week": 999, "fortnight": 99},
    **{"month": 999, "year": 99, "decade": 20, "century": 20},
}
"""The units, and the largest number of each that is readable."""

_BEFORE = one_of(
    "about|approximately|approx.|around|roughly|some|almost|nearly|just over|just under|over|under|only|just|exactly"
    "|at least|at most|up to|more than|less than|no more than|no less than|a total of|another|the|the last|the past"
    "|the next|the first|the following|the previous|last|past|next|first|for|within|after|every|in|for the last"
    "|for the past|in the last|in the past|over the last|over the past|within the last"
)
_AFTER = one_of("ago|later|earlier|before|after|afterwards|long|more|prior")
_UNIT, _PART = UNITS_OF_TIME.pattern, UNITS_OF_TIME.singular_pattern
_SHAPES = tuple(
    re.compile(rf"(?:{_BEFORE}{GAP}){{0,2}}{shape}(?:{GAP}{_AFTER})?", FLAGS)
    for shape in (
        rf"(?P<count>{COUNT}){GAP}(?P<unit>{_UNIT}(?:['’]s?)?)",
        rf"(?P<count>[1-9][0-9]{{0,2}})(?:(?P<unit>{_UNIT})|(?P<symbol>[ ]?(?-i:[shdw])))",
        rf"(?:(?P<article>an?){GAP})?(?P<count>{COUNT})-(?P<part>{_PART})(?:-long)?",
        rf"(?P<single>an?){GAP}(?P<unit>{_UNIT}(?:['’]s?)?)",
    )
)
_THREE = ", 3 digits"
_GRAINS = tuple(f"{unit}{_THREE}" for unit, most in _MOST.items() if most > 100) + tuple(_MOST)


@dataclass(frozen=True)
class Duration(Kind):
    """Read and write durations.

    A grain is a unit with numbers of at most two significant digits ("week": 1, 2, ... 99, 100, 110, ... 990), or a
    unit with numbers of three ("day, 3 digits": 365). The first has few large numbers. If it had all of them, a draw
    far from the value would nearly always be large, because most numbers up to 990 have three digits.

    The form keeps the unit, its abbreviation, and whether the number is in figures or words. A form can hold every
    number, so what only some numbers show is not kept: "a week" becomes "one week", and "5 min" becomes "5 mins",
    because 1 min shows no plural. "6-month-old" is an AGE.
    """

    name: ClassVar[str] = "DURATION"
    unit: ClassVar[str] = "e-fold"

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return _GRAINS

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the numbers of the unit of ``grain``."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the duration that ``text`` is, or None."""
        match = matched(text, _SHAPES)
        groups = {} if match is None else {name: part for name, part in match.groupdict().items() if part is not None}
        counted = (1, single_notation(groups["single"])) if "single" in groups else count_of(groups.get("count", ""))
        fields = {group: count_field(group, part) for group, part in groups.items()}
        if match is None or counted is None or None in fields.values():
            return None
        number, notation = counted
        unit = unit_of(groups)
        grain = unit if number < 100 or number % 10 == 0 else unit + _THREE
        if not 0 < number <= _MOST[unit]:
            return None
        pattern = pattern_of(match, {group: field for group, field in fields.items() if field})
        return Reading(str(number), Form(grain, (pattern, notation)))

    def write(self, value: str, form: Form) -> str:
        """Return the duration ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        return filled(pattern, count_fields(int(value), notation), is_one=value == "1")

    @property
    def surrogate(self) -> Reading:
        """Return 2 weeks."""
        return Reading("2", self.public_form("week"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "3 weeks"."""
        unit = grain.removesuffix(_THREE)
        return Form(grain, (f"{{number}} {{{UNITS_OF_TIME.agreeing(unit)}}}", DIGITS))


@lru_cache(maxsize=64)
def _domain(grain: str) -> Vocabulary:
    unit, three = grain.removesuffix(_THREE), grain.endswith(_THREE)
    numbers = [number for number in range(1, _MOST[unit] + 1) if (number > 100 and number % 10 > 0) is three]
    return Vocabulary(
        tuple(map(str, numbers)),
        np.log(np.array(numbers, dtype=np.float64))[:, None],
        f"whole numbers of the unit {grain}, by their logarithms (sfumato)",
    )

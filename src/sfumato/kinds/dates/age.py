"""AGE: years from 1 to 110, months, weeks and days of small children, and decades of life.

Distances are in years, also between months (1/12), weeks and days.
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
from sfumato.language.en.grammar import is_before_noun
from sfumato.language.en.numbers import DECADES
from sfumato.language.en.units import UNITS_OF_TIME, unit_of
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import FLAGS, GAP, choice, filled, matched, one_of, pattern_of

_DOMAINS = {
    **{"day": (range(1, 61), 1 / 365.25), "week": (range(1, 61), 7 / 365.25), "month": (range(1, 61), 1 / 12)},
    **{"year": (range(1, 111), 1.0), "decade": (range(20, 100, 10), 1.0)},
}
"""The numbers of each grain, and the years that one of them is. Nobody writes "zero-year-old", so all begin at 1."""
_IN_WORDS = {number: name for name, number in DECADES.items()}

_BEFORE = one_of(
    "aged|age|age:|aged:|aged about|aged around|aged approximately|aged almost|age of|at age|at the age of|the age of"
    "|at|then|now|then aged|now aged|already|still|only|just|almost|nearly|about|approximately|around|roughly|some"
    "|over|under|at least|at most|exactly|older than|younger than|turned|turning|is|was|who is|who was"
)
_UNIT, _PART = UNITS_OF_TIME.pattern, UNITS_OF_TIME.singular_pattern
_SHAPES = tuple(
    re.compile(rf"(?:{_BEFORE}{GAP})?{shape}", FLAGS)
    for shape in (
        rf"(?!{COUNT}{GAP}{_PART}{GAP}old(?!s))(?:(?P<article>an?){GAP})?(?P<count>{COUNT})"
        rf"(?:-|{GAP})(?P<part>{_PART})(?:-|{GAP})olds?",
        rf"(?P<count>{COUNT})(?:{GAP}(?P<unit>{_UNIT})(?:{GAP}(?:old|of{GAP}age|in{GAP}age))?)?",
        rf"(?P<count>{COUNT})[ -]?(?:y/o|y\.o\.|yo|y)",
        rf"(?P<single>an?){GAP}(?P<unit>{_UNIT}){GAP}old",
        rf"(?P<count>{COUNT}) ?(?:y/?o ?)?(?-i:[MF])",
    )
)
_MODIFIED = re.compile(r"\{number\} \{([a-z]+)\|[a-z]+\} old")
_HYPHENS = re.compile(rf"(?:-|{GAP})({_PART})(?:-|{GAP})(old)", FLAGS)
_DECADE = re.compile(
    rf"(?:in{GAP}(?:(?:his|her|their|my|your|our|the){GAP})?)?(?:(?:early|mid|late|mid-to-late)(?:-|{GAP}))?"
    rf"(?:(?P<tens>[2-9]0)['’]?s|(?P<words>{choice(DECADES)}))",
    FLAGS,
)


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
    """

    name: ClassVar[str] = "AGE"
    unit: ClassVar[str] = "year"
    reads_around: ClassVar[bool] = True

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return tuple(_DOMAINS)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the ages of ``grain``."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the age that ``text`` is, or None."""
        match = matched(text, (_DECADE,))
        if match is not None:
            return _decade(match)
        match = matched(text, _SHAPES)
        groups = {} if match is None else {name: part for name, part in match.groupdict().items() if part is not None}
        counted = (1, single_notation(groups["single"])) if "single" in groups else count_of(groups.get("count", ""))
        fields = {group: count_field(group, part) for group, part in groups.items()}
        if match is None or counted is None or None in fields.values():
            return None
        number, notation = max(counted[0], 1), counted[1]
        grain = unit_of(groups) if {"unit", "part"} & groups.keys() else "year"
        if grain == "decade" or grain not in _DOMAINS or number not in _DOMAINS[grain][0]:
            return None
        pattern = pattern_of(match, {group: field for group, field in fields.items() if field})
        return Reading(str(number), Form(grain, (_HYPHENS.sub(r"-\1-\2", pattern), notation)))

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return the age with hyphens where it is before a noun: "a [37 year old] bus driver" is "a 43-year-old".

        An article before it says so, or a word for a person behind it.
        """
        pattern, *notation = reading.form.style
        if not (match := _MODIFIED.fullmatch(pattern)):
            return reading
        if not is_before_noun(before, after):
            return reading
        return Reading(reading.value, Form(reading.form.grain, (f"{{number}}-{match[1]}-old", *notation)))

    def write(self, value: str, form: Form) -> str:
        """Return the age ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        number = int(value)
        if form.grain == "decade":
            return filled(pattern, {"number": cased(_IN_WORDS[number], notation) if notation != DIGITS else value})
        return filled(pattern, count_fields(number, notation), is_one=number == 1)

    @property
    def surrogate(self) -> Reading:
        """Return 40 years."""
        return Reading("40", self.public_form("year"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "40 years old", or of "in the 40s"."""
        pattern = "in the {number}s" if grain == "decade" else f"{{number}} {{{UNITS_OF_TIME.agreeing(grain)}}} old"
        return Form(grain, (pattern, DIGITS))


def _decade(match: re.Match[str]) -> Reading | None:
    """Return the decade of life of "in her 60s" or "in his late sixties"."""
    group = "tens" if match["tens"] else "words"
    notation = DIGITS if group == "tens" else in_case_of("words", match["words"])
    if notation is None:
        return None
    value = match["tens"] or str(DECADES[match["words"].lower()])
    return Reading(value, Form("decade", (pattern_of(match, {group: "number"}), notation)))


@lru_cache(maxsize=8)
def _domain(grain: str) -> Vocabulary:
    numbers, years = _DOMAINS[grain]
    vectors = np.array(numbers, dtype=np.float64)[:, None] * years
    return Vocabulary(tuple(map(str, numbers)), vectors, f"ages of the grain {grain}, in years (sfumato)")

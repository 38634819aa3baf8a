"""How dates are written in English: the shapes of a whole text, and the public form of each grain."""

from __future__ import annotations

import re

from sfumato.language.dates import Dates
from sfumato.language.en import numbers
from sfumato.language.en.calendar import HOLIDAYS, MONTHS, PARTS_OF_DAYS, RELATIVE, SEASONS, WEEKDAYS
from sfumato.language.en.time_beside_date import parted
from sfumato.language.patterns import FLAGS, GAP, choice, one_of

_MONTH = rf"(?:{choice(MONTHS.full)}|{choice(MONTHS.short)}\.?)(?![a-z])"
_WEEKDAY, _SEASON = WEEKDAYS.pattern, SEASONS.pattern
_BEFORE = one_of("on|in|of|since|until|till|by|from|before|after|around|about|circa|dated|during|early|late|mid")
_PART = one_of(
    "early in|early|late in|late|mid|the end of|the beginning of|the start of|the middle of|end of|end|start of"
)
_LEAD = rf"(?:{_BEFORE}{GAP})?(?:the{GAP})?"
_WHEN = rf"(?:(?:{_BEFORE}|last|next|this|that|each|every|every other|alternate){GAP}|{_PART}[ -])?"
_SPELLED = choice(map(numbers.spelled_ordinal, range(1, 32))).replace("-", f"(?:-|{GAP})")
_DAY = rf"(?:(?P<ordinal>[0-9]{{1,2}}(?:st|nd|rd|th))|(?P<day>[0-9]{{1,2}})|(?P<spelled>{_SPELLED}))"
_NAMED_DAY = rf"(?:(?P<weekday>{_WEEKDAY})\.?,?{GAP})?"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|(?P<two>[0-9]{{2}}))"
_IN_MONTH = rf"(?:{GAP}of{GAP}(?:this|that|last|next|the|each|every){GAP}month)?"
_OF_DAY = r"(?:mornings?|lunchtimes?|afternoons?|teatimes?|evenings?|nights?|week)"
_QUOTED_YEAR = rf"(?:{_YEAR}|['’](?P<two>[0-9]{{2}}))"

_SHAPES = tuple(
    re.compile(shape, FLAGS)
    for shape in (
        rf"{_LEAD}{_NAMED_DAY}(?:the{GAP})?{_DAY}(?:{GAP}of)?{GAP}(?P<month>{_MONTH})(?:,?{GAP}{_QUOTED_YEAR})?",
        rf"{_LEAD}{_NAMED_DAY}(?P<month>{_MONTH}){GAP}(?:the{GAP})?{_DAY}(?:,?{GAP}{_QUOTED_YEAR})?",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_NAMED_DAY}(?P<first>[0-9]{{1,2}})([-/.])(?P<second>[0-9]{{1,2}})\3{_ANY_YEAR}",
        rf"(?P<dd>[0-9]{{1,2}})([-/])(?P<mon>{_MONTH})\2{_ANY_YEAR}",
        rf"(?:{_LEAD}|{_PART}[ -])(?P<month>{_MONTH})(?:,?{GAP}|{GAP}of{GAP}){_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:(?:{_BEFORE}{GAP})?(?:the{GAP}year{GAP}|year{GAP})?|{_PART}[ -]){_YEAR}",
        rf"(?:{_LEAD}|(?:the{GAP})?{_PART}[ -](?:the{GAP})?)(?P<decade>[0-9]{{3}}0)['’]?s",
        rf"{_WHEN}(?P<lone_month>{_MONTH})",
        rf"{_WHEN}(?P<lone_weekday>{_WEEKDAY})(?:(?<=day)s|{GAP}{_OF_DAY})?",
        rf"{_LEAD}{_NAMED_DAY}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_LEAD}{_NAMED_DAY}(?:the{GAP})?(?P<ordinal>[0-9]{{1,2}}(?:st|nd|rd|th)){_IN_MONTH}",
        rf"(?:{_WHEN}|{_PART}[ -])(?:the{GAP})?(?P<season>{_SEASON})(?:(?:,?{GAP}|{GAP}of{GAP}){_YEAR})?",
    )
)
_JOINT = rf"(?:{GAP})?(?:-|–|&|/)(?:{GAP})?|{GAP}(?:to|and|or|until|till|through){GAP}"
_RANGE = re.compile(
    rf"(?P<lead>(?:(?:from|between|on){GAP})?(?:the{GAP})?)"
    rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>st|nd|rd|th)?(?P<rest>(?:{GAP}of)?{GAP}{_MONTH}(?:{GAP}[0-9]{{4}})?)?)"
    rf"(?P<joint>{_JOINT})(?P<last>(?:the{GAP})?[0-9]{{1,2}}(?:st|nd|rd|th)?{GAP}.+)",
    FLAGS,
)
_PUBLIC = {
    **{"day": "{d} {Month} {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{d} {Month}"},
    **{"month": "{Month} {yyyy}", "month-of-year": "{Month}", "year": "{yyyy}", "decade": "the {yyyy}s"},
    **{"weekday": "{Weekday}", "day-of-month": "the {dth}", "season": "{season} {yyyy}"},
    **{
        "season-of-year": "{season}",
        "holiday": "{Name}",
        **dict.fromkeys((*RELATIVE.grains, *PARTS_OF_DAYS.grains), "{word}"),
    },
}

DATES = Dates(
    MONTHS, WEEKDAYS, SEASONS, _SHAPES, _PUBLIC, numbers, (RELATIVE, HOLIDAYS, PARTS_OF_DAYS), parted, (_RANGE,)
)

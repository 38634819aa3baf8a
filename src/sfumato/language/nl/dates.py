"""How dates are written in Dutch: the shapes of a whole text, and the public form of each grain.

A number as an ordinal ("de 17e", "de 1ste") is one form, in which each number has its own ending.
"""

from __future__ import annotations

import re

from sfumato.language.accents import any_accents
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.nl.calendar import HOLIDAYS, PARTS_OF_DAYS, RELATIVE
from sfumato.language.patterns import FLAGS, GAP, choice, one_of

MONTHS = months_of("nl", {"mrt": 2, "maa": 2, "sept": 8})
WEEKDAYS = weekdays_of("nl")
SEASONS = Names(("lente", "zomer", "herfst", "winter"), {"voorjaar": 0, "najaar": 2})
_TENS = {
    **{"twintig": 20, "dertig": 30, "veertig": 40, "vijftig": 50, "zestig": 60, "zeventig": 70, "tachtig": 80},
    "negentig": 90,
}

_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern
_BEFORE_DAY = one_of(
    "op|van|tot|tot en met|t/m|sinds|vanaf|per|de|met ingang van|d.d.|dd.|dd|voor|na|rond|tussen"
    "|omstreeks|uiterlijk|gedateerd|tot op|vóór"
)
_NAMED_DAY = rf"(?P<weekday>{_WEEKDAY})\.?,?{GAP}"
_ON_DAY = rf"(?:{_BEFORE_DAY}{GAP})?(?:{_NAMED_DAY})?(?:de{GAP})?"
_NTH = r"(?P<nth_e>[0-9]{1,2}(?:ste|de|e))"
_NUMBER = rf"(?:{_NTH}|(?P<day>[0-9]{{1,2}}))"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|['’]?(?P<two>[0-9]{{2}}))"
_LAST = (
    rf"(?:{GAP}{one_of('jl.|jl|a.s.|as.|aanstaande|jongstleden|dit jaar|vorig jaar|van dit jaar|van vorig jaar')})?"
)
_PART = one_of(
    "begin|eind|medio|half|halverwege|midden|sinds begin|sinds eind|vanaf begin|vanaf eind|tot eind"
    "|tot begin|in de loop van"
)
_TO_MONTH = one_of(
    "in de maand|de maand|maand|in|sinds|vanaf|tot|van|voor|na|tegen|per|afgelopen|komende|vorige"
    "|volgende|tot en met|t/m|elke"
)
_IN_MONTH = rf"(?:(?:{_PART}|{_TO_MONTH}){GAP})?"
_IN_YEAR = one_of(
    "in het jaar|het jaar|in|sinds|vanaf|tot|van|voor|na|rond|omstreeks|begin|medio|eind|circa|ca.|uit"
    "|uit het jaar|jaar|sedert|in de loop van|tot en met|t/m"
)
_TO_SEASON = one_of("in|sinds|tot|vanaf|na|voor|tijdens|van|begin|eind|begin van|eind van|in de loop van")
_IN_SEASON = (
    rf"(?:(?:{_TO_SEASON}{GAP})?(?P<de_season>(?:de|het){GAP})|(?P<deze_season>(?:deze|dit){GAP})"
    rf"|{one_of('begin|eind|elke|afgelopen|komende|vorige|volgende')}{GAP})?"
)
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))"
_IN_DECADE = one_of("de|in de|sinds de|tot in de|begin|eind|midden|uit de|vanaf de|begin van de|eind van de")
_OF_DAY = one_of("ochtend|morgen|middag|namiddag|voormiddag|avond|nacht")
_LEAD_WEEKDAY = one_of(
    "op|elke|iedere|vorige|volgende|afgelopen|komende|aanstaande|deze|die|tot|vanaf|sinds|van|voor|na"
    "|op een|een|tot en met|t/m"
)
_OF_MONTH = rf"(?:{GAP}{one_of('van de maand|van deze maand|van elke maand|dezer')})?"

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_ON_DAY}{_NUMBER}\.?{GAP}(?P<month>{_MONTH})(?:,?{GAP}{_YEAR}|{_LAST})",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second>[0-9]{{1,2}})(?P=sign){_ANY_YEAR}",
        rf"(?:{_BEFORE_DAY}{GAP})?(?P<dd>[0-9]{{1,2}})([-/])(?P<mon>{_MONTH})\2{_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}){GAP}(?:van{GAP}(?:het{GAP}jaar{GAP})?)?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}{GAP})?{_YEAR}",
        rf"(?:{_IN_DECADE}{GAP})?jaren{GAP}{_DECADE}",
        rf"{_IN_MONTH}(?P<lone_month>{_MONTH}){_LAST}",
        rf"(?:{_LEAD_WEEKDAY}{GAP})?(?:['’]s{GAP})?(?P<lone_weekday>{_WEEKDAY})(?:(?<=g)s|(?:{GAP})?{_OF_DAY})?{_LAST}",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})(?:/|-)(?P<second>[0-9]{{1,2}})",
        rf"{_BEFORE_DAY}{GAP}(?:{_NAMED_DAY})?{_NTH}{_OF_MONTH}",
        rf"(?:{_NAMED_DAY})(?:de{GAP})?{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}(?:van{GAP}(?:het{GAP}jaar{GAP})?)?{_YEAR}|{_LAST})",
    )
)
_RANGE = re.compile(
    rf"(?P<lead>(?:{one_of('van|tussen|op|in de periode van|de periode van|vanaf|periode')}{GAP})?)"
    rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>(?!))?(?P<rest>{GAP}{any_accents(_MONTH)}(?:{GAP}[0-9]{{4}})?)?)"
    rf"(?P<joint>(?:{GAP})?(?:-|–|/|&)(?:{GAP})?|{GAP}(?:tot|en|of|t/m|tot{GAP}en{GAP}met){GAP})"
    rf"(?P<last>[0-9]{{1,2}}{GAP}.+)",
    FLAGS,
)
_PUBLIC = {
    **{"day": "{d} {month} {yyyy}", "day-yy": "{dd}-{mm}-{yy}", "day-of-year": "{d} {month}"},
    **{"month": "{month} {yyyy}", "month-of-year": "{month}", "year": "{yyyy}", "decade": "de jaren {yyyy}"},
    **{"weekday": "{weekday}", "day-of-month": "de {nth_e}", "season": "{season} {yyyy}"},
    **{"season-of-year": "{season}", "holiday": "{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PARTS_OF_DAYS.grains), "{word}"),
}

DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "om|rond|vanaf|tot|sinds|na|voor|tegen|omstreeks|te|om ca.|rond ca.",
        "uur|u|u.|h",
        "twaalf uur 's middags|middernacht|om middernacht",
        "om 12 uur",
        "op",
    ),
    ranges=(_RANGE,),
    agreeing={
        "nth_e": lambda day: f"{day.day}e",
        "de_season": lambda _: "de ",
        "deze_season": lambda _: "deze ",
    },
    tens=_TENS,
    are_small=True,
)

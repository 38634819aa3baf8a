"""How dates are written in German: the shapes of a whole text, and the public form of each grain.

The number of a day is written with its full stop: "11 Januar" becomes "11. Januar".
"""

from __future__ import annotations

import re

from sfumato.language.accents import any_accents
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.de.calendar import HOLIDAYS, PARTS_OF_DAYS, PERIODS, RELATIVE
from sfumato.language.patterns import FLAGS, GAP, choice, one_of

MONTHS = months_of(
    "de",
    {"jän": 0, "jänner": 0, "jan": 0, "feber": 1, "febr": 1, "mrz": 2, "apr": 3, "jun": 5, "jul": 6, "aug": 7}
    | {"sep": 8, "sept": 8, "okt": 9, "nov": 10, "dez": 11},
)
WEEKDAYS = weekdays_of("de", {"sonnabend": 5})
SEASONS = Names(("frühling", "sommer", "herbst", "winter"), {"frühjahr": 0, "spätsommer": 1, "frühsommer": 1})
_TENS = {
    **{"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80},
    "neunzig": 90,
}

_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern
_BEFORE_DAY = one_of(
    "am|vom|zum|bis zum|bis|seit dem|seit|ab dem|ab|den|der|dem|des|vor dem|nach dem|um den|gegen den"
    "|datiert vom|im|zwischen dem"
)
_NAMED_DAY = rf"(?P<weekday>{_WEEKDAY})\.?,?{GAP}(?:(?:den|dem|der){GAP})?"
_ON_DAY = rf"(?:{_BEFORE_DAY}{GAP})?(?:{_NAMED_DAY})?"
_NUMBER = r"(?P<nth>[0-9]{1,2}\.?)"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|['’]?(?P<two>[0-9]{{2}}))"
_LAST = rf"(?:{GAP}{one_of('d. J.|des Jahres|dieses Jahres|letzten Jahres|diesen Jahres|des Vorjahres')})?"
_PART = one_of(
    "Anfang|Ende|Mitte|seit Anfang|seit Ende|seit Mitte|bis Ende|bis Anfang|bis Mitte|ab Anfang|ab Mitte|ab Ende"
)
_TO_MONTH = one_of(
    "im Monat|im Laufe des|im|seit|ab|bis|vom|zum|von|vor|nach|gegen|seit dem|ab dem|Monat|den|dem|des"
    "|der|jeden|letzten|nächsten|diesen|kommenden|vergangenen|im letzten|im nächsten|im vergangenen"
)
_IN_MONTH = rf"(?:(?:{_PART}|{_TO_MONTH}){GAP})?"
_IN_YEAR = one_of(
    "im Jahr|im Jahre|Jahr|in|seit|ab|bis|von|vor|nach|um|etwa|ca.|circa|Anfang|Mitte|Ende|seit dem Jahr"
    "|aus dem Jahr|vom Jahr|des Jahres|dem Jahr|im Laufe des Jahres|gegen Ende|zu Beginn des Jahres"
    "|aus dem Jahre"
)
_TO_SEASON = one_of(
    "im|seit dem|bis zum|ab dem|vom|vor dem|nach dem|den|dem|im letzten|im nächsten|letzten|nächsten|diesen|jeden"
    "|im späten|im frühen|im vergangenen|Anfang des|Ende des"
)
_IN_SEASON = rf"(?:{_TO_SEASON}{GAP})?"
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))ern?"
_IN_DECADE = one_of(
    "die|in den|der|den|seit den|bis in die|Anfang der|Ende der|Mitte der|in den späten|in den frühen|aus den"
)
_OF_DAY = one_of("morgen|früh|vormittag|mittag|nachmittag|abend|nacht")
_LEAD_WEEKDAY = one_of(
    "am|jeden|jeder|letzten|nächsten|diesen|kommenden|vergangenen|am letzten|am nächsten|am kommenden"
    "|am vergangenen|bis|ab|seit|von|vom|bis zum|den|zum|ab dem|seit dem|immer"
)
_OF_MONTH = (
    rf"(?:{GAP}{one_of('des Monats|d. M.|des Vormonats|jedes Monats|dieses Monats|eines Monats|des Folgemonats')})"
)

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_ON_DAY}{_NUMBER}(?:{GAP})?(?P<month>{_MONTH})(?:,?{GAP}{_YEAR}|{_LAST})",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})\.[ ]?(?P<second>[0-9]{{1,2}})\.[ ]?{_ANY_YEAR}",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})(?P<sign>[-/])(?P<second>[0-9]{{1,2}})(?P=sign){_ANY_YEAR}",
        rf"(?:{_BEFORE_DAY}{GAP})?(?P<dd>[0-9]{{1,2}})([-/.])(?P<mon>{_MONTH})\2{_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}){GAP}(?:(?:des{GAP}Jahres|im{GAP}Jahre?){GAP})?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?P<mm>[0-9]{{1,2}})[-/.]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}{GAP})?{_YEAR}",
        rf"(?:{_IN_DECADE}{GAP})?{_DECADE}(?:{GAP}Jahren?)?",
        rf"{_IN_MONTH}(?P<lone_month>{_MONTH}){_LAST}",
        rf"(?:{_LEAD_WEEKDAY}{GAP})?(?P<lone_weekday>{_WEEKDAY})(?:(?<=[gh])s|(?:{GAP})?{_OF_DAY})?",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})\.[ ]?(?P<second>[0-9]{{1,2}})\.?",
        rf"(?:{_BEFORE_DAY}{GAP})(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_BEFORE_DAY}{GAP}(?:{_NAMED_DAY})?{_NUMBER}{_OF_MONTH}?",
        rf"(?:{_NAMED_DAY}){_NUMBER}{_OF_MONTH}?",
        rf"{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}(?:des{GAP}Jahres{GAP})?{_YEAR}|{_LAST})",
    )
)
_RANGE = re.compile(
    rf"(?P<lead>(?:{one_of('vom|zwischen dem|von|am|den|zum|in der Zeit vom|im Zeitraum vom|ab dem')}{GAP})?)"
    rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>\.?)(?P<rest>{GAP}{any_accents(_MONTH)}(?:{GAP}[0-9]{{4}})?)?)"
    rf"(?P<joint>(?:{GAP})?(?:-|–|/|&)(?:{GAP})?|{GAP}(?:bis|und|oder|bis{GAP}zum|und{GAP}dem){GAP})"
    rf"(?P<last>[0-9]{{1,2}}\.?{GAP}.+)",
    FLAGS,
)
_PUBLIC = {
    **{"day": "{nth} {Month} {yyyy}", "day-yy": "{dd}.{mm}.{yy}", "day-of-year": "{nth} {Month}"},
    **{"month": "{Month} {yyyy}", "month-of-year": "{Month}", "year": "{yyyy}", "decade": "die {yyyy}er Jahre"},
    **{"weekday": "{Weekday}", "day-of-month": "der {nth}", "season": "{Season} {yyyy}"},
    **{"season-of-year": "{Season}", "holiday": "{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PERIODS.grains, *PARTS_OF_DAYS.grains), "{Name}"),
}

DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, PERIODS, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "um|gegen|ab|bis|von|seit|nach|vor|ca.|um ca.|um etwa|gegen etwa",
        "Uhr|h|Std.",
        "mittags|mitternachts|um Mitternacht",
        "um 12 Uhr",
    ),
    ranges=(_RANGE,),
    agreeing={"nth": lambda day: f"{day.day}."},
    tens=_TENS,
)

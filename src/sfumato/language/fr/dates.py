"""How dates are written in French: the shapes of a whole text, and the public form of each grain.

The first of a month is "1er", and "le 1er mars" and "le 2 mars" have one form. So have "au printemps" and "en été".
"""

from __future__ import annotations

import re
from datetime import date

from sfumato.language.accents import any_accents
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.fr.calendar import HOLIDAYS, PARTS_OF_DAYS, PERIODS, RELATIVE
from sfumato.language.patterns import FLAGS, GAP, any_phrase, choice

MONTHS = months_of("fr", {"jan": 0, "fév": 1, "sep": 8, "juill": 6})
WEEKDAYS = weekdays_of("fr")
SEASONS = Names(("printemps", "été", "automne", "hiver"))
_TENS = {
    **{
        "vingt": 20,
        "trente": 30,
        "quarante": 40,
        "cinquante": 50,
        "soixante": 60,
        "soixante-dix": 70,
        "septante": 70,
    },
    **{"quatre-vingt": 80, "quatre-vingts": 80, "quatre-vingt-dix": 90, "nonante": 90},
}


_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern
_BEFORE_DAY = any_phrase(
    "le|du|au|les|dès le|depuis le|avant le|après le|jusqu'au|vers le|à partir du|à compter du|en date du|daté du"
    "|datée du|pour le|entre le|à la date du|à dater du|celui du|ce"
)
_NAMED_DAY = rf"(?:(?P<weekday>{_WEEKDAY})\.?,?{GAP}(?:le{GAP})?)?"
_ON_DAY = rf"(?:{_BEFORE_DAY}{GAP})?{_NAMED_DAY}"
_NUMBER = rf"(?P<nth>1(?:{GAP})?(?:er|ᵉʳ)|premier|[0-9]{{1,2}}\.?)"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|(?P<two>[0-9]{{2}}))"
_LAST = rf"(?:{GAP}{any_phrase('dernier|prochain|courant|écoulé|passé|suivant|précédent')})?"
_PART = any_phrase("début|fin|mi|courant|au début|à la fin|à la mi|au milieu|dès le début|jusqu'à la fin|vers la fin")
_TO_MONTH = any_phrase("en|depuis|dès|avant|après|vers|pour|entre|chaque|jusqu'en")
_IN_MONTH = (
    rf"(?:{_TO_MONTH}{GAP}"
    rf"|(?:{any_phrase('le|au|ce|du|dans le|pendant le|courant du|début du|fin du')}{GAP})?mois{GAP}"
    rf"(?P<of_month>de{GAP}|d['’])"
    rf"|(?P<de_month>de{GAP}|d['’])|{_PART}(?:-|{GAP})(?P<part_of>de{GAP}|d['’])?)?"
)
_IN_YEAR = any_phrase(
    "en|l'an|l'année|en l'an|dans l'année|depuis|dès|avant|après|vers|début|fin|mi|courant|de|jusqu'en|année"
    "|à la fin de|depuis l'année|au début de|fin de l'année|début de l'année|au cours de|pendant l'année|de l'année"
    "|à partir de"
)
_IN_SEASON = (
    rf"(?:(?:{any_phrase('pendant|depuis|avant|après|durant')}{GAP})?(?P<the_season>le{GAP}|l['’])"
    rf"|(?:{any_phrase('fin|début|au début|à la fin|au cours|au milieu')}{GAP})?(?P<of_season>du{GAP}|de{GAP}l['’])"
    rf"|(?P<in_season>au{GAP}|en{GAP})|(?P<this_season>cet?{GAP})|{any_phrase('chaque|début|fin')}{GAP})?"
)
_PART_OF_DECADE = any_phrase("début|fin|milieu|au début|à la fin|au milieu|depuis|pendant|dans|vers|courant|dès")
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))"
_ON_WEEKDAY = any_phrase(
    "le|ce|chaque|tous les|les|un|du|au|de|dès|depuis|avant|jusqu'à|pour|depuis le|dès le|avant le"
)
_OF_DAY = any_phrase("matin|midi|après-midi|soir|en huit|dans la nuit|dans la matinée|dans la soirée")
_OF_MONTH = rf"(?:{GAP}{any_phrase('courant|du mois|de ce mois|de chaque mois')})?"

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_ON_DAY}{_NUMBER}{GAP}(?P<month>{_MONTH})(?:,?{GAP}{_YEAR})?{_LAST}",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})([-/.])(?P<second>[0-9]{{1,2}})\3{_ANY_YEAR}",
        rf"(?:{_BEFORE_DAY}{GAP})?(?P<dd>[0-9]{{1,2}})([-/])(?P<mon>{_MONTH})\2{_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}){GAP}(?:de{GAP}(?:l['’]an(?:née)?{GAP})?)?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?:en{GAP})?(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}(?:-|{GAP}))?{_YEAR}",
        rf"(?:{_PART_OF_DECADE}{GAP})?(?:{any_phrase('les|des|aux|ces')}{GAP})?années{GAP}{_DECADE}",
        rf"{_IN_MONTH}(?P<lone_month>{_MONTH}){_LAST}",
        rf"(?:{_ON_WEEKDAY}{GAP})?(?P<lone_weekday>{_WEEKDAY})(?:(?<=[ie])s)?(?:{GAP}{_OF_DAY})?{_LAST}",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_BEFORE_DAY}{GAP}{_NAMED_DAY}{_NUMBER}{_OF_MONTH}",
        rf"(?P<weekday>{_WEEKDAY})\.?{GAP}(?:le{GAP})?{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}(?:de{GAP}(?:l['’]année{GAP})?)?{_YEAR}|{_LAST})",
    )
)
_JOINT = rf"(?:{GAP})?(?:-|–|&|/)(?:{GAP})?|{GAP}(?:et|ou|à){GAP}|{GAP}(?=au{GAP})|{GAP}jusqu['’](?=au{GAP})"
_RANGE = re.compile(
    rf"(?P<lead>(?:(?:du|entre{GAP}le|entre{GAP}les|les|le|de|entre){GAP})?)"
    rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>er)?(?P<rest>{GAP}{any_accents(_MONTH)}(?:{GAP}[0-9]{{4}})?)?)"
    rf"(?P<joint>{_JOINT})(?P<last>(?:(?:au|le){GAP})?[0-9]{{1,2}}(?:er)?{GAP}.+)",
    FLAGS,
)
_PUBLIC = {
    **{"day": "{nth} {month} {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{nth} {month}"},
    **{"month": "{month} {yyyy}", "month-of-year": "{month}", "year": "{yyyy}", "decade": "les années {yyyy}"},
    **{"weekday": "{weekday}", "day-of-month": "le {nth}", "season": "{season} {yyyy}"},
    **{"season-of-year": "{season}", "holiday": "{the}{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PERIODS.grains, *PARTS_OF_DAYS.grains), "{word}"),
}


def _of_month(day: date) -> str:
    return "d'" if day.month in (4, 8, 10) else "de "


def _is_spring(day: date) -> bool:
    return day.month == 3


DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, PERIODS, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "à|vers|dès|après|avant|depuis|jusqu'à|à partir de",
        "h|heures|heure|hrs",
        "à midi|à minuit|midi|minuit",
        "à 12 h",
    ),
    ranges=(_RANGE,),
    agreeing={
        "nth": lambda day: "1er" if day.day == 1 else str(day.day),
        **dict.fromkeys(("of_month", "de_month", "part_of"), _of_month),
        "the_season": lambda day: "le " if _is_spring(day) else "l'",
        "of_season": lambda day: "du " if _is_spring(day) else "de l'",
        "in_season": lambda day: "au " if _is_spring(day) else "en ",
        "this_season": lambda day: "ce " if _is_spring(day) else "cet ",
    },
    tens=_TENS,
    are_small=True,
)

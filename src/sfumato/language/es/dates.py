"""How dates are written in Spanish: the shapes of a whole text, and the public form of each grain.

An article agrees with the season: "la primavera" and "el verano" have one form. The first of a month is a figure as
other days are: "1.º de mayo" and "primero de mayo" become "1 de mayo".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from sfumato.language.accents import any_accents
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.es.articles import FORMS, IN_TEXT
from sfumato.language.es.calendar import HOLIDAYS, PARTS_OF_DAYS, PERIODS, RELATIVE
from sfumato.language.patterns import FLAGS, GAP, choice, one_of

MONTHS = months_of("es", {"sep": 8, "set": 8, "setiembre": 8})
WEEKDAYS = weekdays_of("es", {"mier": 2})
SEASONS = Names(("primavera", "verano", "otoño", "invierno"))
_TENS = {
    **{"veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70},
    **{"ochenta": 80, "noventa": 90},
}


def _articles(kind: str) -> str:
    """Return a pattern for an article or a word with one, which agrees with a ``kind`` of thing."""
    return "|".join(f"(?P<{base}_{kind}>{pattern})" for base, pattern in IN_TEXT.items())


_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|['’]?(?P<two>[0-9]{{2}}))"
_NUMBER = r"(?P<nth>1\.?(?:°|º|o)|1ero|1ro|primero|[0-9]{1,2})"
_OF_YEAR = rf"(?:(?:de|del|del{GAP}año|de{GAP}este{GAP}año){GAP})"
_THIS_YEAR = rf"(?:{GAP}{one_of('del presente año|del año en curso|de este año|del mismo año|del corriente año')})?"
_BEFORE_DAY = one_of(
    "el|del|al|a|de|los|día|el día|del día|al día|los días|desde el|hasta el|hasta el día|desde el día|antes del"
    "|después del|a partir del|a partir del día|con fecha|con fecha de|de fecha|en fecha|en fecha de|fechado el"
    "|fechada el|para el|para el día|hacia el|sobre el|entre el|hasta|desde|este|en el|el pasado|el próximo"
    "|del pasado|del próximo|el pasado día|el próximo día|al pasado|pasado|próximo|desde el pasado|el día de"
)
_TO_DAY = one_of(
    "el|del|al|día|el día|del día|al día|desde el|hasta el|antes del|después del|a partir del|para el|hacia el|este"
    "|el pasado|el próximo|el pasado día|el próximo día|a partir del día"
)
_NAMED_DAY = rf"(?:(?P<weekday>{_WEEKDAY})\.?,?{GAP}(?:{one_of('el|día|el día|a')}{GAP})?)"
_ON_DAY = rf"(?:{_BEFORE_DAY}{GAP})?{_NAMED_DAY}?"
_LAST = rf"(?:{GAP}{one_of('pasado|próximo|último|siguiente|anterior|actual|que viene|inmediato|corriente')})?"
_PART = (
    "a principios|a inicios|a comienzos|a mediados|a finales|a fines|a primeros|a últimos|principios|inicios"
    "|comienzos|mediados|finales|fines|desde principios|desde mediados|desde finales|hasta finales"
    "|hasta mediados|al final"
    "|al principio|hacia finales|hacia mediados|para finales|primeros|últimos"
)
_TO_MONTH = one_of(
    "en|de|desde|hasta|para|hacia|por|entre|cada|durante|este|el pasado|el próximo|antes de|después de"
    "|a partir de|y"
    "|en el pasado|del pasado"
)
_THE_MONTH = one_of("en|el|del|al|durante el|en el|desde el|hasta el|este|a finales del|a mediados del")
_IN_MONTH = rf"(?:{_TO_MONTH}{GAP}|(?:{one_of(_PART)}{GAP}de{GAP})|(?:{_THE_MONTH}{GAP})?(?:mes|meses){GAP}de{GAP})?"
_IN_YEAR = one_of(
    "en|de|del|desde|hasta|hacia|para|durante|antes de|después de|a partir de|el año|del año|en el año|al año|año"
    "|desde el año|hasta el año|para el año|hacia el año|durante el año|sobre|sobre el año|entre|por el año"
    + "".join(f"|{part} {of}" for part in _PART.split("|") for of in ("de", "del", "del año"))
)
_IN_DECADE = one_of(
    "los|en los|de los|desde los|hasta los|la década de|la década de los|en la década de|en la década de los"
    "|de la década de|de la década de los|década de|década de los|durante los|hacia los|a finales de los"
    "|a principios de los|a mediados de los|los primeros|los últimos"
)
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))"
_IN_SEASON = (
    rf"(?:(?:{one_of(f'{_PART}|antes|después|durante|desde|hasta|para')}{GAP})?"
    rf"(?:{_articles('season')}){GAP}"
    rf"(?:(?:(?P<proximo_front>próxim[oa])|(?P<pasado_front>pasad[oa])){GAP})?|{one_of('en|de|desde|hasta|cada|durante|entre')}{GAP})?"
)
_LAST_SEASON = rf"{GAP}(?P<pasado_back>pasad[oa])|{GAP}(?P<proximo_back>próxim[oa])|{GAP}que{GAP}viene"
_ON_WEEKDAY = one_of(
    "el|este|al|del|cada|un|de|desde el|hasta el|para el|antes del|después del|a partir del|el próximo|el pasado"
    "|próximo|pasado|hasta|desde|entre|el siguiente|del próximo|del pasado|de este|día"
)
_OF_DAY = one_of(
    "por la mañana|por la tarde|por la noche|en la mañana|en la tarde|en la noche|de madrugada|a mediodía"
    "|al mediodía|a primera hora|a última hora|tarde|noche"
)
_MONTHS_OF_WRITING = "del mes|de este mes|del corriente|del actual|de cada mes|del presente|de los corrientes"
_OF_MONTH = rf"(?:{GAP}{one_of(f'{_MONTHS_OF_WRITING}|del presente mes|del mes pasado|del mes en curso')})?"

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_ON_DAY}{_NUMBER}\.?{GAP}(?:de{GAP}|del{GAP}mes{GAP}de{GAP})?(?P<month>{_MONTH})"
        rf"(?:,?{GAP}{_OF_YEAR}?{_YEAR}|{_THIS_YEAR}{_LAST})",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second>[0-9]{{1,2}})(?P=sign){_ANY_YEAR}",
        rf"{_ON_DAY}(?P<dd>[0-9]{{1,2}})(?P<sign>[-/])(?P<mon>{_MONTH})(?P=sign){_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}),?{GAP}{_OF_YEAR}?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?:en{GAP})?(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}{GAP})?{_YEAR}",
        rf"(?:{_IN_DECADE}{GAP})?años{GAP}{_DECADE}",
        rf"{_IN_DECADE}{GAP}{_DECADE}",
        rf"{_IN_MONTH}(?P<lone_month>{choice((*MONTHS.full, 'setiembre'))})(?![a-z])(?:{_THIS_YEAR}{_LAST})",
        rf"(?:{_ON_WEEKDAY}{GAP})?(?P<lone_weekday>{_WEEKDAY})(?:{GAP}{_OF_DAY})?{_LAST}(?:{GAP}{_OF_DAY})?",
        rf"{one_of('los|todos los')}{GAP}(?P<lone_weekday>{_WEEKDAY})(?P<plural>s?)(?:{GAP}{_OF_DAY})?",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_TO_DAY}{GAP}{_NAMED_DAY}?{_NUMBER}{_OF_MONTH}",
        rf"{_NAMED_DAY}{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}{_OF_YEAR}?{_YEAR}|{_LAST_SEASON})?",
    )
)
_JOINT = rf"(?:{GAP})?(?:-|–|&|/)(?:{GAP})?|{GAP}(?:y|e|o|a){GAP}|{GAP}(?=al{GAP})|{GAP}hasta{GAP}(?=el{GAP})"
_BEFORE_RANGE = one_of("del|de|entre|entre el|entre los días|los días|días|el|desde el|del día|de los días|a")
_RANGE = re.compile(
    any_accents(
        rf"(?P<lead>(?:{_BEFORE_RANGE}{GAP})?)"
        rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>\.?(?:°|º))?(?P<rest>{GAP}(?:de{GAP})?{_MONTH}"
        rf"(?:{GAP}(?:de|del){GAP}[0-9]{{4}})?)?)"
        rf"(?P<joint>{_JOINT})(?P<last>(?:(?:al|el|el{GAP}día|al{GAP}día){GAP})?[0-9]{{1,2}}(?:\.?(?:°|º))?{GAP}.+)"
    ),
    FLAGS,
)
_PUBLIC = {
    **{"day": "{nth} de {month} de {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{nth} de {month}"},
    **{"month": "{month} de {yyyy}", "month-of-year": "{month}", "year": "{yyyy}", "decade": "los años {yyyy}"},
    **{"weekday": "{weekday}", "day-of-month": "el {nth}", "season": "{season} de {yyyy}"},
    **{"season-of-year": "{season}", "holiday": "{the}{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PERIODS.grains), "{word}"),
    **dict.fromkeys(PARTS_OF_DAYS.grains, "la {word}"),
}


def _by_season(forms: tuple[str, str]) -> Callable[[date], str]:
    return lambda day: forms[day.month == 3]  # la primavera


DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, PERIODS, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "a las|sobre las|hacia las|desde las|hasta las|de las|antes de las|después de las|las|a partir de las"
        "|siendo las",
        "h|h.|hs|hs.|hrs|hrs.|horas|hora",
        "a mediodía|al mediodía|a medianoche|a la una|mediodía|medianoche",
        "a las 12",
        halves="p. m.|a. m.|p.m.|a.m.|pm|am|de la mañana|de la tarde|de la noche|de la madrugada",
    ),
    ranges=(_RANGE,),
    agreeing={
        "nth": lambda day: str(day.day),
        "plural": lambda day: "s" if day.weekday() > 4 else "",  # los lunes, los sábados
        **{f"{base}_season": _by_season(forms) for base, forms in FORMS.items()},
        **{f"pasado_{place}": _by_season(("pasado", "pasada")) for place in ("front", "back")},
        **{f"proximo_{place}": _by_season(("próximo", "próxima")) for place in ("front", "back")},
    },
    tens=_TENS,
    are_small=True,
)

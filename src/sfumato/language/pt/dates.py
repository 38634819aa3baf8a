"""How dates are written in Portuguese: the shapes of a whole text, and the public form of each grain.

An article agrees with the weekday or the season behind it: "na segunda-feira" and "no sábado" have one form, and so
have "na primavera passada" and "no verão passado". The first of a month is "1º".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from sfumato.language.accents import any_accents, plain
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.patterns import FLAGS, GAP, choice, one_of
from sfumato.language.pt.articles import FORMS, IN_TEXT
from sfumato.language.pt.calendar import HOLIDAYS, PARTS_OF_DAYS, PERIODS, RELATIVE

MONTHS = months_of("pt")
_LISTED = weekdays_of("pt")
_BRIEFLY = ("segunda", "terça", "quarta", "quinta", "sexta")
WEEKDAYS = Names(
    _LISTED.full,
    _LISTED.short,
    _LISTED.brief,
    {f"{name}{end}": number for number, name in enumerate(_BRIEFLY) for end in ("", " feira", "s-feira", "s feira")}
    | {
        f"{number}{end}": number - 2 for number in range(2, 7) for end in ("ª-feira", "ª feira", "a-feira", "a feira")
    },
)
SEASONS = Names(("primavera", "verão", "outono", "inverno"))
_TENS = {
    **{"vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "cinqüenta": 50, "sessenta": 60, "setenta": 70},
    **{"oitenta": 80, "noventa": 90},
}


def _articles(kind: str, plural: str = "") -> str:
    """Return a pattern for an article or a word with one, which agrees with a ``kind`` of thing."""
    return "|".join(f"(?P<{base}_{kind}>{pattern}{plural})" for base, pattern in IN_TEXT.items())


def _ending(place: str, *stems: str) -> str:
    """Return a pattern for a word whose last letter agrees: "passado" and "passada"."""
    return "|".join(f"(?P<{plain(stem)}_{place}>{stem}[oa])" for stem in stems)


_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern.replace(" ", GAP)
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|['’]?(?P<two>[0-9]{{2}}))"
_NUMBER = r"(?P<nth>1\.?(?:°|º|o)|primeiro|[0-9]{1,2})"
_OF_YEAR = rf"(?:{one_of('de|do ano de|do ano|do ano da graça de')}{GAP})"
_THIS_YEAR = one_of("do corrente ano|do presente ano|deste ano|do mesmo ano|do ano em curso|do corrente")
_LAST = one_of("passado|próximo|último|seguinte|findo|próximo passado|p.p.|p.f.|transato|que vem|corrente|pretérito")
_BEFORE_DAY = one_of(
    "a|em|de|o|no|do|ao|dia|o dia|no dia|do dia|ao dia|dias|os dias|nos dias|até|até ao dia|até o dia|desde"
    "|desde o dia|a partir de|a partir do dia|com data de|na data de|datado de|datada de|para|para o dia|após"
    "|antes de"
    "|depois de|entre|pelo dia|por volta de|no passado dia|no próximo dia|o passado dia|do passado dia"
    "|já no dia|aos|em data de"
)
_NAMED_DAY = rf"(?:(?P<weekday>{_WEEKDAY})\.?,?{GAP}(?:{one_of('dia|o dia|a|no dia')}{GAP})?)"
_TO_WEEKDAY = (
    rf"(?:(?:{_articles('weekday', 's?')}){GAP}(?:(?:{_ending('front', 'próxim', 'passad', 'últim')}){GAP})?)"
)
_ON_DAY = rf"(?:{_TO_WEEKDAY}(?={_WEEKDAY})|{_BEFORE_DAY}{GAP})?{_NAMED_DAY}?"
_PART = (
    "no início|no fim|no final|em meados|nos finais|nos inícios|no começo|no princípio|início|fim|final|meados"
    "|finais"
    "|inícios|princípios|desde o início|desde meados|desde o fim|até ao fim|até o fim|até o final|até meados"
    "|até ao final|ao fim|ao final|pelo final|em finais|em inícios|em princípios|começo|lá para o fim"
    "|a partir de meados"
)
_TO_MONTH = one_of(
    "em|de|desde|até|até|para|por|entre|durante|cada|todo|este|neste|antes de|depois de|a partir de|e|após"
)
_THE_MONTH = one_of("em|o|no|do|ao|durante o|desde o|até o|até ao|neste|este|pelo|para o")
_IN_MONTH = rf"(?:{_TO_MONTH}{GAP}|{one_of(_PART)}{GAP}de{GAP}|(?:{_THE_MONTH}{GAP})?(?:mês|meses){GAP}de{GAP})?"
_IN_YEAR = one_of(
    "em|de|desde|até|para|por|durante|antes de|depois de|a partir de|o ano|o ano de|no ano|no ano de|do ano"
    "|do ano de"
    "|ao ano de|ano|ano de|desde o ano de|até ao ano de|até o ano de|para o ano de|durante o ano de|entre|após"
    "|cerca de|por volta de|pelo ano de"
    + "".join(f"|{part} {of}" for part in _PART.split("|") for of in ("de", "do ano de", "do ano"))
)
_IN_DECADE = one_of(
    "os|nos|dos|aos|desde os|até os|até aos|a década de|na década de|da década de|à década de|década de|durante os"
    "|em finais dos|no início dos|no final dos|no fim dos|em meados dos|nos finais dos|pelos|no início da década de"
    "|no final da década de|em meados da década de|anos|décadas de"
)
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))"
_IN_SEASON = (
    rf"(?:(?:{one_of(f'{_PART}|antes|depois|durante|desde|até|para|após')}{GAP})?(?:{_articles('season')}){GAP}"
    rf"(?:(?:{_ending('start', 'próxim', 'passad', 'últim')}){GAP})?"
    rf"|{one_of('em|de|desde|até|cada|durante|entre|por')}{GAP})?"
)
_LAST_SEASON = rf"{GAP}(?:{_ending('end', 'passad', 'próxim')}|que{GAP}vem)"
_LEAD_WEEKDAY = (
    rf"(?:(?:{one_of('até|desde|para|durante|após')}{GAP})?{_TO_WEEKDAY}"
    rf"|{one_of('até|desde|antes de|depois de|a partir de|de|entre|cada|em|para|dia')}{GAP}"
    rf"|(?:{_ending('alone', 'próxim', 'passad', 'últim')}|(?P<tod_alone>tod[oa](?:s{GAP}[oa]s)?)){GAP})?"
)
_OF_DAY = one_of("de manhã|à tarde|à noite|pela manhã|de madrugada|de tarde|de noite|da tarde|da manhã|da noite|cedo")
_LAST_WEEKDAY = rf"{GAP}(?:{_ending('back', 'passad', 'próxim')}|que{GAP}vem|seguinte)"
_MONTHS_OF_WRITING = (
    "do mês|deste mês|do corrente|do corrente mês|de cada mês|do presente|do mês passado|do mesmo mês"
)
_OF_MONTH = rf"(?:{GAP}{one_of(_MONTHS_OF_WRITING)})?"
_TO_DAY = one_of(
    "o|do|no|ao|dia|o dia|no dia|do dia|ao dia|até ao dia|até o dia|desde o dia|a partir do dia|para o dia|todo dia"
    "|no passado dia|no próximo dia|pelo dia"
)

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_ON_DAY}{_NUMBER}\.?{GAP}(?:de{GAP}|do{GAP}mês{GAP}de{GAP}|dias{GAP}do{GAP}mês{GAP}de{GAP})?"
        rf"(?P<month>{_MONTH})(?:,?{GAP}{_OF_YEAR}?{_YEAR}|(?:{GAP}{_THIS_YEAR})?(?:{GAP}{_LAST})?)",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second>[0-9]{{1,2}})(?P=sign){_ANY_YEAR}",
        rf"{_ON_DAY}(?P<dd>[0-9]{{1,2}})(?P<sign>[-/])(?P<mon>{_MONTH})(?P=sign){_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}),?{GAP}{_OF_YEAR}?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?:em{GAP})?(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}{GAP})?{_YEAR}",
        rf"(?:{_IN_DECADE}{GAP})?anos{GAP}{_DECADE}",
        rf"{_IN_DECADE}{GAP}{_DECADE}",
        rf"{_IN_MONTH}(?P<lone_month>{choice(MONTHS.full)})(?![a-z])(?:{GAP}{_THIS_YEAR})?(?:{GAP}{_LAST})?",
        rf"{_LEAD_WEEKDAY}(?P<lone_weekday>{_WEEKDAY})(?P<plural>s?)(?:{GAP}{_OF_DAY})?(?:{_LAST_WEEKDAY})?",
        rf"{_ON_DAY}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_TO_DAY}{GAP}{_NUMBER}{_OF_MONTH}",
        rf"(?:{_TO_WEEKDAY}|{_TO_DAY}{GAP})?{_NAMED_DAY}{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}{_OF_YEAR}?{_YEAR}|{_LAST_SEASON})?",
    )
)
_JOINT = (
    rf"(?:{GAP})?(?:-|–|&|/)(?:{GAP})?|{GAP}(?:a|e|ou|até){GAP}|{GAP}(?:até{GAP})?(?=ao{GAP})|{GAP}até{GAP}(?=o{GAP})"
)
_BEFORE_RANGE = one_of(
    "de|entre|dias|os dias|nos dias|entre os dias|do dia|dos dias|desde|entre o dia|o dia|dia|a|em"
)
_RANGE = re.compile(
    any_accents(
        rf"(?P<lead>(?:{_BEFORE_RANGE}{GAP})?)"
        rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>\.?(?:°|º))?(?P<rest>{GAP}(?:de{GAP})?{_MONTH}"
        rf"(?:{GAP}(?:de|do){GAP}[0-9]{{4}})?)?)"
        rf"(?P<joint>{_JOINT})(?P<last>(?:(?:o{GAP}dia|ao{GAP}dia|dia){GAP})?[0-9]{{1,2}}(?:\.?(?:°|º))?{GAP}.+)"
    ),
    FLAGS,
)
_PUBLIC = {
    **{"day": "{nth} de {month} de {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{nth} de {month}"},
    **{"month": "{month} de {yyyy}", "month-of-year": "{month}", "year": "{yyyy}", "decade": "os anos {yyyy}"},
    **{"weekday": "{weekday}{plural}", "day-of-month": "o dia {nth}", "season": "{season} de {yyyy}"},
    **{"season-of-year": "{season}", "holiday": "{the}{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PERIODS.grains), "{word}"),
    **dict.fromkeys(PARTS_OF_DAYS.grains, "a {word}"),
}

_IS_FEMININE: dict[str, Callable[[date], bool]] = {
    "weekday": lambda day: day.weekday() < 5,  # a segunda-feira, o sábado
    "season": lambda day: day.month == 3,  # a primavera
}
_STEMS = {"passad": ("passado", "passada"), "proxim": ("próximo", "próxima"), "ultim": ("último", "última"),
          "tod": ("todo", "toda")}  # fmt: skip
_PLACES = {"front": "weekday", "back": "weekday", "alone": "weekday", "start": "season", "end": "season"}


def _by_gender(kind: str, forms: tuple[str, str]) -> Callable[[date], str]:
    return lambda day: forms[_IS_FEMININE[kind](day)]


DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, PERIODS, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "às|pelas|cerca das|desde as|até às|a partir das|das|por volta das|antes das|depois das|após as",
        "h|hs|hrs|horas|hora|min|hmin",
        "ao meio-dia|à meia-noite|ao meio dia|à meia noite|meio-dia|meia-noite|à uma",
        "às 12h",
        halves="da tarde|da manhã|da noite|da madrugada|p.m.|a.m.|pm|am",
    ),
    ranges=(_RANGE,),
    agreeing={
        "nth": lambda day: "1º" if day.day == 1 else str(day.day),
        "plural": lambda _: "",  # aos sábados: ao sábado, for "segundas-feiras" has two ends
        **{f"{base}_{kind}": _by_gender(kind, forms) for kind in _IS_FEMININE for base, forms in FORMS.items()},
        **{f"{stem}_{place}": _by_gender(kind, forms)
           for place, kind in _PLACES.items() for stem, forms in _STEMS.items()},
    },
    tens=_TENS,
    are_small=True,
)  # fmt: skip

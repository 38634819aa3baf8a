"""How dates are written in Italian: the shapes of a whole text, and the public form of each grain.

An article agrees with the day, the weekday, the month or the season behind it: "il 5 marzo" and "l'8 marzo" have one
form, and so have "nel marzo 2019" and "nell'aprile 2019", "lo scorso lunedì" and "la scorsa domenica".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from sfumato.language.accents import any_accents
from sfumato.language.beside_clock import parting
from sfumato.language.cldr import months_of, weekdays_of
from sfumato.language.dates import Dates, Names
from sfumato.language.it.articles import FORMS, IN_TEXT
from sfumato.language.it.calendar import HOLIDAYS, PARTS_OF_DAYS, PERIODS, RELATIVE
from sfumato.language.patterns import FLAGS, GAP, any_phrase, choice

MONTHS = months_of("it", {"sett": 8, "genn": 0, "febbr": 1, "ag": 7})
WEEKDAYS = weekdays_of("it", {"lune": 0, "merc": 2, "giov": 3, "ven": 4})
SEASONS = Names(("primavera", "estate", "autunno", "inverno"))
_TENS = {
    **{"venti": 20, "trenta": 30, "quaranta": 40, "cinquanta": 50, "sessanta": 60, "settanta": 70},
    **{"ottanta": 80, "novanta": 90},
}


def _articles(kind: str, *bases: str) -> str:
    """Return a pattern for an article or a word with one, which agrees with a ``kind`` of thing."""
    return "|".join(f"(?P<{base}_{kind}>{IN_TEXT[base]})" for base in bases or FORMS)


def _ending(name: str, *stems: str) -> str:
    """Return a pattern for a word whose last letter agrees: "scorso" and "scorsa"."""
    return "|".join(f"(?P<{stem}_{name}>{stem}[oa])" for stem in stems)


_MONTH = rf"{MONTHS.pattern}\.?(?![a-z])"
_WEEKDAY = WEEKDAYS.pattern
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|['’]?(?P<two>[0-9]{{2}}))"
_NUMBER = r"(?P<nth>1(?:°|º|\^)|primo|[0-9]{1,2}\.?)"
_BEFORE_DAY = any_phrase(
    "dopo|entro|verso|circa|fino|sino|prima|a partire|a decorrere|in data|datata|datato|giorno|addì|lì|fra|tra|per"
    "|giorni|in giorno|il giorno|nel giorno|dal giorno|del giorno|al giorno|data"
)
_ON_DAY = rf"(?:{_BEFORE_DAY}{GAP})?"
_TO_DAY = rf"(?:{_articles('day')})?"
_TO_WEEKDAY = rf"(?:{_articles('weekday')}|{any_phrase('ogni|di')}{GAP})?"
_NAMED_DAY = rf"(?P<weekday>{_WEEKDAY})\.?,?{GAP}"
_DATED = rf"{_ON_DAY}(?:{_TO_DAY}|{_TO_WEEKDAY}{_NAMED_DAY})"
_SAID_BEHIND = any_phrase("scorso|ultimo scorso|u.s.|prossimo|p.v.|c.m.|corrente|corrente mese|successivo|seguente")
_LAST_DAY = rf"(?:{GAP}{_SAID_BEHIND})?"
_PART = any_phrase("inizio|fine|metà|inizi|fine di|metà di|inizio di|entro|a inizio|a fine|a metà|da fine|verso fine")
_TO_MONTH = any_phrase("dopo|entro|verso|durante|prima|fino|tra|agli inizi|alla fine|verso la fine|a partire|inizio")
_IN_MONTH = (
    rf"(?:(?:{_TO_MONTH}"
    rf"{GAP})?(?:{_articles('month')})|{_PART}{GAP}|(?P<a_month>ad?{GAP})|{any_phrase('in|di|da|ogni|per|tra|fra|verso|dopo')}{GAP}"
    rf"|(?:{any_phrase('il|nel|del|dal|al|questo')}{GAP})?mese{GAP}di{GAP})?"
)
_IN_YEAR = any_phrase(
    "nel|del|dal|al|il|l'anno|nell'anno|dell'anno|dall'anno|anno|entro il|dopo il|prima del|fino al|verso il|inizio"
    "|fine|metà|fin dal|sin dal|a partire dal|nel corso del|durante il|circa il|agli inizi del|alla fine del|di"
    "|intorno al"
)
_IN_SEASON = (
    rf"(?:(?:{any_phrase('durante|dopo|prima|verso|entro|fino|fine|inizio|alla fine|a fine')}{GAP})?"
    rf"(?:{_articles('season')})"
    rf"|(?P<d_season>di{GAP}|d['’])|(?P<quest_season>quest[oa]{GAP}|quest['’])|{any_phrase('in|ogni|fine|inizio')}{GAP})?"
)
_IN_DECADE = any_phrase(
    "gli|negli|degli|dagli|agli|sugli|inizio|fine|primi|fine degli|inizio degli|metà degli|dai primi"
)
_DECADE = rf"(?:(?P<decade>[0-9]{{3}}0)|(?P<tens>['’]?[0-9]0|{choice(_TENS)}))"
_OF_DAY = any_phrase("mattina|pomeriggio|sera|notte|mattino")
_LAST_WEEKDAY = rf"(?:{GAP}(?:{_ending('back', 'scors', 'prossim', 'successiv')}))?"
_LEAD_WEEKDAY = (
    rf"(?:{any_phrase('ogni|di|da|entro|per|tutti i|tutte le')}{GAP}"
    rf"|(?:{_articles('weekday')})|(?P<quest_weekday>quest[oa]){GAP}"
    rf"|(?:(?P<lo_weekday>lo|la|il){GAP})?(?:{_ending('front', 'scors', 'prossim')}){GAP})?"
)
_LAST_MONTH = rf"(?:{GAP}{any_phrase('scorso|prossimo|ultimo scorso|u.s.|p.v.|corrente|successivo')})?"
_OF_MONTH = rf"(?:{GAP}{any_phrase('corrente|del mese|di ogni mese|c.m.|u.s.')})?"

_SHAPES = tuple(
    re.compile(any_accents(shape), FLAGS)
    for shape in (
        rf"{_DATED}{_NUMBER}{GAP}(?:di{GAP})?(?P<month>{_MONTH})(?:,?{GAP}(?:del(?:l['’]anno)?{GAP})?{_YEAR})?{_LAST_DAY}",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_DATED}(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second>[0-9]{{1,2}})(?P=sign){_ANY_YEAR}",
        rf"{_ON_DAY}{_TO_DAY}(?P<dd>[0-9]{{1,2}})(?P<sign>[-/])(?P<mon>{_MONTH})(?P=sign){_ANY_YEAR}",
        rf"{_IN_MONTH}(?P<month>{_MONTH}){GAP}(?:(?:del(?:l['’]anno)?|dell['’]anno){GAP})?{_YEAR}",
        rf"(?P<mon>{_MONTH})[-/]{_YEAR}",
        rf"(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:{_IN_YEAR}{GAP})?{_YEAR}",
        rf"(?:{_IN_DECADE}{GAP})?(?:primi{GAP})?anni{GAP}{_DECADE}",
        rf"{_IN_MONTH}(?P<lone_month>{_MONTH}){_LAST_MONTH}",
        rf"{_LEAD_WEEKDAY}(?P<lone_weekday>{_WEEKDAY})(?:{GAP}{_OF_DAY})?{_LAST_WEEKDAY}",
        rf"{_DATED}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_ON_DAY}(?:{_articles('day')}){_NUMBER}{_OF_MONTH}",
        rf"{_TO_WEEKDAY}{_NAMED_DAY}{_NUMBER}{_OF_MONTH}",
        rf"{_IN_SEASON}(?P<season>{SEASONS.pattern})(?:{GAP}(?:del(?:l['’]anno)?{GAP})?{_YEAR})?",
    )
)
_JOINT = rf"(?:{GAP})?(?:-|–|&|/)(?:{GAP})?|{GAP}(?:e|ed|o){GAP}|{GAP}(?=al)"
_RANGE = re.compile(
    rf"(?P<lead>(?:(?:tra|fra|{any_phrase('nei giorni|i giorni|giorni')}){GAP})?"
    rf"(?:{_articles('day', 'dal', 'il', 'del')}|i{GAP})?)"
    rf"(?P<first>(?P<day>[0-9]{{1,2}})(?P<nth>(?:°|º))?(?P<rest>{GAP}{any_accents(_MONTH)}(?:{GAP}[0-9]{{4}})?)?)"
    rf"(?P<joint>{_JOINT})(?P<last>(?:(?:al|il){GAP}|(?:al)?l['’](?:{GAP})?)?[0-9]{{1,2}}(?:°|º)?{GAP}.+)",
    FLAGS,
)
_PUBLIC = {
    **{"day": "{nth} {month} {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{nth} {month}"},
    **{"month": "{month} {yyyy}", "month-of-year": "{month}", "year": "{yyyy}", "decade": "gli anni {yyyy}"},
    **{"weekday": "{weekday}", "day-of-month": "{il_day}{nth}", "season": "{season} {yyyy}"},
    **{"season-of-year": "{season}", "holiday": "{the}{Name}"},
    **dict.fromkeys((*RELATIVE.grains, *PERIODS.grains, *PARTS_OF_DAYS.grains), "{word}"),
}

_SIDES: dict[str, Callable[[date], int]] = {
    "day": lambda day: 2 if day.day in (8, 11) else 0,  # l'otto, l'undici
    "weekday": lambda day: int(day.weekday() == 6),  # la domenica
    "month": lambda day: 2 if day.month in (4, 8, 10) else 0,  # l'aprile
    "season": lambda day: 1 if day.month == 3 else 2,  # la primavera, l'estate
}
"""Which of three forms a word has: before a man's word, a woman's, or a vowel."""


def _agreeing(forms: tuple[str, ...], side: Callable[[date], int]) -> Callable[[date], str]:
    return lambda day: forms[side(day)]


DATES = Dates(
    MONTHS,
    WEEKDAYS,
    SEASONS,
    _SHAPES,
    _PUBLIC,
    named=(RELATIVE, PERIODS, HOLIDAYS, PARTS_OF_DAYS),
    parted=parting(
        "alle|alle ore|ore|h|dalle|dalle ore|verso le|dopo le|prima delle|circa le|per le|h.|delle ore|delle",
        "h|ore", "a mezzogiorno|a mezzanotte|mezzogiorno|mezzanotte|all'una", "alle 12",
    ),
    ranges=(_RANGE,),
    agreeing={
        "nth": lambda day: "1°" if day.day == 1 else str(day.day),
        **{f"{base}_{kind}": _agreeing(forms, side)
           for kind, side in _SIDES.items() for base, forms in FORMS.items()},
        **{f"{stem}_{place}": _agreeing((f"{stem}o", f"{stem}a"), _SIDES["weekday"])
           for stem in ("scors", "prossim", "successiv") for place in ("front", "back")},
        "quest_weekday": _agreeing(("questo", "questa"), _SIDES["weekday"]),
        "lo_weekday": _agreeing(("lo", "la"), _SIDES["weekday"]),
        "a_month": lambda day: "ad " if day.month in (4, 8) else "a ",
        "d_season": _agreeing(("", "di ", "d'"), _SIDES["season"]),
        "quest_season": _agreeing(("", "questa ", "quest'"), _SIDES["season"]),
    },
    tens=_TENS,
    are_small=True,
)  # fmt: skip

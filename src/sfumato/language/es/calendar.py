"""Spanish names of seasons, and words for days: "ayer", "la semana pasada", "en Navidad".

Distances are those of English: from noon of the day of writing, and around a year of 366 days. Where words take
different articles, the article is a group that agrees: "el mes pasado" and "la semana pasada" have one form.
"""

from __future__ import annotations

from collections.abc import Callable

from sfumato.language.dates import NamedDays
from sfumato.language.es.articles import FORMS, IN_TEXT
from sfumato.language.patterns import GAP, one_of

_RELATIVE = {
    "past day": {
        **{"anteayer": -2.0, "ayer por la mañana": -1.125, "ayer": -1.0, "ayer por la tarde": -0.875},
        **{"anoche": -0.75},
    },
    "present day": {"esta mañana": -0.125, "hoy": 0.0, "esta tarde": 0.125, "esta noche": 0.25},
    "coming day": {
        **{"mañana por la mañana": 0.875, "mañana": 1.0, "mañana por la tarde": 1.125},
        **{"mañana por la noche": 1.25, "pasado mañana": 2.0},
    },
    "present period": {"esta semana": 0.0, "este mes": 11.5, "este año": 179.0},
}
_OTHER_RELATIVE = {
    **{"antes de ayer": "anteayer", "antier": "anteayer", "antes de anoche": "anteayer", "anteanoche": "anteayer"},
    **{"ayer de mañana": "ayer por la mañana", "ayer en la mañana": "ayer por la mañana", "ayer noche": "anoche"},
    **{"ayer en la tarde": "ayer por la tarde", "ayer tarde": "ayer por la tarde", "ayer por la noche": "anoche"},
    **{"ayer en la noche": "anoche", "el día de ayer": "ayer", "en el día de ayer": "ayer"},
    **{"hoy por la mañana": "esta mañana", "hoy en la mañana": "esta mañana", "esta madrugada": "esta mañana"},
    **{"hoy por la tarde": "esta tarde", "hoy en la tarde": "esta tarde", "hoy por la noche": "esta noche"},
    **{"el día de hoy": "hoy", "en el día de hoy": "hoy", "al día de hoy": "hoy", "hoy día": "hoy"},
    **{"mañana en la mañana": "mañana por la mañana", "mañana temprano": "mañana por la mañana"},
    **{"mañana en la tarde": "mañana por la tarde", "mañana en la noche": "mañana por la noche"},
    **{"el día de mañana": "mañana", "este mismo mes": "este mes", "este mismo año": "este año"},
    **{"el presente año": "este año", "el presente mes": "este mes"},
}
_PERIODS = {
    "past period": {"semana pasada": -7.0, "mes pasado": -30.0, "año pasado": -365.0},
    "coming period": {"próxima semana": 7.0, "próximo mes": 30.0, "próximo año": 365.0},
}
_OTHER_PERIODS = {
    **{"pasada semana": "semana pasada", "pasado mes": "mes pasado", "pasado año": "año pasado"},
    **{"semana anterior": "semana pasada", "mes anterior": "mes pasado", "año anterior": "año pasado"},
    **{"semana que viene": "próxima semana", "mes que viene": "próximo mes", "año que viene": "próximo año"},
    **{"semana próxima": "próxima semana", "mes próximo": "próximo mes", "año próximo": "próximo año"},
    **{"semana entrante": "próxima semana", "mes entrante": "próximo mes", "año entrante": "próximo año"},
}
_PARTS = {"part of a day": {"madrugada": -0.3, "mañana": -0.125, "tarde": 0.125, "noche": 0.5}}

_HOLIDAYS = {
    **{"Año Nuevo": 1, "Reyes": 6, "San Valentín": 45, "Carnaval": 53, "San José": 79, "Domingo de Ramos": 93},
    **{"Jueves Santo": 97, "Viernes Santo": 98, "Pascua": 100, "Día del Trabajo": 122, "Pentecostés": 149},
    **{"San Juan": 176, "Santiago Apóstol": 207, "Asunción": 228, "Fiesta Nacional": 286, "Todos los Santos": 306},
    **{"Día de Muertos": 307, "Día de la Constitución": 341, "Inmaculada": 343, "Nochebuena": 359, "Navidad": 360},
    **{"Santos Inocentes": 363, "Nochevieja": 366},
}
_OTHER_HOLIDAYS = {
    **{"día de reyes": "Reyes", "reyes magos": "Reyes", "epifanía": "Reyes", "día de año nuevo": "Año Nuevo"},
    **{"domingo de pascua": "Pascua", "domingo de resurrección": "Pascua", "inmaculada concepción": "Inmaculada"},
    **{"fin de año": "Nochevieja", "día de todos los santos": "Todos los Santos", "día de navidad": "Navidad"},
    **{"día de los muertos": "Día de Muertos", "día de la hispanidad": "Fiesta Nacional", "purísima": "Inmaculada"},
    **{"día de san juan": "San Juan", "noche de san juan": "San Juan", "primero de mayo": "Día del Trabajo"},
}
_MASCULINE = ("Año", "Día", "Domingo", "Jueves", "Viernes", "Carnaval", "mes", "año", "próximo")
_FEMININE = ("Asunción", "Fiesta", "Inmaculada", "Nochebuena", "Nochevieja", "semana", "próxima")


def _article(base: str, bare: str = "") -> Callable[[str], str]:
    """Return what writes an article before a word: that of its gender, or ``bare`` before one that takes none."""

    def written(word: str) -> str:
        forms = FORMS[base]
        article = forms[0] if word.startswith(_MASCULINE) else forms[1] if word.startswith(_FEMININE) else bare
        return f"{article} " if article else ""

    return written


_AGREEING = {"of": _article("del", "de"), "to": _article("al", "a"), "the": _article("el"),
             "within": _article("en_el", "en")}  # fmt: skip
_THE = rf"{IN_TEXT['el']}{GAP}"
_LEADS = rf"(?P<of>{IN_TEXT['del']}{GAP})|(?P<to>{IN_TEXT['al']}{GAP})|(?P<within>{IN_TEXT['en_el']}{GAP})"
_LEADS_OF_HOLIDAYS = (
    rf"(?:(?P<of>(?:{IN_TEXT['del']}|de){GAP})|(?P<to>(?:{IN_TEXT['al']}|a){GAP})"
    rf"|(?P<within>(?:{IN_TEXT['en_el']}|en){GAP})|(?P<the>{_THE}|))"
)
_BEFORE = "desde|hasta|durante|para|por|hacia|a partir"
_OF_A_DAY = one_of("por la|en la|de la|a la|la|esa|aquella|durante la|cada|toda la")
_DAY = "el día|la noche|la víspera|antes|después|desde|hasta|durante|para|por|cada"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, f"{_BEFORE}|de|a partir de")
PERIODS = NamedDays.of(_PERIODS, _OTHER_PERIODS, _BEFORE, leads=rf"(?:{_LEADS}|(?P<the>{_THE}))?", agreeing=_AGREEING)
PARTS_OF_DAYS = NamedDays.of(_PARTS, {}, leads=f"{_OF_A_DAY}{GAP}")
HOLIDAYS = NamedDays.of({"holiday": _HOLIDAYS}, _OTHER_HOLIDAYS, _DAY, True, _LEADS_OF_HOLIDAYS, _AGREEING)

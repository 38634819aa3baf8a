"""French names of seasons, and words for days: "hier", "la semaine dernière", "à la Toussaint".

Distances are those of English: from noon of the day of writing, and around a year of 366 days. Where words take
different articles, the article is a group that agrees: "le mois dernier" and "la semaine dernière" have one form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sfumato.language.dates import NamedDays
from sfumato.language.patterns import GAP

_RELATIVE = {
    "past day": {
        **{"avant-hier": -2.0, "hier matin": -1.125, "hier": -1.0, "hier après-midi": -0.875, "hier soir": -0.75},
    },
    "present day": {
        **{"ce matin": -0.125, "aujourd'hui": 0.0, "cet après-midi": 0.125, "ce soir": 0.25, "cette nuit": 0.5},
    },
    "coming day": {
        **{
            "demain matin": 0.875,
            "demain": 1.0,
            "demain après-midi": 1.125,
            "demain soir": 1.25,
            "après-demain": 2.0,
        },
    },
    "present period": {"cette semaine": 0.0, "ce mois-ci": 11.5, "cette année": 179.0},
}
_OTHER_RELATIVE = {
    **{"avant hier": "avant-hier", "hier midi": "hier", "hier au soir": "hier soir", "ce jour": "aujourd'hui"},
    **{
        "aujourd hui": "aujourd'hui",
        "ce midi": "aujourd'hui",
        "après demain": "après-demain",
        "ce mois": "ce mois-ci",
    },
    **{"demain midi": "demain", "cet après midi": "cet après-midi", "hier après midi": "hier après-midi"},
}
_PERIODS = {
    "past period": {"semaine dernière": -7.0, "mois dernier": -30.0, "année dernière": -365.0},
    "coming period": {"semaine prochaine": 7.0, "mois prochain": 30.0, "année prochaine": 365.0},
}
_OTHER_PERIODS = {
    **{"semaine passée": "semaine dernière", "mois passé": "mois dernier", "an dernier": "année dernière"},
    **{"an passé": "année dernière", "année passée": "année dernière", "an prochain": "année prochaine"},
}
_PARTS = {"part of a day": {"matin": -0.125, "après-midi": 0.125, "soir": 0.25, "nuit": 0.5}}
_OTHER_PARTS = {
    "matinée": "matin",
    "aube": "matin",
    "après midi": "après-midi",
    "soirée": "soir",
    "midi": "après-midi",
}

_HOLIDAYS = {
    **{"jour de l'An": 1, "Épiphanie": 6, "Chandeleur": 33, "Saint-Valentin": 45, "Mardi gras": 53},
    **{"Vendredi saint": 98, "Pâques": 100, "lundi de Pâques": 101, "fête du Travail": 122, "Ascension": 139},
    **{"fête des Mères": 147, "Pentecôte": 149, "lundi de Pentecôte": 150, "Saint-Jean": 176, "Fête nationale": 196},
    **{"Assomption": 228, "Toussaint": 306, "Armistice": 316, "veille de Noël": 359, "Noël": 360},
    **{"Saint-Sylvestre": 366},
}
_OTHER_HOLIDAYS = {
    **{"nouvel an": "jour de l'An", "jour de noël": "Noël", "réveillon de noël": "veille de Noël"},
    **{"réveillon": "Saint-Sylvestre", "st-valentin": "Saint-Valentin", "saint valentin": "Saint-Valentin"},
    **{"premier mai": "fête du Travail", "dimanche de pâques": "Pâques", "saint-nicolas": "veille de Noël"},
}
_MASCULINE = ("mois", "an ", "jour", "lundi", "Vendredi", "matin", "soir", "réveillon")
_WITHOUT = ("Noël", "Pâques", "Mardi gras")


def _gender(word: str) -> int:
    """Return which article a word takes: 0 for "le", 1 for "la", 2 for "l'", 3 for none."""
    if word in _WITHOUT:
        return 3
    if word[0] in "aéÉA":
        return 2
    return 0 if word.startswith(_MASCULINE) else 1


def _article(*forms: str) -> Callable[[str], str]:
    return lambda word: forms[_gender(word)]


_AGREEING: Mapping[str, Callable[[str], str]] = {
    "the": _article("le ", "la ", "l'", ""),
    "of": _article("du ", "de la ", "de l'", "de "),
    "to": _article("au ", "à la ", "à l'", "à "),
}
_OF, _TO = rf"du{GAP}|de{GAP}la{GAP}|de{GAP}l['’]", rf"au{GAP}|à{GAP}la{GAP}|à{GAP}l['’]"
_THE = rf"le{GAP}|la{GAP}|l['’]"
_LEADS = f"(?:(?P<the>{_THE})|(?P<of>{_OF})|(?P<to>{_TO}))?"
_LEADS_OF_HOLIDAYS = f"(?:(?P<of>{_OF}|de{GAP}|d['’])|(?P<to>{_TO}|à{GAP})|(?P<the>{_THE}|))"
_BEFORE = "depuis|jusqu'à|dès|avant|après|pour|pendant|vers|à partir de|durant|dans"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, _BEFORE)
PERIODS = NamedDays.of(_PERIODS, _OTHER_PERIODS, _BEFORE, leads=_LEADS, agreeing=_AGREEING)
PARTS_OF_DAYS = NamedDays.of(
    _PARTS, _OTHER_PARTS, "depuis|jusqu'à|dès|avant|après|vers|chaque|tard|tôt", leads=_LEADS, agreeing=_AGREEING
)
HOLIDAYS = NamedDays.of(
    {"holiday": _HOLIDAYS}, _OTHER_HOLIDAYS, f"{_BEFORE}|chaque", True, _LEADS_OF_HOLIDAYS, _AGREEING
)

"""German words for days: "gestern", "letzte Woche", "zu Weihnachten".

Distances are those of English: from noon of the day of writing, and around a year of 366 days. "Letzte Woche" and
"letzten Monat" take different endings, so the ending is a group that agrees with the word.
"""

from __future__ import annotations

from collections.abc import Callable

from sfumato.language.dates import NamedDays
from sfumato.language.patterns import GAP

_RELATIVE = {
    "past day": {
        **{"vorgestern": -2.0, "gestern früh": -1.125, "gestern": -1.0, "gestern Nachmittag": -0.875},
        **{"gestern Abend": -0.75, "letzte Nacht": -0.5},
    },
    "present day": {
        **{"heute früh": -0.125, "heute": 0.0, "heute Nachmittag": 0.125, "heute Abend": 0.25, "heute Nacht": 0.5},
    },
    "coming day": {
        **{"morgen früh": 0.875, "morgen": 1.0, "morgen Nachmittag": 1.125, "morgen Abend": 1.25, "übermorgen": 2.0},
    },
}
_OTHER_RELATIVE = {
    **{"heute morgen": "heute früh", "heute vormittag": "heute früh", "heute mittag": "heute"},
    **{"gestern morgen": "gestern früh", "gestern vormittag": "gestern früh", "gestern nacht": "letzte Nacht"},
    **{"vergangene nacht": "letzte Nacht", "morgen vormittag": "morgen früh", "am vortag": "gestern"},
    **{"am folgetag": "morgen", "am nächsten tag": "morgen", "heutigen tage": "heute", "gestern mittag": "gestern"},
}
_PERIODS = {
    "past period": {"letzte Woche": -7.0, "letzten Monat": -30.0, "letztes Jahr": -365.0},
    "present period": {"diese Woche": 0.0, "diesen Monat": 11.5, "dieses Jahr": 179.0},
    "coming period": {"nächste Woche": 7.0, "nächsten Monat": 30.0, "nächstes Jahr": 365.0},
}
_OTHER_PERIODS = {
    **{"vorige woche": "letzte Woche", "vergangene woche": "letzte Woche", "vorigen monat": "letzten Monat"},
    **{"vergangenen monat": "letzten Monat", "voriges jahr": "letztes Jahr", "vergangenes jahr": "letztes Jahr"},
    **{"kommende woche": "nächste Woche", "kommenden monat": "nächsten Monat", "kommendes jahr": "nächstes Jahr"},
}
_PARTS = {"part of a day": {"Vormittag": -0.125, "Nachmittag": 0.125, "Abend": 0.25}}
_OTHER_PARTS = {"morgen": "Vormittag", "mittag": "Nachmittag", "spätnachmittag": "Nachmittag"}

_HOLIDAYS = {
    **{"Neujahr": 1, "Dreikönig": 6, "Valentinstag": 45, "Rosenmontag": 52, "Aschermittwoch": 54, "Karfreitag": 98},
    **{"Ostersonntag": 100, "Ostermontag": 101, "Maifeiertag": 122, "Muttertag": 132, "Christi Himmelfahrt": 139},
    **{"Pfingsten": 149, "Fronleichnam": 160, "Tag der Deutschen Einheit": 277, "Reformationstag": 305},
    **{"Allerheiligen": 306, "Martinstag": 316, "Nikolaus": 341, "Heiligabend": 359, "Weihnachten": 360},
    **{"Silvester": 366},
}
_OTHER_HOLIDAYS = {
    **{"ostern": "Ostersonntag", "neujahrstag": "Neujahr", "heiliger abend": "Heiligabend"},
    **{"heilige drei könige": "Dreikönig", "tag der arbeit": "Maifeiertag", "erster mai": "Maifeiertag"},
    **{"pfingstsonntag": "Pfingsten", "pfingstmontag": "Pfingsten", "nikolaustag": "Nikolaus"},
    **{"weihnachtstag": "Weihnachten", "erster weihnachtstag": "Weihnachten", "himmelfahrt": "Christi Himmelfahrt"},
}
_BEFORE = "seit|bis|ab|von|vor|nach|für|schon|noch|erst|spätestens|bereits"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, _BEFORE, True)
PERIODS = NamedDays.of(_PERIODS, _OTHER_PERIODS, f"{_BEFORE}|im Laufe|Anfang|Ende|Mitte", True)
PARTS_OF_DAYS = NamedDays.of(
    _PARTS, _OTHER_PARTS, "am|gegen|bis zum|ab dem|vom|jeden|diesen|den|am späten|am frühen|im Laufe des", True
)
_BARE = ("Neujahr", "Dreikönig", "Pfingsten", "Allerheiligen", "Weihnachten", "Silvester", "Nikolaus", "Christi")


def _bare(bare: str, with_article: str) -> Callable[[str], str]:
    """Return what chooses between a preposition, "zu Weihnachten", and one with an article, "zum Karfreitag"."""
    return lambda word: bare if word.startswith(_BARE) else with_article


HOLIDAYS = NamedDays.of(
    {"holiday": _HOLIDAYS},
    _OTHER_HOLIDAYS,
    "über|seit|bis|vor|nach|ab|nächstes|letztes|jedes|nächsten|letzten|jeden|den",
    True,
    rf"(?:(?P<on>a[mn]{GAP})|(?P<to>zum?{GAP})|(?P<of>vo[mn]{GAP}))?",
    {"on": _bare("an ", "am "), "to": _bare("zu ", "zum "), "of": _bare("von ", "vom ")},
)

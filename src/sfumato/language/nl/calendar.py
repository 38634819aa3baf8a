"""Dutch words for days: "gisteren", "vorige week", "met Kerstmis".

Distances are those of English: from noon of the day of writing, and around a year of 366 days.
"""

from __future__ import annotations

from sfumato.language.dates import NamedDays

_RELATIVE = {
    "past day": {
        **{"eergisteren": -2.0, "gisterochtend": -1.125, "gisteren": -1.0, "gistermiddag": -0.875},
        **{"gisteravond": -0.75, "afgelopen nacht": -0.5},
    },
    "present day": {
        **{"vanochtend": -0.125, "vandaag": 0.0, "vanmiddag": 0.125, "vanavond": 0.25, "vannacht": 0.5},
    },
    "coming day": {
        **{"morgenochtend": 0.875, "morgen": 1.0, "morgenmiddag": 1.125, "morgenavond": 1.25, "overmorgen": 2.0},
    },
    "past period": {"vorige week": -7.0, "vorige maand": -30.0, "vorig jaar": -365.0},
    "present period": {"deze week": 0.0, "deze maand": 11.5, "dit jaar": 179.0},
    "coming period": {"volgende week": 7.0, "volgende maand": 30.0, "volgend jaar": 365.0},
}
_OTHER_RELATIVE = {
    **{"vanmorgen": "vanochtend", "gistermorgen": "gisterochtend", "gisternacht": "afgelopen nacht"},
    **{"gisteren ochtend": "gisterochtend", "gisteren middag": "gistermiddag", "gisteren avond": "gisteravond"},
    **{"morgenvroeg": "morgenochtend", "heden": "vandaag", "de dag ervoor": "gisteren", "de volgende dag": "morgen"},
    **{"afgelopen week": "vorige week", "afgelopen maand": "vorige maand", "afgelopen jaar": "vorig jaar"},
    **{"verleden week": "vorige week", "verleden jaar": "vorig jaar", "komende week": "volgende week"},
    **{"komende maand": "volgende maand", "komend jaar": "volgend jaar"},
}
_PARTS = {"part of a day": {"ochtend": -0.125, "middag": 0.125, "avond": 0.25, "nacht": 0.5}}
_OTHER_PARTS = {"voormiddag": "ochtend", "namiddag": "middag", "ochtends": "ochtend", "avonds": "avond"}

_HOLIDAYS = {
    **{"Nieuwjaar": 1, "Driekoningen": 6, "Valentijnsdag": 45, "Aswoensdag": 54, "Goede Vrijdag": 98},
    **{"Pasen": 100, "paasmaandag": 101, "Koningsdag": 118, "Dag van de Arbeid": 122, "Bevrijdingsdag": 126},
    **{"Moederdag": 132, "Hemelvaartsdag": 139, "Pinksteren": 149, "Allerheiligen": 306, "Sint-Maarten": 316},
    **{"Sinterklaas": 340, "kerstavond": 359, "Kerstmis": 360, "tweede kerstdag": 361, "oudejaarsavond": 366},
}
_OTHER_HOLIDAYS = {
    **{
        "nieuwjaarsdag": "Nieuwjaar",
        "kerst": "Kerstmis",
        "eerste kerstdag": "Kerstmis",
        "hemelvaart": "Hemelvaartsdag",
    },
    **{
        "eerste paasdag": "Pasen",
        "paaszondag": "Pasen",
        "tweede paasdag": "paasmaandag",
        "oud en nieuw": "Nieuwjaar",
    },
    **{"oudejaarsdag": "oudejaarsavond", "eerste pinksterdag": "Pinksteren", "sint maarten": "Sint-Maarten"},
    **{"pakjesavond": "Sinterklaas", "koninginnedag": "Koningsdag", "wapenstilstand": "Sint-Maarten"},
}
_BEFORE = "sinds|tot|vanaf|van|voor|na|al|reeds|pas|uiterlijk|in de loop van|begin|eind|op"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, _BEFORE)
PARTS_OF_DAYS = NamedDays.of(
    _PARTS, _OTHER_PARTS, "in de|de|deze|die|tegen de|na de|voor de|sinds de|'s|elke|in de loop van de|een"
)
HOLIDAYS = NamedDays.of(
    {"holiday": _HOLIDAYS},
    _OTHER_HOLIDAYS,
    "met|op|rond|sinds|tot|voor|na|vanaf|tijdens|afgelopen|komende|elke",
    True,
)

"""Italian names of seasons, and words for days: "ieri", "la settimana scorsa", "a Natale".

Distances are those of English: from noon of the day of writing, and around a year of 366 days. Where words take
different articles, the article is a group that agrees: "il mese scorso" and "l'anno scorso" have one form.
"""

from __future__ import annotations

from collections.abc import Callable

from sfumato.language.dates import NamedDays
from sfumato.language.it.articles import FORMS, IN_TEXT
from sfumato.language.patterns import GAP

_RELATIVE = {
    "past day": {
        **{"l'altro ieri": -2.0, "ieri mattina": -1.125, "ieri": -1.0, "ieri pomeriggio": -0.875, "ieri sera": -0.75},
        **{"ieri notte": -0.5},
    },
    "present day": {
        **{"stamattina": -0.125, "oggi": 0.0, "oggi pomeriggio": 0.125, "stasera": 0.25, "stanotte": 0.5},
    },
    "coming day": {
        **{"domani mattina": 0.875, "domani": 1.0, "domani pomeriggio": 1.125, "domani sera": 1.25},
        **{"domani notte": 1.5, "dopodomani": 2.0},
    },
    "present period": {"questa settimana": 0.0, "questo mese": 11.5, "quest'anno": 179.0},
}
_OTHER_RELATIVE = {
    **{
        "altro ieri": "l'altro ieri",
        "altroieri": "l'altro ieri",
        "l'altroieri": "l'altro ieri",
        "avantieri": "l'altro ieri",
    },
    **{"stamani": "stamattina", "stamane": "stamattina", "questa mattina": "stamattina", "questa sera": "stasera"},
    **{"questo pomeriggio": "oggi pomeriggio", "questa notte": "stanotte", "dopo domani": "dopodomani"},
    **{
        "in data odierna": "oggi",
        "in data di ieri": "ieri",
        "questo anno": "quest'anno",
        "domattina": "domani mattina",
    },
}
_PERIODS = {
    "past period": {"settimana scorsa": -7.0, "mese scorso": -30.0, "anno scorso": -365.0},
    "coming period": {"settimana prossima": 7.0, "mese prossimo": 30.0, "anno prossimo": 365.0},
}
_OTHER_PERIODS = {
    **{"scorsa settimana": "settimana scorsa", "scorso mese": "mese scorso", "scorso anno": "anno scorso"},
    **{
        "prossima settimana": "settimana prossima",
        "prossimo mese": "mese prossimo",
        "prossimo anno": "anno prossimo",
    },
    **{"settimana passata": "settimana scorsa", "anno passato": "anno scorso", "mese passato": "mese scorso"},
}
_PARTS = {"part of a day": {"mattina": -0.125, "pomeriggio": 0.125, "sera": 0.25, "notte": 0.5}}
_OTHER_PARTS = {"mattino": "mattina", "mattinata": "mattina", "alba": "mattina", "serata": "sera", "nottata": "notte"}

_HOLIDAYS = {
    **{"Capodanno": 1, "Epifania": 6, "San Valentino": 45, "Martedì grasso": 53, "Domenica delle Palme": 93},
    **{"Venerdì santo": 98, "Pasqua": 100, "Pasquetta": 101, "Festa della Liberazione": 116, "Festa del Lavoro": 122},
    **{"Ascensione": 139, "Pentecoste": 149, "Festa della Repubblica": 154, "Ferragosto": 228, "Ognissanti": 306},
    **{"Immacolata": 343, "Vigilia di Natale": 359, "Natale": 360, "Santo Stefano": 361, "San Silvestro": 366},
}
_OTHER_HOLIDAYS = {
    **{"befana": "Epifania", "lunedì dell'angelo": "Pasquetta", "lunedì di pasqua": "Pasquetta"},
    **{"immacolata concezione": "Immacolata", "primo maggio": "Festa del Lavoro", "giorno di natale": "Natale"},
    **{"s. stefano": "Santo Stefano", "festa dei lavoratori": "Festa del Lavoro", "tutti i santi": "Ognissanti"},
    **{"vigilia": "Vigilia di Natale", "domenica di pasqua": "Pasqua"},
}
_VOWEL = ("Epifania", "Ascensione", "Immacolata", "anno")
_FEMININE = ("Festa", "Vigilia", "Pentecoste", "Domenica", "settimana", "mattina", "sera", "notte")
_MASCULINE = ("Martedì", "Venerdì", "mese", "pomeriggio")


def _gender(word: str) -> int:
    """Return which article a word takes: 0 for "il", 1 for "la", 2 for "l'", 3 for none."""
    return next((number for number, words in enumerate((_MASCULINE, _FEMININE, _VOWEL)) if word.startswith(words)), 3)


def _article(base: str, bare: str = "") -> Callable[[str], str]:
    return lambda word: (*FORMS[base], bare)[_gender(word)]


_AGREEING = {
    "the": _article("il"), "of": _article("del", "di "), "to": _article("al", "a "), "since": _article("dal", "da "),
    "within": _article("nel", "in "),
}  # fmt: skip


def _before_s(base: str) -> str:
    """Return the form before "scorso": "lo", "dello"."""
    return FORMS[base][1].replace("la ", "lo")


_GROUPS = {"of": "del", "to": "al", "since": "dal", "within": "nel", "the": "il"}
_LEADS = rf"(?:{'|'.join(f'(?P<{name}>{IN_TEXT[base]}|{_before_s(base)}{GAP})' for name, base in _GROUPS.items())})?"
_LEADS_OF_HOLIDAYS = (
    rf"(?:(?P<of>{IN_TEXT['del']}|di{GAP}|d['’])|(?P<to>{IN_TEXT['al']}|ad?{GAP})|(?P<since>{IN_TEXT['dal']}|da{GAP})"
    rf"|(?P<the>{IN_TEXT['il']}|))"
)
_BEFORE = "dopo|prima|entro|da|per|durante|verso|fino|sin|già|di"

RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, _BEFORE)
PERIODS = NamedDays.of(
    _PERIODS, _OTHER_PERIODS, "dopo|prima|entro|per|durante|fino", leads=_LEADS, agreeing=_AGREEING
)
PARTS_OF_DAYS = NamedDays.of(
    _PARTS, _OTHER_PARTS, "di|verso|durante|dopo|prima|ogni|in", leads=_LEADS, agreeing=_AGREEING
)
_DAY = "il giorno|nel giorno|la sera|la notte|la mattina|dopo|prima|entro|per|durante|verso|fino|ogni"
HOLIDAYS = NamedDays.of({"holiday": _HOLIDAYS}, _OTHER_HOLIDAYS, _DAY, True, _LEADS_OF_HOLIDAYS, {
    name: write for name, write in _AGREEING.items() if name != "within"
})  # fmt: skip

"""English units: of time, of measure, of money, and things that are counted, in full and as symbols.

A noun agrees with the number that is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sfumato.language.en.numbers import ONES, TENS
from sfumato.language.lists import lists_of, words_of
from sfumato.language.nouns import Nouns
from sfumato.language.patterns import GAP, any_of, choice, one_of
from sfumato.language.units import Money, Units

_LISTS = lists_of("en", "units")


def _plurals(*lists: str) -> dict[str, str]:
    """Return the singulars of ``lists`` and their plurals."""
    parts = (noun.partition(":") for name in lists for noun in words_of(_LISTS[name]))
    return {singular: plural or f"{singular}s" for singular, _, plural in parts}


UNITS_OF_TIME = Nouns(_plurals("time"))
UNITS = Nouns(_plurals("lengths", "measures", "counted", "further"), {"persons": "person"})
"""The names of units and of things that are counted."""
_SHORT = {
    **{"sec": "second", "min": "minute", "hr": "hour", "wk": "week", "mth": "month", "yr": "year"},
    **{"s": "second", "h": "hour", "d": "day", "w": "week"},
}


def unit_of(groups: Mapping[str, str]) -> str:
    """Return the unit of time in full and in the singular that the group "unit", "part" or "symbol" names."""
    text = groups.get("unit") or groups.get("part")
    unit = UNITS_OF_TIME.singular(text) if text else groups["symbol"].strip().lower()
    return _SHORT.get(unit, unit)


BEFORE_UNIT = r"(?:square|cubic|other|further|more|additional|different)"
"""A pattern for a word between the number and the name."""


def _either(name: str) -> str:
    plurals = _plurals(name)
    return any_of((*plurals, *plurals.values()))


TIMES_IN_TEXT = any_of(UNITS_OF_TIME.singulars)
"""A pattern for a unit of time beside a number in a text."""

UNITS_IN_TEXT = (
    rf"(?:square\s+|cubic\s+)?{_either('lengths')}|(?:k|c|m)?m[²³23]?|km/h|mph|ha|k?g|mg|µg|mcg|ml|mL|dl|mmHg|mmol|bpm"
    rf"|°\s?[CF]|kWh?|MB|GB|TB|%|per\s?cent|percent(?:age points)?|{_either('measures')}"
)
"""Patterns for units of measure beside a number in a text, with bars between them."""

COUNTED_IN_TEXT = any_of((*_plurals("counted").values(), "persons", "others"))
"""A pattern for things that are counted in a text."""


_OLD_NAMES = (
    "schilling mark markka punt peseta escudo guilder drachma tolar koruna kroon lats litas zloty krone krona ecu"
)
_PLURALS_IN_TEXT = "kronor kroner euros cents pence quid bucks lire roubles zlote złoty złotys"

_INVARIABLE = words_of("yen yuan won baht rand quid renminbi ringgit tenge dong rupiah kip kyat")
_PLURALS = {name: name for name in _INVARIABLE} | {
    **{"penny": "pence", "krone": "kroner", "krona": "kronor", "cent": "cents", "buck": "bucks", "rouble": "roubles"},
    **{"leu": "lei", "lev": "leva"},
}
_COUNTRIES = (
    "US|U.S.|American|Australian|Canadian|New Zealand|British|UK|Irish|Swiss|French|Belgian|Norwegian|Swedish|Danish"
    "|Icelandic|Czech|Slovak|Slovenian|Polish|Hungarian|Turkish|New Turkish|Russian|Ukrainian|Bulgarian|Romanian"
    "|German|Deutsch|Deutsche|GDR|Italian|Spanish|Portuguese|Dutch|Finnish|Austrian|Greek|Cypriot|Cyprus|Maltese|Latvian|Lithuanian"
    "|Estonian|Croatian|Serbian|Indian|Pakistani|Japanese|Chinese|Korean|South Korean|South African|Mexican|Brazilian"
    "|Argentine|Chilean|Colombian|Singapore|Hong Kong|Israeli|Egyptian|Kenyan|Nigerian|Philippine"
)
COUNTRY = rf"(?:{one_of(_COUNTRIES)}{GAP})?"
"""A pattern for the country of a currency and the gap after it, or for nothing."""


@lru_cache(maxsize=1)
def names_of_currencies() -> frozenset[str]:
    """Return the names of currencies in lower case, singular and plural."""
    import pycountry

    full_names = (currency.name.split("(")[0] for currency in pycountry.currencies)
    names = {name.split()[-1].lower() for name in full_names if name}
    known = {name for name in names if name.isalpha() and len(name) > 2} - {"unit", "units", "currency", "code"}
    known |= set(_OLD_NAMES.split())
    return frozenset(known | {f"{name}s" for name in known} | set(_PLURALS_IN_TEXT.split()))


@lru_cache(maxsize=1)
def currency_names() -> Nouns:
    """Return the names of currencies."""
    names = names_of_currencies()
    singulars = {name for name in names if f"{name}s" in names} | _PLURALS.keys()
    plurals = {name: _PLURALS.get(name, f"{name}s") for name in sorted(singulars)}
    return Nouns(plurals, {"lire": "lira", "zlote": "zloty"} | {f"{name}s": name for name in plurals})


_PERIOD = one_of("hour|day|night|week|month|quarter|year|annum|person|head|share|unit|item")
MONEY = Money(
    names=currency_names,
    before=COUNTRY,
    after=rf"(?:{GAP}sterling)?",
    rate=rf"(?:{GAP}(?:a|an|per|each|every){GAP}{_PERIOD}|/{_PERIOD})?",
    short_scale="mln|mn|bn|tn|[kmb]",
    public="€{number}",
    public_scaled="€{number} million",
)
_MEDICAL = r"g|[lL]|d[lL]|mol|mEq|m?IU|kcal|k?J|k?Pa|[kMG]?Hz"
_JOINED = r"to|and|per|about|around|nearly|over|under|some|hundred|thousand|million|billion|k|bn|US|A|C"
ENGLISH_UNITS = Units(
    nouns=UNITS,
    share=rf"(?:%|per{GAP}cent|percent|percentage{GAP}points)",
    before=rf"(?:{BEFORE_UNIT}{GAP})?",
    public="{number} {unit|units}",
    public_scaled="{number} million units",
    public_share="{number} %",
    beside=rf"{UNITS_IN_TEXT}|{TIMES_IN_TEXT}|{COUNTED_IN_TEXT}|{_MEDICAL}|{_JOINED}",
    spelled=choice((*ONES[1:], *TENS, "half", "quarter", "dozen")),
)

"""English units: of time, of measure, of money, and things that are counted, in full and as symbols.

A noun agrees with the number that is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from sfumato.language.letter_case import in_case_of
from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import GAP, any_of, choice, one_of

_QUOTES = ("'", "’")


@dataclass(frozen=True, eq=False)
class Nouns:
    """A closed list of nouns.

    Attributes:
        plurals: Singulars and their plurals, in lower case.
        others: Further plurals and their singulars. They are read, and the plural of ``plurals`` is written.
    """

    plurals: Mapping[str, str]
    others: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def singulars(self) -> Mapping[str, str]:
        """Return the singular of each noun, singular or plural."""
        return {
            **self.others,
            **{plural: noun for noun, plural in self.plurals.items()},
            **{n: n for n in self.plurals},
        }

    @cached_property
    def pattern(self) -> str:
        """Return a pattern for a noun, singular or plural."""
        return rf"{choice(self.singulars)}(?![a-z])"

    @cached_property
    def singular_pattern(self) -> str:
        """Return a pattern for a noun in the singular, as in "two-week"."""
        return rf"{choice(self.plurals)}(?![a-z])"

    def agreeing(self, text: str) -> str | None:
        """Return the field "week|weeks" of a noun in the case of ``text``; None where that has no single case.

        "Weeks'" is the possessive "week's|weeks'".
        """
        quote = next((quote for quote in _QUOTES if quote in text), "")
        singular = self.singular(text)
        forms = (singular + (f"{quote}s" if quote else ""), self.plurals[singular] + quote)
        cased = [in_case_of(form, text) for form in forms]
        return None if None in cased else "|".join(map(str, cased))

    def singular(self, text: str) -> str:
        """Return the singular of the noun ``text``, which may be possessive, in lower case."""
        noun = text.lower()
        for quote in _QUOTES:
            noun = noun.partition(quote)[0]
        return self.singulars[noun]


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


_SYMBOLS = sorted(words_of(_LISTS["symbols"]), key=len, reverse=True)
SYMBOL = rf"(?-i:{'|'.join(map(re.escape, _SYMBOLS))})(?![A-Za-z0-9/])"
"""A pattern for the symbol of a unit; capitals matter."""

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


_OLD_CODES = "ATS BEF CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL YTL YUM ZMK"
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
def codes_of_currencies() -> frozenset[str]:
    """Return codes of three capitals: today's currencies (ISO 4217) and former ones that old files name."""
    import pycountry

    return frozenset(currency.alpha_3 for currency in pycountry.currencies) | frozenset(_OLD_CODES.split())


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
def code_pattern() -> str:
    """Return a pattern for the code of a currency, in capitals."""
    return rf"(?-i:{'|'.join(sorted(codes_of_currencies()))})(?![A-Za-z])"


@lru_cache(maxsize=1)
def currency_names() -> Nouns:
    """Return the names of currencies."""
    names = names_of_currencies()
    singulars = {name for name in names if f"{name}s" in names} | _PLURALS.keys()
    plurals = {name: _PLURALS.get(name, f"{name}s") for name in sorted(singulars)}
    return Nouns(plurals, {"lire": "lira"} | {f"{name}s": name for name in plurals})

"""Currencies beside an amount: codes, and English names with their plurals."""

from __future__ import annotations

from functools import lru_cache

from sfumato.language.lists import words_of
from sfumato.language.nouns import Nouns
from sfumato.language.patterns import GAP, one_of

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

"""Currencies by code and by name, those of today (ISO 4217) and those that old files name."""

from __future__ import annotations

from functools import lru_cache

_OLD_CODES = "ATS BEF CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL YTL YUM ZMK"
_OLD_NAMES = (
    "schilling mark markka punt peseta escudo guilder drachma tolar koruna kroon lats litas zloty krone krona ecu"
)
_PLURALS = "kronor kroner euros cents pence quid bucks lire roubles zlote złoty złotys"


@lru_cache(maxsize=1)
def codes_of_currencies() -> frozenset[str]:
    """Codes of three capitals."""
    import pycountry

    return frozenset(one.alpha_3 for one in pycountry.currencies) | frozenset(_OLD_CODES.split())


@lru_cache(maxsize=1)
def names_of_currencies() -> frozenset[str]:
    """Names in lower case, one and many."""
    import pycountry

    names = {one.name.split("(")[0].split()[-1].lower() for one in pycountry.currencies if one.name.split("(")[0]}
    known = {name for name in names if name.isalpha() and len(name) > 2} - {"unit", "units", "currency", "code"}
    known |= set(_OLD_NAMES.split())
    return frozenset(known | {f"{name}s" for name in known} | set(_PLURALS.split()))

"""Patterns of the words beside the number of an amount: units, times, things that are counted, and currencies."""

from __future__ import annotations

from functools import lru_cache

TIMES = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|wks?|fortnights?|months?|mths?|years?|yrs?|decades?"
    r"|centuries|century)"
)
UNITS = (
    r"(?:square\s+|cubic\s+)?(?:millimet|centimet|kilomet|met)(?:re|er)s?|(?:k|c|m)?m[²³23]?|km/h|mph|miles?|yards?"
    r"|feet|foot|inch(?:es)?|acres?|hectares?|ha|(?:kilo|milli)?gram(?:me)?s?|k?g|mg|µg|mcg|tonn?es?|tons?"
    r"|pounds?|lbs?"
    r"|ounces?|(?:milli)?lit(?:re|er)s?|ml|mL|dl|mmHg|mmol|bpm|°\s?[CF]|degrees?|volts?|watts?|kWh?|MB|GB|TB"
    r"|%|per\s?cent|percent(?:age points)?"
)
COUNTED = (
    r"(?:times|occasions|persons|people|children|sons|daughters|brothers|sisters|siblings|cousins|employees|workers"
    r"|members|men|women|boys|girls|victims|witnesses|applicants|patients|students|rooms|houses|apartments|flats|cars"
    r"|shares|plots|others)"
)
_OLD_CODES = "ATS BEF CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL YTL YUM ZMK"
_OLD_NAMES = (
    "schilling mark markka punt peseta escudo guilder drachma tolar koruna kroon lats litas zloty krone krona ecu"
)
_PLURALS = "kronor kroner euros cents pence quid bucks lire roubles zlote złoty złotys"


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
    return frozenset(known | {f"{name}s" for name in known} | set(_PLURALS.split()))

"""English units: of time, of measure, and things that are counted, in full and as symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.language.lists import lists_of, words_of
from sfumato.language.nouns import Nouns
from sfumato.language.patterns import any_of

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

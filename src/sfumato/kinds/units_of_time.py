"""Units of time, in full and abbreviated."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.kinds.nouns import Nouns
from sfumato.kinds.patterns import listed

_FULL = listed("second minute hour day night week fortnight month year decade")
UNITS_OF_TIME = Nouns(
    {unit: f"{unit}s" for unit in _FULL}
    | {"century": "centuries", "sec": "secs", "min": "mins", "hr": "hrs", "wk": "wks", "mth": "mths", "yr": "yrs"}
)
_SHORT = {
    **{"sec": "second", "min": "minute", "hr": "hour", "wk": "week", "mth": "month", "yr": "year"},
    **{"s": "second", "h": "hour", "d": "day", "w": "week"},
}


def unit_of(groups: Mapping[str, str]) -> str:
    """Return the unit in full and in the singular that the group "unit", "part" or "symbol" names."""
    text = groups.get("unit") or groups.get("part")
    unit = UNITS_OF_TIME.singular(text) if text else groups["symbol"].strip().lower()
    return _SHORT.get(unit, unit)

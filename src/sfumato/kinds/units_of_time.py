"""Units of time, in full and abbreviated, and their plurals."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.kinds.letter_case import in_case_of
from sfumato.kinds.patterns import listed

_UNITS = listed("second minute hour day night week fortnight month year decade")
_PLURALS = {unit: f"{unit}s" for unit in _UNITS} | {
    **{"century": "centuries", "sec": "secs", "min": "mins", "hr": "hrs", "wk": "wks", "mth": "mths", "yr": "yrs"}
}
_SHORT = {
    **{"sec": "second", "min": "minute", "hr": "hour", "wk": "week", "mth": "month", "yr": "year"},
    **{"s": "second", "h": "hour", "d": "day", "w": "week"},
}
_SINGULARS = {word: singular for singular, plural in _PLURALS.items() for word in (singular, plural)}


def _choice(words: Mapping[str, str]) -> str:
    return rf"(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![a-z])"


UNIT_OF_TIME = _choice(_SINGULARS)
"""A pattern for a unit, singular or plural."""

PART_OF_TIME = _choice(_PLURALS)
"""A pattern for a unit in the singular, as in "two-week"."""


def unit_of(groups: Mapping[str, str]) -> str:
    """Return the unit in full and in the singular that the group "unit", "part" or "symbol" names."""
    text = (groups.get("unit") or groups.get("part") or groups["symbol"]).strip().lower()
    singular = _SINGULARS.get(text, text)
    return _SHORT.get(singular, singular)


def agreeing(name: str, like: str) -> str | None:
    """Return the field "week|weeks" of the unit ``name``, in the case of ``like``; None where that has none."""
    singular = _SINGULARS[name.lower()]
    forms = [in_case_of(word, like) for word in (singular, _PLURALS[singular])]
    return "|".join(form for form in forms if form) if all(forms) else None

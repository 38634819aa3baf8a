"""Read "30 days": the distance that an ε is for.

"epsilon 1 within 30 days" says that two values 30 days apart stay within e^1, which is 1/30 per day.
"""

from __future__ import annotations

import math
import re

from sfumato.errors import ConfigurationError
from sfumato.policy.refusing import check_known

_WITHIN = re.compile(
    r"(?P<amount>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>[a-z-]{1,12})|factor (?P<factor>[0-9.]{1,12})"
)
_UNITS: dict[str, tuple[str, float]] = {
    "minute": ("minute", 1.0), "hour": ("minute", 60.0), "day": ("day", 1.0), "week": ("day", 7.0),
    "year": ("year", 1.0), "km": ("km", 1.0), "e-fold": ("e-fold", 1.0),
}  # fmt: skip
_EXAMPLES = "30 days, 60 minutes, 2 years, 50 km, 0.5 e-folds or factor 2"


def plural(unit: str) -> str:
    """Return the name of several of a ``unit``."""
    return unit if unit == "km" else f"{unit}s"


_SPELLED = {spelled: unit for unit in _UNITS for spelled in (unit, plural(unit))}


def distance_of(within: str) -> tuple[float, str]:
    """Return the distance that ``within`` names and its unit; "factor 2" is ln 2 e-folds.

    Raise ConfigurationError if it is none. The sentence does not repeat it.
    """
    found = _WITHIN.fullmatch(within)
    if found is None:
        raise ConfigurationError(f"within is a distance such as {_EXAMPLES}.")
    if found["factor"] is not None:
        return _of_factor(found["factor"]), "e-fold"
    check_known(found["unit"], _SPELLED, "within has a unit that is none")
    unit, size = _UNITS[_SPELLED[found["unit"]]]
    distance = float(found["amount"]) * size
    if not distance > 0.0:
        raise ConfigurationError("within is a distance greater than 0.")
    return distance, unit


def _of_factor(factor: str) -> float:
    try:
        value = math.log(float(factor))
    except ValueError:
        value = 0.0
    if not value > 0.0:
        raise ConfigurationError("within names a factor greater than 1, such as factor 2.")
    return value

"""Which mechanism a kind of value can take, and for which distance its ε is, such as "30 days".

"epsilon 1 within 30 days" says that two values 30 days apart stay within e^1, which is 1/30 per day.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from sfumato.errors import ConfigurationError
from sfumato.policy.refusing import check_known
from sfumato.registry import TOKENS, methods

GEOMETRIC, INDEPENDENT, SHIFT = "geometric", "independent", "shift"
OF_VALUES = (GEOMETRIC, INDEPENDENT, SHIFT)
"""Mechanisms over values, beside the registry's mechanisms over tokens."""
PER_UNIT = frozenset({GEOMETRIC, SHIFT, "santext", "santext+", "fbdd", "vickrey", "tem"})
"""Mechanisms whose ε is per unit of the kind's own distance. The others have a distance of their own, or none."""
_WITHIN = re.compile(
    r"(?P<amount>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>[a-z-]{1,12})|factor (?P<factor>[0-9.]{1,12})"
)
_UNITS: dict[str, tuple[str, float]] = {
    "minute": ("minute", 1.0), "hour": ("minute", 60.0), "day": ("day", 1.0), "week": ("day", 7.0),
    "year": ("year", 1.0), "km": ("km", 1.0), "e-fold": ("e-fold", 1.0),
}  # fmt: skip
_EXAMPLES = "30 days, 60 minutes, 2 years, 50 km, 0.5 e-folds or factor 2"


class Traits(NamedTuple):
    """What decides how a kind can be treated.

    Attributes:
        unit: What a distance of 1 is; empty for a distance between embeddings, or for none.
        on_a_line: Whether its values have an order and a distance along it.
        has_distance: Whether some values are nearer than others.
    """

    unit: str = ""
    on_a_line: bool = False
    has_distance: bool = True


KINDS: dict[str, Traits] = {
    "DATE": Traits("day", on_a_line=True),
    "TIME": Traits("minute"),  # around the clock
    "DURATION": Traits("e-fold", on_a_line=True),
    "AGE": Traits("year", on_a_line=True),
    "PLACE": Traits("km"),
    "MONEY": Traits("e-fold", on_a_line=True),
    "QUANTITY": Traits("e-fold", on_a_line=True),
    "NUMBER": Traits("e-fold", on_a_line=True),
    **dict.fromkeys(("PERSON", "ORGANIZATION", "OCCUPATION", "GROUP", "HEALTH", "WORD"), Traits()),
    **dict.fromkeys(("CODE", "PHONE", "EMAIL", "URL", "IP"), Traits(has_distance=False)),
}
"""Every kind of value, by name."""


def mechanisms() -> tuple[str, ...]:
    """Return every mechanism that a policy can name, those of other packages too."""
    return tuple(dict.fromkeys([*OF_VALUES, *methods(TOKENS)]))


def unsuitable(kind: str, mechanism: str) -> str:
    """Return why ``kind`` cannot take ``mechanism``: the end of a sentence, or nothing if it can."""
    traits = KINDS[kind]
    if mechanism == INDEPENDENT:
        return ""
    if mechanism == SHIFT:
        return "" if kind == "DATE" else "only dates can be shifted together"
    if not traits.has_distance:
        return f"no {kind} is nearer to it than another; take {INDEPENDENT} or a method"
    if mechanism.endswith("+") and kind != "WORD":
        return "it keeps frequent words, and only words are frequent"
    if mechanism == GEOMETRIC and not traits.on_a_line:
        return "its values do not lie on a line; take santext"
    return ""


def plural(unit: str) -> str:
    """Return the name of several of a ``unit``."""
    return unit if unit == "km" else f"{unit}s"


_SPELLED = {spelled: unit for unit in _UNITS for spelled in (unit, plural(unit))}


def distance_of(within: str) -> tuple[float, str]:
    """Return the distance that ``within`` names and its unit; "factor 2" is ln 2 e-folds.

    Raise ConfigurationError if it is no distance. The sentence does not repeat it.
    """
    match = _WITHIN.fullmatch(within)
    if match is None:
        raise ConfigurationError(f"within is a distance such as {_EXAMPLES}.")
    if match["factor"] is not None:
        return _of_factor(match["factor"]), "e-fold"
    check_known(match["unit"], _SPELLED, "within has an unknown unit")
    unit, size = _UNITS[_SPELLED[match["unit"]]]
    distance = float(match["amount"]) * size
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

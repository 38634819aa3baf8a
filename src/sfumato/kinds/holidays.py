"""Days with a name of their own, without a year: "Christmas", "Good Friday", "Halloween".

They are values of a closed public list, around a circle of 366 days. A feast whose date moves lies where it falls in
a usual year.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.circle import around
from sfumato.kinds.hedges import one_of
from sfumato.kinds.patterns import FLAGS, GAP, filled, matched, pattern_of

GRAIN = "holiday"
HOLIDAYS: Mapping[str, int] = MappingProxyType(
    {
        **{"New Year's Day": 1, "Valentine's Day": 45, "St Patrick's Day": 77, "Good Friday": 98},
        **{"Easter Sunday": 100, "Easter Monday": 101, "St George's Day": 114, "May Day": 122, "Midsummer": 176},
        **{"Independence Day": 186, "Halloween": 305, "All Saints' Day": 306, "Bonfire Night": 310},
        **{"Remembrance Day": 316, "Thanksgiving": 330, "Christmas Eve": 359, "Christmas Day": 360},
        **{"Boxing Day": 361, "New Year's Eve": 366},
    }
)
"""The names, and the day of a leap year."""
_OTHERS = {
    **{
        "christmas": "Christmas Day",
        "xmas": "Christmas Day",
        "easter": "Easter Sunday",
        "new year": "New Year's Day",
    },
    **{"hogmanay": "New Year's Eve", "all saints": "All Saints' Day", "thanksgiving day": "Thanksgiving"},
    **{
        "st patricks day": "St Patrick's Day",
        "guy fawkes night": "Bonfire Night",
        "armistice day": "Remembrance Day",
    },
    **{"hallowe'en": "Halloween", "st stephen's day": "Boxing Day", "midsummer day": "Midsummer"},
}
"""Other names that are read, and the value that they count as."""
_VALUES = {name.lower(): name for name in HOLIDAYS} | _OTHERS
_LEAD = one_of("on|at|over|since|until|till|by|from|before|after|around|for|during|last|this|next|every")
SHAPE = re.compile(
    rf"(?:{_LEAD}{GAP})?(?P<name>{one_of('|'.join(_VALUES)).replace(chr(39), '[' + chr(39) + '’]')})", FLAGS
)


def holiday(text: str) -> Reading | None:
    """Return the day of the list that ``text`` names, with or without a preposition before it, or None."""
    match = matched(text, (SHAPE,))
    if match is None:
        return None
    name = match["name"]
    value = _VALUES[" ".join(name.lower().replace("’", "'").split())]
    return Reading(value, Form(GRAIN, (pattern_of(match, {"name": "NAME" if name.isupper() else "Name"}),)))


def written_holiday(value: str, pattern: str) -> str:
    """Return ``pattern`` with the name ``value`` in it."""
    return filled(pattern, {"Name": value, "NAME": value.upper()})


def holiday_domain() -> Vocabulary:
    """Return the names as a domain, in days around the year."""
    about = "days with a name of their own, in days around a year of 366 (sfumato)"
    return Vocabulary(tuple(HOLIDAYS), around(list(HOLIDAYS.values()), 366), about)

"""The English names of months, weekdays and seasons."""

from __future__ import annotations

from sfumato.language.language import Names
from sfumato.language.lists import words_of

_MONTHS = words_of("january february march april may june july august september october november december")
_WEEKDAYS = words_of("monday tuesday wednesday thursday friday saturday sunday")

MONTHS = Names(_MONTHS, {name[:3]: number for number, name in enumerate(_MONTHS)} | {"sept": 8})
WEEKDAYS = Names(
    _WEEKDAYS,
    {name[:3]: number for number, name in enumerate(_WEEKDAYS)} | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
)
SEASONS = Names(words_of("spring summer autumn winter"), {"fall": 2})

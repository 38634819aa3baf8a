"""English names of months, weekdays and seasons, and words for days: "yesterday", "next month", "Good Friday".

The words that depend on the day of writing hold no date. A text becomes another word that fits the same sentence:
what was yesterday may be another past day, and never tomorrow. The number beside a word is its distance from noon of
the day of writing, in days; a month counts as 30 days. A period lies at its first day, a present one at its middle.

Days with a name lie around a year of 366 days. A feast whose date moves lies where it falls in a usual year.
"""

from __future__ import annotations

from sfumato.language.dates import NamedDays, Names
from sfumato.language.lists import words_of

_MONTHS = words_of("january february march april may june july august september october november december")
_WEEKDAYS = words_of("monday tuesday wednesday thursday friday saturday sunday")

MONTHS = Names(_MONTHS, {name[:3]: number for number, name in enumerate(_MONTHS)} | {"sept": 8})
WEEKDAYS = Names(
    _WEEKDAYS,
    {name[:3]: number for number, name in enumerate(_WEEKDAYS)} | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
)
SEASONS = Names(words_of("spring summer autumn winter"), {"fall": 2})


_RELATIVE = {
    "past day": {
        **{"the day before yesterday": -2.0, "the night before last": -1.5, "yesterday morning": -1.125},
        **{"yesterday": -1.0, "yesterday afternoon": -0.875, "yesterday evening": -0.75, "last night": -0.5},
    },
    "present day": {
        **{"this morning": -0.125, "today": 0.0, "this afternoon": 0.125, "this evening": 0.25, "tonight": 0.5},
    },
    "coming day": {
        **{"tomorrow morning": 0.875, "tomorrow": 1.0, "tomorrow afternoon": 1.125, "tomorrow evening": 1.25},
        **{"tomorrow night": 1.5, "the day after tomorrow": 2.0},
    },
    "past period": {"last week": -7.0, "last month": -30.0, "last year": -365.0},
    "present period": {"this week": 0.0, "this month": 11.5, "this year": 179.0},
    "coming period": {"next week": 7.0, "next month": 30.0, "next year": 365.0},
}
_OTHER_RELATIVE = {
    **{"last evening": "yesterday evening", "yesterday night": "last night", "tonite": "tonight"},
    **{"yesterday lunchtime": "yesterday", "yesterday noon": "yesterday", "yesterday teatime": "yesterday afternoon"},
    **{"the previous day": "yesterday", "the following day": "tomorrow", "the next day": "tomorrow"},
    **{"next day": "tomorrow", "following day": "tomorrow", "previous day": "yesterday", "same day": "today"},
}
_PARTS_OF_DAYS = {"part of a day": {"morning": -0.125, "afternoon": 0.125, "evening": 0.25, "night": 0.5}}
_OTHER_PARTS = {
    **dict.fromkeys(("dawn", "daybreak", "sunrise"), "morning"),
    **dict.fromkeys(("lunchtime", "teatime", "midday"), "afternoon"),
    **dict.fromkeys(("dusk", "sunset", "nightfall"), "evening"),
}
_BEFORE_PART = (
    "in the|during the|at|by|before|after|until|till|since|that|this|the|the same|same|the following|following"
    "|the next|next|one|every|each|early|late|on the|of the|later that|the previous|previous"
)
_BEFORE_RELATIVE = "since|until|till|by|from|before|after|around|for|earlier|later|late|early|as of|up to|through"

_HOLIDAYS = {
    **{"New Year's Day": 1, "Valentine's Day": 45, "St Patrick's Day": 77, "Good Friday": 98, "Easter Sunday": 100},
    **{"Easter Monday": 101, "St George's Day": 114, "May Day": 122, "Midsummer": 176, "Independence Day": 186},
    **{"Halloween": 305, "All Saints' Day": 306, "Bonfire Night": 310, "Remembrance Day": 316, "Thanksgiving": 330},
    **{"Christmas Eve": 359, "Christmas Day": 360, "Boxing Day": 361, "New Year's Eve": 366},
}
_OTHER_HOLIDAYS = {
    **{
        "christmas": "Christmas Day",
        "xmas": "Christmas Day",
        "easter": "Easter Sunday",
        "new year": "New Year's Day",
    },
    **{"hogmanay": "New Year's Eve", "all saints": "All Saints' Day", "thanksgiving day": "Thanksgiving"},
    **{"st patricks day": "St Patrick's Day", "guy fawkes night": "Bonfire Night", "hallowe'en": "Halloween"},
    **{"armistice day": "Remembrance Day", "st stephen's day": "Boxing Day", "midsummer day": "Midsummer"},
}
_BEFORE_HOLIDAY = "on|at|over|since|until|till|by|from|before|after|around|for|during|last|this|next|every"


RELATIVE = NamedDays.of(_RELATIVE, _OTHER_RELATIVE, _BEFORE_RELATIVE)
PARTS_OF_DAYS = NamedDays.of(_PARTS_OF_DAYS, _OTHER_PARTS, _BEFORE_PART)
HOLIDAYS = NamedDays.of({"holiday": _HOLIDAYS}, _OTHER_HOLIDAYS, _BEFORE_HOLIDAY, is_proper=True)

"""English dates inside a text: the forms that a public date replaces, and patterns that find dates.

A day and a month between a stroke ("3/12") are a date, or a fraction beside a word that only fractions have ("in
3/12", "4/5 power"). The words beside it alone decide. A name of a month or weekday beside a number is one in capitals
or small letters. A month that stands alone with a capital is a date behind a word in small letters ("in May", "call
May"). A short one needs a word that leads to it ("in Mar").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import regex

from sfumato.language.dates import DateForm, DatesInText
from sfumato.language.en.calendar import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.patterns import choice

_LONG, _SHORT = MONTHS.capitalised, MONTHS.capitalised_short
_FULL_DAYS, _SHORT_DAYS = WEEKDAYS.capitalised, WEEKDAYS.capitalised_short
_ALL = choice(map(str.capitalize, (*MONTHS.full, *MONTHS.short)))
_WORDS = {"march", "may", "mar"}
"""Names of months that are words as well: "3 may", "2 march"."""
_NUMBER, _YEAR = r"(?:1[0-2]|0?[1-9])", r"(?:1[5-9]|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_NTH = rf"{_DAY}(?:st|nd|rd|th)?"

_MONTH = rf"(?:(?i:{_LONG})(?!\p{{L}})|(?i:{_SHORT})(?!\p{{L}})(?:\.(?=,?\s?['’\d]))?)"
_WEEKDAY = rf"(?:(?i:{_FULL_DAYS}|{_SHORT_DAYS}\.?),?\s(?i:the\s)?)?"
_WITH_YEAR = rf"(?:,?\s(?:{_YEAR}|['’]\d\d)(?!\d))"
_MONTH_BEHIND = rf"(?:(?i:{_LONG})(?!\p{{L}})|(?i:{_SHORT})(?!\p{{L}})(?:\.(?={_WITH_YEAR}))?)"
"""A month behind its day. "3 Jan. 5 people came" is two sentences, as "3 May. 5 people came" is."""
_BEGIN, _END = r"(?<![\p{L}\p{N}_/.,:%€$£-])", r"(?![\p{L}\p{N}_/%-]|[.,:]\d)"
_NO_VERB = r"(?!\d\d?\s\p{Ll}+\s(?:be|have|not|also|need|cause|still|only|well|or|require|lead|become|occur|take)\b)"
"""Not before "3 may be"."""
MEASURED = r"pain|power|score[ds]?|scoring|strength|severity|rated|mood|MMSE|MoCA|AMTS?|GCS|VA|acuity|vision"
"""What a fraction behind it measures."""
_STROKE = rf"{_BEGIN}(?:{_DAY}/{_NUMBER}|{_NUMBER}/{_DAY}){_END}"
_OF_TIME = r"(?<=\b(?i:x|in|every|within|past|last)\s)"
_OF_SCALE = rf"(?<=\b(?i:{MEASURED})(?:\s(?:is|was|of|at|now|a))?\s)"
_OF_WHOLE = (
    r"(?=\s?(?:of|ago|tablets?|tabs?|pills?|cups?|inch(?:es)?|miles?|pints?|hours?|days?|weeks?|months?|years?|strength"
    r"|power|systolic|diastolic|murmur|teeth|history|hx)\b)"
)
"""What only a fraction has before it or behind it: "x 3/12" is three months, and "pain 7/10" no day."""
_FEAST = r"\b(?i:Easter|Good|Black|Ash|Palm|Shrove|Whit|Maundy|Holy)\s"
_LEADS = r"(?i:in|since|until|till|during|last|next|early|late|mid|(?:end|start|beginning|middle)\sof)[\s-]"
_SMALL = r"(?<!\p{L})\p{Ll}+,?\s"
"""A word in small letters, behind which "May" is no verb: it is a month or somebody."""
_ALONE_END = r"(?!\p{L}|\s\p{Lu}\p{Ll}|\s\d)"
_NO_NOUN = (
    r"(?=[.,;:!?)]|\s*$|\s(?:at|and|or|to|of|for|with|by|but|as|when|after|before|he|she|it|they|we|i|was|is|in)\b)"
)
"""What follows a day of the month, and no rank: "the 2nd floor", "the 19th century"."""
SHORT_WEEKDAY = (
    rf"(?<=\p{{L}},?\s)(?<!\b(?:the|an?|of)\s)(?-i:{_SHORT_DAYS})(?![\p{{L}}\p{{N}}'’-]|\s(?-i:\p{{Lu}}\p{{Ll}}))\.?"
)
"""A short weekday behind a word. All seven are one there, though some are words ("the Sun", "Sat down") and names."""

_PART = regex.compile(rf"(?P<month>(?:{_LONG}|{_SHORT})(?!\p{{L}})\.?)|(?P<day>{_SHORT_DAYS}(?!\p{{L}}))|"
                      rf"(?P<full>{_FULL_DAYS})|(?P<year>\d{{4}})|(?<=['’])(?P<two>\d\d)|"
                      r"(?P<nth>\d{1,2}(?i:st|nd|rd|th))|(?P<number>\d{1,2})", regex.IGNORECASE)  # fmt: skip
_PUBLIC = {
    **{"month": "October", "day": "Wed", "full": "Wednesday", "year": "2019", "two": "19", "nth": "17th"},
    "number": "17",
}


def _named(match: Any) -> str:
    """Return the public date for one with the name of a month or weekday."""
    return str(_PART.sub(lambda part: _PUBLIC[str(part.lastgroup)], match.group()))


_FORMS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    (rf"{_BEGIN}{_WEEKDAY}{_NO_VERB}{_DAY}(?i:st|nd|rd|th)?\s(?i:of\s)?{_MONTH_BEHIND}{_WITH_YEAR}?", _named),
    (rf"{_BEGIN}{_WEEKDAY}{_MONTH}\s{_DAY}(?i:st|nd|rd|th)?(?![\p{{L}}\p{{N}}/%]|[.,:]\d){_WITH_YEAR}?", _named),
    (rf"{_BEGIN}{_MONTH}(?i:\sof|,)?\s{_YEAR}(?!\d)", _named),
    (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?i:{_SHORT})(?P=sign){_YEAR}{_END}", lambda _: "17-Oct-2019"),
    (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?i:{_SHORT})(?P=sign)\d\d{_END}", lambda _: "17-Oct-19"),
    *(
        (rf"{_BEGIN}(?:{days}){year}{_END}", lambda match, put=put: f"17{match['sign']}10{match['sign']}{put}")
        for year, put in ((_YEAR, "2019"), (r"\d\d", "19"))
        for days in (rf"{_DAY}(?P<sign>[-/.]){_NUMBER}(?P=sign)", rf"{_NUMBER}(?P<sign>[-/.]){_DAY}(?P=sign)")
    ),
    (
        rf"{_BEGIN}{_YEAR}(?P<sign>[-/.]){_NUMBER}(?P=sign){_DAY}{_END}",
        lambda match: f"2019{match['sign']}10{match['sign']}17",
    ),
    (rf"{_BEGIN}{_NUMBER}(?P<sign>[-/]){_YEAR}{_END}", lambda match: f"10{match['sign']}2019"),
    (rf"{_BEGIN}{_YEAR}(?P<sign>[-/])(?:0[1-9]|1[0-2]){_END}", lambda match: f"2019{match['sign']}10"),
    (
        rf"(?P<time>{_OF_TIME}{_STROKE})|(?P<part>{_OF_SCALE}{_STROKE}|{_STROKE}{_OF_WHOLE})|{_STROKE}",
        lambda match: "3/12" if match["time"] else "3/4" if match["part"] else "17/10",
    ),
    (r"(?<=\b(?:on|since|until|till)\s(?:the\s)?)(?:[12]\d|3[01]|[1-9])(?i:st|nd|rd|th)(?!\p{L})", _named),
    (rf"(?<=\bthe\s)(?:[12]\d|3[01]|[1-9])(?i:st|nd|rd|th){_NO_NOUN}", _named),
    (rf"(?<!\p{{L}}|{_FEAST})(?i:{_FULL_DAYS})(?=s?(?!\p{{L}}))", _named),
    (SHORT_WEEKDAY, _named),
)
_LONE_MONTH = DateForm(
    regex.compile(rf"(?<=\b{_LEADS})(?:{_SHORT}){_ALONE_END}|(?<=\b{_LEADS}|{_SMALL})(?:{_LONG}){_ALONE_END}"),
    _named,
    is_alone=True,
)

_CASED = rf"{_ALL}\b\.?"
_RULES = (
    (0.9, rf"\b{_NTH}\s*(?:of\s+)?{_CASED}(?:,?\s+{_YEAR}\b)?"),
    (0.9, rf"\b{_CASED}\s+{_NTH}\b(?:,?\s+{_YEAR}\b)?(?!\d)"),
    (0.7, rf"\bthe\s+{_DAY}(?:st|nd|rd|th){_NO_NOUN}"),
    (0.9, rf"\b{_NTH}(?:\s*(?:,|and|or|to|–|-)\s*{_NTH}){{1,12}}\s+{_CASED}(?:,?\s+{_YEAR}\b)?"),
    (0.9, rf"\b(?:{_CASED}|{choice(SEASONS.full)})(?:\s+of)?,?\s+{_YEAR}\b"),
    (0.5, rf"\b{choice(name.capitalize() for name in {*WEEKDAYS.short} - {'sat', 'sun', 'weds'})}\b\.?"),
)

_ANY_CASE = choice((*MONTHS.full, *MONTHS.short))
_ANY_YEAR = r"(?:(?:1[5-9]|20)\d\d|['’]?\d\d)(?!\d)"
_GAP = r"[\s./,-]{0,2}"
_APART = r"(?<![\p{L}\p{N}])"
_LOOSE = (
    (0.9, rf"{_APART}{_NTH}{_GAP}(?:of\s)?{_ANY_CASE}\.?{_GAP}{_ANY_YEAR}"),
    (0.9, rf"{_APART}{_ANY_CASE}\.?[\s-]?{_NTH}[\s,.-]{{1,2}}{_ANY_YEAR}"),
)
DATES_IN_TEXT = DatesInText(
    (*(DateForm(regex.compile(pattern), public) for pattern, public in _FORMS), _LONE_MONTH), _RULES, _LOOSE
)

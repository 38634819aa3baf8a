"""Times, durations and counts that identify nobody: "annual", "the next day", "several years", "two charges"."""

from __future__ import annotations

from functools import lru_cache

import regex

from sfumato.detectors.english.marks import Mark, Reader, any_case
from sfumato.language.en.calendar import SEASONS
from sfumato.language.en.numbers import ONES, TENS, spelled_ordinal
from sfumato.language.en.units import TIMES_IN_TEXT
from sfumato.language.en.words import stop_words
from sfumato.language.lists import words_of
from sfumato.language.patterns import choice

_ANY_DAY = {
    *SEASONS.full,
    *SEASONS.short,
    *ONES[1:11],
    *map(spelled_ordinal, (1, 3, 4, 5)),
    *words_of(
        """
        day days week weeks weekend weekends weekday weekdays month months year years decade decades century centuries
        annual annually monthly weekly daily yearly nightly hourly quarterly biweekly bimonthly fortnight fortnightly
        today tomorrow yesterday tonight now recent recently next last previous following same past coming current
        preceding subsequent consecutive early earlier late later latter mid middle end ending beginning start half
        quarter age ages season seasons seasonal date dates daytime time times final working business school academic
        fiscal financial calendar long ago morning mornings afternoon afternoons evening evenings night nights
        overnight lunchtime hour hours minute minutes second seconds moment period old new couple hundred hundreds
        thousand thousands dozen
        """
    ),
}
_WORD = regex.compile(r"\p{L}+(?:['’]\p{L}+)*")
_POSSESSIVE = regex.compile(r"['’]s?\Z")
_CLOCK = any_case(r"\d|\b(?:noon|midday|midnight)\b|o['’]clock")
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_CENTURY = any_case(rf"[\p{{L}} ,-]*{_NTH}(?:(?:,|\s+and|\s+or|\s+to)\s*{_NTH})*[ -]centur(?:y|ies)")
_TENS = rf"{choice(ONES[1:])}|{choice(TENS)}(?:[- ]{choice(ONES[1:13])})?"
_ROUGHLY = (
    r"approximately|approx\.|about|around|nearly|almost|some|over|under|more than|less than|at least|up to|only|just"
)
_TO = r"\s*(?:-|–|to|and|or)\s*"
_NUMBER = rf"(?:\d{{1,4}}(?:\.\d+)?|{_TENS}|an?|several|few|many|some|couple of)"
_TIMES = rf"['’]?[- ]+(?:\w+ )?{TIMES_IN_TEXT}['’]?"
_SPAN = any_case(
    rf"(?:(?:the|a|of|past|last|next|previous|first|another|every|each|{_ROUGHLY})\s+)*{_NUMBER}(?:{_TO}{_NUMBER})?"
    rf"(?:[- ]and[- ]a[- ]half)?{_TIMES}(?:\s+(?:ago|later|earlier|before|after))?"
    rf"(?:(?:,|\s+and)\s+{_NUMBER}{_TIMES})*"
)
_RELATIVE = any_case(r"\b(?:ago|later|earlier|before|after|every|each)\b")
_VAGUE = any_case(
    r"(?:(?:the|a|past|last|next|previous|over)\s+)*(?:several|few|many|some|couple|more than an?|an?)\b"
)
_LIMIT = any_case(
    r"['’]?[- ]?\s*(?:time|limit|period|deadline|notice|extension|adjournment|follow|turnaround"
    r"|later|earlier|ago|before|after|prior)"
)
_SMALL = (
    rf"(?:{_TENS}|\d{{1,2}}(?:\.\d)?|(?:an?\s+)?half|(?:one|two|three|an?)[- ](?:half|thirds?|quarters?|fifths?)"
    r"|dozens?|hundreds|thousands)"
)
_FEW = any_case(rf"(?:(?:{_ROUGHLY})\s+)*{_SMALL}(?:{_TO}{_SMALL})?")
_YEAR_AND_NOUN = any_case(r"(?:19|20)\d\d\s+\p{L}.*")
_CAPITAL_BEFORE, _CAPITAL_AFTER = regex.compile(r"\p{Lu}\p{L}*\s\Z"), regex.compile(r"\s\p{Lu}")


def idle_date(mark: Mark) -> bool:
    """Return whether a date or time of day is vague: one with a number, a month or a name of its own is not."""
    if mark.may_be_name:  # Winter
        return False
    if _CENTURY.fullmatch(mark.text):
        return True
    if _SPAN.fullmatch(mark.text):
        return idle_duration(mark)
    if mark.label == "TIME":
        return _CLOCK.search(mark.text) is None
    words = [_POSSESSIVE.sub("", match.group().casefold()) for match in _WORD.finditer(mark.text)]
    plain = bool(words) and all(word in _ANY_DAY or word in stop_words() for word in words)
    return plain and not any(character.isdigit() for character in mark.text)


def idle_duration(mark: Mark) -> bool:
    """Return whether a duration is vague, a time limit, or counts from something else in the text."""
    return bool(_VAGUE.match(mark.text) or _RELATIVE.search(mark.text) or _LIMIT.match(mark.after))


def idle_quantity(mark: Mark) -> bool:
    """Return whether a number is small and has no unit, or begins with a year, which is marked as one."""
    if _YEAR_AND_NOUN.fullmatch(mark.text):
        return True
    in_name = _CAPITAL_BEFORE.search(mark.before) and _CAPITAL_AFTER.match(mark.after)  # "Willem ten Cate"
    return _FEW.fullmatch(mark.text) is not None and not mark.is_value and in_name is None


@lru_cache(maxsize=1)
def readers() -> dict[str, tuple[Reader, ...]]:
    """Return the readers of each label."""
    return {"DATE": (idle_date,), "TIME": (idle_date,), "DURATION": (idle_duration,), "QUANTITY": (idle_quantity,)}

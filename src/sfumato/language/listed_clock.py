"""Times of day of a language that lists describe: "14:30 Uhr", "14 h 30", "a las 14:30", "4 de la tarde".

A pattern can hold every time, so what only some times show is not kept: a zero before the hour, which is written
beside a colon or a stop alone, a part of the day, for which the hours go on to 23, and noon and midnight.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import regex

from sfumato.language.accents import plain
from sfumato.language.clock import Clock, Said
from sfumato.language.forms import keys_of, spellings
from sfumato.language.letter_case import capitalised, in_case_of
from sfumato.language.lists import lists_of
from sfumato.language.numbers import BESIDE
from sfumato.language.patterns import FLAGS, GAP, filled, matched, pattern_of
from sfumato.language.spelling import phrase, ruled

_PARTS = ("morning", "afternoon", "night")
_EVENING = 7  # "10 de la noche", but "3 de la noche"


class ListedClock(Clock):
    """Reads and writes times of day as the lists ``units`` of a language say."""

    def __init__(self, code: str) -> None:
        self._lists: Mapping[str, str] = lists_of(code, "units")["clock"]
        self._apart: Sequence[str] = lists_of(code, "units").get("clock_apart", ())

    @property
    def public(self) -> Mapping[str, str]:
        """Return the pattern of the public form of each grain."""
        return {"minute": self._lists["public_minute"], "hour": self._lists["public_hour"]}

    @cached_property
    def shapes(self) -> tuple[re.Pattern[str], ...]:
        """Return patterns for times in figures, and for noon and midnight."""
        before, hours = phrase(self._lists["before"]), phrase(self._lists["hours"])
        agreeing = "|".join(form for pair in self._agreeing for form in pair)
        lead = rf"(?:{before}{BESIDE})?" if not agreeing else rf"(?:(?P<lead>{before}){BESIDE})?"
        parts = "|".join(f"(?P<{part}>{phrase(self._lists[part])})" for part in _PARTS)
        ends = rf"(?:{phrase(self._lists['ends'])})?" if "ends" in self._lists else ""
        behind = rf"(?P<part>{GAP}(?:{parts}))?"
        hour, minute, gap = "(?P<hour>[0-9]{1,2})", "(?P<minute>[0-9]{2})", f"(?:{GAP})?"
        shapes = (
            rf"{lead}{hour}(?P<sign>[:.]){minute}(?:{gap}(?P<unit>{hours}))?{behind}",
            rf"{lead}{hour}{gap}(?P<unit>{hours}){gap}{minute}{ends}{behind}",
            rf"{lead}{hour}(?:{gap}(?P<unit>{hours}))?{behind}",
            rf"(?P<noon>{phrase(self._lists['noon'])})|(?P<midnight>{phrase(self._lists['midnight'])})",
        )
        return tuple(re.compile(shape, FLAGS) for shape in shapes)

    @property
    def words(self) -> Sequence[str]:  # type: ignore[override]  # lists have them
        """Return phrases of times of day."""
        names = ("hours", *_PARTS, "beside", "noon", "midnight", "hour_words", "spoken")
        return tuple(phrase for name in names for phrase in keys_of(self._lists.get(name, "")))

    @cached_property
    def first_words(self) -> frozenset[str]:  # type: ignore[override]  # made when it is first asked for
        """Return the words that a time in words begins with."""
        words = (*keys_of(self._lists.get("hour_words", "")), *regex.findall(r"\w+", self._lists.get("spoken", "")))
        return frozenset(spelled for word in words for spelled in spellings(word))

    @cached_property
    def in_text(self) -> Any:
        """Return a pattern for a time inside a text, which its minutes, its part of the day or a preposition show.

        "3 h" alone may be a length of time, and "3.20" a price. None where the lists have no such words.
        """
        if "at" not in self._lists:
            return None
        hours, parts = phrase(self._lists["hours"]), "|".join(phrase(self._lists[part]) for part in _PARTS)
        hour, minute, gap = "(?:[01]?[0-9]|2[0-4])", "[0-5][0-9]", f"(?:{GAP})?"
        numbers = rf"(?:{phrase(self._lists['hour_words'])}|1[0-2]|[1-9])"
        ways = (
            rf"{hour}(?:[:.]{minute})?(?:{gap}{hours})?{GAP}(?:{parts})",
            rf"{hour}{gap}{hours}{gap}{minute}(?:{phrase(self._lists['ends'])})?" if "ends" in self._lists
            else rf"{hour}{gap}{hours}{gap}{minute}",
            rf"{hour}[:.]{minute}{gap}{hours}",
            rf"(?<={phrase(self._lists['at'])}{GAP}){hour}{gap}{hours}",
            self._lists["spoken"].replace("{n}", numbers).replace(" ", GAP),
        )  # fmt: skip
        return regex.compile(
            rf"(?<![\p{{L}}\p{{N}}.,:/-])(?:{'|'.join(ways)})(?![\p{{L}}\p{{N}}]|[.,:/-]\d)", regex.IGNORECASE
        )

    @cached_property
    def _agreeing(self) -> tuple[tuple[str, str], ...]:
        """Return the words that are others beside one hour: ("la", "las")."""
        pairs = (pair.partition("|") for pair in keys_of(self._lists.get("agreeing", "")))
        return tuple((single, many) for single, _, many in pairs)

    def read(self, text: str) -> Said | None:
        """Return the time that ``text`` is, or None."""
        match = matched(text, self.shapes)
        groups = {} if match is None else {name: part for name, part in match.groupdict().items() if part}
        if match is None:
            return None
        if "hour" not in groups:
            return Said("12:00" if "noon" in groups else "00:00", "hour", self.public["hour"])
        hour, minute = _hour(groups), int(groups.get("minute", "0"))
        if hour is None or minute > 59:
            return None
        fields = {"hour": "HH" if "sign" in groups else "H"} | ({"minute": "MM"} if "minute" in groups else {})
        fields |= {"part": "part"} if "part" in groups else {}
        for group in ("lead", "unit"):
            if group in groups and (field := self._field(groups[group])):
                fields[group] = field
        pattern = pattern_of(match, fields).replace("{part}", "")
        pattern = ruled(pattern, self._apart)
        if "lead" in fields:  # a phrase ends with the word that agrees
            start = match.start("lead")
            words = groups["lead"][: len(groups["lead"]) - len(_last(groups["lead"]))]
            pattern = pattern[:start] + words + pattern[start:]
        return Said(f"{hour:02d}:{minute:02d}", "minute" if "minute" in groups else "hour", pattern)

    def _field(self, text: str) -> str | None:
        """Return the field of the last word of ``text`` if it agrees with the hour, or None."""
        last = _last(text)
        for pair in self._agreeing:
            if plain(last) in map(plain, pair):
                if len(pair[0]) == 1 and last[:1].isupper():  # one letter does not show whether all are capitals
                    return "|".join(map(capitalised, pair))
                cases = [in_case_of(form, last) for form in pair]
                return None if None in cases else "|".join(map(str, cases))
        return None

    def written(self, time: str, pattern: str, grain: str) -> str:
        """Return ``time`` as it is written in ``pattern``."""
        hour = int(time[:2])
        is_one = hour == 1 or (hour == 0 and bool(self._lists.get("singular_zero")))
        return filled(pattern, {"HH": time[:2], "H": str(hour), "MM": time[3:]}, is_one=is_one)


def _last(text: str) -> str:
    return re.split(r"\s", text)[-1]


def _hour(groups: Mapping[str, str]) -> int | None:
    """Return the hour from 0 to 23 of the groups of a match, or None where there is no such hour."""
    hour = int(groups["hour"])
    if hour > 23:
        return None
    if 1 <= hour <= 12:
        if "afternoon" in groups:
            return hour % 12 + 12
        if "morning" in groups or "night" in groups:
            return hour % 12 + 12 * ("night" in groups and _EVENING <= hour < 12)
    return hour

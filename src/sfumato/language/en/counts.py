"""Durations and ages in English: "3 weeks", "a two-week", "aged 45", "a 45-year-old", "in her 60s".

A pattern can hold every number, so what only some numbers show is not kept: "a week" becomes "one week", and "5 min"
becomes "5 mins", because 1 min shows no plural. "An 8-year-old" and "a 9-year-old" have one pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.language.counting import DECADE_OF_LIFE, Counted, Counts
from sfumato.language.en.articles import indefinite_article
from sfumato.language.en.grammar import is_before_noun
from sfumato.language.en.numbers import DECADES, NUMBERS
from sfumato.language.en.units import UNITS_OF_TIME, unit_of
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.numbers import DIGITS
from sfumato.language.patterns import FLAGS, GAP, choice, filled, matched, one_of, pattern_of

_COUNT = NUMBERS.count
_UNIT, _PART = UNITS_OF_TIME.pattern, UNITS_OF_TIME.singular_pattern
_UNITS = ("second", "minute", "hour", "day", "night", "week", "fortnight", "month", "year", "decade", "century")

_BEFORE = one_of(
    "about|approximately|approx.|around|roughly|some|almost|nearly|just over|just under|over|under|only|just|exactly"
    "|at least|at most|up to|more than|less than|no more than|no less than|a total of|another|the|the last|the past"
    "|the next|the first|the following|the previous|last|past|next|first|for|within|after|every|in|for the last"
    "|for the past|in the last|in the past|over the last|over the past|within the last"
)
_AFTER = one_of("ago|later|earlier|before|after|afterwards|long|more|prior")
DURATIONS = tuple(
    re.compile(rf"(?:{_BEFORE}{GAP}){{0,2}}{shape}(?:{GAP}{_AFTER})?", FLAGS)
    for shape in (
        rf"(?P<count>{_COUNT}){GAP}(?P<unit>{_UNIT}(?:['’]s?)?)",
        rf"(?P<count>[1-9][0-9]{{0,2}})(?:(?P<unit>{_UNIT})|(?P<symbol>[ ]?(?-i:[shdw])))",
        rf"(?:(?P<article>an?){GAP})?(?P<count>{_COUNT})-(?P<part>{_PART})(?:-long)?",
        rf"(?P<single>an?){GAP}(?P<unit>{_UNIT}(?:['’]s?)?)",
    )
)

_BEFORE_AGE = one_of(
    "aged|age|age:|aged:|aged about|aged around|aged approximately|aged almost|age of|at age|at the age of|the age of"
    "|at|then|now|then aged|now aged|already|still|only|just|almost|nearly|about|approximately|around|roughly|some"
    "|over|under|at least|at most|exactly|older than|younger than|turned|turning|is|was|who is|who was"
)
AGES = tuple(
    re.compile(rf"(?:{_BEFORE_AGE}{GAP})?{shape}", FLAGS)
    for shape in (
        rf"(?!{_COUNT}{GAP}{_PART}{GAP}old(?!s))(?:(?P<article>an?){GAP})?(?P<count>{_COUNT})"
        rf"(?:-|{GAP})(?P<part>{_PART})(?:-|{GAP})olds?",
        rf"(?P<count>{_COUNT})(?:{GAP}(?P<unit>{_UNIT})(?:{GAP}(?:old|of{GAP}age|in{GAP}age))?)?",
        rf"(?P<count>{_COUNT})[ -]?(?:y/o|y\.o\.|yo|y)",
        rf"(?P<single>an?){GAP}(?P<unit>{_UNIT}){GAP}old",
        rf"(?P<count>{_COUNT}) ?(?:y/?o ?)?(?-i:[MF])",
    )
)
DECADE = re.compile(
    rf"(?:in{GAP}(?:(?:his|her|their|my|your|our|the){GAP})?)?(?:(?:early|mid|late|mid-to-late)(?:-|{GAP}))?"
    rf"(?:(?P<tens>[2-9]0)['’]?s|(?P<words>{choice(DECADES)}))",
    FLAGS,
)
_HYPHENS = re.compile(rf"(?:-|{GAP})({_PART})(?:-|{GAP})(old)", FLAGS)
_MODIFIED = re.compile(r"\{number\} \{([a-z]+)\|[a-z]+\} old")
_NAMES_OF_DECADES = {number: name for name, number in DECADES.items()}


class EnglishCounts(Counts):
    """Reads and writes counts of units of time in English."""

    units = _UNITS
    below_a_year = re.compile(r"month|week|day")

    def duration(self, text: str) -> Counted | None:
        """Return the duration that ``text`` is, or None."""
        match = matched(text, DURATIONS)
        return None if match is None else _counted(match)

    def age(self, text: str) -> Counted | None:
        """Return the age that ``text`` is, or None; of a decade of life the year that it begins with."""
        match = matched(text, (DECADE,))
        if match is not None:
            return _decade(match)
        match = matched(text, AGES)
        counted = None if match is None else _counted(match)
        return None if counted is None else counted._replace(pattern=_HYPHENS.sub(r"-\1-\2", counted.pattern))

    def written(self, counted: Counted) -> str:
        """Return its number as it is written in its pattern and notation."""
        unit, number, pattern, notation = counted
        if unit == DECADE_OF_LIFE and notation != DIGITS:
            return filled(pattern, {"number": cased(_NAMES_OF_DECADES[number], notation)})
        article = indefinite_article(str(number)) or "a"
        fields = {"number": NUMBERS.counted(number, notation), "a": article, "A": article.capitalize()}
        return filled(pattern, fields, is_one=number == 1)

    def public_duration(self, unit: str) -> str:
        """Return the pattern of "3 weeks"."""
        return f"{{number}} {{{UNITS_OF_TIME.agreeing(unit)}}}"

    def public_age(self, unit: str) -> tuple[str, str]:
        """Return the pattern of "40 years old", or of "in the 40s", and its notation."""
        return ("in the {number}s" if unit == DECADE_OF_LIFE else f"{self.public_duration(unit)} old"), DIGITS

    def at_least(self, years: int) -> str:
        """Return "90 or older" for 90 years."""
        return f"{years} or older"

    def placed(self, pattern: str, before: str, after: str) -> str:
        """Return an age with hyphens where it is before a noun: "a [37 year old] bus driver" is "a 43-year-old".

        An article before it says so, or a word for a person behind it.
        """
        match = _MODIFIED.fullmatch(pattern)
        return f"{{number}}-{match[1]}-old" if match and is_before_noun(before, after) else pattern


def _counted(match: re.Match[str]) -> Counted | None:
    """Return what a match of one of the shapes says, or None."""
    groups = {name: part for name, part in match.groupdict().items() if part is not None}
    counted = (1, _notation(groups["single"])) if "single" in groups else NUMBERS.count_of(groups.get("count", ""))
    fields = {group: _field(group, part) for group, part in groups.items()}
    if counted is None or None in fields.values():
        return None
    unit = unit_of(groups) if {"unit", "part", "symbol"} & groups.keys() else "year"
    return Counted(unit, counted[0], pattern_of(match, _kept(fields)), counted[1])


def _kept(fields: Mapping[str, str | None]) -> dict[str, str]:
    return {group: field for group, field in fields.items() if field}


def _field(group: str, text: str) -> str | None:
    """Return the field of a group of a shape: "" if its text stays, None if the text is in no single case."""
    if group == "unit":
        return UNITS_OF_TIME.agreeing(text)
    if group == "article":
        return "a" if text[0] == "a" else "A"
    return "number" if group in ("count", "single") else ""


def _notation(article: str) -> str:
    """Return the notation in which the ``article`` of "a week" is a count: that of "one week"."""
    return "words" if article == article.lower() else "Words"


def _decade(match: re.Match[str]) -> Counted | None:
    """Return the decade of life of "in her 60s" or "in his late sixties"."""
    if match["tens"]:
        return Counted(DECADE_OF_LIFE, int(match["tens"]), pattern_of(match, {"tens": "number"}), DIGITS)
    notation = in_case_of("words", match["words"])
    pattern = pattern_of(match, {"words": "number"})
    number = DECADES[match["words"].lower()]
    return None if notation is None else Counted(DECADE_OF_LIFE, number, pattern, notation)

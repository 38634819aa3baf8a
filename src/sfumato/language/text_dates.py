"""Dates inside a text, in a language that writes the day before the month: the forms that a public date replaces.

A language gives its words, and the shapes are made of them. A name of a month in small letters is a date wherever it
is a word. With a capital it is one beside a number, and behind a word that leads to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex

from sfumato.language.accents import any_accents
from sfumato.language.dates import DateForm, DatesInText, Names
from sfumato.language.patterns import choice

_YEAR, _NUMBER = r"(?:1[5-9]|20)\d\d", r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_BEGIN, _END = r"(?<![\p{L}\p{N}_/.,:%€$£-])", r"(?![\p{L}\p{N}_/%-]|[.,:]\d)"
_APART = r"(?<![\p{L}\p{N}])"


@dataclass(frozen=True)
class WordsOfDates:
    """The words of a language around dates.

    Attributes:
        months: The names of the months.
        weekdays: The names of the weekdays.
        seasons: The names of the seasons.
        first: A pattern for the first of a month, if it is no plain figure, and for what may stand behind others.
        between: A pattern for what is between day and month, and between month and year.
        leads: Words before a date without a month ("le 3/12"), which bars part.
        month_leads: Words before a name of a month with a capital, which bars part.
        followers: Words behind the number of a day without a month, which bars part: "le 12 à".
        measured: Words before two figures with a stroke that are no date, which bars part.
        feasts: A pattern for what makes a weekday part of the name of a feast, behind it.
        public: The month, the weekday and the short month of the public date.
        small: Whether names of months are in small letters.
    """

    months: Names
    weekdays: Names
    seasons: Names
    first: str
    between: str
    leads: str
    month_leads: str
    followers: str
    measured: str
    feasts: str
    public: tuple[str, str, str]
    small: bool = True


def dates_in_text(words: WordsOfDates) -> DatesInText:
    """Return how dates are recognised inside a text, by the words of a language."""
    names = _Patterns.of(words)
    return DatesInText(_forms(words, names), _rules(words, names), _loose(names))


@dataclass(frozen=True)
class _Patterns:
    """Patterns of a language: a numbered day, names in any case, and what is between them."""

    nth: str
    month: str
    weekday: str
    any_month: str
    gap: str
    year: str

    @classmethod
    def of(cls, words: WordsOfDates) -> _Patterns:
        full = any_accents(choice(words.months.full))
        short = any_accents(choice(words.months.short))
        brief = any_accents(choice(words.weekdays.short))
        weekday = any_accents(choice(words.weekdays.full))
        return cls(
            rf"(?:{words.first}|{_DAY})",
            rf"(?:(?i:{full})(?!\p{{L}})|(?i:{short})(?!\p{{L}})(?:\.(?=,?\s?['’\d]|\s\p{{Ll}}))?)",
            rf"(?:(?i:{weekday}|{brief}\.?),?\s(?:\p{{Ll}}{{1,3}}\s)?)?",
            any_accents(choice((*words.months.full, *words.months.short))),
            words.between,
            rf"(?:,?{words.between}(?:{_YEAR}|['’]\d\d)(?!\d))",
        )


def _forms(words: WordsOfDates, names: _Patterns) -> tuple[DateForm, ...]:
    named = _named(words)
    weekday = any_accents(choice(words.weekdays.full))
    months = any_accents(choice(words.months.full))
    brief = any_accents(choice(words.months.short))
    stroke = rf"{_BEGIN}{_DAY}/{_NUMBER}{_END}"
    leads = rf"\b(?i:{words.leads})['’]?"
    rows: list[tuple[str, Callable[[Any], str]]] = [
        (rf"{_BEGIN}{names.weekday}{names.nth}{names.gap}{names.month}{names.year}?", named),
        (rf"{_BEGIN}{names.month}{names.gap}{_YEAR}(?!\d)", named),
        (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?i:{brief})(?P=sign){_YEAR}{_END}", lambda _: f"17-{words.public[2]}-2019"),
        *(
            (
                rf"{_BEGIN}{_DAY}(?P<sign>[-/.]){_NUMBER}(?P=sign){year}{_END}",
                lambda match, put=put: f"17{match['sign']}10{match['sign']}{put}",
            )
            for year, put in ((_YEAR, "2019"), (r"\d\d", "19"))
        ),
        (
            rf"{_BEGIN}{_YEAR}(?P<sign>[-/.]){_NUMBER}(?P=sign){_DAY}{_END}",
            lambda match: f"2019{match['sign']}10{match['sign']}17",
        ),
        (rf"{_BEGIN}{_NUMBER}(?P<sign>[-/]){_YEAR}{_END}", lambda match: f"10{match['sign']}2019"),
        (
            rf"(?P<part>(?<=\b(?i:{words.measured})\s(?:\p{{Ll}}{{1,3}}\s)?){stroke})|{stroke}",
            lambda match: "3/4" if match["part"] else "17/10",
        ),
        (rf"(?<={leads}\s?){names.nth}(?=[.,;:!?)]|\s*$|\s(?:{words.followers})\b)(?![.,]\d)", named),
        (rf"(?<!\p{{L}})(?i:{weekday})(?=s?(?!\p{{L}}))(?!\s(?i:{words.feasts}))", named),
    ]
    if words.small:
        rows.append((rf"(?<![\p{{L}}'’]|\p{{L}}-)(?:{months})(?!\p{{L}}|['’-])", named))
        rows.append((rf"(?<=\b[ldLD]['’])(?:{months})(?!\p{{L}})", named))
    forms = tuple(DateForm(regex.compile(pattern), public) for pattern, public in rows)
    capitalised = words.months.capitalised
    lone = rf"(?<=\b(?i:{words.month_leads})[\s-])(?:{capitalised})(?!\p{{L}}|\s\p{{Lu}}\p{{Ll}}|\s\d)"
    return (*forms, DateForm(regex.compile(lone), named, is_alone=True))


def _named(words: WordsOfDates) -> Callable[[Any], str]:
    """Return what writes the public date for one with the name of a month or weekday, or the number of a day."""
    part = regex.compile(
        rf"(?P<month>{any_accents(choice((*words.months.full, *words.months.short)))}(?!\p{{L}})\.?)"
        rf"|(?P<weekday>{any_accents(choice((*words.weekdays.full, *words.weekdays.short)))}(?!\p{{L}})\.?)"
        rf"|(?P<year>\d{{4}})|(?<=['’])(?P<two>\d\d)|(?P<nth>{words.first}|\d{{1,2}})",
        regex.IGNORECASE,
    )
    month, weekday, _ = words.public
    public = {"month": month, "weekday": weekday, "year": "2019", "two": "19", "nth": "17"}

    def named(piece: Any) -> str:
        stop = "." if piece.lastgroup == "nth" and piece.group().endswith(".") else ""
        return public[str(piece.lastgroup)] + stop

    return lambda match: str(part.sub(named, match.group()))


def _rules(words: WordsOfDates, names: _Patterns) -> tuple[tuple[float, str], ...]:
    season = any_accents(choice(words.seasons.full))
    year = rf"(?:,?{names.gap}{_YEAR}\b)?"
    month = rf"(?i:{any_accents(choice(words.months.full))}\b|{any_accents(choice(words.months.short))}\b\.?)"
    joint = r"\s?(?:,|-|–|\s(?:t/m|tot\sen\smet|bis\s(?:zum|einschließlich)|\p{L}{1,4}['’]?)\s?)\s?"
    return (
        (0.9, rf"\b{names.nth}{names.gap}{month}{year}"),
        (0.9, rf"\b(?i:{names.any_month}|{season})\b\.?{names.gap}{_YEAR}\b"),
        (0.9, rf"\b{names.nth}(?:{joint}{names.nth}){{1,12}}{names.gap}{month}{year}"),
    )


def _loose(names: _Patterns) -> tuple[tuple[float, str], ...]:
    year = r"(?:(?:1[5-9]|20)\d\d|['’]?\d\d)(?!\d)"
    joint = r"[\s./,-]{0,2}"
    return ((0.9, rf"{_APART}{names.nth}{joint}(?:{names.gap})?(?i:{names.any_month})\.?{joint}{year}"),)

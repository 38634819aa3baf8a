"""Marks made of others: a place with its kind behind it, days that share a year, an organisation named again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import regex

from sfumato.detectors.english import offices, organisations
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import matches
from sfumato.language.en.calendar import MONTHS
from sfumato.language.en.words import frequency, stop_words
from sfumato.language.patterns import any_of

_KIND_BEHIND = regex.compile(
    r"(?:[^\S\n]\p{Ll}[\p{L}’'-]{0,20}+){0,2}?[^\S\n](?:prison|cemetery|hospital|university|school|court|police|municipality|council"
    r"|prosecutor|church|mosque|clinic|college|barracks|airport|station|village|district|province|region|market|factory"
    r"|branch|office)s?(?![\p{L}\p{N}])"
)
_OF_A_FIRM = ("office", "offices", "branch", "factory", "market")
_DAY = rf"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\s{MONTHS.capitalised}"
_AND = r"(?:,|,?\s(?:and|to|or|until)|\s?[–-])\s?(?:on\s)?"
_ONE_YEAR = regex.compile(rf"(?<!\d)(?:{_DAY}{_AND}){{1,12}}{_DAY}\s(?:1[5-9]|20)\d\d(?!\d)")
_SHORT = 3
_COMMON = 4.5
"""Zipf frequency from which a single word is too common to be an organisation wherever it appears."""
_CORE = regex.compile(r"(?:the\s+)?\K\p{Lu}.*[\p{L}\p{N}]", regex.DOTALL)
_BESIDE = regex.compile(r"[\p{L}\p{N}]")
_MANY = 10_000_000
"""Characters to be read, once for each name, from which a pattern of all names is faster."""
_POSSESSIVE = regex.compile(r"['’]s\Z")


def places_with_kind(text: str, spans: Iterable[Found]) -> Iterator[Found]:
    """Yield each place with the kind of institution that follows it in lower case: "Salzburg municipal cemetery"."""
    for span in spans:
        if span.label not in ("LOCATION", "ORGANIZATION") or not text[span.start : span.end][:1].isupper():
            continue
        behind = _KIND_BEHIND.match(text, span.end)
        if behind is None or offices.nations().fullmatch(text, span.start, span.end):
            continue
        if span.label == "ORGANIZATION" and behind.group().endswith(_OF_A_FIRM):
            continue
        if not any(word in stop_words() for word in behind.group().split()):
            yield Found(span.start, behind.end(), "ORGANIZATION", 0.75)


def days_of_one_year(text: str) -> Iterator[Found]:
    """Yield days that share the year behind the last: "on 10 May, 7 July and 26 September 1994" is one expression."""
    for match in matches(_ONE_YEAR, text):
        yield Found(match.start(), match.end(), "DATE", 0.95)


def organisations_again(text: str, spans: Iterable[Found]) -> Iterator[Found]:
    """Yield every other mention of an organisation among ``spans``, as it is written, whole words only."""
    names = {name for span in spans if span.label == "ORGANIZATION" and (name := _name(text[span.start : span.end]))}
    if not names:
        return
    for start, end in _mentions(text, names):
        yield Found(start, end, "ORGANIZATION", 0.6)


def _mentions(text: str, names: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of ``names`` in ``text``, from left to right, whole words only.

    Of two at one place it is the longer. A pattern of them all is made only where it saves more time than it takes.
    """
    if len(names) * len(text) > _MANY:
        again: Any = regex.compile(rf"(?<![\p{{L}}\p{{N}}]){any_of(names)}(?![\p{{L}}\p{{N}}])")
        yield from (match.span() for match in matches(again, text))
        return
    places = sorted((start, -end) for name in names for start, end in _whole(text, name))
    done = 0
    for start, end in places:
        if start >= done:
            yield start, -end
            done = -end


def _whole(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield every place of ``name`` in ``text`` where no letter and no digit is beside it."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (_BESIDE.match(text, start - 1, start) if start else None) and not _BESIDE.match(text, end):
            yield start, end
        start = text.find(name, start + 1)


def _name(text: str) -> str | None:
    """Return the name by which an organisation can be recognised; None for a country, a kind or a common word."""
    match = _CORE.search(text)
    name = "" if match is None else _POSSESSIVE.sub("", match.group())
    if len(name) < _SHORT or "\n" in name or name.casefold() in stop_words() or offices.states().fullmatch(name):
        return None
    if offices.is_office(name) or organisations.names_nothing(name):
        return None
    if " " not in name and not name.isupper() and frequency(name) >= _COMMON:
        return None
    return name

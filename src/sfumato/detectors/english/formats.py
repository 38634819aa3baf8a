"""Formats that a form, a chat or a log writes in any case: dates, places, addresses, codes, telephone numbers, keys.

Every pattern is linear or bounded in its repeats.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.found import Found, Rule
from sfumato.detectors.prefilter import TIMEOUT, anchored_matches
from sfumato.language.en.words import is_everyday, stop_words
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH

_APART = r"(?<![\p{L}\p{N}])"
_NO_DATE = r"(?!\d{1,2} ?[/.-] ?(?:3[2-9]|[4-9]\d)|(?:3[2-9]|[4-9]\d) ?[/.-] ?(?:1[3-9]|[2-9]\d))"
"""Not before two numbers of which neither is a month."""
_DATES: tuple[Rule, ...] = (
    ("DATE", 0.9, rf"(?<![\w.,]){_NO_DATE}\d{{1,2}} ?([/.-]) ?\d{{1,2}} ?\1 ?(?:\d{{4}}|\d\d)(?![\w/-])"),
    ("DATE", 0.9, r"(?<![\w.,])\d{1,2} \d{1,2} (?:19|20)\d\d(?!\w)"),
    ("DATE", 0.9, r"(?<![\w.,])(?:19|20)\d\d([/.-])\d{1,2}\1\d{1,2}(?![\w/-])"),
)

_MINUTES = r"(?:\s?\d{1,2}(?:\.\d{1,8})?\s?['′’](?:\s?\d{1,2}(?:\.\d{1,8})?\s?(?:[\"″”]|''))?)"
_DEGREES = rf"\d{{1,3}}(?:\.\d{{1,9}})?\s?°{_MINUTES}?(?:\s?[nsew](?!\w))?"
_DECIMAL = r"(?:[nsew]\s?)?[-+−]?(?<![\d.])\d{1,3}\.\d{3,9}(?:\s?°)?(?:\s?[nsew](?!\w))?"
_BY_NAME = r"(?:lat(?:itude)?|long?(?:itude)?|lng)[\"']?(?:\s?[:=]\s?|\s)[-+−]?\d{1,3}\.\d{1,9}(?!\d)"
_PLACES: tuple[Rule, ...] = (
    ("LOCATION", 0.9, rf"(?<![\d.]){_DEGREES}\s?[,;/]?\s?{_DEGREES}"),
    ("LOCATION", 0.9, rf"(?<![\d.])\d{{1,3}}(?:\.\d{{1,9}})?\s?°(?:{_MINUTES}|\s?[nsew](?!\w)){{1,2}}"),
    ("LOCATION", 0.9, rf"(?<![\p{{L}}\d.]){_DECIMAL}(?:\s?[,;/]\s?|\s){_DECIMAL}(?![\d.])"),
    ("LOCATION", 0.9, rf"{_APART}{_BY_NAME}(?:[\s,;]{{1,2}}[\"']?{_BY_NAME})?"),
)

_NO_WORD = r"(?!\L<grammar>\b)"
_STREET = (
    r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|close|crescent|terrace|boulevard|blvd|gardens|grove|mews|square"
    r"|court)"
)
_ADDRESSES: tuple[Rule, ...] = (
    ("LOCATION", 0.8, rf"\b\d{{1,5}}\p{{L}}?,?\s(?:{_NO_WORD}\p{{L}}[\p{{L}}'’-]{{1,30}}+\s){{1,2}}{_STREET}\b"),
)

_PART = r"(?:\d{1,8}|[a-z]{1,3}\d{1,8}|\d{1,8}[a-z]{1,3}|[a-z]{1,4})"
_AGES: tuple[Rule, ...] = (
    (
        "AGE",
        0.9,
        r"(?<![\w./-])\d{1,3} ?(?:yo|y/o|y\.o\.?|yrs?[- ]old)(?!\w)|(?<![\w./-])(?:\d\d[mf]|[mf]\d\d)(?![\w./-])",
    ),
)
_CODES: tuple[Rule, ...] = (
    ("CODE", 0.8, rf"(?<![\w/.-])(?!\d+-\p{{L}}+-old)(?=[\w/-]{{0,40}}\d\d){_PART}(?:[/-]{_PART}){{2,6}}(?![\w/-])"),
    ("CODE", 0.85, rf"\b[a-ceghj-prstw-z]{{2}} ?\d\d ?\d\d ?\d\d ?[a-d]\b|\b[a-z]{{2}}\d\d ?{_NO_WORD}[a-z]{{3}}\b"),
    (
        "CODE",
        0.9,
        r"(?<![\w:-])[\da-f]{2}(?:[:-][\da-f]{2}){5}(?![\w:-])|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b",
    ),
    ("IP_ADDRESS", 0.9, r"(?<![\w:])(?:[\da-f]{1,4}:){1,6}(?::[\da-f]{1,4}){1,6}(?![\w:])"),
)
"""Codes of three parts have no word of more than four letters: "24-hour-long" is not a code."""

_DOT = r"(?: ?[\[({] ?(?:dot|\.) ?[\])}] ?| dot | ?\. ?)"
_END = r"(?:com|org|net|edu|gov|mil|int|info|biz|name|[\p{L}]{2})"
_DISGUISED = rf"[\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{0,4}}?{_DOT}{_NO_WORD}{_END}(?![\w-])"
_KEYS: tuple[Rule, ...] = (
    ("EMAIL_ADDRESS", 0.9, rf"(?<![\w.+-])[\w.+-]{{1,64}}+ ?[\[({{] ?at ?[\])}}] ?{_DISGUISED}"),
    ("EMAIL_ADDRESS", 0.9, rf"(?<![\w.+-])(?P<name>[\w.+-]{{1,64}}+) (?:@|at) {_NO_WORD}{_DISGUISED}"),
    ("SECRET", 0.96, r"\b(?:AKIA|ASIA)[A-Z\d]{12,20}\b|\b(?:sk|pk|rk)[-_][\w-]{16,200}+|\bgh[pousr]_\w{16,200}+"),
    (
        "SECRET",
        0.96,
        r"\bxox[abeoprs]-[\w-]{8,200}+|\beyJ[\w-]{8,2000}+(?:\.[\w-]{4,4000}+){1,2}|(?<=://)[^\s:/@]{1,64}+:[^\s@/]{1,200}+(?=@)",
    ),
    (
        "SECRET",
        0.96,
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]{1,9000}+-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    ),
)


_NEEDED = (
    (_CODES[0], r"[/-][^\W_]{1,11}[/-][^\W_]"),
    (_KEYS[0], r"[\[({] ?at"),
    (_KEYS[1], r" (?:@|at) [\w-]{1,63}(?:[ .\[({])"),
    (_KEYS[3], r"xox|eyJ|://"),
)


@lru_cache(maxsize=8)
def rules(language: Language = ENGLISH) -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled; ``language`` has those for dates with words."""
    dates = (("DATE", score, pattern) for score, pattern in language.dates_in_text.loose)
    listed = (*dates, *_DATES, *_PLACES, *_ADDRESSES, *_AGES, *_CODES, *_KEYS)
    grammar = [word for word in stop_words() if word.isalpha()]
    return tuple(
        (label, score, regex.compile(pattern, regex.IGNORECASE, ignore_unused=True, grammar=grammar))
        for label, score, pattern in listed
    )


@lru_cache(maxsize=1)
def _needed() -> dict[str, Any]:
    """Return for some rules, which may begin with any word, what every text has that they match in."""
    return {rule[2]: regex.compile(needed, regex.IGNORECASE) for rule, needed in _NEEDED}


def formats(text: str, language: Language = ENGLISH) -> Iterator[Found]:
    """Yield every match of a format in ``text``; the spans may overlap."""
    every = anchored_matches(tuple(pattern for _, _, pattern in rules(language)), text)
    for number, ((label, score, pattern), matched) in enumerate(zip(rules(language), every, strict=True)):
        needed = _needed().get(pattern.pattern)
        if needed is not None and needed.search(text, timeout=TIMEOUT) is None:
            continue
        for match in matched:
            name = match.groupdict().get("name")
            if name is None or not is_everyday(name):  # "good at maths dot com"
                yield Found(match.start(), match.end(), label, score, str(number))

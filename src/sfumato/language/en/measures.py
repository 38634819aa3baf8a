"""English measures: doses, laboratory values, scores, and the names of genes and instruments.

A text is one if it consists of figures and of words that public lists hold, and if each figure has a unit behind it:
"75 mg", "Hb 9.1 g". A score or a blood pressure needs its name and a stroke: "MMSE 24/30". A bare figure needs the
name of a drug, a test or an instrument before it: "clopidogrel 75". A figure has at most four digits, or groups of
three, and no zero before them, so that no account and no telephone number is one. No preposition and no line break
may be between a name and its figure: "MMSE at 82" gives an age.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sfumato.language.lists import lists_of, phrases_of, words_of
from sfumato.language.patterns import any_of

_LISTS = lists_of("en", "measures")


def _words(name: str) -> tuple[str, ...]:
    return words_of(_LISTS[name])


def _any_case(words: Iterable[str]) -> str:
    return rf"(?i:{any_of(words)})"


_TESTS = _words("tests")
_LETTERS = "|".join(word for word in _TESTS if len(word) == 1)
_PAIRS = any_of(word for word in _TESTS if len(word) == 2)
_LONG = any_of(word for word in _TESTS if len(word) > 2)
_INSTRUMENTS = (*_words("instruments"), *phrases_of(_LISTS["instruments_in_words"]))
_NAMES = (*_INSTRUMENTS, *_words("genes"))
_ALONE = any_of(_NAMES)
_SURE = any_of(name for name in _NAMES if " " in name or (re.search(r"\d", name) and len(name) > 3))
"""Names that are nothing else: "CAGE" is an association too, and "NF1" may be a ward."""
_DRUG = _any_case((*words_of(lists_of("en", "health")["drugs"]), *(drug.lower() for drug in _words("drugs"))))

_AGES = rf"(?![A-Za-z]|[\s,-]{{0,3}}(?:{any_of(_words('ages'))})(?![A-Za-z]))"
_NOT_ON = r"(?!\d|[.,/:]\d)"
_SMALL = rf"[<>≤≥~±+-]?(?:0|[1-9]\d{{0,2}})(?:\.\d{{1,3}})?{_NOT_ON}"
_FIGURE = rf"[<>≤≥~±+-]?(?:0|[1-9]\d{{0,3}})(?:,\d{{3}}){{0,2}}(?:\.\d{{1,3}})?{_NOT_ON}"
_SHORT = rf"(?:{_SMALL}|[1-9]\d{{0,2}}(?:,\d{{3}}){{1,2}}{_NOT_ON})"  # of four digits, it may be a year or a code
_BLANK = r"[^\S\r\n]"
_BOTH = rf"[1-9]\d{{0,2}}(?:\.\d)?{_BLANK}?[/–-]{_BLANK}?{_SMALL}"
_UNITS = _words("units")
_END = r"(?![A-Za-z0-9])"
_UNIT = rf"(?:{any_of(_UNITS)}){_END}"
_CLOSE = rf"(?:{any_of(unit for unit in _UNITS if len(unit) > 1)}){_END}"  # "12g" and "12 L" may be flats
_PER = rf"{_BLANK}?(?:/|per{_BLANK}){_BLANK}?(?:\d{{1,3}}{_BLANK}?)?(?:{any_of((*_UNITS, *_words('rates')))}){_END}"
_SAID = rf"(?=(?:{_PER})|{_BLANK}(?:(?:{any_of(_words('often'))})(?![A-Za-z])|(?:of{_BLANK})?{_DRUG}{_END}))"
_WITH_UNIT = (
    rf"(?:(?:{_BOTH}|{_FIGURE})(?:-?{_CLOSE}|{_BLANK}{_CLOSE}|{_BLANK}?{_UNIT}{_SAID})"
    rf"|\d{{1,3}}\.\d{{1,3}}{_BLANK}?{_UNIT})(?:{_PER})?"
)
_BETWEEN = rf"(?:{_BLANK}?[:=]{_BLANK}?|(?:{_BLANK}(?:{any_of(_words('between'))})(?![A-Za-z]))*{_BLANK})"
_NAMED = (
    rf"(?:(?:(?:{_LONG}|{_DRUG}){_END}{_BETWEEN}(?:{_BOTH}|{_SHORT})"
    rf"|(?:{_PAIRS}|{any_of(_INSTRUMENTS)}){_END}{_BETWEEN}(?:{_BOTH}|{_SMALL})"
    rf"|(?:{_LETTERS})[ =:]{{1,2}}\d{{1,2}}\.\d{{1,2}}){_NOT_ON})(?:{_BLANK}?{_UNIT}(?:{_PER})?)?"
)
_SCORE = rf"(?:BP|{any_of(_INSTRUMENTS)}){_END}{_BETWEEN}[1-9]\d{{0,2}}/{_SMALL}"
_AROUND = _any_case((*_words("about"), *_words("often")))
_NAMES_OF_TESTS = [word for word in _TESTS if len(word) > 1]
_WORD = rf"(?:{_ALONE}|{any_of(_NAMES_OF_TESTS)}|{_DRUG}|{_AROUND})(?![\w])"
_PLAIN = any_of(name for name in (*_NAMES, *_NAMES_OF_TESTS) if not re.search(r"\d", name) or len(name) > 3)
_PLAIN_WORD = rf"(?:{_PLAIN}|{_DRUG}|{_AROUND})(?![\w])"


def _parts(*kinds: str) -> re.Pattern[str]:
    part = rf"(?:{'|'.join(kinds)}){_END}"
    return re.compile(rf"{part}(?:[\s,.;:()/+]+{part})*")


_STRICT = _parts(_SCORE, _WITH_UNIT, _PLAIN_WORD)
_FREE = _parts(_NAMED, _WITH_UNIT, _WORD)
_WITH_ANY_UNIT = re.compile(rf"{_FIGURE}{_BLANK}{_UNIT}")
_NAME_ALONE = re.compile(rf"{_SURE}|{_ALONE}\s(?i:mutations?|variants?|gene|scores?|carrier)")
_NO_AGE = re.compile(_AGES)
_DIGIT = re.compile(r"\d")
_EDGES = " \t\r\n,.;:()"
LONGEST, WORDS_BEFORE, WORDS_AFTER = 120, 4, 2
"""The most characters of a measure, and how many words on each side of it are read."""


def is_measure(text: str, before: str = "", after: str = "", bare: bool = False) -> bool:
    """Return whether ``text`` is a measure, or is one with the last words ``before`` it or the first ``after`` it.

    ``bare`` says that a figure may do without a unit if its name is before it. Total, and linear in the length of
    ``text``.
    """
    own = text.strip(_EDGES)
    if not own or len(text) > LONGEST:
        return False
    leads, tails = _endings(before, WORDS_BEFORE), _beginnings(after, WORDS_AFTER)
    if any(_NAME_ALONE.fullmatch(own + tail) for tail in tails):
        return True
    if not _DIGIT.search(own):
        return False
    if any(_STRICT.fullmatch(f"{lead}{own}{tail}") for lead in leads for tail in tails):
        return True
    if not bare or _NO_AGE.match(after) is None:
        return False
    if _WITH_ANY_UNIT.fullmatch(own):
        return True
    return any(_FREE.fullmatch(f"{lead}{own}{tail}") for lead in leads for tail in tails)


def _endings(text: str, most: int) -> list[str]:
    """Return the last words of ``text``, from none to ``most``, each with the blanks before ``text`` ends."""
    words = re.findall(r"\S+\s*", text[-60:])
    return ["", *("".join(words[-count:]) for count in range(1, min(most, len(words)) + 1))]


def _beginnings(text: str, most: int) -> list[str]:
    """Return the first words of ``text``, from none to ``most``, without what ends a sentence."""
    words = re.findall(r"\s*\S+", text[:40])
    return ["", *("".join(words[:count]).rstrip(_EDGES) for count in range(1, min(most, len(words)) + 1))]

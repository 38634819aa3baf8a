"""English measures: doses, laboratory values, scores, and the names of genes and instruments.

A text is one if it consists of figures and of words that public lists hold, and if each figure has a unit behind it
or the name of a drug, a test or an instrument before it: "75 mg", "182/110, Hb 9.1 g", "MMSE 24/30". A figure has at
most four digits, or groups of three, and no zero before them, so that no account and no telephone number is one.
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
_SURE = any_of(name for name in _NAMES if " " in name or re.search(r"\d", name))  # "CAGE" is an association too
_DRUG = _any_case((*words_of(lists_of("en", "health")["drugs"]), *(drug.lower() for drug in _words("drugs"))))

_NOT_ON = r"(?!\d|[.,/:]\d)"
_SMALL = rf"[<>≤≥~±+-]?(?:0|[1-9]\d{{0,2}})(?:\.\d{{1,3}})?{_NOT_ON}"
_FIGURE = rf"[<>≤≥~±+-]?(?:0|[1-9]\d{{0,3}})(?:,\d{{3}}){{0,2}}(?:\.\d{{1,3}})?{_NOT_ON}"
_BOTH = rf"[1-9]\d{{0,2}}(?:\.\d)?\s?[/–-]\s?{_SMALL}"
_UNITS = _words("units")
_UNIT = rf"(?:{any_of(_UNITS)})(?![A-Za-z0-9])"
_CLOSE = rf"(?:{any_of(unit for unit in _UNITS if len(unit) > 1)})(?![A-Za-z0-9])"  # "12g" may be a flat
_RATE = rf"(?:\s?(?:/|per\s)\s?(?:\d{{1,3}}\s?)?(?:{any_of((*_UNITS, *_words('rates')))})(?![A-Za-z0-9]))"
_OFTEN = rf"(?=\s(?:{any_of(_words('often'))})(?![A-Za-z]))"
_WITH_UNIT = rf"(?:(?:{_BOTH}|{_FIGURE})(?:-?{_CLOSE}|\s{_UNIT}|{_UNIT}{_OFTEN})|\d{{1,3}}\.\d{{1,3}}{_UNIT}){_RATE}?"
_BETWEEN = rf"(?:\s?[:=]\s?|(?:\s(?:{any_of(_words('between'))})(?![A-Za-z]))*\s)"
_NAMED = (
    rf"(?:(?:(?:{_LONG}|{_DRUG})(?![A-Za-z0-9]){_BETWEEN}(?:{_BOTH}|{_FIGURE})"
    rf"|(?:{_PAIRS}|{any_of(_INSTRUMENTS)})(?![A-Za-z0-9]){_BETWEEN}(?:{_BOTH}|{_SMALL})"
    rf"|(?:{_LETTERS})[ =:]{{1,2}}\d{{1,2}}\.\d{{1,2}}){_NOT_ON})(?:\s?{_UNIT}{_RATE}?)?"
)
_NAMES_OF_TESTS = any_of(word for word in _TESTS if len(word) > 1)
_WORD = rf"(?:{_ALONE}|{_NAMES_OF_TESTS}|{_DRUG}|{_any_case((*_words('about'), *_words('often')))})(?![\w])"
_PART = rf"(?:{_NAMED}|{_WITH_UNIT}|{_WORD})(?![A-Za-z0-9])"
_TEXT = re.compile(rf"{_PART}(?:[\s,.;:()/+]+{_PART})*")
_NAME_ALONE = re.compile(rf"{_SURE}|{_ALONE}\s(?i:mutations?|variants?|gene|scores?|carrier)")
_DIGIT = re.compile(r"\d")
_EDGES = " \t\r\n,.;:()"
LONGEST, WORDS_BEFORE, WORDS_AFTER = 120, 4, 2
"""The most characters of a measure, and how many words on each side of it are read."""


def is_measure(text: str, before: str = "", after: str = "") -> bool:
    """Return whether ``text`` is a measure, or is one with the last words ``before`` it or the first ``after`` it.

    Total, and linear in the length of ``text``.
    """
    bare = text.strip(_EDGES)
    if not bare or len(text) > LONGEST:
        return False
    leads, tails = _endings(before, WORDS_BEFORE), _beginnings(after, WORDS_AFTER)
    if any(_NAME_ALONE.fullmatch(bare + tail) for tail in tails):
        return True
    if not _DIGIT.search(bare):
        return False
    return any(_TEXT.fullmatch(f"{lead}{bare}{tail}") for lead in leads for tail in tails)


def _endings(text: str, most: int) -> list[str]:
    """Return the last words of ``text``, from none to ``most``, each with the blanks before ``text`` ends."""
    words = re.findall(r"\S+\s*", text[-60:])
    return ["", *("".join(words[-count:]) for count in range(1, min(most, len(words)) + 1))]


def _beginnings(text: str, most: int) -> list[str]:
    """Return the first words of ``text``, from none to ``most``, without what ends a sentence."""
    words = re.findall(r"\s*\S+", text[:40])
    return ["", *("".join(words[:count]).rstrip(_EDGES) for count in range(1, min(most, len(words)) + 1))]

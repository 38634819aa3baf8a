"""Whole numbers in English words: "twenty-two", "one hundred and five", "third".

One spelling is written: a hyphen between tens and ones, and an "and" before the last two digits. Others are read
("twenty two", "one hundred five", "a hundred"), and are written in this one. Most numbers do not show which spelling
they follow, so a form that kept it would say something of the number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.lists import words_of
from sfumato.language.numbers import FIGURE, Numbers
from sfumato.language.patterns import GAP, choice, one_of, pattern_of

MOST = 10**15 - 1
"""The largest number that has a name here."""

ONES = words_of(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
    """
)
TENS = words_of("twenty thirty forty fifty sixty seventy eighty ninety")
DECADES = {f"{name[:-1]}ies": 10 * number for number, name in enumerate(TENS, 2)}
"""The words for the years of a life, "twenties" to "nineties", and where they begin."""
_SCALES = (("trillion", 10**12), ("billion", 10**9), ("million", 10**6), ("thousand", 10**3))
_IRREGULAR = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"},
    **{"nine": "ninth", "twelve": "twelfth"},
}
_VALUES = {name: number for number, name in enumerate(ONES)} | {
    name: 10 * number for number, name in enumerate(TENS, 2)
}
_LARGE = {"hundred": 100, **dict(_SCALES)}


SCALE = choice(name for name, _ in _SCALES)
"""A pattern for a word behind figures that makes them larger: "million"."""


def spelled(number: int) -> str:
    """Return ``number``, from 0 to :data:`MOST`, in words."""
    for name, size in _SCALES:
        if number >= size:
            rest = number % size
            joint = " and " if 0 < rest < 100 else " "
            return f"{spelled(number // size)} {name}" + (joint + spelled(rest) if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{ONES[number // 100]} hundred" + (f" and {spelled(rest)}" if rest else "")
    if number < 20:
        return ONES[number]
    tens, ones = divmod(number, 10)
    return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")


def _ordinal_of(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th"


def spelled_ordinal(number: int) -> str:
    """Return the ordinal of ``number``, from 0 to :data:`MOST`, in words: "third", "twenty-second"."""
    head, joint, last = re.fullmatch(r"(?:(.*)([ -]))?([a-z]+)", spelled(number)).groups("")  # type: ignore[union-attr]
    return head + joint + _ordinal_of(last)


def suffix_of(number: int) -> str:
    """Return the letters that make an ordinal of the figure ``number``: "st", "nd", "rd" or "th"."""
    if number // 10 % 10 == 1:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


_ORDINALS = {_ordinal_of(word): word for word in (*_VALUES, *_LARGE)}
_SPLIT = re.compile(rf"-|{GAP}")
_CARDINAL = rf"{choice((*_VALUES, *_LARGE, 'and'))}(?![a-z])"
WORDS = rf"(?:a{GAP}(?={'|'.join(_LARGE)}))?{_CARDINAL}(?:(?:-|{GAP}){_CARDINAL})*"
"""A pattern for what may be a number in words."""

ORDINAL_WORDS = rf"(?:{_CARDINAL}(?:-|{GAP}))*{choice(_ORDINALS)}(?![a-z])"
"""A pattern for what may be an ordinal in words."""


def number_of(text: str) -> int | None:
    """Return the number that ``text`` spells, in any case; None if it spells none, or none up to :data:`MOST`."""
    return _counted(_SPLIT.split(text.lower()))


def number_of_ordinal(text: str) -> int | None:
    """Return the number whose ordinal ``text`` spells, in any case, or None."""
    words = _SPLIT.split(text.lower())
    last = _ORDINALS.get(words[-1])
    return None if last is None else _counted([*words[:-1], last])


def _counted(words: list[str]) -> int | None:
    """Return what ``words`` add up to, if it is spelled in these words again; an "and" may be left out."""
    if words[0] == "a" and len(words) > 1 and words[1] in _LARGE:
        words = ["one", *words[1:]]
    total = group = 0
    for index, word in enumerate(words):
        if word in _VALUES:
            group += _VALUES[word]
        elif word == "hundred":
            group *= 100
        elif word in _LARGE:
            total, group = total + group * _LARGE[word], 0
        elif word != "and" or index == 0 or words[index - 1] not in _LARGE:
            return None
    number = total + group
    if number > MOST or _bare(_SPLIT.split(spelled(number))) != _bare(words):
        return None
    return number


def _bare(words: list[str]) -> list[str]:
    return [word for word in words if word != "and"]


_HEDGES = """
about|approximately|approx.|around|roughly|some|circa|ca.|almost|nearly|just over|just under|well over|over|under
above|below|only|just|exactly|at least|at most|up to|more than|less than|fewer than|no more than|no less than
a total of|an estimated|a mere|as many as|as much as|another|the
""".strip().replace("\n", "|")
HEDGES = rf"(?:{one_of(_HEDGES)}{GAP})?"
"""A pattern for a word that leaves the number behind it as it is, and the gap between them, or for nothing."""


class _Spelling:
    """Whole numbers in English words, in one case."""

    pattern = WORDS

    def read(self, text: str) -> tuple[int, str] | None:
        number, notation = number_of(text), in_case_of("words", text)
        return None if number is None or notation is None else (number, notation)

    def write(self, number: int, notation: str, agrees_with: str = "") -> str:
        return cased(spelled(number), notation)


class _Ordinals:
    """Ordinals that keep agreeing with their number: "21st", "third"."""

    pattern = rf"(?P<ordinal>(?P<number>{FIGURE})(?P<suffix>st|nd|rd|th)|{ORDINAL_WORDS})"
    public = "{ordinal}"

    def read(self, match: re.Match[str]) -> tuple[str, str] | None:
        suffix = match["suffix"]
        cardinal = _cardinal_in_words(match["ordinal"]) if suffix is None else _cardinal_in_figures(match)
        field = "ORDINAL" if suffix and suffix.isupper() else "ordinal"
        return None if cardinal is None else (cardinal, pattern_of(match, {"ordinal": field}))

    def fields(self, number: int, figure: str, notation: str) -> Mapping[str, str]:
        if notation.lower() == "words":
            return {"ordinal": cased(spelled_ordinal(number), notation)}
        return {"ordinal": figure + suffix_of(number), "ORDINAL": figure + suffix_of(number).upper()}


def _cardinal_in_words(words: str) -> str | None:
    """Return "Three" for "Third"; None for words that are the ordinal of nothing."""
    number, notation = number_of_ordinal(words), in_case_of("words", words)
    return None if number is None or notation is None else cased(spelled(number), notation)


def _cardinal_in_figures(match: re.Match[str]) -> str | None:
    """Return "3" for "3rd"; None where the letters are not those of the number."""
    suffix = suffix_of(int(re.sub("[^0-9]", "", match["number"])[-2:]))
    return match["number"] if match["suffix"] in (suffix, suffix.upper()) else None


NUMBERS = Numbers(_Spelling(), _Ordinals(), hedges=HEDGES, scale=SCALE, short_scale="bn|mn")
"""How numbers are written in English."""

"""Cues beside values, made of words of a language: births, relatives, and whether somebody is a woman or a man."""

from __future__ import annotations

import re
from typing import Any

import regex

from sfumato.language.accents import any_accents
from sfumato.language.patterns import choice
from sfumato.language.people import NAME, OTHER_NAME, Beside, Cues


def cues_of(
    births: str, women: str, men: str, others: str, born_woman: str, born_man: str, maiden: str, families: str
) -> Cues:
    """Return cues by words, which bars part.

    ``births`` stand before a date of birth; ``women`` and ``men`` are relatives and other words before a name,
    ``others`` relatives of either sex; ``born_woman`` and ``born_man`` stand behind the name of one, with their
    accents ("ne" is no "né"); ``maiden`` before a last name, and ``families`` before the name of a family.
    """
    kin = _words("|".join((women, men, others)))
    return Cues(
        birth=re.compile(rf"\b{choice(births.split('|'))}[\s:(=-]{{0,3}}\Z", re.IGNORECASE),
        relative=re.compile(rf"\b{kin}(?!\w)[^.!?;]*\Z", re.IGNORECASE),
        woman=_beside(women, born_woman),
        man=_beside(men, born_man),
        last_name=Beside(_ends(rf"(?i:\b(?:{_words(maiden)}|{_words(families)})[\s:]{{1,3}})"), re.compile(r"(?!)")),
    )


def _words(words: str) -> str:
    return any_accents(choice(words.split("|")))


def _beside(before: str, behind: str) -> Beside:
    """Return patterns for "sa fille NAME" and "NAME, née"; "et" and a second name may stand between."""
    return Beside(
        _ends(rf"(?<![\w-])(?i:{_words(before)})[\s,(]{{1,2}}(?!{OTHER_NAME})"),
        re.compile(rf"(?:,\s|\s\(|\s)(?i:{choice(behind.split('|'))})(?![\w'’-]|\s?{NAME})"),
    )


def _ends(pattern: str) -> Any:
    """Return a pattern that ends a text; it is looked for from the end, which takes a tenth of the time."""
    return regex.compile(rf"(?r)(?:{pattern})\Z")

"""Which indefinite article the words that follow take: "an hour", "a university", "an MRI", "an 8-year-old".

A public rule of English with public lists of exceptions. It answers None where speakers differ ("a herb", "an herb")
and where it cannot tell, so that whatever is written stays.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from sfumato.language.language import READ

Article = Literal["a", "an"]

_NUMBER = re.compile(r"[£$€¥]?(?P<digits>[0-9]+)(?P<groups>(?:,[0-9]{3})*)(?![0-9])")
_LETTERS = re.compile(r"[^\W\d_]+")
_AN_LETTERS = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an F, an MRI."""

_SPOKEN_ONSETS = frozenset(re.findall("..", "BLBRCHCLCRDRFLFRGLGRPLPRSCSHSKSLSMSNSPSTSWTHTRTWWH"))
_SPOKEN = frozenset(
    re.findall(r"\w+", "FEMA HIPAA HUD LAN LASIK MAC MIDI NAS NATO NICU RADAR RAM ROM SAD SARS SIM SONAR")
)
"""Abbreviations that are read as words although their letters might be named."""
_NAMED = frozenset(
    re.findall(r"\w+", "FAQS HDMI HTTP HTTPS HVAC LGBT LGBTQ MRSA NAACP NSAID NSAIDS NHSX RSPCA SSRI SSRIS UFOS")
)
"""Longer abbreviations whose letters are named."""

_VOWELS = frozenset("AEIOU")

_SILENT_H = re.compile(r"hour(?!i)|honest|honou?r(?!iu)|heir")
_EITHER = re.compile(r"herb|homage")
_YOU = re.compile(
    r"eu(?!ler)|ewe|ewan|ewing|ubiq|uganda|ukrain|ukul|unanim|unesco|uni(?!den|m(?!od)|n|r|ss)|ura[lnt]|ure[at]"
    r"|uri[cn]|urolog|uru|us[aeu]|ut[aeio]|uve|uvul"
)
"""Words that begin with a vowel letter and the sound of "you"."""
_ONE = re.compile(r"(?:once|ones?|oneself|ouija)$")


@lru_cache(maxsize=4096)
def indefinite_article(words: str) -> Article | None:
    """Return the article that ``words`` take, or None where either may be right. At most READ characters are read."""
    words = words[:READ]
    if number := _NUMBER.match(words):
        return _before_number(number["digits"], number["groups"])
    letters = _LETTERS.match(words)
    if letters is None:
        return None
    run = "".join(letter for letter in unicodedata.normalize("NFD", letters[0]) if not unicodedata.combining(letter))
    if not run.isascii() or not run:
        return None
    if len(run) == 1 or run.isupper() or _is_mixed(run):
        return _before_abbreviation(run)
    return _before_word(run.lower())


def _is_mixed(run: str) -> bool:
    """Return whether the first letter is named on its own, as in "mRNA" and "eGFR"."""
    return len(run) > 2 and run[0].islower() and run[1:].isupper()


def _before_number(digits: str, groups: str) -> Article | None:
    if digits[0] == "0":
        return None if len(digits) > 1 else "a"
    if digits[0] == "8":
        return "an"
    size = len(digits) + len(groups) // 4 * 3
    as_year = size == 4 and not groups  # "an 1850 house"
    leading = digits[: 2 if as_year else (len(digits) - 1) % 3 + 1]
    return "an" if leading in ("11", "18") else "a"


def _before_abbreviation(letters: str) -> Article:
    spelled = letters.upper()
    if not letters[0].islower() and _is_read_as_a_word(spelled):
        return _before_word(spelled.lower()) or "a"
    return "an" if spelled[0] in _AN_LETTERS else "a"


def _is_read_as_a_word(spelled: str) -> bool:
    if spelled in _SPOKEN or spelled in _NAMED:
        return spelled in _SPOKEN
    if len(spelled) < (6 if spelled[0] == "U" else 4):
        return False
    return not _VOWELS.isdisjoint(spelled[:2]) or spelled[:2] in _SPOKEN_ONSETS


def _before_word(word: str) -> Article | None:
    if _EITHER.match(word):
        return None
    if word[0] == "h":
        return "an" if _SILENT_H.match(word) else "a"
    if word[0] == "y":
        return "an" if len(word) > 1 and word[1] not in "aeiouy" else "a"
    if word[0] not in "aeiou" or _YOU.match(word) or _ONE.match(word):
        return "a"
    return "an"


def article(phrase: str) -> str:
    """Return "a" or "an" for a ``phrase`` of a list; by its first letter if either may be right."""
    first = unicodedata.normalize("NFD", phrase)[:1]
    return indefinite_article(phrase) or ("an" if first in "aeiouAEIOU" else "a")

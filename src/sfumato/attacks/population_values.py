"""Values of people as tables and records write them: ages and bands, sexes, names of places and occupations."""

from __future__ import annotations

import re

from sfumato.attacks.population import AGE, BIRTH_YEAR, OLDEST, SEX, Ages, Value
from sfumato.kinds.dates.age import Age
from sfumato.kinds.places.gazetteer import key
from sfumato.language.en.sexes import NAMES_OF_SEXES
from sfumato.language.languages import ENGLISH

_BAND = re.compile(r"\D*?(\d{1,3})\s*(?:-|–|to|and|bis)\s*(\d{1,3})\s*(?:years?(?: old)?)?\s*", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:over|at least|above)\s*(\d{1,3})\s*(?:years?)?|"
    r"(\d{1,3})\s*(?:years?\s*)?(?:\+|(?:and|or)\s*(?:over|older|above|more))\s*(?:years?)?",
    re.IGNORECASE,
)
_BELOW = re.compile(r"(?:<|under |below |less than )\s*(\d{1,3})\s*(?:years?)?\s*", re.IGNORECASE)
_EXACT = re.compile(r"(\d{1,3})(?:\.0+)?")
_YEAR = re.compile(r"\d{4}")


def value_of(attribute: str, text: object) -> Value | None:
    """Return the value of ``attribute`` that ``text`` writes; None if it cannot be read."""
    plain = " ".join(str(text).split())
    if attribute == AGE:
        return ages_of(plain)
    if attribute == BIRTH_YEAR:
        year = _YEAR.search(plain)
        return year[0] if year else None
    name = key(plain).casefold()
    return NAMES_OF_SEXES.get(name, name or None) if attribute == SEX else name or None


def ages_of(text: str, language: str = ENGLISH.code) -> Ages | None:
    """Return the first and last age in years of ``text``: of an age, a decade of life, or a band ("30-39", "85+")."""
    if exact := _EXACT.fullmatch(text):
        return _checked(int(exact[1]), int(exact[1]))
    if band := _BAND.fullmatch(text):
        return _checked(int(band[1]), int(band[2]))
    if below := _BELOW.fullmatch(text):
        return _checked(0, int(below[1]) - 1)
    if open_band := _OPEN.fullmatch(text):
        return _checked(int(open_band[1] or open_band[2]), OLDEST)
    if (reading := Age(language=language).read(text)) is not None:
        number = int(reading.value)
        years = {"year": (number, number), "decade": (number, number + 9), "month": (number // 12, number // 12)}
        return years.get(reading.form.grain, (0, 0))
    return None


def _checked(low: int, high: int) -> Ages | None:
    return (low, high) if 0 <= low <= high <= OLDEST else None

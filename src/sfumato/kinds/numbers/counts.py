"""Counts that stay small, in figures or in words: of years, of weeks, of minutes."""

from __future__ import annotations

import re

from sfumato.language.en.articles import indefinite_article
from sfumato.language.en.numbers import WORDS, number_of, spelled
from sfumato.language.en.units import UNITS_OF_TIME
from sfumato.language.letter_case import cased, in_case_of

DIGITS = "digits"
"""The notation of a count in figures. A count in words has the notation "words", "Words" or "WORDS"."""

COUNT = rf"(?:(?:0|[1-9][0-9]{{0,2}})(?![0-9])|{WORDS})"
"""A pattern for what may be a count: up to three figures without a zero before them, or words."""

_FIGURES = re.compile(r"[0-9]+")


def count_of(text: str) -> tuple[int, str] | None:
    """Return the number and the notation of a ``text`` that :data:`COUNT` matches, or None."""
    if _FIGURES.fullmatch(text):
        return int(text), DIGITS
    number, notation = number_of(text), in_case_of("words", text)
    return None if number is None or notation is None else (number, notation)


def count_field(group: str, text: str) -> str | None:
    """Return the field of a group of a shape: "" if its text stays, None if the text is in no single case."""
    if group == "unit":
        return UNITS_OF_TIME.agreeing(text)
    if group == "article":
        return "a" if text[0] == "a" else "A"
    return "number" if group in ("count", "single") else ""


def count_fields(number: int, notation: str) -> dict[str, str]:
    """Return what ``number`` puts into the fields of a pattern: itself in ``notation``, and its article."""
    article = indefinite_article(str(number)) or "a"
    figure = str(number) if notation == DIGITS else cased(spelled(number), notation)
    return {"number": figure, "a": article, "A": article.capitalize()}


def single_notation(article: str) -> str:
    """Return the notation in which the ``article`` of "a week" is a count: that of "one week"."""
    return "words" if article == article.lower() else "Words"

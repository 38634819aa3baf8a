"""Texts that tell nothing of anyone: prompts and names that office programs write, and headings of columns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources

from sfumato.language.languages import LANGUAGES

_ENOUGH = 3
_FIGURE = "Amount"


def is_prompt(text: str) -> bool:
    """Return whether all of ``text`` is what an office program writes where a person has yet to write."""
    return text.strip() in _lines("office_prompts.txt")


def is_heading(text: str, beside: Iterable[str] = ()) -> bool:
    """Return whether ``text`` has only words that name columns and fields, in a language that is known.

    A month or a weekday is one if all headings, ``beside`` which it is, hold three: "April" may be somebody. Any
    other heading is read as all texts are: it may be "Anna Berg's salary".
    """
    if _is_of_calendar(text):
        return sum(map(_is_of_calendar, beside)) >= _ENOUGH
    return any(language.is_heading(text) for language in LANGUAGES.values())


def lead_of(heading: str) -> str:
    """Return what leads a value below a heading: for a month another word, or a figure would look like a day."""
    return f"{heading if not _is_of_calendar(heading) else _FIGURE}: " if heading else ""


@lru_cache(maxsize=1000)
def _is_of_calendar(text: str) -> bool:
    name = text.strip().lower().removesuffix(".")
    sorts = [each for language in LANGUAGES.values() for each in (language.dates.months, language.dates.weekdays)]
    return any(name in names.full or name in names.short for names in sorts)


@cache
def program_words() -> frozenset[str]:
    """Return the words of names that office programs give, in small letters."""
    return frozenset(word for line in _lines("office_words.txt") for word in line.split())


@cache
def _lines(name: str) -> frozenset[str]:
    text = (resources.files("sfumato") / "data" / name).read_text(encoding="utf-8")
    return frozenset(text.partition("\n")[2].splitlines())

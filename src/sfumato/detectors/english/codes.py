"""Addresses of the net, dates and times in figures, ages: what a pattern recognises in a text on any subject.

Every pattern is linear or bounded in its repeats, so that a line of any length costs no more than its characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sfumato.detectors.found import Found, Rule, compiled, labelled
from sfumato.language.en.numbers import ONES, TENS
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH
from sfumato.language.patterns import any_of

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_NUMBER = rf"(?:\d{{1,3}}|(?:{any_of(TENS)}[- ])?{any_of((*ONES[1:], *TENS))})"

_PATTERNS: tuple[Rule, ...] = (
    (
        "IP_ADDRESS",
        0.9,
        r"(?<![\w:])(?=[0-9A-Fa-f:]*(?:[0-9A-Fa-f]{3}|::))(?:[0-9A-Fa-f]{1,4}:){4,7}(?::?[0-9A-Fa-f]{1,4}){1,3}(?![\w:])",
    ),
    ("IP_ADDRESS", 0.9, rf"(?<![\w.]){_OCTET}(?:\.{_OCTET}){{3}}(?!\w|\.\w)"),
    (
        "EMAIL_ADDRESS",
        0.95,
        r"(?<![^\s@,;:<>()\[\]{}\"“”|])[^\s@,;:<>()\[\]{}\"“”|]+(?:@[^\s@,;:<>()\[\]{}\"“”|]+)+(?<![.!?'’])",
    ),
    ("URL", 0.9, r"\b(?:https?|ftp)://[^\s<>\"“”]+|\bwww\.[^\s<>\"“”]+(?<![.,;:!?)])"),
    ("ACCOUNT", 0.8, r"(?<![\w@])@\w[\w.-]*\w"),
    ("DATE", 0.9, r"(?<![\w/.-])\d{4}[-/.](?:0?[1-9]|1[0-2])[-/.](?:[12]\d|3[01]|0?[1-9])(?:T[\d:.]+Z?)?(?![\w/])"),
    ("DATE", 0.9, r"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\1(?:\d{4}|\d\d)(?![\w/-])"),
    ("TIME", 0.9, r"\b(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s*[ap]\.?m\.?|\s*(?:hours|hrs)|\b)"),
    ("AGE", 0.9, rf"\b(?:aged?|at the age of)\s+{_NUMBER}(?:\s+years)?\b(?!\s?%)"),
    ("AGE", 0.9, rf"\b{_NUMBER}[- ](?:year|month|week|day)s?[- ]olds?\b"),
    ("CODE", 0.9, r"\b\p{Lu}{2,5}-\d{4,}\b"),
)


@lru_cache(maxsize=8)
def rules(language: Language = ENGLISH) -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled; ``language`` has those for dates."""
    dates = (("DATE", score, pattern) for score, pattern in language.dates_in_text.rules)
    return compiled((*_PATTERNS, *dates))


def codes(text: str, language: Language = ENGLISH) -> Iterator[Found]:
    """Yield every match of a pattern in ``text``; the spans may overlap."""
    yield from labelled(rules(language), text)

"""Elided articles at the ends of marks: "l'Ospedale" is the name behind "l'", and "Torino l" ends before the "l".

So are words that join a preposition and an article: "do Porto" is the place behind "do", but "da Silva" is a name.

The words are grammar, and what they leave is marked as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import regex

from sfumato.language.language import Language
from sfumato.text.marks import Finding


def without_elisions(text: str, findings: Sequence[Finding], language: Language | None) -> list[Finding]:
    """Return ``findings`` of ``text`` without elided and contracted words of ``language`` at their ends."""
    if language is None:
        return list(findings)
    if language.contracted:
        findings = list(_apart(text, findings, *_words(language.contracted)))
    return list(_cut(text, findings, *_ends(language.elided))) if language.elided else list(findings)


_PLACES = frozenset({"LOCATION", "PLACE", "ORGANIZATION"})
_NAMES = _PLACES | {"PERSON", "GROUP", "OCCUPATION"}


@cache
def _words(contracted: tuple[str, ...]) -> tuple[Any, Any]:
    words = "|".join(contracted)
    return regex.compile(rf"(?:{words})\s(?=\p{{Lu}})"), regex.compile(rf"(?<=\w)\s(?:{words})\Z")


def _apart(text: str, findings: Sequence[Finding], begin: Any, end: Any) -> Iterator[Finding]:
    for finding in findings:
        first, last = finding.start, finding.end
        lead = begin.match(text, first, last) if finding.label in _PLACES else None
        tail = end.search(text[first:last]) if finding.label in _NAMES else None
        first, last = first if lead is None else lead.end(), last if tail is None else first + tail.start()
        yield finding._replace(start=first, end=last)


@cache
def _ends(elided: tuple[str, ...]) -> tuple[Any, Any]:
    words = "|".join(elided)
    begin = regex.compile(rf"(?:{words})['’]\s?(?=\w)", regex.IGNORECASE)
    return begin, regex.compile(rf"(?<=\w)\s+(?:{words})(?:['’]\s?)?\Z", regex.IGNORECASE)


def _cut(text: str, findings: Sequence[Finding], begin: Any, end: Any) -> Iterator[Finding]:
    for finding in findings:
        first, last = finding.start, finding.end
        lead = begin.match(text, first, last)
        first = first if lead is None else lead.end()
        if text[last - 1 : last] in ("'", "’") or text[last : last + 1] in ("'", "’"):
            tail = end.search(text[first:last])
            last = last if tail is None else first + tail.start()
        yield finding._replace(start=first, end=last)

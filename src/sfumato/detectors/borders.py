"""Where marks begin and end in other languages than English: behind a greeting, and before the next key of a form.

What is cut off is grammar, greetings and keys alone, which the forms and lists of a language hold. Trimming in
:mod:`sfumato.detectors.english.trim_spans` comes before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import regex

from sfumato.detectors.counted_marks import WORDS_BEHIND, counted, days_alone, is_grammar
from sfumato.detectors.elisions import without_elisions
from sfumato.detectors.everyday import is_common
from sfumato.detectors.forms import is_key
from sfumato.detectors.roles import joined_last_names, names_alone
from sfumato.language.language import Language
from sfumato.language.patterns import any_of
from sfumato.text.marks import Finding

_NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "MISC"})
_GREETED = _NAMES | {"DATE"}
"""Labels that a greeting is marked with: "Guten Morgen" is no date."""
_ON_LINES = _GREETED | {"OCCUPATION", "CODE", "PHONE_NUMBER"}
_SHORT = 4
_KEY_BELOW = regex.compile(r"\s*\n[^\S\n]*\p{L}[^\n:\d]{0,40}:")
_WORDS_BEFORE = regex.compile(r"(?:\p{Ll}[\p{L}\p{M}]*[ \u00a0]+)+(?=\p{Lu})")


def within_borders(text: str, findings: Sequence[Finding], language: Language | None) -> list[Finding]:
    """Return ``findings`` of ``text`` without what is no part of a value in ``language``; None is English."""
    if language is None:
        return list(findings)
    timed = counted(text, findings, language)
    lined = [_before_key(text, own, language) if own.label in _ON_LINES else own for own in timed]
    greeted = list(_without_greetings(text, lined, language))
    whole = list(_whole_institutions(text, greeted, language))
    bare = [_without_words(text, own, language) if own.label in _NAMES else own for own in whole]
    bare = list(joined_last_names(text, list(names_alone(text, bare, language)), language))
    return _disjoint(without_elisions(text, days_alone(text, bare, language), language))


def _disjoint(findings: Iterable[Finding]) -> list[Finding]:
    """Return ``findings`` in reading order; none reaches into the one before it, and none is empty."""
    apart: list[Finding] = []
    for own in sorted(findings, key=lambda own: (own.start, -own.end)):
        start = max(own.start, apart[-1].end) if apart else own.start
        if start < own.end:
            apart.append(own._replace(start=start))
    return apart


def _before_key(text: str, finding: Finding, language: Language) -> Finding:
    """Return ``finding`` without the lines from that on which begins with a key and a colon.

    A name that is broken over two lines stays whole before a colon: "Juan / Rodríguez dijo:".
    """
    below = _KEY_BELOW.search(text, finding.start)
    if below is None or not finding.start < below.start() < finding.end:
        return finding
    line, marked = below.group().strip(" \n:"), text[below.start() : finding.end].strip(" \n:")
    is_one = is_key(line, language) or is_key(marked, language) or _says_none(marked, language)
    return finding._replace(end=below.start()) if is_one else finding


def _says_none(words: str, language: Language) -> bool:
    """Return whether ``words`` are everyday ones or short forms, as are keys that no list has: "PLZ", "Telefoon"."""
    return all((word.isupper() and len(word) <= _SHORT) or is_common(word, language.code) for word in words.split())


def _without_greetings(text: str, findings: Sequence[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``findings`` without the greetings that they begin with; one that is within a greeting is left out."""
    pattern = _greetings(language)
    if pattern is None or not any(own.label in _GREETED for own in findings):
        yield from findings
        return
    greetings = [match.span() for match in pattern.finditer(text)]
    for own in findings:
        for start, end in greetings if own.label in _GREETED else ():
            if own.end <= end and start <= own.start:
                break
            if start <= own.start < end:
                own = own._replace(start=end)
        else:
            yield own


@cache
def _greetings(language: Language) -> Any:
    """Return a pattern for greetings and the signs behind them, where a sentence or a line begins."""
    forms = language.forms
    if not forms.greetings:
        return None
    dear = any_of(forms.dear) or "(?!)"
    return regex.compile(
        rf"(?<=\A|[\n.!?,;…–-]\s?|[\n.!?]\s{{2}})(?:{any_of(forms.greetings)}(?![\p{{L}}\p{{M}}\d-])"
        rf"|{dear}(?=[ \u00a0]\p{{L}}))[,!. \u00a0]*+",
        regex.IGNORECASE,
    )


def _whole_institutions(text: str, findings: Iterable[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``findings``; an institution in two marks is one: "Audiencia" and "Provincial", "Politie" and a town.

    An article before a word for an institution is no part of its name.
    """
    last: Finding | None = None
    for own in findings:
        if last is not None and text[last.end : own.start] == " " and _is_one(text, last, own, language):
            last = last._replace(end=own.end)
            continue
        if last is not None:
            yield _without_article(text, last, language)
        last = own
    if last is not None:
        yield _without_article(text, last, language)


def _is_one(text: str, last: Finding, own: Finding, language: Language) -> bool:
    """Return whether two marks with a blank between are one institution."""
    if last.label != "ORGANIZATION" or own.label not in ("ORGANIZATION", "LOCATION"):
        return False
    word = text[last.start : last.end].split()[-1]
    return (word[0].isupper() and own.label == "ORGANIZATION") or _names_one(word, language)


def _without_article(text: str, finding: Finding, language: Language) -> Finding:
    words = text[finding.start : finding.end].split(" ")
    if finding.label != "ORGANIZATION" or len(words) == 1 or words[0].lower() not in language.small_words:
        return finding
    return finding._replace(start=finding.start + len(words[0]) + 1) if _names_one(words[1], language) else finding


def _names_one(word: str, language: Language) -> bool:
    return language.institutions.names([word.casefold()])


def _without_words(text: str, finding: Finding, language: Language) -> Finding:
    """Return the mark of a name without the common words in small letters around its words with capitals."""
    start, end, is_person = finding.start, finding.end, finding.label == "PERSON"
    before = _WORDS_BEFORE.match(text, start, end) if is_person else None
    if before is not None and is_grammar(before.group(), language):
        start = before.end()
    behind = WORDS_BEHIND.search(text[start:end])
    if behind is not None and text[start].isupper():
        words = behind.group().split()
        if language.small_words.issuperset(words) or (
            is_person and all(is_common(word, language.code) for word in words)
        ):
            end = start + behind.start()
    return finding._replace(start=start, end=end)

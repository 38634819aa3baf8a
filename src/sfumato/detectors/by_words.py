"""Ages, times of day, feasts and occupations that words of other languages than English show inside a text.

The readers of a language decide what they are, as they do when a value is replaced. A name wins over any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import regex

from sfumato.detectors.everyday import is_first_name_alone, is_name
from sfumato.detectors.found import Found
from sfumato.detectors.roles import is_party, is_relative
from sfumato.language.counting import AgesInText
from sfumato.language.forms import spellings
from sfumato.language.language import Language
from sfumato.language.patterns import any_of

_BESIDE = 48
_MOST = 5
"""How many words a number has at most: "treinta y nueve" has three."""
_EACH = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_WORDS = regex.compile(r"(?r)[\p{L}\p{M}\p{N}½]+")
_FULL_NAME = regex.compile(
    r"\p{Lu}\p{Ll}+(?:[ \u00a0](?:(?:de|da|do|dos|das|di|van|von|del)[ \u00a0])?\p{Lu}\p{Ll}+){1,3}(?!\p{L})"
)
"""A first name and up to three further names."""
_SAINTS = ("san ", "santo ", "santa ", "são ", "saint-", "saint ", "sint-", "santiago")


def by_words(text: str, language: Language | None) -> Iterator[Found]:
    """Yield what the words of ``language`` show; nothing without one."""
    if language is None:
        return
    ages, clock, (firsts, feasts) = language.counts.ages_in_text, language.clock, _feasts(language)
    for word in _EACH.finditer(text):
        own = word.group().lower()
        if ages is not None and own in ages.nouns:
            yield from _age(text, word, language, ages)
        if clock.in_text is not None and (own[0].isdecimal() or own in clock.first_words):
            yield from _of(clock.in_text.match(text, word.start()), "TIME", 0.8, "times")
        if own in firsts:
            match = feasts.match(text, word.start())
            yield from _of(match if match and _is_feast(match, text, language) else None, "DATE", 0.8, "feasts")
        if not language.capital_nouns and word.group()[0].isupper() and (end := _end_of_name(text, word, language)):
            yield Found(word.start(), end, "PERSON", 0.6, "names")
        if own in language.jobs and _tells_work(text, word, language):
            yield from _of(word, "OCCUPATION", 0.6, "jobs")


def _tells_work(text: str, word: Any, language: Language) -> bool:
    """Return whether a ``word`` for work may be that of somebody: no name, no office, no "the baker bakes bread"."""
    before = _WORDS.search(text, max(0, word.start() - _BESIDE), word.start())
    has_article = before is not None and bool(language.phrasing.gender_of(before.group().lower()))
    return not (has_article or is_party(word.group(), language) or is_name(word.group(), language.code))


def _end_of_name(text: str, word: Any, language: Language) -> int:
    """Return where a name ends that begins with a first name, which names nothing else; 0 if none begins."""
    name = _FULL_NAME.match(text, word.start())
    if name is None or language.is_everyday(word.group()) or not is_first_name_alone(word.group(), language.code):
        return 0
    return int(name.end())


def _of(match: Any, label: str, score: float, finder: str) -> Iterator[Found]:
    if match is not None:
        yield Found(match.start(), match.end(), label, score, finder)


def _age(text: str, noun: Any, language: Language, ages: AgesInText) -> Iterator[Found]:
    """Yield the number before a unit of time if a word beside them, or commas, show it to be an age."""
    start = _number_before(text, noun.start(), noun.end(), language)
    if start is None:
        return
    behind = ages.behind.match(text, noun.end())
    is_age = behind or ages.before.search(text, max(0, start - _BESIDE), start) or _is_apart(text, start, noun.end())
    if not is_age and (of := ages.of.search(text, max(0, start - _BESIDE), start)):
        is_age = _is_person(text, of.start(), language)
    if is_age:
        yield Found(start, behind.end() if behind else noun.end(), "AGE", 0.8, "ages")


def _number_before(text: str, end: int, last: int, language: Language) -> int | None:
    """Return where the number begins that stands before a noun, or None if none does."""
    start, last_start = None, end
    for count, word in enumerate(_WORDS.finditer(text, max(0, end - _BESIDE), end)):
        if count == _MOST or (gap := text[word.end() : last_start]).strip(" \u00a0") or not gap:
            break
        last_start = word.start()
        if _counts(text[word.start() : last], language):
            start = word.start()
    return start


def _counts(words: str, language: Language) -> bool:
    """Return whether ``words`` are a number and a unit of time, and nothing else."""
    age = language.counts.age(words)
    return age is not None and age.pattern.startswith("{number")


def _is_apart(text: str, start: int, end: int) -> bool:
    """Return whether commas or brackets part an age from what is beside it: ", 36 anos,"."""
    return text[max(0, start - 2) : start].strip() in (",", "(") and text[end : end + 1] in (",", ")", "\n", "")


def _is_person(text: str, end: int, language: Language) -> bool:
    """Return whether the word before ``end`` is one for a person: "mujer", "Paciente"."""
    word = _WORDS.search(text, max(0, end - _BESIDE), end)
    if word is None or text[word.end() : end].strip():
        return False
    own = word.group()
    return is_relative(own, language) or is_party(own, language) or own.casefold() in language.jobs


@cache
def _feasts(language: Language) -> tuple[frozenset[str], Any]:
    """Return the first words of feasts, and a pattern for a feast and its year."""
    names: list[str] = []
    for named in language.dates.named:
        own = named.grains.get("holiday", {})
        names += [*own, *(word for word, of in named.others.items() if of in own)]
    firsts = frozenset(spelled for name in names for spelled in spellings(_EACH.findall(name)[0].lower()))
    years = r"(?:[ \u00a0](?:19|20)\d\d(?!\d))?"
    ways = any_of(sorted({spelled for name in names for spelled in spellings(name)})) or "(?!)"
    return firsts, regex.compile(rf"(?P<name>{ways})(?![\p{{L}}\p{{M}}\p{{N}}]){years}", regex.IGNORECASE)


def _is_feast(match: Any, text: str, language: Language) -> bool:
    """Return whether the words name a feast here: they have a capital, and are no name of somebody or of a place."""
    name = match["name"]
    if not any(map(str.isupper, name)) or name.lower().startswith(_SAINTS):
        return False
    before = _WORDS.search(text, max(0, match.start() - _BESIDE), match.start())
    small = before is not None and before.group().lower() in language.small_words
    if before is not None and not small and before.group()[0].isupper() and text[before.end() : match.start()] == " ":
        return False
    if not any(is_name(word, language.code) for word in name.split() if word[0].isupper()):
        return True
    return small

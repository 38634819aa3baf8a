"""Marks of dates, times, ages and lengths of time in languages other than English: what each is, where it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import regex

from sfumato.detectors.everyday import is_common, is_name
from sfumato.language.language import Language
from sfumato.language.letter_case import bare
from sfumato.language.patterns import any_of
from sfumato.text.marks import Finding

_APART = 2
"""The most words from one word that tells a time to the next one of the same date: "3 de mayo"."""
_DAYS = frozenset({"DATE", "TIME"})
_PIECE = regex.compile(r"[\p{L}\p{M}]+|\p{N}+")
_LIKELY = 0.5
"""The chance from which a mark of an age may do without a number that is read: "la trentaine"."""
_MAY_LAST = frozenset({"DATE", "TIME", "LOCATION"})
_MEASURED = regex.compile(
    r"(?r)(?:\b(?i:art(?:\.|ikel|ikels|ículos?|icles?|igos?|icol[oi])?)|§|\b(?:TA|PA|RR))[ \u00a0:]{0,2}\Z"
)
"""What stands before figures of a law or of a blood pressure: "artikel 7:17", "TA 14/8"."""
_MAY_BE_AGE = frozenset({"DATE", "TIME", "QUANTITY", "DURATION"})
_BESIDE = 24
_ITEM = regex.compile(r"(?:\A|[.;:!?]\s|\s*\n\s?)\d{1,2}[.)][ ]\p{Lu}")
_NOUN_BEHIND = regex.compile(r"[ \u00a0]\p{L}{3,20}(?!\p{L})")
WORDS_BEHIND = regex.compile(r"(?r)(?<=[\p{L}\d.])(?:[ \u00a0]+\p{Ll}[\p{L}\p{M}]*)+\Z")


def counted(text: str, findings: Sequence[Finding], language: Language) -> list[Finding]:
    """Return ``findings``, of which lengths of time and ages are marked as such, and numbers of lists not at all."""
    timed = [_as_duration(text, own, language) if own.label in _MAY_LAST else own for own in findings]
    timed = [
        _as_age(text, own, language) if own.label in _MAY_BE_AGE else own for own in timed if not _counts(text, own)
    ]
    return [own for own in timed if not _counts_nothing(text, own, language)]


def days_alone(text: str, findings: Sequence[Finding], language: Language) -> list[Finding]:
    """Return ``findings``, those of dates and times without words at their ends that tell no time."""
    marks = (each for own in findings for each in (_days(text, own, language) if own.label in _DAYS else (own,)))
    return [own for own in marks if own.label != "DATE" or not _says_no_day(text[own.start : own.end], language)]


def _days(text: str, finding: Finding, language: Language) -> Iterator[Finding]:
    """Yield the mark of a date or time without the words at its ends that tell no time: "30.10. drang", "den 3. Mai".

    Two such words and a comma part two dates: "ontem, e na sexta-feira".
    A word with a capital is cut off if the language often uses it; what it does not know may be the name of a feast.
    """
    pieces = list(_PIECE.finditer(text, finding.start, finding.end))
    telling = [number for number, piece in enumerate(pieces) if _tells_time(piece.group(), language)]
    begins = telling[:1] + [
        number
        for last, number in pairwise(telling)
        if number - last > _APART and "," in text[pieces[last].end() : pieces[number].start()]
    ]
    for number, first in enumerate(begins):
        until = begins[number + 1] if number + 1 < len(begins) else len(pieces)
        last = max(each for each in telling if each < until)
        start = finding.start if first == 0 else pieces[first].start()
        yield finding._replace(start=start, end=finding.end if last == len(pieces) - 1 else pieces[last].end())


def _tells_time(word: str, language: Language) -> bool:
    if not word[0].isalpha():
        return True
    small = bare(word.lower())
    if small in _times(language) or small.removesuffix("s").endswith(_weekdays(language)):
        return True
    if _is_unit(word, language) or language.numbers.spelling.read(word.lower()) is not None:
        return True
    return not (word.islower() or small in language.small_words or is_common(word, language.code))


@cache
def _times(language: Language) -> frozenset[str]:
    """Return the words of dates and times in small letters, without accents."""
    dates = language.dates
    names = [
        *dates.months.full,
        *dates.months.short,
        *dates.weekdays.full,
        *dates.weekdays.short,
        *dates.seasons.full,
    ]
    named = [word for each in dates.named for grain in each.grains.values() for word in grain]
    named += [word for each in dates.named for word in each.others]
    words = (word for phrase in (*names, *named, *language.clock.words) for word in _PIECE.findall(phrase))
    return frozenset(bare(word.lower()) for word in words) - language.small_words


@cache
def _weekdays(language: Language) -> tuple[str, ...]:
    return tuple(bare(word.lower()) for day in language.dates.weekdays.full for word in _PIECE.findall(day))


def behind_dates(text: str, findings: Sequence[Finding], language: Language | None) -> list[Finding]:
    """Return ``findings``; what was one mark with a date and is behind it is no date: an institution, or a verb."""
    if language is None:
        return list(findings)
    kept: list[Finding] = []
    for own in _names_of_days(text, findings, language):
        last = kept[-1] if kept else None
        if last is None or {last.label, own.label} != {"DATE"} or last.end != own.start:
            kept.append(own)
            continue
        words = text[own.start : own.end].split()
        own = own._replace(start=own.end - len(text[own.start : own.end].lstrip()))
        if any(word[0].isupper() for word in words) and not any(map(str.isdigit, "".join(words))):
            first = len(words[0]) + 1 if words[0] in language.small_words and words[1:] else 0
            kept.append(own._replace(start=own.start + first, label="ORGANIZATION"))
        elif len(words) > 1 or not words[0].isalpha():
            kept.append(own)
    return kept


def _names_of_days(text: str, findings: Sequence[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``findings``; a name that is a day or a month too is a person's beside a name: "Yuri Domingos Kiala"."""
    for number, own in enumerate(findings):
        words = text[own.start : own.end]
        beside = [*findings[max(0, number - 1) : number], *findings[number + 1 : number + 2]]
        may_name = own.label == "DATE" and words.isalpha() and words[0].isupper()
        may_name = may_name and any(is_name(word, language.code) for word in (words, words.removesuffix("s")))
        if may_name and any(_is_beside(text, own, each) for each in beside if each.label == "PERSON"):
            own = own._replace(label="PERSON")
        yield own


def _is_beside(text: str, finding: Finding, other: Finding) -> bool:
    """Return whether one blank alone parts two marks."""
    return text[min(finding.end, other.end) : max(finding.start, other.start)] in (" ", "\u00a0")


def _as_duration(text: str, finding: Finding, language: Language) -> Finding:
    """Return the mark of a duration as such: "2" of "2 semanas"; a preposition behind is no part: "um 5 zu"."""
    words = text[finding.start : finding.end]
    noun = _NOUN_BEHIND.match(text, finding.end) if words.isdecimal() else None
    behind = WORDS_BEHIND.search(words)
    is_grammar = behind is not None and language.small_words.issuperset(behind.group().split())
    cut = len(behind.group()) if behind is not None and is_grammar else 0
    end = finding.end - cut if noun is None else noun.end()
    if language.counts.duration(text[finding.start : end]) is not None:
        return finding._replace(end=end, label="DURATION")
    return finding._replace(end=finding.end - cut)


def _as_age(text: str, finding: Finding, language: Language) -> Finding:
    """Return the mark of a number of years as that of an age, unless the word before says that they last: "seit"."""
    words = text[finding.start : finding.end]
    age = language.counts.age(words) if any(map(str.isalpha, words)) else None
    if age is None or age.unit != "year":
        return finding
    lasts = _lasting(language).search(text, max(0, finding.start - _BESIDE), finding.start)
    return finding if lasts else finding._replace(label="AGE")


@cache
def _lasting(language: Language) -> Any:
    words = any_of(language.forms.lasting) or "(?!)"
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{words})[ \u00a0]+\Z", regex.IGNORECASE)


def _counts_nothing(text: str, finding: Finding, language: Language) -> bool:
    """Return whether a mark of an age has no number, or one of a date or time figures of something else."""
    words = text[finding.start : finding.end]
    if finding.label in ("DATE", "TIME"):
        return not any(map(str.isalpha, words)) and _MEASURED.search(text, 0, finding.start) is not None
    if (
        finding.label != "AGE"
        or (finding.score or 0) >= _LIKELY
        or any(map(str.isdigit, words))
        or language.counts.age(words) is not None
    ):
        return False
    return not any(language.numbers.spelling.read(word.lower()) for word in _PIECE.findall(words))


def _counts(text: str, finding: Finding) -> bool:
    """Return whether a date is the number of an item of a list: "1. No dia"."""
    is_short = finding.label == "DATE" and finding.end - finding.start <= 2
    return is_short and _ITEM.match(text, max(0, finding.start - 2), finding.end + 3) is not None


def _says_no_day(words: str, language: Language) -> bool:
    """Return whether the ``words`` of a date are grammar, or a unit of time without a number: "Jahre"."""
    return is_grammar(words, language) or (
        words.isalpha() and not language.dates.weekdays.is_full(words) and _is_unit(words, language)
    )


def _is_unit(word: str, language: Language) -> bool:
    return language.counts.duration(f"3 {word}") is not None


def is_grammar(words: str, language: Language) -> bool:
    """Return whether all ``words`` are articles, prepositions and the like, which begin no name."""
    own = words.lower().split()
    return all(word in language.small_words and word not in language.particles for word in own)

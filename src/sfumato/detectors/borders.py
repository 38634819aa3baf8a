"""Where marks begin and end in other languages than English: behind a greeting, and before the next key of a form.

What is cut off is grammar, greetings and keys alone, which the forms and lists of a language hold. Trimming in
:mod:`sfumato.detectors.english.trim_spans` comes before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import regex

from sfumato.detectors.elisions import without_elisions
from sfumato.detectors.everyday import is_common, is_name
from sfumato.detectors.forms import is_key
from sfumato.detectors.roles import joined_last_names, names_alone
from sfumato.language.language import Language
from sfumato.language.letter_case import bare
from sfumato.language.patterns import any_of
from sfumato.text.marks import Finding

_NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "MISC"})
_GREETED = _NAMES | {"DATE"}
"""Labels that a greeting is marked with: "Guten Morgen" is no date."""
_ON_LINES = _GREETED | {"OCCUPATION", "CODE", "PHONE_NUMBER"}
_SHORT = 4
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
_KEY_BELOW = regex.compile(r"\s*\n[^\S\n]*\p{L}[^\n:\d]{0,40}:")
_NOUN_BEHIND = regex.compile(r"[ \u00a0]\p{L}{3,20}(?!\p{L})")
_WORDS_BEFORE = regex.compile(r"(?:\p{Ll}[\p{L}\p{M}]*[ \u00a0]+)+(?=\p{Lu})")
_WORDS_BEHIND = regex.compile(r"(?r)(?<=[\p{L}\d.])(?:[ \u00a0]+\p{Ll}[\p{L}\p{M}]*)+\Z")


def within_borders(text: str, findings: Sequence[Finding], language: Language | None) -> list[Finding]:
    """Return ``findings`` of ``text`` without what is no part of a value in ``language``; None is English."""
    if language is None:
        return list(findings)
    timed = [_as_duration(text, own, language) if own.label in _MAY_LAST else own for own in findings]
    timed = [
        _as_age(text, own, language) if own.label in _MAY_BE_AGE else own for own in timed if not _counts(text, own)
    ]
    timed = [own for own in timed if not _counts_nothing(text, own, language)]
    lined = [_before_key(text, own, language) if own.label in _ON_LINES else own for own in timed]
    greeted = list(_without_greetings(text, lined, language))
    whole = list(_whole_institutions(text, greeted, language))
    bare = [_without_words(text, own, language) if own.label in _NAMES else own for own in whole]
    bare = list(joined_last_names(text, list(names_alone(text, bare, language)), language))
    bare = [each for own in bare for each in (_days_alone(text, own, language) if own.label in _DAYS else (own,))]
    kept = [own for own in bare if own.label != "DATE" or not _says_no_day(text[own.start : own.end], language)]
    return _disjoint(without_elisions(text, kept, language))


def _disjoint(findings: Iterable[Finding]) -> list[Finding]:
    """Return ``findings`` in reading order; none reaches into the one before it, and none is empty."""
    apart: list[Finding] = []
    for own in sorted(findings, key=lambda own: (own.start, -own.end)):
        start = max(own.start, apart[-1].end) if apart else own.start
        if start < own.end:
            apart.append(own._replace(start=start))
    return apart


def _days_alone(text: str, finding: Finding, language: Language) -> Iterator[Finding]:
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


def _as_duration(text: str, finding: Finding, language: Language) -> Finding:
    """Return the mark of a duration as such: "2" of "2 semanas"; a preposition behind is no part: "um 5 zu"."""
    words = text[finding.start : finding.end]
    noun = _NOUN_BEHIND.match(text, finding.end) if words.isdecimal() else None
    behind = _WORDS_BEHIND.search(words)
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


def _says_no_day(words: str, language: Language) -> bool:
    """Return whether the ``words`` of a date are grammar, or a unit of time without a number: "Jahre"."""
    return _is_grammar(words, language) or (
        words.isalpha() and not language.dates.weekdays.is_full(words) and _is_unit(words, language)
    )


def _is_unit(word: str, language: Language) -> bool:
    return language.counts.duration(f"3 {word}") is not None


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
    if before is not None and _is_grammar(before.group(), language):
        start = before.end()
    behind = _WORDS_BEHIND.search(text[start:end])
    if behind is not None and text[start].isupper():
        words = behind.group().split()
        if language.small_words.issuperset(words) or (
            is_person and all(is_common(word, language.code) for word in words)
        ):
            end = start + behind.start()
    return finding._replace(start=start, end=end)


def _is_grammar(words: str, language: Language) -> bool:
    """Return whether all ``words`` are articles, prepositions and the like, which begin no name."""
    own = words.lower().split()
    return all(word in language.small_words and word not in language.particles for word in own)

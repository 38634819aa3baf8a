"""Marks that the words beside them correct: a month that is a person, a firm of two names, a couple with one name.

A month is a person by the words beside it alone ("May said", "Dear May"), whichever month it is. So two texts that
differ in dates of one form are marked alike (:mod:`sfumato.detectors.any_date`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import regex

from sfumato.detectors.english.names import last_names
from sfumato.detectors.found import Found, unions
from sfumato.language.en.calendar import MONTHS
from sfumato.language.en.people import LONG, SHORT, TITLES
from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import any_of
from sfumato.text.marks import Finding

PERSON, ORGANIZATION, DATE, OCCUPATION = "PERSON", "ORGANIZATION", "DATE", "OCCUPATION"
_WORDS = {use: any_of(words_of(words)) for use, words in lists_of("en", "relatives").items()}
_MONTH = regex.compile(MONTHS.capitalised)
_ALONE = regex.compile(rf"(?<!\p{{L}}){MONTHS.capitalised}(?!\p{{L}})")
_SAYING = any_of(words_of(
    "said says told tells asked asks replied replies answered explained complained complains denied denies thinks "
    "thought felt feels wanted wants knew knows hoped hopes smiled laughed cried wept whispered phoned texted "
    "emailed smokes drinks sleeps lives"
))  # fmt: skip
_TOLD = any_of(words_of(
    "told asked hugged kissed married phoned texted emailed thanked Hi Hello Hey Dear Thanks named called "
    "Aunt Auntie Grandma Nurse"
))  # fmt: skip
_SAYS = regex.compile(rf"(?:['’]s)?\s(?:\p{{Ll}}+ly\s)?{_SAYING}\b|['’]s\s(?i:{_WORDS['relatives']})\b")
_IS_TOLD = regex.compile(rf"(?<![\p{{L}}-])(?:{_TOLD}|(?i:{_WORDS['women']}|{_WORDS['men']})),?\s\Z")
_LEADS = regex.compile(
    r"\b(?i:in|since|until|till|during|last|next|early|late|mid|of|from|to|by|on|for|every|this)[\s-]\Z"
)
_AND, _BLANK = regex.compile(r"\s(?:and|&)\s"), regex.compile(r"[^\S\n]")
_ENDS_WITH_AND = regex.compile(r".*\p{Lu}.*\s(?:and|&)", regex.DOTALL)
_BARE_TITLE = regex.compile(rf"(?:{SHORT}\.?|{LONG}|(?i:{any_of(TITLES.read)})\.?)")
_COUPLE_BEFORE = regex.compile(rf"(?<!\p{{L}})(?:{SHORT}\.?|{LONG})\s(?:and|&)\s\Z")
_TITLED = regex.compile(rf"(?:{SHORT}\.?|{LONG})\s")
_BY_SEX = regex.compile(rf"(?i)(?:{_WORDS['female']}|{_WORDS['male']}|infant|baby)")
_FAMILY = regex.compile(
    r"\b[Tt]he\s(?P<name>\p{Lu}[\p{Ll}\p{M}]+(?:[-\u2011]\p{Lu}[\p{Ll}\p{M}]+)?)\s(?:family|household)\b"
)
_LAST_WORD = regex.compile(r".*\s(?P<word>\p{Lu}\p{Ll}+)", regex.DOTALL)
_FIRM = regex.compile(r"\p{L}\s(?:&|and)\s(?:Sons?|Daughters?|Co|Partners|Brothers|Associates|Company)\b")
_FAR = 40
_BRACKETS = frozenset(((" (", ") "), (' "', '" '), (" “", "” "), (" ‘", "’ "), (" '", "' ")))


def people(text: str) -> Iterator[Found]:
    """Yield the last names of families, "the Hall family", and months that are people, "May said"."""
    for match in _FAMILY.finditer(text):
        if match["name"].lower() in last_names():
            yield Found(match.start("name"), match.end("name"), PERSON, 0.7)
    for month in _ALONE.finditer(text):
        if _is_person(text, month.start(), month.end()):
            yield Found(month.start(), month.end(), PERSON, 0.7)


def is_institution(text: str) -> bool:
    """Return whether a name says that it is an institution's: "Ruth K. Broad Cancer Pavilion", "Hall & Daughters"."""
    last = _LAST_WORD.fullmatch(text)
    return (last is not None and _INSTITUTION.fullmatch(last["word"]) is not None) or _FIRM.search(text) is not None


_INSTITUTION = regex.compile(any_of(map(str.capitalize, words_of(lists_of("en", "relatives")["institutions"]))))


def says_sex_alone(found: Found, text: str) -> bool:
    """Return whether a mark of somebody's work holds a ``text`` such as "boy", which pronouns tell anyway."""
    return found.label == OCCUPATION and _BY_SEX.fullmatch(text) is not None


def corrected(text: str, findings: Sequence[Finding], labels: Collection[str] | None = None) -> list[Finding]:
    """Return ``findings`` of ``text``, in reading order, as the words beside them say.

    Of ``labels``, if they are given, a finding gets no other. Nothing that was marked becomes unmarked.
    """
    months = _months(text, findings) if labels is None or PERSON in labels else set()
    result, firms = list[Finding](), dict[str, Finding]()
    for finding in findings:
        if finding.start in months:
            finding = finding._replace(label=PERSON)
        if finding.label == PERSON and is_institution(text[finding.start : finding.end]):
            finding = finding._replace(label=ORGANIZATION if labels is None or ORGANIZATION in labels else PERSON)
        elif finding.label == PERSON:
            couple = _couple(text, finding, result)
            finding = finding if couple is None else finding._replace(start=couple)
            while result and result[-1].start >= finding.start:
                result.pop()
            if len(result) > 1 and _has_nickname(text, result[-2], result[-1], finding):
                finding = finding._replace(start=result[-2].start)
                del result[-2:]
        if result and _is_one(text, result[-1], finding):
            finding = finding._replace(start=result[-1].start, label=result.pop().label)
            firms[text[finding.start : finding.end]] = finding
        result.append(finding)
    return _again(text, result, firms)


def _again(text: str, findings: list[Finding], names: Mapping[str, Finding]) -> list[Finding]:
    """Return ``findings`` with all of each of ``names`` marked wherever else the text has it."""
    if not names:
        return findings
    pattern = regex.compile(rf"(?<!\p{{L}})(?:{'|'.join(map(regex.escape, names))})(?!\p{{L}})")
    more = [names[match.group()]._replace(start=match.start(), end=match.end()) for match in pattern.finditer(text)]
    joined = unions([*findings, *more], lambda own: (float(own in more), own.end - own.start, -own.start))
    return [best._replace(start=start, end=end) for start, end, best in joined]


def _months(text: str, findings: Sequence[Finding]) -> set[int]:
    """Return where months stand that are people: by the words beside them, or as the same word is elsewhere."""
    alone = [each for each in findings if each.label == DATE and _MONTH.fullmatch(text, each.start, each.end)]
    free = [each for each in alone if not _LEADS.search(text, max(0, each.start - _FAR), each.start)]
    people = {text[each.start : each.end] for each in free if _is_person(text, each.start, each.end)}
    return {each.start for each in free if text[each.start : each.end] in people}


def _is_person(text: str, start: int, end: int) -> bool:
    leads = _LEADS.search(text, max(0, start - _FAR), start)
    return not leads and bool(_SAYS.match(text, end) or _IS_TOLD.search(text, max(0, start - _FAR), start))


def _couple(text: str, finding: Finding, before: Sequence[Finding]) -> int | None:
    """Return where "Mr and Mrs Moss" begins, of which a mark may hold the second title alone."""
    if _TITLED.match(text, finding.start, finding.end) is None:
        return None
    first: Any = _COUPLE_BEFORE.search(text, max(0, finding.start - _FAR), finding.start)
    fits = first is not None and all(mark.end <= first.start() or mark.start >= first.start() for mark in before[-2:])
    return int(first.start()) if fits else None


def _has_nickname(text: str, first: Finding, second: Finding, last: Finding) -> bool:
    """Return whether three marks are a name with a short name in brackets or quotes: "Sam (Samantha) Lowe"."""
    between = text[first.end : second.start], text[second.end : last.start]
    words = " ".join(text[mark.start : mark.end] for mark in (first, second)).split()
    return between in _BRACKETS and len(words) == len((first, second)) and first.label == second.label == PERSON


def _is_one(text: str, first: Finding, second: Finding) -> bool:
    """Return whether two marks side by side are one name: "Slaughter" and "May", "Master" and "Tom Hall"."""
    gap = slice(first.end, second.start)
    if first.label == ORGANIZATION:
        month = second.label == DATE and _MONTH.fullmatch(text, second.start, second.end)
        joined = second.label in (ORGANIZATION, PERSON) and _ENDS_WITH_AND.fullmatch(text, first.start, first.end)
        return bool((month and _AND.fullmatch(text[gap])) or (joined and _BLANK.fullmatch(text[gap])))
    bare = first.label == second.label == PERSON and _BARE_TITLE.fullmatch(text, first.start, first.end)
    return bool(bare and _BLANK.fullmatch(text[gap]))

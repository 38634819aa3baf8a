"""Where a mark begins and ends: at the end of a sentence, around a compound, and inside brackets, quotes and stops.

Letters and digits are never trimmed, except an article, a preposition before a date, words between two dates, the
ending of a possessive, and the name of a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import regex

from sfumato.detectors.found import Found
from sfumato.detectors.scripts import OTHER_SCRIPT
from sfumato.language.en.calendar import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.en.dates_in_text import DATES_IN_TEXT
from sfumato.language.en.people import BEFORE_STOP, LONG, SHORT
from sfumato.language.en.words import stop_words
from sfumato.language.patterns import SIGN, choice
from sfumato.text.marks import Finding

_STOP = regex.compile(
    r"(?<=[\p{L}\p{N})\]”\"’]{2}|\d\.\d)[.!?][”\"’)\]]*+\s++(?=(\p{Lu}(?:\p{Ll}*+|\p{Lu}{1,2}))(?![\p{L}\p{N}]))"
)
_TITLE_BEFORE = regex.compile(rf"\b(?i:{BEFORE_STOP})\Z")
_LONG_WORD_BEFORE = regex.compile(r"(?<![\p{L}\p{M}\p{N}.])[\p{L}\p{M}'’-]{4,40}+\Z")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*")
_NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "NAME", "HEALTH"})
_COMPOUND_BEFORE = regex.compile(r"(?r)(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]{1,20}[-\u2011])+")
_COMPOUND_AFTER = regex.compile(r"(?:[-\u2011]\p{Lu}[\p{L}\p{N}]{0,20}+)+(?![\p{L}\p{N}])")
_SHORT_NAMES = choice(name[:3].capitalize() for name in (*MONTHS.full, *WEEKDAYS.full))
_CALENDAR = regex.compile(rf"(?:{_SHORT_NAMES}|{SEASONS.capitalised})\p{{Ll}}*+")
"""The words with a capital that a date holds."""
_SIGN_BEFORE = regex.compile(rf"(?<![\p{{L}}\p{{N}}]){SIGN}[^\S\n]?")
_SIGN_AFTER = regex.compile(rf"[^\S\n]?{SIGN}(?![\p{{L}}\p{{N}}])")
_LONGEST_SIGN = 6
_BETWEEN = frozenset({"next", "then", "again", "on", "since"})
"""Words between two dates; "1 May to 3 June" is one value of two, which a policy parts."""
_FAR = 40
_ARTICLE = regex.compile(r"(?i:the|an?)[^\S\n]+(?=\S)")
_PERSON_ARTICLE = regex.compile(r"(?:the|an?)[^\S\n]+(?=\S)|(?i:the|an?)[^\S\n]+(?=[^\s\p{Lu}])")
"""With a capital, and before one, it may be a name: An Nguyen, A Rahman."""
_INITIAL_BEFORE = regex.compile(r"(?<![\p{L}\p{M}\p{N}'’-])An?[^\S\n]+\Z")
_TITLE_BEFORE_NAME = regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:(?:{SHORT}\.?|{LONG})[^\S\n]+){{1,2}}\Z")
"""A name is marked with its title, which says whether a woman or a man is meant."""
_INTO_DATE = regex.compile(r"(?i:in|on|at|by|from|since|until|of|the|an?)[^\S\n]+(?=\S)")
_INTO_NUMBER = regex.compile(r"(?i:this|that|the|at the)[^\S\n]+(?=\d|age of)")
_DATES = frozenset({"DATE", "TIME"})
_KEY = regex.compile(
    r"(?i:user(?:[_ ]?(?:name|id))?|login|name|e-?mail|mail|phone|tel(?:ephone)?|mobile|fax|id|ssn|dob|ip|host"
    r"|password|passwd|pwd|token|key|address|account|acct|ref|mrn|date|patient|client|customer|contact|from|to)"
    r"[^\S\n]*[=:][^\S\n]*(?=[^\s/])"
)
_POSSESSIVE = regex.compile(r"(?<=[\p{L}\p{N}.])['’][sS]?\Z|(?<=[\p{L}\p{N}])['’]\Z")
_ARTICLED = _NAMES | {"OCCUPATION"}
_OWNED = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "NAME"})
_ENDS_WITH_STOP = regex.compile(
    r"(?:\b\p{L}|\.\p{L}+|\b(?i:ltd|ltda|lda|dto|inc|co|corp|bros|jr|sr|st|ave|rd|blvd|dr|ln|sq|no|dept|univ|mt|esq|approx|hrs?|mins?"
    rf"|yrs?|{choice({*MONTHS.short, *WEEKDAYS.short} - {'may', 'weds'})}))\.\Z"
)
_AS_FOUND = frozenset({OTHER_SCRIPT, "SECRET"})
"""Any sign may be part of a password, or of a word in a script that is not read."""
_OPENS, _CLOSES = "([{<“‘«", ")]}>”’»"
_PAIRS = dict(zip(_CLOSES, _OPENS, strict=True))
_PARAGRAPH = regex.compile(r"\s*\n[^\S\n]*\n\s*")
_QUOTE_OR_PARAGRAPH = regex.compile(rf"\"|{_PARAGRAPH.pattern}")
_CLIPPED = regex.compile(r"(?:s-|[tT][^\S\n])\p{Lu}")
"""What is left of "'s-Gravenhage" and "'t Hooft" without the apostrophe that is theirs."""
_QUOTES = "\"'“”‘’«»"
_LEADING, _TRAILING = ",;:.!?|*_~`–—=/\\", ",;:!?|*~`–—="


def apart(text: str, spans: Iterable[Found]) -> Iterator[Found]:
    """Yield the same marks; a mark that runs over the end of a sentence becomes one for each sentence.

    A mark of two dates is two, as is a name with the begin of a nickname in quotes.

    A sentence ends where a word with a capital follows the stop: "Oslo. The Government", not "St. Helens". Behind a
    short word or an abbreviation it must be a grammar word. A rest of grammar words alone is no mark.
    """
    for span in _of_one_value(text, spans):
        start = span.start
        for stop in _STOP.finditer(text, span.start, span.end):
            if stop.start() > start and _ends_sentence(text, start, stop, span.label):
                yield span._replace(start=start, end=stop.start())
                start = stop.end()
        words = _WORD.findall(text, start, span.end)
        if start == span.start or not all(map(_is_grammar, words)):
            yield span._replace(start=start)


def _is_grammar(word: str) -> bool:
    """Return whether ``word`` is a grammar word, and in capitals no initials: "DO", "ME"."""
    return word.casefold() in stop_words() and not (len(word) > 1 and word.isupper())


def _of_one_value(text: str, spans: Iterable[Found]) -> Iterator[Found]:
    """Yield ``spans``, each of one date, or of a name in one paragraph and without a half of a quotation."""
    for span in spans:
        if span.label == "DATE":
            parts = _dates(text, span)
        elif span.label == "PERSON":
            quotes = text.count('"', span.start, span.end)
            parts = _between(_QUOTE_OR_PARAGRAPH if quotes == 1 else _PARAGRAPH, text, span)
        else:
            parts = [(span.start, span.end)]
        yield from (span._replace(start=start, end=end) for start, end in parts)


def _between(sign: Any, text: str, span: Found) -> list[tuple[int, int]]:
    """Return the bounds of what stands between the signs in ``span``."""
    places = [place for match in sign.finditer(text, span.start, span.end) for place in match.span()]
    bounds = _by_two((span.start, *places, span.end))
    return [(start, end) for start, end in bounds if text[start:end].strip()]


def _dates(text: str, span: Found) -> list[tuple[int, int]]:
    """Return the bounds of the dates of ``span``, if there are several with grammar words between; else its own."""
    found = (match for form in DATES_IN_TEXT.forms for match in form.pattern.finditer(text, span.start, span.end))
    bounds: list[tuple[int, int]] = []
    for match in sorted(found, key=lambda match: (match.start(), -match.end())):
        if not bounds or match.start() >= bounds[-1][1]:
            bounds.append(match.span())
    places = (span.start, *(place for pair in bounds for place in pair), span.end)
    words = (word for start, end in _by_two(places) for word in _WORD.findall(text, start, end))
    return (
        bounds if len(bounds) > 1 and all(word.casefold() in _BETWEEN for word in words) else [(span.start, span.end)]
    )


def _by_two(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield ``places`` two by two."""
    return zip(places[::2], places[1::2], strict=True)


def _ends_sentence(text: str, start: int, stop: Any, label: str) -> bool:
    if _TITLE_BEFORE.search(text, start, stop.start()) or (
        len(stop[1]) > 1 and stop[1].isupper() and label != "PERSON"
    ):
        return False
    if stop.group(1).casefold() in stop_words() or (label == "DATE" and not _CALENDAR.fullmatch(stop.group(1))):
        return True
    behind_word = _LONG_WORD_BEFORE.search(text, start, stop.start()) or text[stop.start() - 1].isdecimal()
    return bool(behind_word) and stop[0][0] == "." and _ENDS_WITH_STOP.search(text, start, stop.start() + 1) is None


def whole_words(text: str, spans: Iterable[Found]) -> Iterator[Found]:
    """Yield the same marks, each with the rest of what it is a part of: "DHKP-C", "Greek-Cypriot", "US$5".

    Only parts with a capital belong to a name: in "Oslo-based" the mark ends behind Oslo. "A" and "An" with a capital
    before a person may be a part of the name: "An Nguyen".
    """
    for span in spans:
        if span.label == "MONEY":
            yield _with_sign(text, span)
            continue
        if span.label not in _NAMES:
            yield span
            continue
        before = _COMPOUND_BEFORE.match(text, max(0, span.start - _FAR), span.start)
        after = _COMPOUND_AFTER.match(text, span.end, span.end + _FAR)
        start = span.start
        initial = (
            _INITIAL_BEFORE.search(text, max(0, span.start - _FAR), span.start) if span.label == "PERSON" else None
        )
        title = (
            _TITLE_BEFORE_NAME.search(text, max(0, span.start - _FAR), span.start) if span.label == "PERSON" else None
        )
        if title is not None:
            start = title.start()
        elif initial is not None:
            start = initial.start()
        elif before is not None and (span.label == "HEALTH" or before.group()[0].isupper()):
            start = before.start()
        yield span._replace(start=start, end=span.end if after is None else after.end())


def _with_sign(text: str, span: Found) -> Found:
    """Return the mark of an amount with the sign of its currency, of which it may hold a part: "$5" of "US$5"."""
    around = range(max(0, span.start - _LONGEST_SIGN), span.start)
    for match in _SIGN_BEFORE.finditer(text, around.start, min(len(text), span.start + _LONGEST_SIGN)):
        if match.start() < span.start <= match.end():
            return span._replace(start=match.start())
    has_sign = _SIGN_BEFORE.search(text, span.start, span.end) or _SIGN_AFTER.search(text, span.start, span.end)
    after = None if has_sign else _SIGN_AFTER.match(text, span.end, span.end + _LONGEST_SIGN)
    return span if after is None else span._replace(end=after.end())


def trimmed(text: str, findings: Sequence[Finding]) -> list[Finding]:
    """Return ``findings``, each without what a person would leave outside; a finding that has nothing else is kept
    whole.
    """
    results = [_trimmed(text, finding) for finding in findings]
    for number, (before, after) in enumerate(pairwise(results)):
        if before.end > after.start:  # a bracket that was taken in is another's
            results[number] = before._replace(end=after.start)
    return results


def _trimmed(text: str, finding: Finding) -> Finding:
    start, end, label = finding[:3]
    if label in _AS_FOUND:
        return finding
    while True:
        first, last = _step(text, start, end, label)
        if (first, last) == (start, end):
            break
        if not any(character.isalnum() for character in text[first:last]):
            return finding
        start, end = first, last
    if end < len(text) and _lacks(text[start:end], text[end]):
        end += 1
    if label in _NAMES and text[start - 1 : start] in ("'", "’") and _CLIPPED.match(text, start):
        start -= not text[max(start - 2, 0) : start - 1].isalnum()
    return finding._replace(start=start, end=end)


def _step(text: str, start: int, end: int, label: str) -> tuple[int, int]:
    """Return the bounds with one thing less at either end, or the same bounds."""
    inside = text[start:end]
    if inside != inside.strip():
        return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())
    if len(inside) > 2 and inside[0] in _QUOTES and inside[-1] == _partner(inside[0]):
        return start + 1, end - 1
    if _opens(inside, label):
        return start + 1, end
    if _closes(inside, label):
        return start, end - 1
    lead = None if label == "URL" else _lead(inside, label)
    if lead is not None:
        return start + lead.end(), end
    tail = _POSSESSIVE.search(inside) if label in _OWNED else None
    return (start, end) if tail is None else (start, start + tail.start())


def _lead(inside: str, label: str) -> Any:
    """Return the lead-in that is not part of a mark: the name of a key, an article, a preposition before a date."""
    if label == "ACCOUNT":  # "id:" may be its own
        return None
    if label == "PERSON":
        return _KEY.match(inside) or _PERSON_ARTICLE.match(inside)
    words = _INTO_DATE if label in _DATES else _ARTICLE if label in _ARTICLED else _INTO_NUMBER
    return _KEY.match(inside) or words.match(inside)


def _opens(inside: str, label: str) -> bool:
    """Return whether the first sign belongs to the text around the mark."""
    sign = inside[0]
    if sign in _OPENS or sign in _QUOTES:
        return _partner(sign) not in inside[1:]
    return sign in _CLOSES or (sign in _LEADING and label != "URL")


def _closes(inside: str, label: str) -> bool:
    """Return whether the last sign belongs to the text around the mark."""
    sign = inside[-1]
    if sign in "'’" and label not in _OWNED:
        return "‘" not in inside and "'" not in inside[:-1] and not inside[-2:-1].isalpha()
    if sign in _CLOSES and sign != "’":
        return inside.count(sign) > inside.count(_PAIRS[sign])
    if sign in _OPENS or sign == '"':
        return sign != '"' or inside.count('"') % 2 == 1
    if sign == "." and label in ("EMAIL_ADDRESS", "URL"):
        return True  # ".com." is no abbreviation
    if sign == ".":
        return _ENDS_WITH_STOP.search(inside[-12:]) is None
    return sign in _TRAILING and not (label == "URL" and sign == "=")


def _partner(sign: str) -> str:
    return _CLOSES[_OPENS.index(sign)] if sign in _OPENS else sign


def _lacks(inside: str, sign: str) -> bool:
    """Return whether ``inside`` has an opening bracket that ``sign`` closes."""
    return sign in ")]}" and inside.count(_PAIRS[sign]) == inside.count(sign) + 1

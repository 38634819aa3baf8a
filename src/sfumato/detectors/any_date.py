"""Dates as a detector reads them: in the place of each written date is one public date of its form.

A tagger and a rule decide by the words that they read. If they read the dates themselves, "Seen 17/05" may be marked
otherwise than "Seen 18/05", and the words beside it too. So they read public dates, and their marks are carried back.
Two texts that differ in dates of the same forms alone are then marked alike.

A day and a month between a stroke are a date if one of them has two digits. "3/12" is none: it is three months.
The name of a month that stands alone is a date behind a word that leads to one ("in May"), and wherever its text has
it so elsewhere. Otherwise it is read as it is, because it may be a person or a verb.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import regex

from sfumato.detectors.anchored import anchored_matches, matches
from sfumato.detectors.formats import SHORT_WEEKDAY
from sfumato.errors import InputError
from sfumato.kinds.months import MONTHS, WEEKDAYS
from sfumato.text.document import Document
from sfumato.text.marks import Finding

_FULL_DAYS = "|".join(name.capitalize() for name in WEEKDAYS)
_SHORT_DAYS = "Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun"
_LONG, _SHORT = "|".join(name.capitalize() for name in MONTHS), "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_MONTH = rf"(?:(?:{_LONG})(?!\p{{L}})|(?:{_SHORT})(?!\p{{L}})(?:\.(?=,?\s?['’\d]))?)"
_WEEKDAY = rf"(?:(?:{_FULL_DAYS}|(?:{_SHORT_DAYS})\.?),?\s(?:the\s)?)?"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_NUMBER = r"(?:1[0-2]|0?[1-9])"
_YEAR = r"(?:1[5-9]|20)\d\d"
_WITH_YEAR = rf"(?:,?\s(?:{_YEAR}|['’]\d\d)(?!\d))?"
_BEGIN, _END = r"(?<![\p{L}\p{N}_/.,:%€$£-])", r"(?![\p{L}\p{N}_/%-]|[.,:]\d)"
_TWO_DAY, _TWO_NUMBER = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|1[0-2])"
_FRACTION = "|".join(
    (f"{_TWO_DAY}/{_NUMBER}", f"{_NUMBER}/{_TWO_DAY}", f"{_DAY}/{_TWO_NUMBER}", f"{_TWO_NUMBER}/{_DAY}")
)
_FEAST = r"\b(?:Easter|Good|Black|Ash|Palm|Shrove|Whit|Maundy|Holy)\s"
_LEADS = r"(?i:in|since|until|till|during|last|next|early|late|mid|(?:end|start|beginning|middle)\sof)[\s-]"
_LONE = rf"(?:{_LONG}|{_SHORT})(?!\p{{L}}|\s\p{{Lu}}\p{{Ll}}|\s\d)"

_WORD = regex.compile(rf"(?P<month>(?:{_LONG}|{_SHORT})(?!\p{{L}})\.?)|(?P<day>(?:{_SHORT_DAYS})(?!\p{{L}}))|"
                      rf"(?P<full>{_FULL_DAYS})|(?P<year>\d{{4}})|(?<=['’])(?P<two>\d\d)|"
                      r"(?P<nth>\d{1,2}(?:st|nd|rd|th))|(?P<number>\d{1,2})")  # fmt: skip
_PUBLIC = {
    **{"month": "October", "day": "Wed", "full": "Wednesday", "year": "2019", "two": "19", "nth": "17th"},
    "number": "17",
}


def _named(match: Any) -> str:
    """Return the public date for one with the name of a month or weekday."""
    return str(_WORD.sub(lambda part: _PUBLIC[str(part.lastgroup)], match.group()))


_FORMS: tuple[tuple[Any, Callable[[Any], str]], ...] = tuple(
    (regex.compile(pattern), write)
    for pattern, write in (
        (rf"{_BEGIN}{_WEEKDAY}{_DAY}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}{_WITH_YEAR}", _named),
        (rf"{_BEGIN}{_WEEKDAY}{_MONTH}\s{_DAY}(?:st|nd|rd|th)?(?![\p{{L}}\p{{N}}/%]|[.,:]\d){_WITH_YEAR}", _named),
        (rf"{_BEGIN}{_MONTH}(?:\sof|,)?\s{_YEAR}(?!\d)", _named),
        (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?:{_SHORT})(?P=sign){_YEAR}{_END}", lambda _: "17-Oct-2019"),
        (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?:{_SHORT})(?P=sign)\d\d{_END}", lambda _: "17-Oct-19"),
        *(
            (rf"{_BEGIN}(?:{days}){year}{_END}", lambda match, put=put: f"17{match['sign']}10{match['sign']}{put}")
            for year, put in ((_YEAR, "2019"), (r"\d\d", "19"))
            for days in (
                rf"{_DAY}(?P<sign>[-/.]){_NUMBER}(?P=sign)",
                rf"{_NUMBER}(?P<sign>[-/.]){_DAY}(?P=sign)",
            )
        ),
        (
            rf"{_BEGIN}{_YEAR}(?P<sign>[-/.]){_NUMBER}(?P=sign){_DAY}{_END}",
            lambda match: f"2019{match['sign']}10{match['sign']}17",
        ),
        (rf"{_BEGIN}{_NUMBER}(?P<sign>[-/]){_YEAR}{_END}", lambda match: f"10{match['sign']}2019"),
        (rf"{_BEGIN}(?!\d/12{_END})(?:{_FRACTION}){_END}", lambda _: "17/10"),
        (r"(?<=\b(?:on|since|until|till)\s(?:the\s)?)(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)(?!\p{L})", _named),
        (rf"(?<!\p{{L}}|{_FEAST})(?:{_FULL_DAYS})(?=s?(?!\p{{L}}))", _named),
        (SHORT_WEEKDAY, _named),
        (rf"(?<=\b{_LEADS}){_LONE}", _named),
    )
)
_ALONE = _FORMS[-1][0]
_PATTERNS = tuple(pattern for pattern, _ in _FORMS)


@dataclass(frozen=True)
class PublicDates:
    """A text with public dates, and where its dates are.

    Attributes:
        text: The text with public dates. PRIVATE but for its dates.
        bounds: Of each date, from left to right, start and end in the original and start and end in ``text``.
    """

    text: str
    bounds: Sequence[tuple[int, int, int, int]]

    @classmethod
    def of(cls, text: str) -> PublicDates:
        """Return ``text`` with public dates. Raise TimeoutError if a pattern takes too long."""
        pieces, bounds, copied, length = list[str](), list[tuple[int, int, int, int]](), 0, 0
        for start, end, public in _dates(text):
            begins = length + start - copied
            pieces += [text[copied:start], public]
            copied, length = end, begins + len(public)
            bounds.append((start, end, begins, length))
        return cls("".join([*pieces, text[copied:]]), bounds)

    def original(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return ``findings`` of :attr:`text` at their places in the original; of a date that one touches, all."""
        if not self.bounds:
            return list(findings)
        starts, result, last = [begins for _, _, begins, _ in self.bounds], list[Finding](), 0
        for finding in findings:
            start, end = self._place(starts, finding.start, 0), self._place(starts, finding.end, 1)
            if end > max(start, last):
                result.append(finding._replace(start=max(start, last), end=end))
                last = end
        return result

    def _place(self, starts: Sequence[int], place: int, side: int) -> int:
        """Return where ``place`` of :attr:`text` is in the original; within a date its start (side 0) or end (1)."""
        number = bisect_right(starts, place) - 1
        if number < 0:
            return place
        start, end, begins, ends = self.bounds[number]
        if place >= ends:
            return place - ends + end
        return start if place == begins else (start, end)[side]


def with_public_dates(documents: Sequence[Document]) -> tuple[list[Document], list[PublicDates]]:
    """Return ``documents`` with public dates, and what carries marks back. Raise InputError if it takes too long."""
    public = list[PublicDates]()
    for number, document in enumerate(documents):
        try:
            public.append(PublicDates.of(document.text))
        except TimeoutError:
            raise InputError("a rule took too long on it; nothing was detected.", number) from None
    rows = zip(documents, public, strict=True)
    return [replace(document, text=dates.text) if dates.bounds else document for document, dates in rows], public


def _dates(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and public form of each date in ``text``; of two that overlap the first, then the longer."""
    every = list[tuple[int, int, str]]()
    alone = set[str]()
    for (pattern, write), found in zip(_FORMS, anchored_matches(_PATTERNS, text), strict=True):
        for match in found:
            every.append((match.start(), -match.end(), write(match)))
            if pattern is _ALONE:
                alone.add(match.group())
    if alone:
        again = regex.compile(rf"(?<!\p{{L}})(?:{'|'.join(sorted(alone))})(?!\p{{L}}|\s\p{{Lu}}\p{{Ll}})")
        every += [(match.start(), -match.end(), _named(match)) for match in matches(again, text)]
    last = 0
    for start, end, public in sorted(every):
        if start >= last:
            yield start, -end, public
            last = -end

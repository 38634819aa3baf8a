"""Dates as a detector reads them: in the place of each written date is one public date of its form.

A tagger and a rule decide by the words that they read. If they read the dates themselves, "Seen 17/05" may be marked
otherwise than "Seen 18/05", and the words beside it too. So they read public dates, and their marks are carried back.
Two texts that differ in dates of the same forms alone are then marked alike.

A day and a month between a stroke ("3/12") are a date, or a fraction beside a word that only fractions have ("in
3/12", "4/5 power"). The words beside it alone decide, and a public date or fraction is read in its place. A name of a
month or weekday beside a number is one in capitals or small letters. A month that stands alone with a capital is a
date behind a word in small letters ("in May", "call May"), and wherever its text has it so elsewhere. Otherwise it is
read as it is, because it may be a person or a verb. A short one needs a word that leads to it ("in Mar").
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import regex

from sfumato.detectors.anchored import anchored_matches, matches
from sfumato.detectors.codes import MEASURED
from sfumato.detectors.formats import SHORT_WEEKDAY
from sfumato.errors import InputError
from sfumato.kinds.months import MONTHS, WEEKDAYS
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Span

F = TypeVar("F", Span, Finding)

_FULL_DAYS = "|".join(name.capitalize() for name in WEEKDAYS)
_SHORT_DAYS = "Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun"
_LONG, _SHORT = "|".join(name.capitalize() for name in MONTHS), "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_MONTH = rf"(?:(?i:{_LONG})(?!\p{{L}})|(?i:{_SHORT})(?!\p{{L}})(?:\.(?=,?\s?['’\d]))?)"
_WEEKDAY = rf"(?:(?i:{_FULL_DAYS}|(?:{_SHORT_DAYS})\.?),?\s(?i:the\s)?)?"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_NUMBER = r"(?:1[0-2]|0?[1-9])"
_YEAR = r"(?:1[5-9]|20)\d\d"
_WITH_YEAR = rf"(?:,?\s(?:{_YEAR}|['’]\d\d)(?!\d))"
_MONTH_BEHIND = rf"(?:(?i:{_LONG})(?!\p{{L}})|(?i:{_SHORT})(?!\p{{L}})(?:\.(?={_WITH_YEAR}))?)"
"""A month behind its day. "3 Jan. 5 people came" is two sentences, as "3 May. 5 people came" is."""
_BEGIN, _END = r"(?<![\p{L}\p{N}_/.,:%€$£-])", r"(?![\p{L}\p{N}_/%-]|[.,:]\d)"
_NO_VERB = r"(?!\d\d?\s\p{Ll}+\s(?:be|have|not|also|need|cause|still|only|well|or|require|lead|become|occur|take)\b)"
"""Not before "3 may be"."""
_STROKE = rf"{_BEGIN}(?:{_DAY}/{_NUMBER}|{_NUMBER}/{_DAY}){_END}"
_OF_TIME = r"(?<=\b(?i:x|in|every|within|past|last)\s)"
_OF_SCALE = rf"(?<=\b(?i:{MEASURED})(?:\s(?:is|was|of|at|now|a))?\s)"
_OF_WHOLE = (
    r"(?=\s?(?:of|ago|tablets?|tabs?|pills?|cups?|inch(?:es)?|miles?|pints?|hours?|days?|weeks?|months?|years?|strength"
    r"|power|systolic|diastolic|murmur|teeth|history|hx)\b)"
)
"""What only a fraction has before it or behind it: "x 3/12" is three months, and "pain 7/10" no day."""
_FEAST = r"\b(?i:Easter|Good|Black|Ash|Palm|Shrove|Whit|Maundy|Holy)\s"
_LEADS = r"(?i:in|since|until|till|during|last|next|early|late|mid|(?:end|start|beginning|middle)\sof)[\s-]"
_SMALL = r"(?<!\p{L})\p{Ll}+,?\s"
"""A word in small letters, behind which "May" is no verb: it is a month or somebody."""
_ALONE_END = r"(?!\p{L}|\s\p{Lu}\p{Ll}|\s\d)"

_WORD = regex.compile(rf"(?P<month>(?:{_LONG}|{_SHORT})(?!\p{{L}})\.?)|(?P<day>(?:{_SHORT_DAYS})(?!\p{{L}}))|"
                      rf"(?P<full>{_FULL_DAYS})|(?P<year>\d{{4}})|(?<=['’])(?P<two>\d\d)|"
                      r"(?P<nth>\d{1,2}(?i:st|nd|rd|th))|(?P<number>\d{1,2})", regex.IGNORECASE)  # fmt: skip
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
        (rf"{_BEGIN}{_WEEKDAY}{_NO_VERB}{_DAY}(?i:st|nd|rd|th)?\s(?i:of\s)?{_MONTH_BEHIND}{_WITH_YEAR}?", _named),
        (rf"{_BEGIN}{_WEEKDAY}{_MONTH}\s{_DAY}(?i:st|nd|rd|th)?(?![\p{{L}}\p{{N}}/%]|[.,:]\d){_WITH_YEAR}?", _named),
        (rf"{_BEGIN}{_MONTH}(?i:\sof|,)?\s{_YEAR}(?!\d)", _named),
        (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?i:{_SHORT})(?P=sign){_YEAR}{_END}", lambda _: "17-Oct-2019"),
        (rf"{_BEGIN}{_DAY}(?P<sign>[-/])(?i:{_SHORT})(?P=sign)\d\d{_END}", lambda _: "17-Oct-19"),
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
        (rf"{_BEGIN}{_YEAR}(?P<sign>[-/])(?:0[1-9]|1[0-2]){_END}", lambda match: f"2019{match['sign']}10"),
        (
            rf"(?P<time>{_OF_TIME}{_STROKE})|(?P<part>{_OF_SCALE}{_STROKE}|{_STROKE}{_OF_WHOLE})|{_STROKE}",
            lambda match: "3/12" if match["time"] else "3/4" if match["part"] else "17/10",
        ),
        (r"(?<=\b(?:on|since|until|till)\s(?:the\s)?)(?:[12]\d|3[01]|[1-9])(?i:st|nd|rd|th)(?!\p{L})", _named),
        (rf"(?<!\p{{L}}|{_FEAST})(?i:{_FULL_DAYS})(?=s?(?!\p{{L}}))", _named),
        (SHORT_WEEKDAY, _named),
        (rf"(?<=\b{_LEADS})(?:{_SHORT}){_ALONE_END}|(?<=\b{_LEADS}|{_SMALL})(?:{_LONG}){_ALONE_END}", _named),
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

    def original(self, findings: Iterable[F]) -> list[F]:
        """Return ``findings`` of :attr:`text` at their places in the original; of a date that one touches, all."""
        if not self.bounds:
            return list(findings)
        starts, result, last = [begins for _, _, begins, _ in self.bounds], list[F](), 0
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

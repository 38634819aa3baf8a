"""Dates as a detector reads them: in the place of each written date is one public date of its form.

A tagger and a rule decide by the words that they read. If they read the dates themselves, "Seen 17/05" may be marked
otherwise than "Seen 18/05", and the words beside it too. So they read public dates, and their marks are carried back.
Two texts that differ in dates of the same forms alone are then marked alike.

A name of a month or weekday beside a number is a date in capitals or small letters. The language says which forms
dates have, and what decides between a day and a fraction ("3/12"). A month that stands alone with a capital is a date
behind a word in small letters ("in May", "call May"), and wherever its text has it so elsewhere. Otherwise it is read
as it is, because it may be a person or a verb. A short one needs a word that leads to it ("in Mar").
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import regex

from sfumato.detectors.prefilter import anchored_matches, matches
from sfumato.errors import InputError
from sfumato.language.dates import DateForm
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Span

F = TypeVar("F", Span, Finding)


@dataclass(frozen=True)
class PublicDates:
    """A text with public dates, and where its dates are.

    Attributes:
        text: The text with public dates. PRIVATE except for its dates.
        bounds: Of each date, from left to right, start and end in the original and start and end in ``text``.
    """

    text: str
    bounds: Sequence[tuple[int, int, int, int]]

    @classmethod
    def of(cls, text: str, language: Language = ENGLISH) -> PublicDates:
        """Return ``text`` with public dates. Raise TimeoutError if a pattern takes too long."""
        pieces, bounds, copied, length = list[str](), list[tuple[int, int, int, int]](), 0, 0
        for start, end, public in _dates(text, language):
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


def with_public_dates(
    documents: Sequence[Document], languages: Sequence[Language]
) -> tuple[list[Document], list[PublicDates]]:
    """Return ``documents`` with public dates, and what carries marks back. Raise InputError if it takes too long.

    Each is in one of ``languages``.
    """
    public = list[PublicDates]()
    for number, (document, language) in enumerate(zip(documents, languages, strict=True)):
        try:
            public.append(PublicDates.of(document.text, language))
        except TimeoutError:
            raise InputError("a rule took too long on it; nothing was detected.", number) from None
    rows = zip(documents, public, strict=True)
    return [replace(document, text=dates.text) if dates.bounds else document for document, dates in rows], public


def _dates(text: str, language: Language) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and public form of each date in ``text``; of two that overlap the first, then the longer."""
    every = list[tuple[int, int, str]]()
    forms, alone = language.dates_in_text.forms, dict[str, DateForm]()
    for form, found in zip(forms, anchored_matches(tuple(form.pattern for form in forms), text), strict=True):
        for match in found:
            every.append((match.start(), -match.end(), form.public(match)))
            if form.is_alone:
                alone[match.group()] = form
    if alone:
        again = regex.compile(rf"(?<!\p{{L}})(?:{'|'.join(sorted(alone))})(?!\p{{L}}|\s\p{{Lu}}\p{{Ll}})")
        every += [(match.start(), -match.end(), alone[match.group()].public(match)) for match in matches(again, text)]
    last = 0
    for start, end, public in sorted(every):
        if start >= last:
            yield start, -end, public
            last = -end

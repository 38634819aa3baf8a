"""Marks that nothing reads, made into marks that are read: two are joined, one is parted.

A detector's edges are not those of values: "11 to 19 February. 64M" is a mark of one date, "Halloween 2019" holds two
values, "the", "United", "Kingdom" are three places, and "2020 at half" ends inside a time. Each would become a public
stand-in ("[DATE]", "London").

Analysis. All of this is a part of detection: it decides which places are marked, as which kinds, and a guarantee
compares texts in which these are equal. It looks at each text by itself, before anything is drawn. No mark is
dropped, and of a mark that is parted all words stay marked but articles, prepositions and conjunctions of a closed
public list. They are in small letters ("Next" may be a firm, "A" a block), but a preposition that leads a date. No
part is of a kind that the policy keeps; such a mark stays whole. Dates of a known written form are never parted,
whatever they say, so that they are marked alike. Given spans and words that are marked one by one are not parted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import regex

from sfumato.abstract.kind import Kind
from sfumato.kinds.labels import KindOf
from sfumato.kinds.people.names import first_names
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH, language_of

_PARTED: Mapping[str, frozenset[str]] = {
    **{kind: frozenset({"DATE", "TIME", "DURATION", "AGE"}) for kind in ("DATE", "TIME", "AGE")},
    **{"PLACE": frozenset({"PLACE"}), "MONEY": frozenset({"MONEY"})},
}
"""The kinds whose marks are parted, and the kinds of their parts."""
_LEADS = frozenset({"Between", "Before", "After", "Since", "Until", "From", "On", "In", "At", "By", "The"})
"""What a date at the beginning of an English sentence begins with; other languages have their small words."""
_NAMED = frozenset({"LISTED", "GIVEN"})
_TOKEN = regex.compile(r"[^\s,;:()\[\]\"“”@]+")
_LONGEST, _MOST_WORDS = 200, 9
_FURTHER = 24
_ANYTHING = "MISC"


class Mark(NamedTuple):
    """A marked place: its bounds, its label and its kind."""

    start: int
    end: int
    label: str
    kind: str


@dataclass(frozen=True)
class Parting:
    """Joins and parts marks that their kinds cannot read.

    Attributes:
        kind_of: Says which kind a label and a text are, with the kinds that read texts.
        drawn: The kinds that a mechanism replaces.
        named: The kinds and labels that the policy treats by name; anything else becomes a label in brackets.
        code: The code of the language of the texts.
    """

    kind_of: KindOf
    drawn: frozenset[str]
    named: frozenset[str]
    code: str = ENGLISH.code

    def __repr__(self) -> str:
        """Return the same in every process: it decides keyed draws."""
        own = (self.drawn, self.named, self.kind_of.labels, self.kind_of.kept)
        code = "" if self.code == ENGLISH.code else f", {self.code}"
        return f"Parting({', '.join(str(sorted(names)) for names in own)}{code})"

    @property
    def _language(self) -> Language:
        return language_of(self.code)

    @property
    def _kinds(self) -> Mapping[str, Kind]:
        return self.kind_of.kinds

    def is_unread(self, kind: str, text: str) -> bool:
        """Return whether a public stand-in replaces ``text``, which counts as ``kind``."""
        if kind not in self.drawn:
            return kind not in self.named
        return self._kinds[kind].looks and self._kinds[kind].read(text) is None

    def pairs(self, text: str, rows: Iterable[tuple[tuple[int, int], str]]) -> list[tuple[tuple[int, int], str]]:
        """Return bounds and kind of each mark of ``text``, whose ``rows`` are bounds and labels, after parting."""
        marks = [Mark(start, end, label, self.kind_of(label, text[start:end])) for (start, end), label in rows]
        return [((mark.start, mark.end), mark.kind) for mark in self.parted(text, marks)]

    def parted(self, text: str, marks: Sequence[Mark]) -> list[Mark]:
        """Return the ``marks`` of ``text``, in reading order and disjoint, as marks that are read if possible."""
        joined = self._joined(text, list(self._whole_times(text, marks)))
        return [part for mark in joined for part in self._parts(text, mark)]

    def _whole_times(self, text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
        """Yield ``marks``; one that ends inside a time as people say it ("2020 at half") ends behind it."""
        spoken = self._language.clock.spoken_in_text
        if spoken is None:
            yield from marks
            return
        ends = [*(mark.start for mark in marks), len(text)][1:]
        for mark, after in zip(marks, ends, strict=True):
            times = spoken.finditer(text, mark.start, min(after, mark.end + _FURTHER))
            over = (time.end() for time in times if time.start() < mark.end < time.end())
            yield mark._replace(end=next(over, mark.end)) if mark.kind in ("DATE", "TIME") else mark

    def _joined(self, text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
        """Yield ``marks``; neighbours of one kind are one where that is read, and one of them alone is not."""
        before: Mark | None = None
        for mark in marks:
            if before is not None and (one := self._as_one(text, before, mark)):
                before = one
                continue
            if before is not None:
                yield before
            before = mark
        if before is not None:
            yield before

    def _as_one(self, text: str, first: Mark, second: Mark) -> Mark | None:
        if first.kind != second.kind or first.kind not in _PARTED or text[first.end : second.start] != " ":
            return None
        unread = (self.is_unread(mark.kind, text[mark.start : mark.end]) for mark in (first, second))
        if not any(unread) or self.is_unread(first.kind, text[first.start : second.end]):
            return None
        return first._replace(end=second.end)

    def _parts(self, text: str, mark: Mark) -> list[Mark]:
        own = text[mark.start : mark.end]
        may_be = _PARTED.get(mark.kind)
        if may_be is None or mark.label in _NAMED or len(own) > _LONGEST or not self.is_unread(mark.kind, own):
            return [mark]
        spoken = self._language.clock.in_text
        if mark.kind in ("DATE", "TIME") and spoken is not None and spoken.fullmatch(own):
            return [mark._replace(kind="TIME")]  # "halb elf": one time, although "elf" is a number
        if mark.kind == "DATE" and self._kinds["DATE"].read(_with_public_date(own, self._language)) is not None:
            return [mark]
        parts = self._fewest_left(own, [token.span() for token in _TOKEN.finditer(own)], mark)
        if not any(
            part.kind in may_be and not self.is_unread(part.kind, own[part.start : part.end]) for part in parts
        ) or any(part.kind in self.kind_of.kept for part in parts):
            return [mark]
        return [part._replace(start=mark.start + part.start, end=mark.start + part.end) for part in parts]

    def _fewest_left(self, text: str, tokens: Sequence[tuple[int, int]], mark: Mark) -> list[Mark]:
        """Return the parts of ``text`` that leave the fewest words that no value holds; of equal ones the fewest."""
        best: list[tuple[int, int, int, list[Mark]]] = [(0, 0, 0, [])]
        for number in range(len(tokens) - 1, -1, -1):
            leads = number == 0 and mark.kind in ("DATE", "TIME") and text[slice(*tokens[0])] in _leads_of(self.code)
            other = [] if leads else self._other(text, tokens[number], mark)
            left, count, free, parts = best[-1]
            choices = [(left + len(other), count + len(other), free + 1, other + parts)]
            for size in range(1, min(_MOST_WORDS, len(tokens) - number) + 1):
                part = self._read(text, tokens[number][0], tokens[number + size - 1][1], mark)
                if part is not None:
                    left, count, free, parts = best[-size]
                    choices.append((left, count + 1, free, [part, *parts]))
            best.append(min(choices, key=lambda choice: choice[:3]))
        return best[-1][3]

    def _read(self, text: str, start: int, end: int, mark: Mark) -> Mark | None:
        """Return the text from ``start`` to ``end``, if need be without a stop at its end, as a part that is read."""
        for last in dict.fromkeys((end - text[start:end].endswith((".", "'", "’")), end)):
            if (kind := self._kind_in(text[start:last], mark)) is not None:
                return Mark(start, last, mark.label, kind)
        return None

    def _kind_in(self, piece: str, mark: Mark) -> str | None:
        """Return the kind that a ``piece`` of ``mark`` is read as, or None."""
        kind = self.kind_of(mark.label, piece)
        if kind in _PARTED[mark.kind] and not self.is_unread(kind, piece):
            return kind if kind != "PLACE" or piece[:1].isupper() or piece[:1].isdigit() else None
        clock = self._kinds.get("TIME") if "TIME" in _PARTED[mark.kind] and len(piece) > 2 else None
        return "TIME" if clock is not None and clock.read(piece) is not None else None

    def _other(self, text: str, token: tuple[int, int], mark: Mark) -> list[Mark]:
        """Return the mark of a word that no value holds, of the kind that it says itself; a particle has none."""
        word = text[slice(*token)]
        is_article = mark.kind != "PLACE" and bool(self._language.phrasing.gender_of(word.strip(".").lower()))
        if is_article or word.strip(".") in self._language.small_words or not any(map(str.isalnum, word)):
            return []
        return [Mark(*token, mark.label, "PLACE" if mark.kind == "PLACE" else self.kind_of(_ANYTHING, word))]


@cache
def _leads_of(code: str) -> frozenset[str]:
    """Return what a date at the beginning of a sentence begins with in a language; no first name, such as "Dan"."""
    if code == ENGLISH.code:
        return _LEADS
    words = (word for word in language_of(code).small_words if len(word) > 1)
    return frozenset(word.capitalize() for word in words if word not in first_names(code))


def _with_public_date(text: str, language: Language) -> str:
    """Return ``text`` with a public date in the place of a date of a known form."""
    for form in language.dates_in_text.forms:
        if (match := form.pattern.fullmatch(text)) is not None:
            return form.public(match)
    return text

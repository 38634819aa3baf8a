"""How a language writes dates, and how dates are recognised inside a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol

from sfumato.language.accents import any_accents, plain
from sfumato.language.patterns import FLAGS, GAP, any_phrase, choice


@dataclass(frozen=True, eq=False)
class Names:
    """Names in the order of the calendar, in small letters.

    Attributes:
        full: The names that are written.
        short: Other spellings that are read, and the numbers of their names, from 0. A dot may follow.
        own_brief: The short names that are written; the first three letters of each unless they are given.
        others: Other spellings in full that are read, and the numbers of their names: "segunda", "segunda-feira".
    """

    full: tuple[str, ...]
    short: Mapping[str, int] = field(default_factory=dict)
    own_brief: tuple[str, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        names = {**self.short, **self.others, **{name: number for number, name in enumerate(self.full)}}
        return {plain(name): number for name, number in names.items()}

    @cached_property
    def _plain(self) -> frozenset[str]:
        return frozenset(map(plain, (*self.full, *self.others)))

    def number(self, text: str) -> int:
        """Return the number, from 0, of a name in any case, with or without a dot or its accents."""
        return self._numbers[plain(text).removesuffix(".")]

    def is_full(self, text: str) -> bool:
        """Return whether ``text`` is a name in full, in any case."""
        return plain(text) in self._plain

    @property
    def brief(self) -> tuple[str, ...]:
        """Return the short names that are written."""
        return self.own_brief or tuple(name[:3] for name in self.full)

    @property
    def pattern(self) -> str:
        """Return a pattern for a name in small letters, in full or short."""
        return any_accents(choice((*self.short, *self.others, *self.full)))

    @property
    def capitalised(self) -> str:
        """Return a pattern for a full name with a capital."""
        return any_accents(choice(map(str.capitalize, self.full)))

    @property
    def capitalised_short(self) -> str:
        """Return a pattern for a short name with a capital; "May" is short and in full."""
        return choice(map(str.capitalize, self.short))


@dataclass(frozen=True, eq=False)
class NamedDays:
    """Days that have words of their own: "yesterday", "Christmas Eve".

    Attributes:
        grains: The words of each grain, and where they lie, in days.
        others: Other words in small letters that are read, and the word that each counts as.
        shape: A pattern for all of a text that names such a day, with the word as its group "name".
        is_proper: Whether the words are names, with their own capitals.
        agreeing: Other groups of the shape, and what is written in their place before a word: "la ", "l'" or "".
    """

    grains: Mapping[str, Mapping[str, float]]
    others: Mapping[str, str]
    shape: re.Pattern[str]
    is_proper: bool = False
    agreeing: Mapping[str, Callable[[str], str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, grains: Mapping[str, Mapping[str, float]], others: Mapping[str, str], before: str = "",
        is_proper: bool = False, leads: str = "", agreeing: Mapping[str, Callable[[str], str]] | None = None,
    ) -> NamedDays:  # fmt: skip
        """Return the days with a shape: one of the phrases ``before``, which bars part, the ``leads``, and a word.

        ``leads`` is a pattern, with the groups that are ``agreeing``.
        """
        words = any_phrase("|".join([*chain.from_iterable(grains.values()), *others]))
        lead = f"(?:{any_phrase(before)}{GAP})?" if before else ""
        shape = re.compile(any_accents(f"{lead}{leads}(?P<name>{words})"), FLAGS)
        return cls(grains, others, shape, is_proper, agreeing or {})

    @cached_property
    def _words(self) -> Mapping[str, tuple[str, str]]:
        own = {plain(word): (word, grain) for grain, words in self.grains.items() for word in words}
        return own | {plain(other): own[plain(word)] for other, word in self.others.items()}

    def word_of(self, text: str) -> tuple[str, str]:
        """Return the word that ``text``, which the shape matched as its name, counts as, and its grain."""
        return self._words[plain(text)]


class Ordinals(Protocol):
    """How a language writes the number of a day as an ordinal. Only shapes and fields with ordinals ask for it."""

    def spelled_ordinal(self, number: int) -> str:
        """Return the ordinal of ``number`` in words."""

    def number_of_ordinal(self, text: str) -> int | None:
        """Return the number whose ordinal ``text`` spells, in any case, or None."""

    def suffix_of(self, number: int) -> str:
        """Return the letters that make an ordinal of the figure ``number``."""


class NoOrdinals:
    """What a language without ordinals in its shapes has."""

    def spelled_ordinal(self, number: int) -> str:
        """Return the figure."""
        return str(number)

    def number_of_ordinal(self, text: str) -> int | None:
        """Return None."""
        return None

    def suffix_of(self, number: int) -> str:
        """Return no letters."""
        return ""


NO_ORDINALS = NoOrdinals()


@dataclass(frozen=True, eq=False)
class Dates:
    """How dates are written.

    Attributes:
        months: The names of the months, January first.
        weekdays: The names of the weekdays, Monday first.
        seasons: The names of the seasons, in the order in which a year has their first days (of the northern
            meteorological seasons).
        shapes: Patterns for all of a text that is a date. A group says what a part is:
            :mod:`sfumato.kinds.dates.written` lists the groups.
        public: The pattern of each grain in its public form, the finest grain first.
        ordinals: How the number of a day is written as an ordinal.
        named: The days that have words of their own.
        parted: Cuts a text into what is before the date, the date, and what is after it, with a public time of day in
            the place of the one that was there; None for a text without a time.
        ranges: Patterns for all of a text that is two days: groups ``lead``, ``first`` (``day``, ``nth`` and
            perhaps its month as ``rest``), ``joint`` and ``last``.
        agreeing: Groups of shapes whose text agrees with the date, and what each date has there: "1er" and "2" as
            ``nth``, the number of a day, or "il " and "l'" as a group before it. The text that was read is not kept.
        tens: Words for the decades of a century, and their first years: "ottanta" and 80.
        are_small: Whether names of months are in small letters in the middle of a sentence.
    """

    months: Names
    weekdays: Names
    seasons: Names
    shapes: Sequence[re.Pattern[str]]
    public: Mapping[str, str]
    ordinals: Ordinals = NO_ORDINALS
    named: Sequence[NamedDays] = ()
    parted: Callable[[str], tuple[str, str, str] | None] = lambda _: None
    ranges: Sequence[re.Pattern[str]] = ()
    agreeing: Mapping[str, Callable[[date], str]] = field(default_factory=dict)
    tens: Mapping[str, int] = field(default_factory=dict)
    are_small: bool = False

    def first_month_of(self, season: str) -> int:
        """Return the number of the first month of a season: 3 for spring, 12 for winter."""
        return 3 * self.seasons.number(season) + 3


class DateForm(NamedTuple):
    """A form of dates inside a text: its pattern, of the package ``regex``, and the public date in the same form.

    ``is_alone``: the form is the name of a month without a day or a year.
    """

    pattern: Any
    public: Callable[[Any], str]
    is_alone: bool = False


@dataclass(frozen=True, eq=False)
class DatesInText:
    """How dates are recognised inside a text.

    Attributes:
        forms: The forms that a public date replaces before a detector reads a text.
        rules: Patterns for dates, each with how sure it is that a match is one. Case counts.
        loose: The same for texts that are written in any case.
    """

    forms: tuple[DateForm, ...] = ()
    rules: tuple[tuple[float, str], ...] = ()
    loose: tuple[tuple[float, str], ...] = ()

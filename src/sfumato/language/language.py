"""What the program asks of a language: how it writes dates, which article a word takes, and which words are titles.

A language is one object. :data:`LANGUAGES` holds the languages by their codes. A part that a language does not have
is empty: nothing is read by it, and nothing is mended.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

from sfumato.language.patterns import choice

READ = 48
"""How many characters decide at most which article they take."""


@dataclass(frozen=True, eq=False)
class Names:
    """Names in the order of the calendar, in small letters.

    Attributes:
        full: The names that are written.
        short: Other spellings that are read, and the numbers of their names, from 0. A dot may follow.
    """

    full: tuple[str, ...]
    short: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {**self.short, **{name: number for number, name in enumerate(self.full)}}

    def number(self, text: str) -> int:
        """Return the number, from 0, of a name in any case, with or without a dot."""
        return self._numbers[text.lower().removesuffix(".")]

    @property
    def pattern(self) -> str:
        """Return a pattern for a name in small letters, in full or short."""
        return choice(self._numbers)

    @property
    def capitalised(self) -> str:
        """Return a pattern for a full name with a capital."""
        return choice(map(str.capitalize, self.full))

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
    """

    grains: Mapping[str, Mapping[str, float]]
    others: Mapping[str, str]
    shape: re.Pattern[str]
    is_proper: bool = False

    @cached_property
    def words(self) -> Mapping[str, tuple[str, str]]:
        """Return the word and the grain of each word that is read, by its small letters."""
        own = {word.lower(): (word, grain) for grain, words in self.grains.items() for word in words}
        return own | {other: own[word.lower()] for other, word in self.others.items()}


class Ordinals(Protocol):
    """How a language writes the number of a day as an ordinal. Only shapes and fields with ordinals ask for it."""

    def spelled_ordinal(self, number: int) -> str:
        """Return the ordinal of ``number`` in words."""

    def number_of_ordinal(self, text: str) -> int | None:
        """Return the number whose ordinal ``text`` spells, in any case, or None."""

    def suffix_of(self, number: int) -> str:
        """Return the letters that make an ordinal of the figure ``number``."""


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
    """

    months: Names
    weekdays: Names
    seasons: Names
    shapes: Sequence[re.Pattern[str]]
    public: Mapping[str, str]
    ordinals: Ordinals
    named: Sequence[NamedDays] = ()
    parted: Callable[[str], tuple[str, str, str] | None] = lambda _: None
    ranges: Sequence[re.Pattern[str]] = ()

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


@dataclass(frozen=True, eq=False)
class Titles:
    """Titles before the name of a person.

    Attributes:
        read: The titles that a name may begin with, in small letters and without a stop.
        women: Those of women alone.
        men: Those of men alone.
        given: Those behind which a lone name may be a first name: "Uncle Tom". Behind any other it is a last name.
        joins: Words that join two titles: "Mr and Mrs".
    """

    read: tuple[str, ...] = ()
    women: frozenset[str] = frozenset()
    men: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()

    def takes_last_name(self, title: str) -> bool:
        """Return whether a lone name behind ``title`` is a last name."""
        return bool(title) and title.split()[-1].rstrip(".").lower() not in self.given

    def cut(self, text: str) -> tuple[str, str]:
        """Return the titles that ``text`` begins with ("", "Prof. Dr." or "Mr and Mrs"), and the rest."""
        words, cut = text.split(" ", _MOST_TITLES + 1), 0
        for number, word in enumerate(words[:-1][:_MOST_TITLES]):
            joins = 0 < cut == number and word.lower() in self.joins and words[number + 1] in self._spelled
            if word in self._spelled:
                cut = number + 1
            elif not joins:
                break
        return " ".join(words[:cut]), " ".join(words[cut:])

    def joins_two(self, title: str) -> bool:
        """Return whether ``title`` is that of two people."""
        return not self.joins.isdisjoint(title.lower().split())

    def gender_of(self, title: str) -> str | None:
        """Return "woman" or "man" if ``title`` is that of one; None if it says neither or both."""
        words = {word.rstrip(".").lower() for word in title.split()}
        genders = [gender for gender, titles in (("woman", self.women), ("man", self.men)) if words & titles]
        return genders[0] if len(genders) == 1 else None

    @cached_property
    def _spelled(self) -> frozenset[str]:
        spellings = (spelling for word in self.read for spelling in (word, word.capitalize(), word.upper()))
        return frozenset(f"{spelling}{stop}" for spelling in spellings for stop in ("", "."))


_MOST_TITLES = 3


NAME, OTHER_NAME, OTHER_MARK = "\0", "\1", "\2"
"""What stands for a name, for another mark of its kind, and for a mark of another kind, in the text between marks."""
NEVER = re.compile(r"(?!)")
"""A pattern that matches nothing."""
_BESIDE = 80


class Link(NamedTuple):
    """What the text says of a name that is a relative's: whose relative it is.

    Attributes:
        sex: "woman" or "man", if a pronoun says whose; None if it says neither.
        step: Which neighbouring name it is, -1 or 1; 0 if a pronoun says whose.
        narrator: "teller" or "hearer", if it is a relative of who tells or hears the text.
    """

    sex: str | None = None
    step: int = 0
    narrator: str = ""


class Beside(NamedTuple):
    """Patterns for the text before a name, which it ends, and for the text behind it, which it begins."""

    before: Any = NEVER
    behind: Any = NEVER

    def fits(self, before: str, after: str) -> bool:
        """Return whether the text before or behind a name fits."""
        return bool(self.before.search(before) or self.behind.match(after))


class Cues(NamedTuple):
    """Patterns for the text beside a value that says what it is about.

    Text beside a name has :data:`NAME` for it, and :data:`OTHER_NAME` and :data:`OTHER_MARK` for other marks.

    Attributes:
        birth: The text before a date of birth.
        relative: The text before the age of a relative.
        woman: The text beside the name of a woman.
        man: The same for a man.
        crowd: Anything in the sentence before a name behind which a pronoun may mean somebody else.
        pronoun: The next in the text behind a name that is a pronoun, as its group "woman" or "man", or anything
            behind which a pronoun may mean somebody else.
        aside: The text before a name that a text is hardly about.
        relation: The text beside the name of a relative who mostly has the same last name. A group says whose
            relative it is: "woman", "man", "anyone", "teller" or "hearer" for a pronoun, "last" or "next" for the
            name beside it.
        last_name: The text beside a last name.
        institution: The text behind a name that begins the name of an institution.
    """

    birth: re.Pattern[str] = NEVER
    relative: re.Pattern[str] = NEVER
    woman: Beside = Beside()
    man: Beside = Beside()
    crowd: Any = NEVER
    pronoun: re.Pattern[str] = NEVER
    aside: Any = NEVER
    relation: Any = NEVER
    last_name: Beside = Beside()
    institution: re.Pattern[str] = NEVER

    def gender_of(self, before: str, after: str) -> str | None:
        """Return "woman" or "man" if the text beside a name says that; None if it says neither or both."""
        told = [who for who, cue in (("woman", self.woman), ("man", self.man)) if cue.fits(before, after)]
        return told[0] if len(told) == 1 else None

    def pronoun_of(self, before: str, after: str) -> str | None:
        """Return "woman" or "man" if a pronoun behind a name can only mean its person."""
        told = None if self.crowd.search(before) else self.pronoun.search(after)
        return None if told is None or told.lastgroup not in ("woman", "man") else told.lastgroup

    def link_of(self, before: str, after: str) -> Link | None:
        """Return whose relative a name is; None if the text beside it does not say."""
        told = self.relation.search(f"{before[-_BESIDE:]}{NAME}{after[:_BESIDE]}")
        group = None if told is None else told.lastgroup
        if group in ("teller", "hearer"):
            return Link(narrator=group)
        sex = group if group in ("woman", "man") else None
        return None if group is None else Link(sex, {"last": -1, "next": 1}.get(group, 0))

    def says_last_name(self, before: str, after: str) -> bool:
        """Return whether the text beside a lone name says that it is a last name."""
        return self.last_name.fits(before, after)


class Language(ABC):
    """A language. Each part is loaded when it is first asked for."""

    code: ClassVar[str]

    @property
    @abstractmethod
    def dates(self) -> Dates:
        """Return how dates are written."""

    @property
    def dates_in_text(self) -> DatesInText:
        """Return how dates are recognised inside a text."""
        return DatesInText()

    @property
    def titles(self) -> Titles:
        """Return the titles before names of people."""
        return Titles()

    @property
    def cues(self) -> Cues:
        """Return what the text before a value says of it."""
        return Cues()

    def is_measure(self, text: str, before: str = "", after: str = "", bare: bool = False) -> bool:
        """Return whether ``text`` is a dose, a laboratory value or the like, by itself or by the text beside it.

        ``bare`` says that a figure may do without a unit if its name is before it.
        """
        return False

    def indefinite_article(self, words: str) -> str | None:
        """Return the indefinite article that ``words`` take, or None if any may be right. READ characters decide."""
        return None

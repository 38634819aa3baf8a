"""What the program asks of a language: how it writes dates, which article a word takes, and which words are titles.

A language is one object. :data:`LANGUAGES` holds the languages by their codes. A part that a language does not have
is empty: nothing is read by it, and nothing is mended.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from sfumato.language.clock import Clock
from sfumato.language.counting import Counts
from sfumato.language.dates import Dates, DatesInText
from sfumato.language.everyday import is_everyday
from sfumato.language.forms import Forms, keys_of
from sfumato.language.institutions import Institutions
from sfumato.language.lists import WordEnds, has_lists, lists_of, phrases_of, words_of
from sfumato.language.naming import Naming, naming_of
from sfumato.language.numbers import Numbers
from sfumato.language.people import Cues, Titles, Work
from sfumato.language.phrasing import Phrasing, articled
from sfumato.language.place_words import PlaceWords
from sfumato.language.sexed import Peoples, Sexed, sexed
from sfumato.language.units import Money, Units

READ = 48
"""How many characters decide at most which article they take."""


class Language(ABC):
    """A language. Each part is loaded when it is first asked for."""

    code: ClassVar[str]
    elided: ClassVar[tuple[str, ...]] = ()
    """Articles and prepositions that an apostrophe ends before a name, in small letters: "l", "dell"."""
    contracted: ClassVar[tuple[str, ...]] = ()
    """Articles, and prepositions with one, before the name of a place, in small letters: "do"."""
    capital_nouns: ClassVar[bool] = False
    """Whether common nouns have capitals."""

    @property
    @abstractmethod
    def dates(self) -> Dates:
        """Return how dates are written."""

    @property
    def dates_in_text(self) -> DatesInText:
        """Return how dates are recognised inside a text."""
        return DatesInText()

    @cached_property
    def numbers(self) -> Numbers:
        """Return how numbers are written."""
        from sfumato.language.spelling import numbers_of

        return numbers_of(self.code)

    @cached_property
    def units(self) -> Units:
        """Return what numbers count."""
        from sfumato.language.listed_units import units_of

        return units_of(self.code)

    @cached_property
    def money(self) -> Money:
        """Return how amounts of money are written."""
        from sfumato.language.listed_units import money_of

        return money_of(self.code)

    @cached_property
    def counts(self) -> Counts:
        """Return how durations and ages are written."""
        from sfumato.language.listed_counts import ListedCounts

        return ListedCounts(self.code, self.numbers)

    @cached_property
    def clock(self) -> Clock:
        """Return how times of day are written."""
        from sfumato.language.listed_clock import ListedClock

        return ListedClock(self.code)

    @cached_property
    def titles(self) -> Titles:
        """Return the titles before names of people."""
        return Titles.of(self._lists("titles"), self._lists("names").get("joins", ""))

    @cached_property
    def naming(self) -> Naming:
        """Return how names of people are built."""
        return naming_of(self._lists("names"))

    def is_everyday(self, word: str) -> bool:
        """Return whether ``word``, which is a name, is an everyday word as well."""
        return is_everyday(word, self.code)

    @cached_property
    def phrasing(self) -> Phrasing:
        """Return how a phrase is written in a text."""
        return articled(self._lists("articles"), self.joined)

    def joined(self, article: str, phrase: str) -> str:
        """Return ``article`` and ``phrase`` in a row: "the house", "l'hôpital"."""
        return f"{article} {phrase}"

    @cached_property
    def institutions(self) -> Institutions:
        """Return the kinds of institution."""
        return Institutions(self._lists("institutions"), self.phrasing)

    @cached_property
    def occupations(self) -> Sexed:
        """Return words for what people do."""
        return sexed(phrases_of(self._lists("occupations").get("pairs", "")))

    def works(self, text: str) -> bool:
        """Return whether a word of ``text`` ends as words for people by what they do end."""
        return self._ends_of_work.any_in(text)

    @cached_property
    def jobs(self) -> frozenset[str]:
        """Return the words for what people do that a list holds, in small letters."""
        own = self.occupations
        return frozenset(job.casefold() for row in (own.all, own.women, own.others) for job in row)

    @cached_property
    def _ends_of_work(self) -> WordEnds:
        return WordEnds(self._lists("occupations").get("endings", ""))

    @cached_property
    def work(self) -> Work:
        """Return the words for what people do that a woman or a man alone has."""
        pairs = [pair.partition("|") for pair in phrases_of(self._lists("occupations").get("pairs", ""))]
        women = (*self.occupations.women, *self.occupations.others)
        ends = words_of(self._lists("occupations").get("women", "")) if self.occupations.women else ()
        return Work(
            frozenset(word.casefold() for word in women),
            frozenset(man.strip().casefold() for man, bar, _ in pairs if bar),
            tuple(end.removeprefix("-").casefold() for end in ends),
        )

    @cached_property
    def genders_of_work(self) -> Mapping[str, WordEnds]:
        """Return by gender the words for what people do whose gender is not that of a sex: "das Zimmermädchen"."""
        return {gender: WordEnds(words) for gender, words in self._lists("occupations").get("genders", {}).items()}

    @cached_property
    def peoples(self) -> Peoples:
        """Return nations, beliefs and adjectives of nations."""
        return Peoples.of(self._lists("peoples"))

    @cached_property
    def places(self) -> PlaceWords:
        """Return the words for places and streets."""
        return PlaceWords(self.code, self._lists("places"), self.phrasing)

    @cached_property
    def forms(self) -> Forms:
        """Return the keys of fields in forms, and their cues."""
        return Forms.of(self._lists("forms"))

    @cached_property
    def particles(self) -> frozenset[str]:
        """Return the particles of family names, in small letters."""
        return frozenset(words_of(self._lists("names").get("particles", "")))

    @cached_property
    def countries(self) -> tuple[str, ...]:
        """Return the codes of the countries where the language is spoken, that of most texts first."""
        return words_of(self._lists("names").get("countries", ""))

    @cached_property
    def streets(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words that begin the name of a street, and those that end it."""
        listed = keys_of(self._lists("places").get("streets", ""))
        behind = tuple(word.removeprefix("-") for word in listed if word.startswith("-"))
        return tuple(word for word in listed if not word.startswith("-")), behind

    def _lists(self, name: str) -> Mapping[str, Any]:
        """Return the lists of the file ``name``; none if the language has no such file."""
        return lists_of(self.code, name) if has_lists(self.code, name) else {}

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Return articles, prepositions and the like beside dates and places, which say nothing of a person."""
        return frozenset(words_of(self._lists("numbers").get("small_words", "")))

    @cached_property
    def noun_ends(self) -> WordEnds:
        """Return how common nouns and terms of medicine end, and hardly any name."""
        return WordEnds(self._lists("numbers").get("noun_ends", ""))

    @property
    def cues(self) -> Cues:
        """Return what the text before a value says of it."""
        return Cues()

    def is_measure(self, text: str, before: str = "", after: str = "", bare: bool = False) -> bool:
        """Return whether ``text`` is a dose, a laboratory value or the like, by itself or by the text beside it.

        ``bare`` says that a figure may do without a unit if its name is before it. Symbols of units and names of
        substances are alike in most languages, so the lists of English serve unless a language has its own.
        """
        from sfumato.language.en.measures import is_measure

        return is_measure(text, before, after, bare)

    def is_heading(self, text: str) -> bool:
        """Return whether ``text`` has only words that name columns of tables and fields of forms."""
        return False

    def indefinite_article(self, words: str) -> str | None:
        """Return the indefinite article that ``words`` take, or None if any may be right. READ characters decide."""
        return None

    def article_before(self, before: str, after: str, name: str, definite: bool | None) -> tuple[str, str]:
        """Return the text ``before`` a proper ``name``, and the name, with the article that it takes.

        ``definite`` says that an article stands before it, or that none does, or that either may be right. A language
        whose articles depend on more than that mends them by :meth:`agreeing`.
        """
        return before, name

    def agreeing(self, before: str, output: str) -> str | None:
        """Return what ``before``, the text before an ``output``, becomes so that it agrees; None if it stays.

        Only its end changes: an article, a preposition with one, an elision. ``before`` has at most READ characters.
        """
        return None

"""English. Each part is loaded when it is first asked for, because most runs need few of them."""

from __future__ import annotations

from functools import cached_property

from sfumato.language.clock import Clock
from sfumato.language.counting import Counts
from sfumato.language.en.articles import indefinite_article
from sfumato.language.naming import Naming
from sfumato.language.numbers import Numbers
from sfumato.language.packaged import Packaged
from sfumato.language.people import Titles
from sfumato.language.phrasing import Phrasing
from sfumato.language.place_words import PlaceWords
from sfumato.language.units import Money, Units


class English(Packaged):
    """English: the dates, titles and articles of texts from Britain and the United States."""

    code = "en"
    further = frozenset({"cues"})

    @cached_property
    def numbers(self) -> Numbers:
        """Return how numbers are written."""
        from sfumato.language.en.numbers import NUMBERS

        return NUMBERS

    @cached_property
    def units(self) -> Units:
        """Return what numbers count."""
        from sfumato.language.en.units import ENGLISH_UNITS

        return ENGLISH_UNITS

    @cached_property
    def money(self) -> Money:
        """Return how amounts of money are written."""
        from sfumato.language.en.units import MONEY

        return MONEY

    @cached_property
    def counts(self) -> Counts:
        """Return how durations and ages are written."""
        from sfumato.language.en.counts import EnglishCounts

        return EnglishCounts()

    @cached_property
    def clock(self) -> Clock:
        """Return how times of day are written."""
        from sfumato.language.en.clock import EnglishClock

        return EnglishClock()

    @cached_property
    def titles(self) -> Titles:
        """Return the titles before names of people."""
        from sfumato.language.en.people import TITLES

        return TITLES

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Return articles, prepositions and the like beside dates and places, which say nothing of a person."""
        from sfumato.language.en.words import PARTICLES

        return PARTICLES

    @cached_property
    def naming(self) -> Naming:
        """Return how names of people are built."""
        from sfumato.language.en.people import NAMING

        return NAMING

    def is_everyday(self, word: str) -> bool:
        """Return whether ``word``, which is a name, is an everyday word as well."""
        from sfumato.language.en.words import is_everyday

        return is_everyday(word)

    @cached_property
    def phrasing(self) -> Phrasing:
        """Return how a phrase is written in a text."""
        from sfumato.language.en.phrasing import PHRASING

        return PHRASING

    @cached_property
    def places(self) -> PlaceWords:
        """Return the words for places and streets."""
        from sfumato.language.en.places import EnglishPlaces

        return EnglishPlaces(self.phrasing)

    def article_before(self, before: str, after: str, name: str, definite: bool | None) -> tuple[str, str]:
        """Return the text ``before`` a proper ``name``, and the name, with "the" or without it."""
        from sfumato.language.en.grammar import article_before

        return article_before(before, after, name, definite)

    def is_heading(self, text: str) -> bool:
        """Return whether ``text`` has only words that name columns of tables and fields of forms."""
        from sfumato.language.en.headings import is_heading

        return is_heading(text)

    def indefinite_article(self, words: str) -> str | None:
        """Return "a" or "an", as ``words`` are spoken, or None if either may be right."""
        return indefinite_article(words)

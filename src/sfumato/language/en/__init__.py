"""English. Each part is loaded when it is first asked for, because most runs need few of them."""

from __future__ import annotations

from functools import cached_property

from sfumato.language.en.articles import indefinite_article
from sfumato.language.language import Cues, Dates, DatesInText, Language, Titles


class English(Language):
    """English: the dates, titles and articles of texts from Britain and the United States."""

    code = "en"

    @cached_property
    def dates(self) -> Dates:
        """Return how dates are written."""
        from sfumato.language.en.dates import DATES

        return DATES

    @cached_property
    def dates_in_text(self) -> DatesInText:
        """Return how dates are recognised inside a text."""
        from sfumato.language.en.dates_in_text import DATES_IN_TEXT

        return DATES_IN_TEXT

    @cached_property
    def titles(self) -> Titles:
        """Return the titles before names of people."""
        from sfumato.language.en.people import TITLES

        return TITLES

    @cached_property
    def cues(self) -> Cues:
        """Return what the text before a value says of it."""
        from sfumato.language.en.cues import CUES

        return CUES

    def is_measure(self, text: str, before: str = "", after: str = "", bare: bool = False) -> bool:
        """Return whether ``text`` is a dose, a laboratory value, a score, or names a gene or an instrument."""
        from sfumato.language.en.measures import is_measure

        return is_measure(text, before, after, bare)

    def indefinite_article(self, words: str) -> str | None:
        """Return "a" or "an", as ``words`` are spoken, or None if either may be right."""
        return indefinite_article(words)

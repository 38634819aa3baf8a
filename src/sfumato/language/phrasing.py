"""How a phrase is written in a text: the article before it, its number, and the ending of a possessive.

Articles of a language with genders depend on the phrase. So a form holds the use of an article ("the", "the_dative"),
never the article itself, which would say a part of the value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import regex

from sfumato.language.lists import words_of


class Cut(NamedTuple):
    """A text without its article and the ending of its possessive."""

    article: str
    phrase: str
    ending: str


class Phrasing(ABC):
    """How phrases are written in a text."""

    @abstractmethod
    def cuts(self, text: str, articles: bool) -> Iterator[Cut]:
        """Yield ``text`` with and without its article and its possessive, whole first."""

    @abstractmethod
    def use_of(self, article: str, gender: str) -> str:
        """Return how a form holds ``article``, which is before a phrase of ``gender``; "" of a gender not known."""

    @abstractmethod
    def written(self, phrase: str, use: str, ending: str, gender: str, is_plural: bool) -> str:
        """Return ``phrase`` with the article of ``use`` and the possessive ``ending``."""

    def plural(self, phrase: str) -> str:
        """Return the plural of ``phrase``; the phrase itself where no rule gives one."""
        return phrase

    def singulars(self, phrase: str) -> tuple[str, ...]:
        """Return the phrases whose plural is ``phrase``, and which look different."""
        return ()

    def uncased(self, text: str, proper: bool) -> str:
        """Return ``text``, which no list holds, as a list might hold it."""
        return text

    def gender_of(self, article: str) -> str:
        """Return the first gender whose nominative with "the" is ``article``; "" if no gender has it."""
        return ""


Joined = Callable[[str, str], str]
"""Joins an article and a phrase: "le" and "hôpital" to "l'hôpital"."""


def with_blank(article: str, phrase: str) -> str:
    """Return ``article`` and ``phrase`` with a blank between them."""
    return f"{article} {phrase}"


@dataclass(frozen=True, eq=False)
class Articled(Phrasing):
    """Phrases with articles by gender, and without a possessive.

    Attributes:
        forms: The article of each gender, by use.
        others: Further articles that are read, with the use that each counts as.
        joined: How an article and a phrase are joined.
    """

    forms: Mapping[str, Mapping[str, str]]
    others: Mapping[str, str] = field(default_factory=dict)
    joined: Joined = with_blank

    @cached_property
    def _article(self) -> regex.Pattern[str]:
        every = {*self.others, *(article for by_gender in self.forms.values() for article in by_gender.values())}
        apart = [regex.escape(article) for article in sorted(every, key=len, reverse=True) if article[-1] not in "'’"]
        elided = [regex.escape(article[:-1]) for article in every if article[-1] in "'’"]
        patterns = [rf"(?:{'|'.join(apart)})[ ]" if apart else "", rf"(?:{'|'.join(elided)})['’]" if elided else ""]
        return regex.compile(rf"(?P<article>{'|'.join(filter(None, patterns))})(?=\S)", regex.IGNORECASE)

    def cuts(self, text: str, articles: bool) -> Iterator[Cut]:
        """Yield ``text`` with and without its article."""
        yield Cut("", text, "")
        start = self._article.match(text) if articles and self.forms else None
        if start:
            yield Cut(start["article"].strip(), text[start.end() :], "")

    def use_of(self, article: str, gender: str) -> str:
        """Return how a form holds ``article``; of a gender not known, the first use that has it."""
        plain = article.lower().replace("’", "'")
        uses = [use for use, of in self.forms.items() if plain in ([of.get(gender)] if gender else of.values())]
        return next(iter(uses), self.others.get(plain, next(iter(self.forms))) if plain else "")

    def written(self, phrase: str, use: str, ending: str, gender: str, is_plural: bool) -> str:
        """Return ``phrase`` with its article; without one where its gender has none for this ``use``."""
        article = self.forms[use].get(gender) if use else None
        return self.joined(article, phrase) if article else phrase

    def gender_of(self, article: str) -> str:
        """Return the first gender whose nominative with "the" is ``article``; "" if no gender has it."""
        return next((gender for gender, own in self.forms.get("the", {}).items() if own == article.lower()), "")


def articled(lists: Mapping[str, Any], joined: Joined = with_blank) -> Articled:
    """Return the articles that the lists ``articles`` of a language say."""
    uses = {use: dict(pair.split("=") for pair in words_of(text)) for use, text in lists.get("uses", {}).items()}
    others = dict(pair.split("=") for pair in words_of(lists.get("others", "")))
    return Articled(uses, others, joined)

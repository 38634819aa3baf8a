"""What the kinds of phrases share: article, plural and possessive around a listed phrase.

Letter case is no part of a form, because most cases show which values a phrase may be: "Nurse" has a capital for its
first word and for each of its words, "HIV" is in capitals wherever it is, and "42" has no case. A phrase is
written as it is listed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.errors import ConfigurationError
from sfumato.kinds.phrases.embedded import Embedded
from sfumato.language.en.articles import article
from sfumato.language.en.grammar import plural, possessive, singulars, uncased
from sfumato.language.letter_case import case_key

_LONGEST = 200
_ARTICLE = regex.compile(r"(?:the|The|THE|an?|An?|AN) (?=\S)")
_POSSESSIVE = regex.compile(r"(?<=[sS])(['’])$|(?<=[\w.])(['’])[sS]$")
MANY = "plural"


class _Cut(NamedTuple):
    """A text without its article and the ending of its possessive."""

    article: str
    phrase: str
    ending: str


class Meaning(NamedTuple):
    """A value and its grain; ``number`` says that the phrase is the plural of the value."""

    value: str
    grain: str
    number: str


@dataclass(frozen=True)
class Phrase(Embedded):
    """A kind of listed phrases. A form is an article, a number and the possessive, besides the grain.

    "A" or "an", "'s" or "s'" and the ending of a plural follow the value that is written. A phrase that no list holds
    is read as it is, and its plural by rule. Several spaces count as one, and inside a listed phrase every apostrophe
    is the straight one.
    """

    proper: ClassVar[bool] = False
    """Whether the values are proper names, with capitals in the list."""
    articles: ClassVar[bool] = True
    plurals: ClassVar[bool] = False
    """Whether plurals are read."""
    keeps_number: ClassVar[bool] = True
    """Whether a plural is written in the plural: not where some values have none of their own."""
    default: ClassVar[str]
    """The surrogate, a value of the first grain."""

    @abstractmethod
    def grain_of(self, phrase: str) -> str:
        """Return the grain of a ``phrase`` that no list holds."""

    def read(self, text: str) -> Reading | None:
        """Return what ``text`` says, or None if it has no letter or digit, or is too long."""
        plain = " ".join(text.split()) if len(text) <= _LONGEST else ""
        if not any(map(str.isalnum, plain)):
            return None
        cuts = list(self._cuts(plain))
        listed = ((cut, self._listed_meaning(cut.phrase)) for cut in cuts)
        cut, meaning = next(((cut, meaning) for cut, meaning in listed if meaning), (cuts[-1], None))
        if meaning is None:
            return self._unlisted(cut)
        return Reading(meaning.value, self._form(meaning.grain, cut, meaning.number))

    def _unlisted(self, cut: _Cut) -> Reading | None:
        if not any(map(str.isalnum, cut.phrase)):
            return None
        phrase = uncased(cut.phrase, self.proper)
        singular = self._singular(phrase)
        number = "" if singular is None else MANY
        return Reading(singular or phrase, self._form(self.grain_of(phrase), cut, number))

    def _singular(self, phrase: str) -> str | None:
        """Return the singular of a ``phrase`` that no list holds, if its last letter shows that it is a plural."""
        if not self.plurals or not regex.search(r"[^\Wsiu]s$|men$|people$|children$", phrase):
            return None
        return next(iter(singulars(phrase)), None)

    def _form(self, grain: str, cut: _Cut, number: str) -> Form:
        first = "a" if cut.article.lower() == "an" else cut.article.lower()
        return Form(grain, (first, number if self.keeps_number else "", cut.ending))

    def _cuts(self, text: str) -> Iterator[_Cut]:
        """Yield ``text`` with and without its article and its possessive, whole first."""
        start = _ARTICLE.match(text) if self.articles else None
        for first, rest in [("", text)] + ([(start.group().strip(), text[start.end() :])] if start else []):
            yield _Cut(first, rest, "")
            mark = _POSSESSIVE.search(rest)
            if mark is not None:
                yield _Cut(first, rest[: mark.start()], f"{mark.group()[0]}s")

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        return _meanings(type(self)).get(case_key(phrase.replace("’", "'")))

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, in any form."""
        plain = " ".join(text.split()) if len(text) <= _LONGEST else ""
        return any(self._listed_meaning(cut.phrase) for cut in self._cuts(plain))

    def write(self, value: str, form: Form) -> str:
        """Return ``value`` in ``form``."""
        self.check(form.grain)
        first, number, ending = form.style
        phrase = plural(value) if number else value
        written = possessive(phrase, ending, phrase != value) if ending else phrase
        first = article(phrase) if first == "a" else first
        return f"{first} {written}" if first else written

    @property
    def surrogate(self) -> Reading:
        """Return the phrase :attr:`default`, as it is listed."""
        return Reading(self.default, self.public_form(self.grains[0]))

    def public_form(self, grain: str) -> Form:
        """Return the form without an article, in the singular."""
        self.check(grain)
        return Form(grain, ("", "", ""))


@lru_cache(maxsize=8)
def _meanings(of: type[Phrase]) -> dict[str, Meaning]:
    """Return what listed phrases and their plurals mean, by their small letters; a value comes before a plural."""
    kind = of()
    known: dict[str, Meaning] = {}
    for grain in kind.grains:
        for value in kind.listed(grain).tokens:
            if known.setdefault(case_key(value), Meaning(value, grain, "")).value != value:
                raise ConfigurationError(f"Two values of the kind {kind.name} are spelled alike.")
    for meaning in tuple(known.values()) if kind.plurals else ():
        known.setdefault(case_key(plural(meaning.value)), meaning._replace(number=MANY))
    return known

"""What the kinds of phrases share: article, plural and possessive around a listed phrase.

Letter case is no part of a form, because most cases show which values a phrase may be: "Nurse" has a capital for its
first word and for each of its words, "HIV" is in capitals wherever it is, and "42" has no case. A phrase is
written as it is listed.
"""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar, NamedTuple

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.errors import ConfigurationError
from sfumato.kinds.phrases.embedded import Embedded
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import bare, case_key
from sfumato.language.phrasing import Cut, Phrasing
from sfumato.options.option import Part

_LONGEST = 200
MANY = "plural"


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

    language: Annotated[str, Part("the code of the language of the phrases")] = ENGLISH.code
    proper: ClassVar[bool] = False
    """Whether the values are proper names, with capitals in the list."""
    articles: ClassVar[bool] = True
    plurals: ClassVar[bool] = False
    """Whether plurals are read."""
    keeps_number: ClassVar[bool] = True
    """Whether a plural is written in the plural: not where some values have none of their own."""
    default: ClassVar[str]
    """The surrogate in English, a value of the first grain. In other languages it is the first value."""

    @abstractmethod
    def grain_of(self, phrase: str) -> str:
        """Return the grain of a ``phrase`` that no list holds."""

    def read(self, text: str) -> Reading | None:
        """Return what ``text`` says, or None if it has no letter or digit, or is too long."""
        plain = " ".join(unicodedata.normalize("NFC", text).split()) if len(text) <= _LONGEST else ""
        if not any(map(str.isalnum, plain)):
            return None
        cuts = list(self._cuts(plain))
        listed = ((cut, self._listed_meaning(cut.phrase)) for cut in cuts)
        cut, meaning = next(((cut, meaning) for cut, meaning in listed if meaning), (cuts[-1], None))
        if meaning is None:
            return self._unlisted(cut)
        gender = self.gender_of(meaning.value, meaning.grain) if cut.article else ""
        return Reading(meaning.value, self._form(meaning.grain, cut, meaning.number, gender))

    def _unlisted(self, cut: Cut) -> Reading | None:
        if not any(map(str.isalnum, cut.phrase)):
            return None
        phrase = self._phrasing.uncased(cut.phrase, self.proper)
        singular = self._singular(phrase)
        number = "" if singular is None else MANY
        return Reading(singular or phrase, self._form(self.grain_of(phrase), cut, number))

    def _singular(self, phrase: str) -> str | None:
        """Return the singular of a ``phrase`` that no list holds, if its last letter shows that it is a plural."""
        if not self.plurals or not regex.search(r"[^\Wsiu]s$|men$|people$|children$", phrase):
            return None
        return next(iter(self._phrasing.singulars(phrase)), None)

    def _form(self, grain: str, cut: Cut, number: str, gender: str = "") -> Form:
        use = self._phrasing.use_of(cut.article, gender)
        return Form(grain, (use, number if self.keeps_number else "", cut.ending))

    @cached_property
    def _phrasing(self) -> Phrasing:
        return language_of(self.language).phrasing

    def _cuts(self, text: str) -> Iterator[Cut]:
        """Yield ``text`` with and without its article and its possessive, whole first."""
        return self._phrasing.cuts(text, self.articles)

    def gender_of(self, value: str, grain: str) -> str:
        """Return the grammatical gender of a listed ``value``, which its article depends on; "" if it has none."""
        return ""

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        key, known = case_key(phrase.replace("’", "'")), _meanings(type(self), self.language)
        return known.get(key) or (None if self.language == ENGLISH.code else known.get(bare(key)))

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, in any form."""
        plain = " ".join(unicodedata.normalize("NFC", text).split()) if len(text) <= _LONGEST else ""
        return any(self._listed_meaning(cut.phrase) for cut in self._cuts(plain))

    def write(self, value: str, form: Form) -> str:
        """Return ``value`` in ``form``."""
        self.check(form.grain)
        use, number, ending = form.style
        phrase = self._phrasing.plural(value) if number else value
        gender = self.gender_of(value, form.grain) if use else ""
        return self._phrasing.written(phrase, use, ending, gender, phrase != value)

    @property
    def surrogate(self) -> Reading:
        """Return the phrase that stands for one that cannot be read, as it is listed."""
        grain = self.grains[0]
        listed = () if self.language == ENGLISH.code else self.listed(grain).tokens
        return Reading(listed[0] if listed else self.default, self.public_form(grain))

    def public_form(self, grain: str) -> Form:
        """Return the form without an article, in the singular."""
        self.check(grain)
        return Form(grain, ("", "", ""))


@lru_cache(maxsize=48)
def _meanings(of: type[Phrase], language: str) -> dict[str, Meaning]:
    """Return what listed phrases and their plurals mean, by their small letters; a value comes before a plural."""
    kind, plural = of(language=language), language_of(language).phrasing.plural
    known: dict[str, Meaning] = {}
    for grain in kind.grains:
        for value in kind.listed(grain).tokens:
            if known.setdefault(case_key(value), Meaning(value, grain, "")).value != value:
                raise ConfigurationError(f"Two values of the kind {kind.name} are spelled alike.")
    for meaning in tuple(known.values()) if kind.plurals else ():
        known.setdefault(case_key(plural(meaning.value)), meaning._replace(number=MANY))
    for key, meaning in tuple(known.items()) if language != ENGLISH.code else ():
        known.setdefault(bare(key), meaning)  # capitals often lack accents
    return known

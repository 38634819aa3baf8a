"""PERSON: names of people, with titles, in the layouts of letters, lists and files."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.people.layouts import (
    FAMILY,
    FULL,
    GIVEN,
    INITIALS,
    INSTITUTION,
    LETTERS,
    PLURAL,
    PRONOUN,
    Style,
    are_initials,
    family_of,
    laid_out,
    layout_of,
    letters_of,
    split_name,
)
from sfumato.kinds.people.mentions import ANYONE, representatives, same_person
from sfumato.kinds.people.names import (
    first_names,
    first_names_of,
    last_names,
    locales_of,
    spelled,
)
from sfumato.kinds.people.written import names_written
from sfumato.kinds.phrases.embedded import Embedded, Phrases
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import case_key
from sfumato.language.naming import Naming
from sfumato.language.people import Cues, Titles
from sfumato.options.option import Option, Part

_LONGEST, _MOST_WORDS, _LEAST = 200, 7, 20_000
_USUAL_LOCALES = f"those of the language; in English {', '.join(ENGLISH.naming.locales)}"
_WORD = regex.compile(
    r"\p{L}[\p{L}\p{M}]*(?:['’\u2010\u2011-]\p{L}[\p{L}\p{M}]*)*['’]?|\p{L}\.(?:-\p{L}\.)?|\p{Lu}\p{Ll}{1,2}\.|'t"
)
_COMPACT = regex.compile(r"(?<=(?<!\p{L})\p{L}\.)(?=\p{L})")
_NICKNAME = regex.compile(
    r"(?P<name>\p{L}[\p{L}\p{M}'’-]*) (?:\((?:['‘\"“])?(?P<short>\p{L}[\p{L}\p{M}-]*)(?:['’\"”])?\)"
    r"|[\"“‘'](?P<short>\p{L}[\p{L}\p{M}-]*)[\"”’'])(?=[ ,]|$)"
)


@dataclass(frozen=True)
class Person(Embedded):
    """Names of people: a value is "Given Family", or what a mention shows of it.

    A form holds titles, a layout (which parts a mention shows, in which order), the case, a suffix ("Jr.") and the
    possessive. Several spaces count as one, "J.R." as "J. R.", and "James'" as "James's". The family name is the last
    word with the particles before it ("van den Berg").

    A title such as "Mrs" names a domain of its own, so that it fits the drawn name. A first name does not: it is a
    part of the value.

    Text beside a name that says "his wife" or "her son" does the same. It is in the release, and equal in all texts
    that a guarantee compares, so the domain is visible anyway.

    A mention may show a part of a name. Then reading what was written gives the same form, and a value that is a part
    of the first one (:meth:`same_person`). Of a family name of two words, the first counts as a given name unless it
    is a particle.

    Attributes:
        locales: The locales of faker whose first and last names make the values, at least 20,000. Names of all
            locales are read, whatever these are. By default they are those of the language.
        language: The code of the language of titles and of the names that are written.
    """

    locales: Annotated[
        tuple[str, ...] | None, Option("locales of faker whose names are written", usual=_USUAL_LOCALES)
    ] = None
    language: Annotated[str, Part("the code of the language of titles and names")] = "en"
    name: ClassVar[str] = "PERSON"
    reads_around: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("faker",)

    def __post_init__(self) -> None:
        own, known = self._naming.locales, locales_of(self.language)
        chosen = own if self.locales is None else tuple(self.locales)
        object.__setattr__(self, "locales", chosen)
        if not set(chosen) <= set(known):
            raise ConfigurationError(f"A locale of names is not known; the locales are {', '.join(known)}.")
        if chosen != own and (not chosen or len(names_written(chosen, self.language).tokens) < _LEAST):
            raise ConfigurationError(f"The locales of names make fewer than {_LEAST:,} names; add one.")

    @cached_property
    def _naming(self) -> Naming:
        return language_of(self.language).naming

    @cached_property
    def _titles(self) -> Titles:
        return language_of(self.language).titles

    @cached_property
    def _cues(self) -> Cues:
        return language_of(self.language).cues

    @property
    def sources(self) -> str:
        """Return the package of the names, its version and the locales."""
        return f"{super().sources} ({' '.join(self.locales or ())})"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: all names, and those of women and of men, for names with a title that says so."""
        return (ANYONE, "woman", "man")

    def listed(self, grain: str) -> Phrases:
        """Return full names, made by rule of first and last names."""
        names = names_written(self.locales or (), self.language)
        if grain == ANYONE:
            return names
        first = first_names_of(grain, self.language)
        return Phrases(tuple(name for name in names.tokens if case_key(name.split()[0]) in first), names.left_out)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the names of ``grain`` with their vectors; those of women and men are a part of all."""
        everyone = super().vocabulary(ANYONE)
        self.check(grain)
        return everyone if grain == ANYONE else everyone.subset(set(self.listed(grain).tokens).__contains__)[0]

    def read(self, text: str) -> Reading | None:
        """Return the name that ``text`` consists of, or None if it holds anything but names and titles."""
        if len(text) > _LONGEST:
            return None
        title, name = self._titles.cut(" ".join(unicodedata.normalize("NFC", text).split()))
        name, possessive = self._naming.possessive.cut(name, self._is_listed)
        ending = self._naming.suffix.search(name)
        suffix = "" if ending is None else ending.group()
        name = _NICKNAME.sub(_longer, name if ending is None else name[: ending.start()])
        return self._named(name, title, suffix, possessive)

    def _named(self, name: str, title: str, suffix: str, possessive: str) -> Reading | None:
        left, comma, right = _COMPACT.sub(" ", name).partition(", ")
        words = [*right.split(), *left.split()]
        if not left or (comma and not right) or len(words) > _MOST_WORDS or not all(map(_WORD.fullmatch, words)):
            return None
        letters, whole = () if title or comma else letters_of(left, self.language), None
        if self._naming.has_plurals:
            whole = family_of(left)
        if letters:
            value = " ".join(f"{letter}." for letter in letters)
            return Reading(value, Form(ANYONE, Style("", LETTERS, "listed", suffix, possessive)))
        if whole and not title:
            return Reading(whole[1], Form(ANYONE, Style(whole[0], PLURAL, "listed", suffix, possessive)))
        case = "upper" if name.replace("ß", "ẞ").isupper() else "lower" if name.islower() else "listed"
        if comma:
            given, family = self._turned(right.split(), left.split())
        else:
            given, family = split_name(left, self.language)
        if len(given) == 1 and not family and not are_initials(given) and self._is_last_name(given[0], title):
            given, family = (), given
        capitals = case == "listed" and len(family) > 0 and all(w.isupper() and len(w) > 1 for w in family)
        layout = layout_of(given, family, bool(comma), capitals, self.language)
        if layout == INITIALS:
            case = "listed"
        if case != "listed" or capitals:
            family = spelled(family, self.language)
        if case != "listed":
            given = spelled(given, self.language)
        value = " ".join(map(self._with_stop, (*given, *family)))
        grain = self._titles.gender_of(title) or ANYONE
        return Reading(value, Form(grain, Style(title, layout, case, suffix, possessive)))

    def _with_stop(self, word: str) -> str:
        """Return ``word``, an initial with its full stop; the "e" of "Sá e Silva" is not one."""
        is_initial = are_initials([word]) and not word.endswith(".") and word not in self._naming.particles
        return f"{word}." if is_initial else word

    def _turned(self, given: list[str], family: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return both names of one whose family name came first: in "Berg, Jan van der" the particles are last."""
        while self.language != ENGLISH.code and len(given) > 1 and given[-1].lower() in self._naming.particles:
            family.insert(0, given.pop())
        return tuple(given), tuple(family)

    def _is_last_name(self, word: str, title: str) -> bool:
        """Return whether a lone name behind ``title`` is a last name: "Mrs Yilmaz", "Sister Jones"."""
        return bool(title) and (
            self._titles.takes_last_name(title) or case_key(word) not in first_names(self.language)
        )

    def _is_listed(self, word: str) -> bool:
        key = case_key(word)
        return key in first_names(self.language) or key in last_names(self.language)

    def write(self, value: str, form: Form) -> str:
        """Return the mention of ``value`` that ``form`` describes."""
        style = Style(*form.style)
        name = laid_out(value, style.layout, self.language)
        name = name.upper() if style.case == "upper" else name.lower() if style.case == "lower" else name
        possessive = style.possessive.upper() if style.case == "upper" else style.possessive
        name = (
            self._naming.possessive.written(f"{name}{style.suffix}", possessive)
            if possessive
            else name + style.suffix
        )
        return f"{style.title} {name}".strip()

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return ``reading`` as the text beside it says: whose name it is, and which part of a name."""
        style, cues = Style(*reading.form.style), self._cues
        if cues.institution.match(after):
            return Reading(reading.value, Form(ANYONE, style._replace(beside=INSTITUTION)))
        lone = style.layout in (GIVEN, FAMILY) and not style.title
        if lone and cues.says_last_name(before, after):
            return Reading(reading.value, Form(reading.form.grain, style._replace(layout=FAMILY)))
        if reading.form.grain != ANYONE:
            return reading
        gender = cues.gender_of(before, after) or (
            language_of(self.language).work.sex_of(before) if before.endswith((" ", "\u00a0")) else None
        )
        if gender is not None:
            return Reading(reading.value, Form(gender, style))
        gender = None if style.title else cues.pronoun_of(before, after)
        return reading if gender is None else Reading(reading.value, Form(gender, style._replace(beside=PRONOUN)))

    def same_person(self, first: str, second: str) -> bool:
        """Return whether one of two values can be a part of the other: "Mabey" and "D. Mabey" are of "Dean Mabey"."""
        return same_person(first, second, self._naming.nicknames)

    def representatives(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the fullest name of the person of each of ``readings``, in the domain that all mentions say."""
        return representatives(readings, self.language)

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` has a title, or more words with capitals behind a listed first name, or is one.

        A first name alone is not recognised if it is an everyday word as well: "Grace", "Will".
        """
        reading = self.read(text)
        style = Style("", FULL) if reading is None else Style(*reading.form.style)
        if reading is None or style.case == "lower":
            return False
        given, family = split_name(reading.value, self.language)
        capitals = all(word[0].isupper() or word in self._naming.particles for word in (*given, *family))
        known = bool(given) and case_key(given[0]) in first_names(self.language)
        alone = len(given) == 1 and not family and style.case == "listed"
        alone = alone and not language_of(self.language).is_everyday(given[0])
        return bool(style.title) or (known and capitals and (bool(family) or alone))

    @property
    def surrogate(self) -> Reading:
        """Return the name of nobody in particular."""
        return Reading(self._naming.surrogate, self.public_form(ANYONE))

    def public_form(self, grain: str) -> Form:
        """Return the form of a full name without a title."""
        self.check(grain)
        return Form(ANYONE, Style("", FULL))


def _longer(match: Any) -> str:
    """Return the longer of a name and the short one beside it: "Sam (Samantha)"."""
    return max(str(match["name"]), str(match["short"]), key=len)

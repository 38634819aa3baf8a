"""PERSON: names of people, with titles, in the layouts of letters, lists and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
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
    ENGLISH_LOCALES,
    LOCALES,
    first_names,
    first_names_of,
    full_names,
    keeps_spelling,
    spelled,
)
from sfumato.kinds.phrases.embedded import Embedded, Phrases, clean
from sfumato.language.en.people import PARTICLES
from sfumato.language.en.words import is_everyday
from sfumato.language.language import Cues, Titles
from sfumato.language.languages import language_of
from sfumato.language.letter_case import case_key
from sfumato.options.option import Option, Part

_LONGEST, _MOST_WORDS, _TWO = 200, 7, 2
_SURROGATE = "Alex Fielding"
_WANTED, _LEAST = 24_000, 20_000
_WORD = regex.compile(
    r"\p{L}[\p{L}\p{M}]*(?:['’\u2010\u2011-]\p{L}[\p{L}\p{M}]*)*['’]?|\p{L}\.(?:-\p{L}\.)?|\p{Lu}\p{Ll}{1,2}\.|'t"
)
_POSSESSIVE = regex.compile(r"(?<=[sS])['’]$|(['’])[sS]$")
_COMPACT = regex.compile(r"(?<=(?<!\p{L})\p{L}\.)(?=\p{L})")
_SUFFIX = regex.compile(r"(?<=\p{L}),? (?:Jr|JR|Sr|SR|II|III|IV)\.?$")
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
            locales are read, whatever these are.
        language: The code of the language whose titles are read.
    """

    locales: Annotated[tuple[str, ...], Option("locales of faker whose names are written")] = ENGLISH_LOCALES
    language: Annotated[str, Part("the code of the language whose titles are read")] = "en"
    name: ClassVar[str] = "PERSON"
    reads_around: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("faker",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "locales", tuple(self.locales))
        if not set(self.locales) <= set(LOCALES):
            raise ConfigurationError(f"A locale of names is not known; the locales are {', '.join(LOCALES)}.")
        if self.locales != ENGLISH_LOCALES and (
            not self.locales or len(_listed(self.locales, self.language).tokens) < _LEAST
        ):
            raise ConfigurationError(f"The locales of names make fewer than {_LEAST:,} names; add one.")

    @cached_property
    def _titles(self) -> Titles:
        return language_of(self.language).titles

    @cached_property
    def _cues(self) -> Cues:
        return language_of(self.language).cues

    @property
    def sources(self) -> str:
        """Return the package of the names, its version and the locales."""
        return f"{super().sources} ({' '.join(self.locales)})"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: all names, and those of women and of men, for names with a title that says so."""
        return (ANYONE, "woman", "man")

    def listed(self, grain: str) -> Phrases:
        """Return full names, made by rule of first and last names."""
        names = _listed(self.locales, self.language)
        if grain == ANYONE:
            return names
        first = first_names_of(grain)
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
        title, name = self._titles.cut(" ".join(text.split()))
        mark = _POSSESSIVE.search(name)
        possessive = "" if mark is None else f"{mark.group()[0]}s"
        name = name if mark is None else name[: mark.start()]
        ending = _SUFFIX.search(name)
        suffix = "" if ending is None else ending.group()
        name = _NICKNAME.sub(_longer, name if ending is None else name[: ending.start()])
        return self._named(name, title, suffix, possessive)

    def _named(self, name: str, title: str, suffix: str, possessive: str) -> Reading | None:
        left, comma, right = _COMPACT.sub(" ", name).partition(", ")
        words = [*right.split(), *left.split()]
        if not left or (comma and not right) or len(words) > _MOST_WORDS or not all(map(_WORD.fullmatch, words)):
            return None
        letters, whole = () if title or comma else letters_of(left), family_of(left)
        if letters:
            value = " ".join(f"{letter}." for letter in letters)
            return Reading(value, Form(ANYONE, Style("", LETTERS, "listed", suffix, possessive)))
        if whole and not title:
            return Reading(whole[1], Form(ANYONE, Style(whole[0], PLURAL, "listed", suffix, possessive)))
        case = "upper" if name.isupper() else "lower" if name.islower() else "listed"
        if comma:
            given, family = tuple(right.split()), tuple(left.split())
        else:
            given, family = split_name(left)
        if len(given) == 1 and not family and not are_initials(given) and self._is_last_name(given[0], title):
            given, family = (), given
        capitals = case == "listed" and len(family) > 0 and all(w.isupper() and len(w) > 1 for w in family)
        layout = layout_of(given, family, bool(comma), capitals)
        if layout == INITIALS:
            case = "listed"
        if case != "listed" or capitals:
            family = spelled(family)
        if case != "listed":
            given = spelled(given)
        value = " ".join(f"{w}." if are_initials([w]) and not w.endswith(".") else w for w in (*given, *family))
        grain = self._titles.gender_of(title) or ANYONE
        return Reading(value, Form(grain, Style(title, layout, case, suffix, possessive)))

    def _is_last_name(self, word: str, title: str) -> bool:
        """Return whether a lone name behind ``title`` is a last name: "Mrs Yilmaz", "Sister Jones"."""
        return bool(title) and (self._titles.takes_last_name(title) or case_key(word) not in first_names())

    def write(self, value: str, form: Form) -> str:
        """Return the mention of ``value`` that ``form`` describes."""
        style = Style(*form.style)
        name = laid_out(value, style.layout)
        name = name.upper() if style.case == "upper" else name.lower() if style.case == "lower" else name
        possessive = style.possessive.upper() if style.case == "upper" else style.possessive
        return f"{style.title} {name}{style.suffix}{possessive}".strip()

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
        gender = cues.gender_of(before, after)
        if gender is not None:
            return Reading(reading.value, Form(gender, style))
        gender = None if style.title else cues.pronoun_of(before, after)
        return reading if gender is None else Reading(reading.value, Form(gender, style._replace(beside=PRONOUN)))

    def same_person(self, first: str, second: str) -> bool:
        """Return whether one of two values can be a part of the other: "Mabey" and "D. Mabey" are of "Dean Mabey"."""
        return same_person(first, second)

    def representatives(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the fullest name of the person of each of ``readings``, in the domain that all mentions say."""
        return representatives(readings)

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` has a title, or more words with capitals behind a listed first name, or is one.

        A first name alone is not recognised if it is an everyday word as well: "Grace", "Will".
        """
        reading = self.read(text)
        style = Style("", FULL) if reading is None else Style(*reading.form.style)
        if reading is None or style.case == "lower":
            return False
        given, family = split_name(reading.value)
        capitals = all(word[0].isupper() or word in PARTICLES for word in (*given, *family))
        known = bool(given) and case_key(given[0]) in first_names()
        alone = len(given) == 1 and not family and style.case == "listed" and not is_everyday(given[0])
        return bool(style.title) or (known and capitals and (bool(family) or alone))

    @property
    def surrogate(self) -> Reading:
        """Return the name of nobody in particular."""
        return Reading(_SURROGATE, self.public_form(ANYONE))

    def public_form(self, grain: str) -> Form:
        """Return the form of a full name without a title."""
        self.check(grain)
        return Form(ANYONE, Style("", FULL))


def _longer(match: Any) -> str:
    """Return the longer of a name and the short one beside it: "Sam (Samantha)"."""
    return max(str(match["name"]), str(match["short"]), key=len)


@lru_cache(maxsize=8)
def _listed(locales: tuple[str, ...], language: str) -> Phrases:
    """Return names of ``locales`` whose parts can be told apart in every layout and in any case."""
    titles = language_of(language).titles
    names = (
        f"{given} {family}" for given, family in full_names(locales) if _can_be_told_apart(given, family, titles)
    )
    return clean(chain([_SURROGATE], names), _WANTED)


def _can_be_told_apart(given: str, family: str, titles: Titles) -> bool:
    value = f"{given} {family}"
    *others, last = words = value.split()
    if " ".join(words) != value or not keeps_spelling(last, True) or not all(map(keeps_spelling, others)):
        return False
    if not _is_family(family) or _POSSESSIVE.search(given) or titles.cut(value)[0]:
        return False
    if min(len(given), len(family)) <= _TWO:  # "WU" alone would be initials
        return False
    if len(words) == 2:
        return given.lower() not in PARTICLES  # what split_name says of two words, in a fraction of its time
    return split_name(value) == ((given,), tuple(family.split()))


@cache
def _is_family(name: str) -> bool:
    """Return whether a last name of a public list is no first name and has no possessive ending."""
    return case_key(name) not in first_names() and not _POSSESSIVE.search(name)

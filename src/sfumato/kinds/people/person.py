"""PERSON: names of people, with titles, in the layouts of letters, lists and files."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Annotated, ClassVar

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.options import Option, Part
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.people.names import (
    ENGLISH_LOCALES,
    LOCALES,
    first_names,
    first_names_of,
    full_names,
    keeps_spelling,
    last_names,
    spelled,
)
from sfumato.kinds.phrases.embedded import Embedded, Phrases, clean
from sfumato.language.en.people import PARTICLES
from sfumato.language.en.words import is_everyday
from sfumato.language.language import Cues, Titles
from sfumato.language.languages import language_of
from sfumato.language.letter_case import case_key

_LONGEST, _MOST_WORDS = 200, 7
_ANYONE, _SURROGATE = "person", "Alex Fielding"
_WANTED, _LEAST = 24_000, 20_000
FULL, GIVEN, FAMILY, INITIALS = "{given} {family}", "{given}", "{family}", "{initials}"
CAPITALS, TURNED, TURNED_CAPITALS = "{given} {FAMILY}", "{family}, {given}", "{FAMILY}, {given}"
SHORT, SHORT_BARE = "{i.} {family}", "{i} {family}"
TURNED_SHORT, TURNED_BARE = "{family}, {i.}", "{family}, {i}"
_INITIAL = regex.compile(r"\p{L}\.?")
_WORD = regex.compile(
    r"\p{L}[\p{L}\p{M}]*(?:['’\u2010\u2011-]\p{L}[\p{L}\p{M}]*)*['’]?|\p{L}\.(?:-\p{L}\.)?|\p{Lu}\p{Ll}{1,2}\.|'t"
)
_POSSESSIVE = regex.compile(r"(?<=[sS])['’]$|(['’])[sS]$")
_COMPACT = regex.compile(r"(?<=(?<!\p{L})\p{L}\.)(?=\p{L})")
_SUFFIX = regex.compile(r"(?<=\p{L}),? (?:Jr|JR|Sr|SR|II|III|IV)\.?$")


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
        return (_ANYONE, "woman", "man")

    def listed(self, grain: str) -> Phrases:
        """Return full names, made by rule of first and last names."""
        names = _listed(self.locales, self.language)
        if grain == _ANYONE:
            return names
        first = first_names_of(grain)
        return Phrases(tuple(name for name in names.tokens if case_key(name.split()[0]) in first), names.left_out)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the names of ``grain`` with their vectors; those of women and men are a part of all."""
        everyone = super().vocabulary(_ANYONE)
        self.check(grain)
        return everyone if grain == _ANYONE else everyone.subset(set(self.listed(grain).tokens).__contains__)[0]

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
        return self._named(name if ending is None else name[: ending.start()], title, suffix, possessive)

    def _named(self, name: str, title: str, suffix: str, possessive: str) -> Reading | None:
        left, comma, right = _COMPACT.sub(" ", name).partition(", ")
        words = [*right.split(), *left.split()]
        if not left or (comma and not right) or len(words) > _MOST_WORDS or not all(map(_WORD.fullmatch, words)):
            return None
        case = "upper" if name.isupper() else "lower" if name.islower() else "listed"
        if comma:
            given, family = tuple(right.split()), tuple(left.split())
        else:
            given, family = split_name(left)
        if title and not family and len(given) == 1 and case_key(given[0]) not in first_names():
            given, family = (), given  # "Dr Mabey"
        capitals = case == "listed" and len(family) > 0 and all(w.isupper() and len(w) > 1 for w in family)
        layout = layout_of(given, family, bool(comma), capitals)
        if layout == INITIALS:
            case = "listed"
        if case != "listed" or capitals:
            family = spelled(family)
        if case != "listed":
            given = spelled(given)
        value = " ".join(f"{w}." if are_initials([w]) and not w.endswith(".") else w for w in (*given, *family))
        grain = self._titles.gender_of(title) or _ANYONE
        return Reading(value, Form(grain, (title, layout, case, suffix, possessive)))

    def write(self, value: str, form: Form) -> str:
        """Return the mention of ``value`` that ``form`` describes."""
        title, layout, case, suffix, possessive = form.style
        name = laid_out(value, layout)
        name = name.upper() if case == "upper" else name.lower() if case == "lower" else name
        possessive = possessive.upper() if case == "upper" else possessive
        return f"{title} {name}{suffix}{possessive}".strip()

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return ``reading`` as the name of a woman or a man if the text beside it says so: "his wife"."""
        gender = self._cues.gender_of(before, after)
        if gender is None or reading.form.grain != _ANYONE:
            return reading
        return Reading(reading.value, Form(gender, reading.form.style))

    def same_person(self, first: str, second: str) -> bool:
        """Return whether one of two values can be a part of the other: "Mabey" and "D. Mabey" are of "Dean Mabey"."""
        short, long = sorted((_plain_words(first), _plain_words(second)), key=len)
        rest = iter(long)
        return bool(short) and all(any(_can_be(word, other) for other in rest) for word in short)

    def representatives(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the fullest name of the person of each of ``readings``; a title of one mention holds for all.

        A part of one longer name joins it. A part of several that are different people stays by itself, because two
        people who become one are worse than one who becomes two.
        """
        values = {reading.value for reading in readings}
        fullest: dict[str, str] = {}
        for name in sorted(values, key=lambda name: (-sum(map(len, _plain_words(name))), name)):
            longer = {
                fullest[other] for other in fullest if _is_longer(other, name) and self.same_person(other, name)
            }
            fullest[name] = longer.pop() if len(longer) == 1 else name
        titled = {fullest[reading.value]: reading.form for reading in readings if reading.form.grain != _ANYONE}
        return [
            Reading(fullest[reading.value], titled.get(fullest[reading.value], reading.form)) for reading in readings
        ]

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` has a title, or more words with capitals behind a listed first name, or is one.

        A first name alone is not recognised if it is an everyday word as well: "Grace", "Will".
        """
        reading = self.read(text)
        if reading is None or reading.form.style[2] == "lower":
            return False
        given, family = split_name(reading.value)
        capitals = all(word[0].isupper() or word in PARTICLES for word in (*given, *family))
        known = bool(given) and case_key(given[0]) in first_names()
        alone = len(given) == 1 and not family and reading.form.style[2] == "listed" and not is_everyday(given[0])
        return bool(reading.form.style[0]) or (known and capitals and (bool(family) or alone))

    @property
    def surrogate(self) -> Reading:
        """Return the name of nobody in particular."""
        return Reading(_SURROGATE, self.public_form(_ANYONE))

    def public_form(self, grain: str) -> Form:
        """Return the form of a full name without a title."""
        self.check(grain)
        return Form("person", ("", FULL, "listed", "", ""))


def split_name(value: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of the given name and those of the family name; either may be missing.

    One word is a given name unless the lists have it as a last name alone.
    """
    words = value.split()
    if len(words) == 1 and (case_key(words[0]) in first_names() or case_key(words[0]) not in last_names()):
        return tuple(words), ()
    if all(_INITIAL.fullmatch(word) for word in words):
        return tuple(words[:-1]) or tuple(words), tuple(words[-1:]) if len(words) > 1 else ()
    start = len(words) - 1
    while start > 0 and words[start - 1].lower() in PARTICLES:
        start -= 1
    return tuple(words[:start]), tuple(words[start:])


def are_initials(words: Sequence[str]) -> bool:
    """Return whether ``words`` are letters, with or without a stop."""
    return bool(words) and all(_INITIAL.fullmatch(word) for word in words)


def laid_out(value: str, layout: str) -> str:
    """Return the parts of ``value`` that ``layout`` shows; of a value that lacks them, what there is."""
    given, family = split_name(value)
    if layout == INITIALS:
        return "".join(f"{word[0].upper()}." for word in (*given, *family))
    stop = "." if layout in (SHORT, TURNED_SHORT) else ""
    first, last = " ".join(given), " ".join(family)
    if layout in (SHORT, SHORT_BARE, TURNED_SHORT, TURNED_BARE):
        first = " ".join(f"{word[0]}{stop}" for word in given)
    if layout in (CAPITALS, TURNED_CAPITALS):
        last = last.upper()
    if layout in (GIVEN, FAMILY):
        shown = first if layout == GIVEN else last
        return shown or first or last
    parts = (last, first) if layout in (TURNED, TURNED_CAPITALS, TURNED_SHORT, TURNED_BARE) else (first, last)
    return (", " if parts[0] == last else " ").join(filter(None, parts))


def layout_of(given: Sequence[str], family: Sequence[str], turned: bool, capitals: bool) -> str:
    """Return the layout of a mention that shows these words: ``turned`` says that the family name comes first."""
    if not given or not family:
        return INITIALS if are_initials((*given, *family)) else GIVEN if given else FAMILY
    if are_initials(given):
        stops = all(word.endswith(".") for word in given)
        if are_initials(family):
            return INITIALS
        return (TURNED_SHORT if stops else TURNED_BARE) if turned else (SHORT if stops else SHORT_BARE)
    if capitals:
        return TURNED_CAPITALS if turned else CAPITALS
    return TURNED if turned else FULL


def _plain_words(value: str) -> list[str]:
    parts = unicodedata.normalize("NFKD", value.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign)).replace(".", " ").split()


def _is_longer(first: str, second: str) -> bool:
    """Return whether ``first`` says more of a name than ``second``."""
    return sum(map(len, _plain_words(first))) > sum(map(len, _plain_words(second)))


def _can_be(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) == 1 and long.startswith(short))


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
    if len(words) == 2:
        return given.lower() not in PARTICLES  # what split_name says of two words, in a fraction of its time
    return split_name(value) == ((given,), tuple(family.split()))


@cache
def _is_family(name: str) -> bool:
    """Return whether a last name of a public list is no first name and has no possessive ending."""
    return case_key(name) not in first_names() and not _POSSESSIVE.search(name)

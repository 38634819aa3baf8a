"""Layouts of names: which parts a mention shows, in which order, and how much of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex

from sfumato.kinds.people.names import first_names, last_names
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import case_key
from sfumato.language.naming import Naming

FULL, GIVEN, FAMILY, INITIALS, LETTERS = "{given} {family}", "{given}", "{family}", "{initials}", "{letters}"
CAPITALS, TURNED, TURNED_CAPITALS = "{given} {FAMILY}", "{family}, {given}", "{FAMILY}, {given}"
PLURAL, SHORT, SHORT_BARE, FAMILIES = "{family}s", "{i.} {family}", "{i} {family}", "{family} {family}"
TURNED_SHORT, TURNED_BARE = "{family}, {i.}", "{family}, {i}"
_INITIAL = regex.compile(r"\p{L}\.?")
_LETTERS = regex.compile(r"\p{Lu}{2,3}")
_TWO = 2
_PLURAL = regex.compile(r"(?i:the) (?P<name>\p{Lu}[\p{L}\p{M}'’-]+)s")
_FAMILY_BY_SHAPE = regex.compile(r"[Oo]['’]\p{L}[\p{L}\p{M}]+|(?:Mc|Mac|Fitz)\p{Lu}[\p{L}\p{M}]+")
"""Last names that their first letters show, whatever the lists hold: "O'Hara"."""
_HISSES = ("s", "x", "z", "ch", "sh")


class Style(NamedTuple):
    """What the writer of names needs beside the value, and what the text around it says.

    Attributes:
        title: The titles before the name.
        layout: Which parts are shown.
        case: "upper", "lower", or "listed" for the usual capitals.
        suffix: "Jr." and the like.
        possessive: The ending of a possessive.
        beside: What the text beside it says: :data:`PRONOUN`, :data:`INSTITUTION`, or nothing of that.
    """

    title: str
    layout: str
    case: str = "listed"
    suffix: str = ""
    possessive: str = ""
    beside: str = ""


PRONOUN, INSTITUTION = "pronoun", "institution"
"""The sex of the name's person follows from a pronoun; the name is a part of an institution's."""


def split_name(value: str, language: str = ENGLISH.code) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of the given name and those of the family name; either may be missing.

    One word is a given name unless the lists have it as a last name alone, or its first letters show a last name.
    Where people have two last names, two words that are given names alone are "María Dolores".
    """
    words = value.split()
    if len(words) == 1 and not _is_family(words[0], language):
        return tuple(words), ()
    if all(_INITIAL.fullmatch(word) for word in words):
        return tuple(words[:-1]) or tuple(words), tuple(words[-1:]) if len(words) > 1 else ()
    naming = language_of(language).naming
    if len(words) == _TWO and naming.surnames == _TWO and all(_is_given(word, language) for word in words):
        return tuple(words), ()
    start = _before_particles(words, len(words) - 1, naming)
    for _ in range(naming.surnames - 1):
        further = _before_particles(words, start - 1, naming)
        if start > 0 and _continues(words[start - 1], further == 0, language):
            start = further
    return tuple(words[:start]), tuple(words[start:])


def _before_particles(words: Sequence[str], start: int, naming: Naming) -> int:
    while start > 0 and words[start - 1].lower() in naming.particles:
        start -= 1
    return start


def _continues(word: str, is_first: bool, language: str) -> bool:
    """Return whether ``word`` before a last name is another last name; a name's first word may be a given name."""
    is_given, is_last = case_key(word) in first_names(language), case_key(word) in last_names(language)
    return (is_last and not is_given) if is_first else (is_last or not is_given) and not are_initials([word])


def _is_given(word: str, language: str) -> bool:
    return case_key(word) in first_names(language) and case_key(word) not in last_names(language)


def _is_family(word: str, language: str) -> bool:
    key = case_key(word)
    listed = key in last_names(language) and key not in first_names(language)
    return listed or _FAMILY_BY_SHAPE.fullmatch(word) is not None


def last_names_in(family: Sequence[str], naming: Naming) -> list[tuple[str, ...]]:
    """Return the last names that the words of ``family`` are, each with its particles."""
    names: list[tuple[str, ...]] = []
    end = len(family)
    while end > 0:
        start = _before_particles(family, end - 1, naming)
        names.insert(0, tuple(family[start:end]))
        end = start
    return names


def are_initials(words: Sequence[str]) -> bool:
    """Return whether ``words`` are letters, with or without a stop."""
    return bool(words) and all(_INITIAL.fullmatch(word) for word in words)


def letters_of(word: str, language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return the initials that ``word`` consists of, "JS": two capitals, or three that no list has as a name.

    No name that is written has two letters, so two capitals say nothing of the value but that they are its initials.
    """
    if _LETTERS.fullmatch(word) is None:
        return ()
    listed = case_key(word) in first_names(language) or case_key(word) in last_names(language)
    return () if listed and len(word) > _TWO else tuple(word)


def family_of(text: str) -> tuple[str, str] | None:
    """Return the article and the last name of a whole family, "the Mosses"; a listed name goes before another."""
    match = _PLURAL.fullmatch(text)
    if match is None:
        return None
    names = [match["name"].removesuffix("e"), match["name"]]
    hisses = names[0].endswith(_HISSES) and names[0] != names[1]
    possible = names if hisses else names[1:]
    return text[:3], next((name for name in possible if case_key(name) in last_names()), possible[0])


def laid_out(value: str, layout: str, language: str = ENGLISH.code) -> str:
    """Return the parts of ``value`` that ``layout`` shows; of a value that lacks them, what there is."""
    given, family = split_name(value, language)
    if layout == INITIALS:
        return "".join(f"{word[0].upper()}." for word in (*given, *family))
    if layout == LETTERS:
        return "".join(word[0].upper() for word in (*given[:1], *family[-1:]))
    if layout == PLURAL:
        last = " ".join(family or given)
        return f"{last}{'es' if last.endswith(_HISSES) else 's'}"
    stop = "." if layout in (SHORT, TURNED_SHORT) else ""
    first, last = " ".join(given), " ".join(family)
    if layout in (SHORT, SHORT_BARE, TURNED_SHORT, TURNED_BARE):
        first = " ".join(f"{word[0]}{stop}" for word in given)
    if layout in (CAPITALS, TURNED_CAPITALS):
        last = last.upper()
    if layout == FAMILY and language_of(language).naming.surnames > 1:
        naming = language_of(language).naming
        names = last_names_in(family, naming) or [()]
        last = " ".join(names[min(naming.called, len(names) - 1)])
    if layout in (GIVEN, FAMILY, FAMILIES):
        shown = first if layout == GIVEN else last
        return shown or first or last
    parts = (last, first) if layout in (TURNED, TURNED_CAPITALS, TURNED_SHORT, TURNED_BARE) else (first, last)
    return (", " if parts[0] == last else " ").join(filter(None, parts))


def layout_of(
    given: Sequence[str], family: Sequence[str], turned: bool, capitals: bool, language: str = ENGLISH.code
) -> str:
    """Return the layout of a mention that shows these words: ``turned`` says that the family name comes first."""
    if not given or not family:
        if are_initials((*given, *family)):
            return INITIALS
        several = not given and len(last_names_in(family, language_of(language).naming)) > 1
        return GIVEN if given else FAMILIES if several else FAMILY
    if are_initials(given):
        stops = all(word.endswith(".") for word in given)
        if are_initials(family):
            return INITIALS
        return (TURNED_SHORT if stops else TURNED_BARE) if turned else (SHORT if stops else SHORT_BARE)
    if capitals:
        return TURNED_CAPITALS if turned else CAPITALS
    return TURNED if turned else FULL

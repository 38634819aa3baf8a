"""The names that are written: full names of public lists whose parts can be told apart, in any layout and case."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain

from sfumato.kinds.people.layouts import last_names_in, split_name
from sfumato.kinds.people.names import first_names, full_names, keeps_spelling, last_names
from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import case_key
from sfumato.language.naming import Naming

_WANTED, _TWO = 24_000, 2


@lru_cache(maxsize=8)
def names_written(locales: tuple[str, ...], language: str) -> Phrases:
    """Return names of ``locales`` whose parts can be told apart in every layout and in any case."""
    names = (
        f"{given} {family}" for given, family in full_names(locales, language) if _apart(given, family, language)
    )
    return clean(chain(filter(None, [language_of(language).naming.surrogate]), names), _WANTED)


def _apart(given: str, family: str, language: str) -> bool:
    """Return whether the parts of a name can be told apart in every layout and in any case."""
    value, naming = f"{given} {family}", language_of(language).naming
    *others, last = words = value.split()
    if " ".join(words) != value or not keeps_spelling(last, True, language):
        return False
    if not all(keeps_spelling(word, False, language) for word in others):
        return False
    if not all(map(_of_family(language), _lasts(family, naming))) or not _is_clear(given, language):
        return False
    if min(len(given), *map(len, _lasts(family, naming))) <= _TWO:  # "WU" alone would be initials
        return False
    if naming.suffix.search(value) or not _begins_a_name(given, family, language):
        return False
    if len(words) == 2:
        return given.lower() not in naming.particles  # what split_name says of two words, in a fraction of its time
    return split_name(value, language) == ((given,), tuple(family.split()))


def _begins_a_name(given: str, family: str, language: str) -> bool:
    """Return whether neither the name nor its initial is a title, and the initial is no particle."""
    titles, particles = language_of(language).titles, language_of(language).naming.particles
    if titles.cut(f"{given} {family}")[0]:
        return False
    if language == ENGLISH.code:
        return True
    return not titles.cut(f"{given[0]}. {family}")[0] and given[0].lower() not in particles


def _lasts(family: str, naming: Naming) -> list[str]:
    return [family] if naming.surnames == 1 else [" ".join(name) for name in last_names_in(family.split(), naming)]


@cache
def _of_family(language: str) -> Callable[[str], bool]:
    @cache
    def is_family(name: str) -> bool:
        """Return whether a last name of a public list is no first name, and has a possessive of its own."""
        return case_key(name) not in first_names(language) and _is_clear(name, language)

    return is_family


@cache
def _is_clear(name: str, language: str) -> bool:
    """Return whether the possessive of ``name`` can be told from other names, and is not a possessive itself."""
    firsts, lasts = first_names(language), last_names(language)
    return language_of(language).naming.possessive.is_clear(
        name, lambda word: case_key(word) in firsts or case_key(word) in lasts
    )

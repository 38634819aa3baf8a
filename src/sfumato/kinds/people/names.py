"""First and last names of public lists (faker), and full names joined by rule.

No full name was copied from a record of a person. A joined name can still belong to a person by coincidence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import zip_longest
from typing import Any

import regex

from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import bare, case_key
from sfumato.language.lists import words_of
from sfumato.language.naming import Naming

_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+(?:[ '’-][^\W\d_]+)*")
LOCALES = words_of(
    """
    en_US en_GB en_IE en_IN en_KE en_NZ en_PK de_DE de_AT fr_FR es_ES es_MX pt_BR it_IT nl_NL sv_SE
    no_NO da_DK fi_FI cs_CZ hu_HU hr_HR ro_RO tr_TR lt_LT et_EE yo_NG tw_GH id_ID
    """
)
"""The locales whose names are read in every language."""
_STEP, _SECOND = 17, 7
_PART = regex.compile(r"\p{L}[\p{L}\p{M}]*")


def locales_of(language: str) -> tuple[str, ...]:
    """Return the locales whose names are read in a ``language``; its own come first, as its spelling is usual."""
    return (
        LOCALES
        if language == ENGLISH.code
        else tuple(dict.fromkeys((*language_of(language).naming.locales, *LOCALES)))
    )


@cache
def names_of(locale: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first and the last names of ``locale``, in an order that looks random and is the same everywhere."""
    provider = _provider(locale)
    return _shuffled(list(provider.first_names), "first"), _shuffled(list(provider.last_names), "last")


def _provider(locale: str) -> Any:
    """Return what faker holds for ``locale``; some of its lists are made for each object."""
    made = import_module(f"faker.providers.person.{locale}").Provider
    return made if not isinstance(vars(made).get("last_names"), property) else made(None)


def _shuffled(names: Sequence[str], salt: str) -> tuple[str, ...]:
    kept = dict.fromkeys(name for name in names if _NAME.fullmatch(name))
    return tuple(sorted(kept, key=lambda name: hashlib.sha256(f"{salt} {name}".encode()).digest()))


@cache
def _listed(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all first and all last names that are read in a ``language``."""
    rows = [names_of(locale) for locale in locales_of(language)]
    more = language_of(language).naming.more_last_names
    return tuple(name for first, _ in rows for name in first), (*(name for _, last in rows for name in last), *more)


def _keys(names: Iterable[str], language: str) -> frozenset[str]:
    keys = {case_key(name) for name in names}
    return frozenset(keys if language == ENGLISH.code else keys | set(map(bare, keys)))


@cache
def first_names(language: str = ENGLISH.code) -> frozenset[str]:
    """Return the keys of all first names; beside English also without accents, which capitals often lack."""
    keys = _keys(_listed(language)[0], language)
    return keys if language == ENGLISH.code else keys - _own_last_names(language)


@cache
def _own_last_names(language: str) -> frozenset[str]:
    """Return the keys of last names of a ``language`` that are first names in other languages alone: "Silva"."""
    rows = [names_of(locale) for locale in language_of(language).naming.locales]
    first, last = (_keys((name for row in rows for name in row[place]), language) for place in (0, 1))
    return last - first


@cache
def last_names(language: str = ENGLISH.code) -> frozenset[str]:
    """Return the keys of all last names."""
    return _keys(_listed(language)[1], language)


@cache
def first_names_of(gender: str, language: str = ENGLISH.code) -> frozenset[str]:
    """Return the keys of first names that public lists have for a "woman" or a "man" alone."""
    lists: dict[str, set[str]] = {"woman": set(), "man": set()}
    for locale in locales_of(language):
        provider = _provider(locale)
        for who, attribute in (("woman", "first_names_female"), ("man", "first_names_male")):
            lists[who].update(map(case_key, getattr(provider, attribute, ())))
    own = lists.pop(gender)
    return frozenset(own - next(iter(lists.values())))


@cache
def spellings(language: str = ENGLISH.code) -> dict[str, str]:
    """Return the usual spelling of every word of a name by its key: "MCCOY" has the key of "McCoy"."""
    words = [word for names in _by_locale(language) for name in names for word in name.split()]
    usual: dict[str, str] = {}
    for word in words:
        usual.setdefault(case_key(word), word)
    for word in words if language != ENGLISH.code else ():
        usual.setdefault(bare(case_key(word)), word)
    return usual


def _by_locale(language: str) -> Iterator[Sequence[str]]:
    for locale in locales_of(language):
        yield from names_of(locale)
    yield language_of(language).naming.more_last_names


def full_names(locales: Sequence[str], language: str = ENGLISH.code) -> Iterator[tuple[str, str]]:
    """Yield first and last names, one of each of the ``locales`` in turn, every pair of names of a locale once.

    After the last first name they begin again, each with another last name. Last names that the lists of the language
    have beside those of faker count as names of its locales. A language with two last names has two in each name.
    """
    naming = language_of(language).naming
    own = {locale: _with_more(locale, naming) for locale in locales}
    rounds = max((len(last) for _, last in own.values()), default=0)
    for turn in range(rounds):
        columns = []
        for first, last in own.values():
            pairs = [(name, _last_name(last, number + _STEP * turn, naming)) for number, name in enumerate(first)]
            columns.append(pairs if turn < len(last) else [])
        for row in zip_longest(*columns):
            yield from filter(None, row)


def _with_more(locale: str, naming: Naming) -> tuple[tuple[str, ...], tuple[str, ...]]:
    first, last = names_of(locale)
    more = naming.more_last_names if locale in naming.locales else ()
    return (first, _shuffled((*last, *more), "last")) if more else (first, last)


def _last_name(names: Sequence[str], number: int, naming: Naming) -> str:
    first = names[number % len(names)]
    if naming.surnames == 1:
        return first
    place = (_SECOND * number + number // len(names) + 1) % len(names)
    second = names[place] if names[place] != first else names[place - 1]
    return f"{first} {second}"


def spelled(words: Sequence[str], language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return ``words`` that are all in capitals or small letters with the usual capitals."""
    last, particles, usual = len(words) - 1, language_of(language).naming.particles, spellings(language)
    return tuple(
        word.lower() if index < last and word.lower() in particles else usual.get(case_key(word)) or _titled(word)
        for index, word in enumerate(words)
    )


def _titled(word: str) -> str:
    return str(_PART.sub(lambda part: part.group()[:1].upper() + part.group()[1:].lower(), word))


@cache
def keeps_spelling(word: str, last: bool = False, language: str = ENGLISH.code) -> bool:
    """Return whether a word of a public list is spelled as it is again where it was written in one case."""
    beside = () if last else ("-",)
    return all(spelled((cased, *beside), language)[0] == word for cased in (word.upper(), word.lower()))

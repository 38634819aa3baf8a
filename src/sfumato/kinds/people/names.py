"""First and last names of public lists (faker), and full names joined by rule.

No full name was copied from a record of a person. A joined name can still belong to a person by coincidence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import zip_longest

import regex

from sfumato.language.en.people import PARTICLES
from sfumato.language.letter_case import case_key
from sfumato.language.lists import words_of

_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+(?:[ '’-][^\W\d_]+)*")
LOCALES = words_of(
    """
    en_US en_GB en_IE en_IN en_KE en_NZ en_PK de_DE de_AT fr_FR es_ES es_MX pt_BR it_IT nl_NL sv_SE
    no_NO da_DK fi_FI cs_CZ hu_HU hr_HR ro_RO tr_TR lt_LT et_EE yo_NG tw_GH id_ID
    """
)
"""The locales whose names are read."""
ENGLISH_LOCALES = words_of("en_US en_GB en_IE en_NZ")
"""The locales whose names are written unless a policy says otherwise: they read naturally in an English text."""
_STEP = 17
_PART = regex.compile(r"\p{L}[\p{L}\p{M}]*")


@cache
def names_of(locale: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first and the last names of ``locale``, in an order that looks random and is the same everywhere."""
    provider = import_module(f"faker.providers.person.{locale}").Provider
    return _shuffled(list(provider.first_names), "first"), _shuffled(list(provider.last_names), "last")


def _shuffled(names: Sequence[str], salt: str) -> tuple[str, ...]:
    kept = dict.fromkeys(name for name in names if _NAME.fullmatch(name))
    return tuple(sorted(kept, key=lambda name: hashlib.sha256(f"{salt} {name}".encode()).digest()))


@cache
def first_names() -> frozenset[str]:
    """Return the keys of all first names."""
    return frozenset(case_key(name) for locale in LOCALES for name in names_of(locale)[0])


@cache
def last_names() -> frozenset[str]:
    """Return the keys of all last names."""
    return frozenset(case_key(name) for locale in LOCALES for name in names_of(locale)[1])


@cache
def first_names_of(gender: str) -> frozenset[str]:
    """Return the keys of first names that public lists have for a "woman" or a "man" alone."""
    lists: dict[str, set[str]] = {"woman": set(), "man": set()}
    for locale in LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for who, attribute in (("woman", "first_names_female"), ("man", "first_names_male")):
            lists[who].update(map(case_key, getattr(provider, attribute, ())))
    own = lists.pop(gender)
    return frozenset(own - next(iter(lists.values())))


@cache
def spellings() -> dict[str, str]:
    """Return the usual spelling of every word of a name by its key: "MCCOY" has the key of "McCoy"."""
    usual: dict[str, str] = {}
    for locale in LOCALES:
        for name in (*names_of(locale)[0], *names_of(locale)[1]):
            for word in name.split():
                usual.setdefault(case_key(word), word)
    return usual


def full_names(locales: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield first and last names, one of each of the ``locales`` in turn, every pair of names of a locale once.

    After the last first name they begin again, each with another last name.
    """
    rounds = max(len(names_of(locale)[1]) for locale in locales)
    for turn in range(rounds):
        columns = []
        for first, last in map(names_of, locales):
            pairs = [(name, last[(number + _STEP * turn) % len(last)]) for number, name in enumerate(first)]
            columns.append(pairs if turn < len(last) else [])
        for row in zip_longest(*columns):
            yield from filter(None, row)


def spelled(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` that are all in capitals or small letters with the usual capitals."""
    last = len(words) - 1
    return tuple(
        word.lower()
        if index < last and word.lower() in PARTICLES
        else spellings().get(case_key(word)) or _titled(word)
        for index, word in enumerate(words)
    )


def _titled(word: str) -> str:
    return str(_PART.sub(lambda part: part.group()[:1].upper() + part.group()[1:].lower(), word))


@cache
def keeps_spelling(word: str, last: bool = False) -> bool:
    """Return whether a word of a public list is spelled as it is again where it was written in one case."""
    beside = () if last else ("-",)
    return all(spelled((cased, *beside))[0] == word for cased in (word.upper(), word.lower()))

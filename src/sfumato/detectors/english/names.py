"""Which words look like names of people: public lists of names, and how rare a word is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import regex

from sfumato.language.en.people import EMPTY, PARTICLE
from sfumato.language.en.words import frequency, is_everyday, is_stop_word

_FIRST = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "tr_TR", "nl_NL", "en_IN")
_LAST = (*_FIRST, "en_IE", "en_NZ", "sv_SE", "da_DK", "no_NO", "fi_FI", "cs_CZ", "ro_RO", "hu_HU", "pt_PT", "id_ID")
_SELDOM = 3.0
_UNKNOWN = 2.0
_SHORTEST = 4
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’\u2011-]{0,40}+")
_JOINS = regex.compile(PARTICLE)


@lru_cache(maxsize=1)
def first_names() -> frozenset[str]:
    """Return first names of public lists, in lower case, and those that the lists leave out as words."""
    return _listed(_FIRST, "first_names") | {"may", "will"}


@lru_cache(maxsize=1)
def last_names() -> frozenset[str]:
    """Return last names of public lists, in lower case."""
    return _listed(_LAST, "last_names")


def _listed(locales: Iterable[str], kind: str) -> frozenset[str]:
    providers = (import_module(f"faker.providers.person.{locale}").Provider for locale in locales)
    return frozenset(str(name).lower() for provider in providers for name in getattr(provider, kind))


@lru_cache(maxsize=1 << 14)
def is_name_like(word: str, cased: bool, below: float = _UNKNOWN) -> bool:
    """Return whether ``word`` may well be a name. ``cased``: a capital sets it apart from the words around it.

    It is on a list of names and is no everyday word, or English knows it too seldom: ``below`` where it is not cased.
    """
    lower = word.lower()
    if len(word) < 2 or is_stop_word(word):
        return False
    if lower in first_names() or lower in last_names():
        return (cased and lower in first_names()) or not is_everyday(lower)
    pieces = [piece for piece in lower.replace("\u2011", "-").split("-") if piece]
    if len(pieces) > 1:
        return all(is_name_like(piece, cased, below) for piece in pieces)
    return len(word) >= _SHORTEST and frequency(lower) < (_SELDOM if cased else below)


@dataclass(frozen=True)
class Cue:
    """A cue for a name, and how much it shows.

    ``sure``: any words there are a name. ``capitals``: capitals are enough. ``every``: of words in one case
    each must be like a name; otherwise one is enough. ``whole``: all words are the name, or none. ``first``: the
    first word must be like a name. ``below``: the frequency under which a word in one case may be a name.
    """

    sure: bool = False
    capitals: bool = False
    every: bool = True
    whole: bool = False
    first: bool = False
    below: float = _UNKNOWN


def name_end(match: Any, group: str, cue: Cue) -> int | None:
    """Return where the name ends that begins where ``group`` of a match does; None if no name begins there.

    A name with capitals ends with them; if capitals say nothing, it ends with the words that are like names.
    Grammar words always end it.
    """
    words = list(_WORD.finditer(match.string, *match.span(group)))
    cased = any(_is_cased(word.group()) for word in words[:2])
    kept = list[Any]()
    for word in words:
        surface = word.group()
        joins = bool(kept) and _JOINS.fullmatch(surface) is not None
        if not joins and ((len(surface) > 1 and is_stop_word(surface)) or (cased and not surface[0].isupper())):
            break
        kept.append(word)
    if not cased and not cue.sure:
        kept = _likely(kept, cue)
    while kept and _JOINS.fullmatch(kept[-1].group()):
        kept.pop()
    surfaces = [word.group() for word in kept if len(word.group()) > 1]
    if (
        not surfaces
        or (cue.whole and len(kept) < len(words))
        or all(surface.lower() in EMPTY for surface in surfaces)
    ):
        return None
    telling = surfaces[:1] if cue.first else surfaces
    if not cased or cue.sure or cue.capitals or any(is_name_like(surface, cased=True) for surface in telling):
        return int(kept[-1].end())
    return None


def _likely(words: list[Any], cue: Cue) -> list[Any]:
    """Return the words in one case that are a name: those that are like one, or seldom beside one."""
    like = [is_name_like(word.group(), cased=False, below=cue.below) for word in words]
    if not cue.every:
        return words if any(like) or (len(words) > 1 and any(map(_begins_a_name, words))) else []
    kept = list[Any]()
    for index, word in enumerate(words):
        beside = any(like[max(0, index - 1) : index + 2])
        joins = len(word.group()) == 1 or _JOINS.fullmatch(word.group()) is not None
        if not (like[index] or joins or (beside and frequency(word.group()) < _SELDOM)):
            break
        kept.append(word)
    return kept


def _begins_a_name(word: Any) -> bool:
    """Return whether a match is an initial with its full stop, or a first name, however common."""
    initial = word.end() - word.start() == 1 and word.string[word.end() : word.end() + 1] == "."
    return initial or word.group().lower() in first_names()


def _is_cased(word: str) -> bool:
    """Return whether ``word`` has a capital that small letters follow."""
    return word[:1].isupper() and not word.isupper()

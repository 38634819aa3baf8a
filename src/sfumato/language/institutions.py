"""Kinds of institution in the lists of a language: the form of a name, its gender, and what a word says of it.

A form has a field for a place: "das Klinikum {}". Its article gives the gender and is no part of the name. A gender
that the article does not give is written before it: "m:l'hôpital de {}", "p:die Stadtwerke {}".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import regex

from sfumato.language.lists import WordEnds, phrases_of
from sfumato.language.phrasing import Articled, Phrasing

_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’]s(?!\p{L}))?(?:\.(?:\p{L}\.)+)?")
_GENDER = regex.compile(r"(?P<gender>\p{Ll}{1,2}):")


class Institution(NamedTuple):
    """A kind of institution: the ``form`` of its name, with a field for its place, and the ``gender`` of the name."""

    form: str
    gender: str = ""


class Listed(NamedTuple):
    """A phrase of a list without its article, and its gender."""

    phrase: str
    gender: str


def listed_phrase(text: str, phrasing: Phrasing) -> Listed:
    """Return the phrase that a list writes as ``text``, with a gender or an article before it."""
    named = _GENDER.match(text)
    rest = text[named.end() :].strip() if named else text
    *_, cut = phrasing.cuts(rest, articles=True) if isinstance(phrasing, Articled) else [None]
    if cut is None or not cut.article or not isinstance(phrasing, Articled):
        return Listed(rest, named["gender"] if named else "")
    return Listed(cut.phrase, named["gender"] if named else phrasing.gender_of(cut.article))


class Institutions:
    """The kinds of institution of a language."""

    def __init__(self, lists: Mapping[str, Any], phrasing: Phrasing) -> None:
        self._lists, self._phrasing = lists, phrasing
        self.national = self._forms("national")
        """Those of which a country has one."""
        self.local = self._forms("local")
        """Those of towns."""
        self.of_people = self._forms("of_people")
        """Where people go."""
        self._sectors = {sector: WordEnds(words) for sector, words in self._lists.get("sectors", {}).items()}
        self._endings, self._state = WordEnds(self._lists.get("endings", "")), WordEnds(self._lists.get("state", ""))

    def _forms(self, name: str) -> tuple[Institution, ...]:
        listed = (listed_phrase(text, self._phrasing) for text in phrases_of(self._lists.get(name, "")))
        return tuple(Institution(own.phrase, own.gender) for own in listed)

    @property
    def sectors(self) -> tuple[str, ...]:
        """Return the sectors whose words are listed."""
        return tuple(self._sectors)

    def sector_of(self, name: str) -> str | None:
        """Return the sector that a word of ``name`` shows, or None."""
        words = [word.replace("’", "'") for word in _WORD.findall(name.casefold())]
        if any(map(self._state.has, words)):
            return "state"
        return next((sector for sector, own in self._sectors.items() if any(map(own.has, words))), None)

    def names(self, words: Sequence[str]) -> bool:
        """Return whether one of ``words``, in small letters, ends or begins the name of an institution."""
        return any(map(self._endings.has, words))

    def gender_of(self, name: str) -> str:
        """Return the gender of a ``name`` that was made of a form, "" if it is of none."""
        return next((gender for head, end, gender in self._shaped if _fits(head, end, name)), "")

    @cached_property
    def _shaped(self) -> tuple[tuple[str, str, str], ...]:
        """What names begin and end with, and their gender, those of the longest form first."""
        forms = sorted((own for own in self._every() if own.form), key=lambda own: len(own.form), reverse=True)
        return tuple((*_edges(own.form), own.gender) for own in forms)

    def _every(self) -> Iterator[Institution]:
        yield from (*self.national, *self.local, *self.of_people)


def _edges(form: str) -> tuple[str, str]:
    """Return what is before and behind the place in ``form``; the word before it may be another contraction."""
    before, _, after = form.partition("{}")
    return before.strip().rpartition(" ")[0] if _LINK.search(before) else before, after


def _fits(head: str, end: str, name: str) -> bool:
    """Return whether ``name`` has a place between its ``head`` and its ``end``: "lycéenne" is no "lycée"."""
    if not (name.startswith(head) and name.endswith(end) and len(name) > len(head) + len(end)):
        return False
    return not (head[-1:].isalpha() and name[len(head)].isalpha())


_LINK = regex.compile(r"(?:^|\s)(?:\p{Ll}{1,5}\s|\p{Ll}{1,5}['’])$")
"""A preposition before the place, which may be joined with its article."""

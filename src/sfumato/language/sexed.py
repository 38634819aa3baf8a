"""Words for women and men in the lists of a language: pairs "Lehrer|Lehrerin", or one form for both.

A form for a woman alone is a domain of its own, so that no form tells which of the pairs are one word. A list with
few such forms has one domain, whose values are the forms of men and those of both. A form of a woman counts as its
pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sfumato.language.lists import phrases_of, words_of

LEAST = 50
"""How many forms of women alone make a domain."""


class Sexed(NamedTuple):
    """A list of pairs.

    Attributes:
        all: The forms of men, and those of both.
        women: The forms of women alone; empty if they are few.
        others: What other forms count as.
    """

    all: tuple[str, ...]
    women: tuple[str, ...]
    others: Mapping[str, str]


def sexed(phrases: Sequence[str]) -> Sexed:
    """Return the pairs that ``phrases`` write with a bar."""
    pairs = {man.strip(): (woman or man).strip() for man, _, woman in (phrase.partition("|") for phrase in phrases)}
    known = {man.casefold() for man in pairs}
    women = {woman: man for man, woman in pairs.items() if woman.casefold() not in known}
    return Sexed(tuple(pairs), tuple(women) if len(women) >= LEAST else (), {} if len(women) >= LEAST else women)


class Peoples(NamedTuple):
    """What people belong to, in the lists ``peoples`` of a language.

    Attributes:
        nations: Nations and peoples.
        beliefs: Religions and convictions.
        adjectives: Adjectives of nations in their basic form, where they are not the words for people.
        endings: The endings that any of the adjectives may have.
        default: The group that stands for one that cannot be read.
    """

    nations: Sexed
    beliefs: Sexed
    adjectives: tuple[str, ...]
    endings: tuple[str, ...]
    default: str

    @classmethod
    def of(cls, lists: Mapping[str, Any]) -> Peoples:
        """Return the groups of ``lists``."""

        def pairs(*names: str) -> Sexed:
            return sexed([phrase for name in names for phrase in phrases_of(lists.get(name, ""))])

        adjectives, endings = phrases_of(lists.get("adjectives", "")), words_of(lists.get("endings", ""))
        beliefs = pairs("religions", "convictions")
        return cls(pairs("nations"), beliefs, adjectives, endings, lists.get("default", ""))

"""How a language builds names of people: particles, short names, last names, the possessive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import regex

from sfumato.language.lists import lists_of, phrases_of, words_of

Known = Callable[[str], bool]
"""Whether a public list has a word as a name."""
_HISSES = ("s", "ß", "x", "z")


class Possessive:
    """A language whose names have no possessive."""

    def cut(self, name: str, is_listed: Known) -> tuple[str, str]:
        """Return ``name`` without its possessive ending, and the ending as a form holds it."""
        return name, ""

    def written(self, name: str, ending: str) -> str:
        """Return ``name`` with the ``ending`` of a form."""
        return f"{name}{ending}"

    def is_clear(self, name: str, is_listed: Known) -> bool:
        """Return whether the possessive of ``name`` is read as such, and ``name`` is not one itself."""
        return self.cut(name, is_listed)[1] == ""


class Apostrophe(Possessive):
    """An apostrophe and an s; "James'" is read as "James's"."""

    _ENDING = regex.compile(r"(?<=[sS])['’]$|(['’])[sS]$")

    def cut(self, name: str, is_listed: Known) -> tuple[str, str]:
        """Return ``name`` without its possessive ending, and the ending in full."""
        mark = self._ENDING.search(name)
        return (name, "") if mark is None else (name[: mark.start()], f"{mark.group()[0]}s")


class Genitive(Apostrophe):
    """An s without an apostrophe ("Annas"), and an apostrophe alone behind a hissing sound ("Hans’").

    An s is an ending if the lists have the name without it, and do not have it with it.
    """

    def cut(self, name: str, is_listed: Known) -> tuple[str, str]:
        """Return ``name`` without its genitive ending, and the ending.

        "Anna's" is read as "Annas": who writes so writes "Hans'" too, and two forms would tell the two apart.
        """
        bare, sign = name[:-1], name[-1:]
        if sign in ("'", "’"):
            return (bare, "s") if bare.lower().endswith(_HISSES) else (name, "")
        word = name.rpartition(" ")[2]
        if sign in ("s", "S") and is_listed(word[:-1]) and not is_listed(word):
            return bare, "s"
        own, ending = super().cut(name, is_listed)
        return own, "s" if ending else ""

    def written(self, name: str, ending: str) -> str:
        """Return ``name`` with the ``ending`` of a form."""
        if ending.lower() != "s":
            return super().written(name, ending)
        return f"{name}’" if name.lower().endswith(_HISSES) else f"{name}{ending}"

    def is_clear(self, name: str, is_listed: Known) -> bool:
        """Return whether the genitive of ``name`` is read as such, and ``name`` is not one itself."""
        return super().is_clear(name, is_listed) and self.cut(self.written(name, "s"), is_listed) == (name, "s")


@dataclass(frozen=True, eq=False)
class Naming:
    """How names of people are built.

    Attributes:
        locales: The locales of faker whose names are written.
        particles: Particles before a last name, in small letters.
        nicknames: Which names each name may stand for, in small letters.
        more_last_names: Last names beside those of the locales: "van der Berg".
        surrogate: The name of nobody in particular.
        surnames: How many last names a person has.
        called: Which of several last names is used alone, 0 for the first.
        has_plurals: Whether "the Mosses" are a family.
        possessive: How the possessive of a name is written.
        suffixes: What may follow a last name: "Jr.".
    """

    locales: tuple[str, ...] = ()
    particles: frozenset[str] = frozenset()
    nicknames: Mapping[str, frozenset[str]] = field(default_factory=dict)
    more_last_names: tuple[str, ...] = ()
    surrogate: str = ""
    surnames: int = 1
    called: int = 0
    has_plurals: bool = False
    possessive: Possessive = field(default_factory=Possessive)
    suffixes: tuple[str, ...] = ("Jr", "JR", "Sr", "SR", "II", "III", "IV")

    @property
    def suffix(self) -> Any:
        """Return a pattern for what may follow a last name, with the comma or blank before it."""
        return _suffix(self.suffixes)


@lru_cache(maxsize=16)
def _suffix(suffixes: tuple[str, ...]) -> Any:
    return regex.compile(rf"(?<=\p{{L}}),? (?:{'|'.join(map(regex.escape, suffixes))})\.?$")


def both_ways(listed: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return which names each name may stand for, of names and the short names that people with them go by."""
    pairs = {(name, short) for name, words in listed.items() for short in words_of(words)}
    both: dict[str, set[str]] = {}
    for first, second in (*pairs, *((short, name) for name, short in pairs)):
        both.setdefault(first, set()).add(second)
    return {name: frozenset(others) for name, others in both.items()}


_POSSESSIVES: Mapping[str, type[Possessive]] = {"": Possessive, "'s": Apostrophe, "s": Genitive}


def naming_of(own: Mapping[str, Any]) -> Naming:
    """Return what the lists ``names`` of a language say; the particles of the English lists are read as well."""
    english = lists_of("en", "names")
    particles = f"{english['particles']} {english['particles_of_kinds']} {own.get('particles', '')}"
    suffixes = (*Naming.suffixes, *words_of(own.get("suffixes", "")))
    return Naming(
        locales=words_of(own.get("locales", "")),
        particles=frozenset(words_of(particles)),
        nicknames=both_ways(own.get("nicknames", {})),
        more_last_names=phrases_of(own.get("more_last_names", "")),
        surrogate=own.get("surrogate", ""),
        surnames=own.get("surnames", 1),
        called=own.get("called", 0),
        has_plurals=own.get("has_plurals", False),
        possessive=_POSSESSIVES[own.get("possessive", "")](),
        suffixes=suffixes,
    )

"""GROUP: nationalities and peoples, beliefs, and languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sfumato.kinds._lists import words_of
from sfumato.kinds.embedded import Phrases, clean
from sfumato.kinds.peoples import NATIONS, PEOPLES, RELIGIONS, languages
from sfumato.kinds.phrase import Phrase

_CONVICTIONS = words_of(
    "Republican Democrat Liberal Conservative Socialist Communist Green Nationalist Royalist Anarchist"
)
_MORE_NATIONS = ("American", "Spanish", "Korean", "Nauruan", "Bosniak", "Catalonian", "Greenlandic", "Faroese")


@dataclass(frozen=True)
class Group(Phrase):
    """What people belong to: a nation or people, a religion or conviction, or those who speak a language.

    A word that names a nation and its language ("French") is a nationality.
    """

    name: ClassVar[str] = "GROUP"
    packages: ClassVar[tuple[str, ...]] = ("pycountry",)
    proper: ClassVar[bool] = True
    plurals: ClassVar[bool] = True
    default: ClassVar[str] = "European"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains."""
        return ("nationality", "belief", "language")

    def listed(self, grain: str) -> Phrases:
        """Return the names of ``grain``, each in one domain only."""
        return _listed()[grain]

    def grain_of(self, phrase: str) -> str:
        """Return "belief" if ``phrase`` ends as a word for believers does, or "nationality"."""
        return "belief" if phrase.lower().endswith(("ist", "ism", "ity", "witness", "believer")) else "nationality"


@lru_cache(maxsize=1)
def _listed() -> dict[str, Phrases]:
    peoples = [name for name in PEOPLES if name not in _CONVICTIONS]
    nations = clean((Group.default, *_MORE_NATIONS, *NATIONS, *peoples))
    beliefs = clean((*RELIGIONS, *_CONVICTIONS))
    taken = {*nations.tokens, *beliefs.tokens}
    return {
        "nationality": nations,
        "belief": beliefs,
        "language": clean(name for name in languages() if name not in taken),
    }

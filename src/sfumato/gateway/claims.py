"""Which pseudonym of a session belongs to what, so that no two people have one name."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

import regex

from sfumato.heuristics.redaction import Redaction

_WORD = regex.compile(r"[\w\p{M}]{2,}")
_TRIES, _LEAST = 40, 4


@dataclass
class Claims:
    """The owner of every word of a name, and of every other pseudonym, in one session. PRIVATE.

    ``turns`` has which of its draws an owner took, so that it keeps its pseudonym.
    """

    owners: dict[str, str] = field(default_factory=dict, repr=False)
    turns: dict[str, int] = field(default_factory=dict, repr=False)

    def take(self, owner: str, parts: Set[str], turn: int) -> bool:
        """Give ``parts`` to ``owner``, if no other has one of them; return whether it has them."""
        if any(self.owners.get(part, owner) != owner for part in parts):
            return False
        self.owners |= dict.fromkeys(parts, owner)
        self.turns[owner] = turn
        return True


def words_of(text: str) -> frozenset[str]:
    """Return the words of ``text``, whatever their case."""
    return frozenset(_WORD.findall(text.casefold()))


@dataclass(frozen=True)
class Claiming(Redaction):
    """Redaction in which a surrogate belongs to one thing of a session.

    What another has already is drawn again, by a counter beside the key, and so is what the request holds in other
    words: a reader could not tell one from the other. If no draw is free, the pseudonym is a typed one.

    Attributes:
        claims: What is taken in the session.
        held: The words of the request.
    """

    claims: Claims = field(default_factory=Claims, repr=False, compare=False)
    held: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    def _surrogate(self, text: str, label: str, key: str, names: Any, seed: int, turn: int = 0) -> str | None:
        owner, is_name = f"{label} {key}", label == "PERSON"
        begun = self.claims.turns.get(owner)
        for tried in range(begun or 0, _TRIES):
            made = super()._surrogate(text, label, key, names, seed, tried)
            if made is None:
                break
            # a name shares its title with the text, and nothing else
            parts = words_of(made) - words_of(text) if is_name else frozenset({_bare(made)})
            is_new = tried != begun
            is_held = bool(parts & self.held) if is_name else len(_bare(made)) < _LEAST or names.holds(made)
            if parts and not (is_new and is_held) and self.claims.take(owner, parts, tried):
                return made
        return self._pseudonym(label, key, names)


def _bare(text: str) -> str:
    """Return the letters and digits of ``text``: one number is written in several ways."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())

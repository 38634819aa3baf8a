"""Re-identification by linkage: which record of a release belongs to a person about whom some claims are known?

Paper: A False Sense of Privacy (§2, Appendix D). Threat model: the attacker holds ``k`` claims about one person and
the whole release, but does not know whose record is whose. The claims are one query, or a query each with a majority
vote over the records whose claims answer best. The record that scores highest is the guess. Differences: one of equal
scores is drawn at random, so that an empty release is linked as often as by chance. A person whose record is missing
from the release counts as not linked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linkers import Linker
from sfumato.errors import ConfigurationError
from sfumato.types import FloatArray, Progress, in_batches

Knowledge = Literal["first", "random", "last"]
Claims = Sequence[str]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Held:
    """The claims of one record that the attacker holds, and those that would be new."""

    known: tuple[str, ...]
    hidden: tuple[str, ...]


def held(claims: Sequence[Claims], knowledge: Knowledge = "random", k: int = 3, seed: int = 0) -> list[Held]:
    """Return the attacker's claims of each record: ``k`` claims (all but one of a shorter record), by ``seed``.

    Raise ConfigurationError for another kind of knowledge or number of claims.
    """
    if not 1 <= k <= 100:
        raise ConfigurationError(f"The attacker must hold 1 to 100 claims, not {k}.")
    if knowledge not in ("first", "random", "last"):
        raise ConfigurationError(f"The attacker must hold the first, random or last claims, not {knowledge!r}.")
    draw = np.random.default_rng([seed, k])
    attackers = []
    for own in claims:
        count = min(k, max(1, len(own) - 1))
        order = draw.permutation(len(own)) if knowledge == "random" else np.arange(len(own))
        known = set((order[-count:] if knowledge == "last" else order[:count]).tolist())
        parts = [tuple(claim for i, claim in enumerate(own) if (i in known) is inside) for inside in (True, False)]
        attackers.append(Held(*parts))
    return attackers


def linked(
    linker: Linker, held: Sequence[Held], seed: int = 0, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the index of the record guessed for each attacker, with all known claims as one query, shape (n,)."""
    return surely_linked(linker, held, seed, progress)[0]


def surely_linked(
    linker: Linker, held: Sequence[Held], seed: int = 0, progress: Progress | None = None
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the same guesses, and how sure the linker is of each, from 0 to 1, shape (n,)."""
    draw = np.random.default_rng(seed)
    guesses, leads = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for batch in in_batches(held, linker.rows, progress):
        scores = linker.scores([" ".join(attacker.known) for attacker in batch])
        guesses.append(_best(scores, draw))
        leads.append(linker.sure(scores))
    return np.concatenate(guesses), np.concatenate(leads)


def voted(
    build: Callable[[Sequence[str]], Linker], claims: Sequence[Claims], held: Sequence[Held], seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the same by majority: each known claim votes for the owner of the best of all released ``claims``.

    ``build`` makes the linker over the released claims.
    """
    draw = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(claims)), [len(own) for own in claims])
    linker = build([claim for own in claims for claim in own])
    guesses = list[int]()
    rows = max(1, linker.rows // max(1, max((len(attacker.known) for attacker in held), default=1)))
    for batch in in_batches(held, rows, progress):
        queries = [claim for attacker in batch for claim in attacker.known]
        scores = linker.scores(queries) if len(owners) and queries else np.zeros((len(queries), 1))
        cast = scores.max(axis=1) > 0.0  # a claim that nothing answers has no vote
        votes = owners[_best(scores, draw)] if len(owners) else np.zeros(len(queries), dtype=np.int64)
        start = 0
        for attacker in batch:
            own, start = slice(start, start + len(attacker.known)), start + len(attacker.known)
            counts = np.bincount(votes[own][cast[own]], minlength=len(claims)).astype(np.float64)
            guesses.append(int(_best(counts[None], draw)[0]))
    return np.array(guesses, dtype=np.int64)


def sentences(text: str) -> tuple[str, ...]:
    """Return ``text`` cut at the ends of sentences and lines, without a parse."""
    return tuple(sentence for part in _SENTENCE.split(text) if (sentence := part.strip()))


def _best(scores: FloatArray, draw: np.random.Generator) -> NDArray[np.int64]:
    """Return the index of the highest score in each row; one of equal scores is drawn at random."""
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    indices = np.argmax(tied, axis=1)
    for row in np.flatnonzero(tied.sum(axis=1) > 1):
        indices[row] = draw.choice(np.flatnonzero(tied[row]))
    return np.asarray(indices, dtype=np.int64)

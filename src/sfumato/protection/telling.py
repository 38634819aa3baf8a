"""Attackers of synthetic records. Nobody's record is among them, so each looks for one that tells about somebody.

An attacker knows something about a person, takes the record that answers it best, by words (BM25) or by sentence
embeddings, and reads the rest off that record. The person counts as found if the record tells at least half of the
claims that the attacker did not know. Records of the same kind tell much of one another. So the same attackers look
for people who were held out of the synthesis, and the figure is the share of members minus the share of these: what
is found because the person was there. Its interval is that of the difference (Newcombe 1998, method 10). "A False
Sense of Privacy" measures disclosure by claims, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.claim_judges import EmbeddingJudge, stepped
from sfumato.attacks.claims import ClauseSplitter, Splitter
from sfumato.attacks.linkage import Held, held, linked
from sfumato.attacks.linkers import BM25, Dense, Linker
from sfumato.metrics.estimates import Estimate, difference, nothing, share

HALF = 0.5
"""The most mean distance of a person's unknown claims at which the record that was taken tells about that person."""
BEYOND = "beyond people held out"


@dataclass(frozen=True)
class Group:
    """People who are looked for: the values of each, by kind, and the claims of each."""

    values: Sequence[Mapping[str, tuple[str, ...]]]
    claims: Sequence[Sequence[str]]

    def knowing_values(self) -> list[Held]:
        """Return an attacker for each person who knows all of ``values``, and no claim."""
        return [
            Held(tuple(value for own in values.values() for value in own), tuple(claims))
            for values, claims in zip(self.values, self.claims, strict=True)
        ]

    def knowing_claims(self, count: int, seed: int) -> list[Held]:
        """Return an attacker for each person who knows ``count`` random claims."""
        return held(self.claims, "random", count, seed)


@dataclass(frozen=True, eq=False)
class Telling:
    """Reads off the synthetic ``texts`` what an attacker did not know."""

    texts: Sequence[str]
    encoder: Encoder
    splitter: Splitter
    seed: int = 0

    def rates(self, members: Sequence[Held], others: Sequence[Held]) -> dict[str, Estimate]:
        """Return the share of ``members`` who are found minus that of ``others``, by the way of searching.

        Whoever holds nothing, or of whom nothing is left to learn, counts nowhere.
        """
        return {name: self._beyond(linker, members, others) for name, linker in self._linkers.items()}

    def told(self, attackers: Sequence[Held], linker: Linker) -> list[bool]:
        """Return whether each of the attackers finds a record that tells at least half of what is hidden."""
        picked = linked(linker, attackers, self.seed)
        hidden = [attacker.hidden for attacker in attackers]
        judge = EmbeddingJudge(self.encoder)
        distances = stepped(judge.similarities(hidden, [self._claims[index] for index in picked]))
        return [_mean(row) <= HALF for row in distances]

    def _beyond(self, linker: Linker, members: Sequence[Held], others: Sequence[Held]) -> Estimate:
        shares = [
            self._share(linker, [each for each in own if each.known and each.hidden]) for own in (members, others)
        ]
        return nothing("people") if any(each.n == 0 for each in shares) else difference(*shares)

    def _share(self, linker: Linker, attackers: Sequence[Held]) -> Estimate:
        return share(sum(self.told(attackers, linker)), len(attackers), "people") if attackers else nothing("people")

    @cached_property
    def _linkers(self) -> dict[str, Linker]:
        return {f"by words, {BEYOND}": BM25(self.texts), f"by meaning, {BEYOND}": Dense(self.texts, self.encoder)}

    @cached_property
    def _claims(self) -> list[tuple[str, ...]]:
        return [claims or () for claims in self.splitter.split(list(self.texts))]


def _mean(distances: Sequence[float | None]) -> float:
    judged = [distance for distance in distances if distance is not None]
    return float(np.mean(judged)) if judged else 1.0


def group(
    values: Sequence[Mapping[str, tuple[str, ...]]], texts: Sequence[str], splitter: Splitter | None = None
) -> Group:
    """Return the people whose ``texts`` are given, one for each, with the ``values`` that are marked in them."""
    split = (splitter or ClauseSplitter()).split(list(texts))
    return Group(values, [claims or () for claims in split])

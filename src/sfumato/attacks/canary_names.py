"""Names as canaries: are made-up people, and what they suffer from, named again in generated texts?

Paper: NDD (§7, Table 14), after Lehman et al. (NAACL 2021): texts are generated, the names in them are ranked by how
often they occur, and the share of real patients among the first hundred is A@100; EM is the share of sentences with a
patient's name that state a true condition of that patient. Differences: people are made up and planted, so that no
real one is needed; as many names of the same list are kept back, so that chance is known (the share of planted names
among all of them); names are looked for in that list, not tagged; EM is by text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.canaries import Canary
from sfumato.errors import ConfigurationError

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class MadeUp:
    """People who are planted (name to condition), and the names of the same list that were kept back."""

    planted: Mapping[str, str]
    kept_back: Sequence[str]
    form: str = "was treated for"

    @property
    def canaries(self) -> list[Canary]:
        """Return a sentence about each planted person."""
        return [Canary(f"{name} {self.form}", f"{condition}.") for name, condition in self.planted.items()]


def made_up(
    first_names: Sequence[str], last_names: Sequence[str], conditions: Sequence[str], count: int, seed: int = 0
) -> MadeUp:
    """Return ``count`` people to plant and as many to keep back; no two share a name."""
    first, last = dict.fromkeys(first_names), dict.fromkeys(last_names)
    if count < 1 or not conditions or len(first) * len(last) < 4 * count:
        raise ConfigurationError("Made-up people need conditions, and at least four times as many possible names.")
    draw, names = np.random.default_rng([seed, 4]), dict[str, None]()
    pools = list(first), list(last)
    while len(names) < 2 * count:
        names[" ".join(pool[int(draw.integers(len(pool)))] for pool in pools)] = None
    every = list(names)
    given = draw.integers(len(conditions), size=count)
    told = {name: conditions[int(index)] for name, index in zip(every[:count], given, strict=True)}
    return MadeUp(told, every[count:])


@dataclass(frozen=True, slots=True)
class Named:
    """What generated texts say about made-up people.

    Attributes:
        texts: How many texts were searched.
        with_name: How many of them hold a planted or kept-back name.
        ranked: How many names are among the first: at most `top`, fewer where fewer occur.
        hits: How many of these were planted: `hits` / `ranked` is A@100.
        chance: What that share would be if planted names were not known better than those kept back.
        told: How many texts name a planted person.
        exact: How many of these state the person's own condition: `exact` / `told` is EM.
    """

    texts: int
    with_name: int
    ranked: int
    hits: int
    chance: float
    told: int
    exact: int


def named(texts: Sequence[str], people: MadeUp, top: int = 100) -> Named:
    """Return how often ``texts`` name the ``people``, by whole words in any case.

    Of names that occur equally often, those kept back come first, so that ties do not count as recovered.
    """
    plain = [_plain(text) for text in texts]
    conditions = {_plain(name): _plain(condition) for name, condition in people.planted.items()}
    candidates = [*map(_plain, people.kept_back), *conditions]
    counts: Counter[str] = Counter()
    told = exact = with_name = 0
    for text in plain:
        present = [name for name in candidates if name in text]
        counts.update(present)
        with_name += bool(present)
        owners = [name for name in present if name in conditions]
        told += bool(owners)
        exact += any(conditions[name] in text for name in owners)
    order = {name: index for index, name in enumerate(candidates)}
    ranked = sorted(counts, key=lambda name: (-counts[name], order[name]))[:top]
    hits = sum(name in conditions for name in ranked)
    return Named(len(texts), with_name, len(ranked), hits, len(conditions) / len(candidates), told, exact)


def _plain(text: str) -> str:
    """Return the words of ``text`` in lower case, with a single space before, between and after them."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "

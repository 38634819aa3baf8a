"""Canaries: made-up secrets that are planted in records, to see whether a whole system gives them away again.

Carlini, Liu, Erlingsson, Kos, Song: The Secret Sharer (USENIX Security 2019). A canary is a public opening, such as
records of the domain begin with, and a secret drawn at random: digits in the form of a phone number, or an improbable
end of unrelated words. Threat model: the attacker knows opening and form, and has the trained model, or only what it
wrote. They order the canary among secrets drawn alike by their surprise; its exposure is

    log2 |R| - log2 rank,    R: the canary and a random sample of the others that it might have been.

A system that learned nothing gives each rank equally often, so the exposure has a known law, :func:`by_chance` tests
against it. Equal surprises share their ranks at random, so that an attacker without any score is at chance, too.
Everything here is drawn from a public seed. It protects nothing.

Names are canaries too: are made-up people, and what they suffer from, named again in generated texts? Paper: NDD
(§7, Table 14), after Lehman et al. (NAACL 2021): texts are generated, the names in them are ranked by how often they
occur, and the share of real patients among the first hundred is A@100; EM is the share of sentences with a patient's
name that state a true condition of that patient. Differences: people are made up and planted, so that no real one is
needed; as many names of the same list are kept back, so that chance is known (the share of planted names among all of
them); names are looked for in that list, not tagged; EM is by text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.text.sentences import spaced_words

Surprise = Callable[[Sequence[str]], Sequence[float]]
"""Returns how much each text surprises the system, such as a model's nats; lower is likelier."""

_NUMBER = re.compile(r"\d(?:[\s().+/-]*\d)*")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Canary:
    """A made-up sentence: a public ``opening``, then a ``secret``; planted in so many records (``repeats``)."""

    opening: str
    secret: str
    repeats: int = 1

    @property
    def text(self) -> str:
        """Return the whole sentence."""
        return f"{self.opening} {self.secret}"


class Secrets(ABC):
    """A set of equally likely secrets."""

    @property
    @abstractmethod
    def bits(self) -> float:
        """Return log2 of how many there are."""

    @abstractmethod
    def drawn(self, draw: np.random.Generator) -> str:
        """Return one of them."""

    @abstractmethod
    def runs(self, text: str) -> list[tuple[str, ...]]:
        """Return the stretches of ``text`` that consist of signs of secrets alone."""


@dataclass(frozen=True)
class Digits(Secrets):
    """Numbers such as those of phones: each # of ``form`` is any digit. Spaces and signs between do not count."""

    form: str = "0### ### ####"

    def __post_init__(self) -> None:
        if self.form.count("#") < 4:
            raise ConfigurationError("A secret number has 4 digits or more; write each as #.")

    @property
    def bits(self) -> float:
        """Return log2 of how many numbers there are."""
        return self.form.count("#") * log2(10)

    def drawn(self, draw: np.random.Generator) -> str:
        """Return a number in this form."""
        digits = map(str, draw.integers(10, size=self.form.count("#")).tolist())
        return "".join(next(digits) if sign == "#" else sign for sign in self.form)

    def runs(self, text: str) -> list[tuple[str, ...]]:
        """Return the digits of each number."""
        return [tuple(filter(str.isdigit, match)) for match in _NUMBER.findall(text)]


@dataclass(frozen=True)
class Ends(Secrets):
    """Improbable ends: ``length`` words of a public list one after the other, whatever they mean."""

    words: tuple[str, ...]
    length: int = 6

    def __post_init__(self) -> None:
        if self.length < 2 or len(set(self.words)) < 10 or any(_WORD.fullmatch(word) is None for word in self.words):
            raise ConfigurationError("An improbable end takes 2 words or more, out of a list of 10 different ones.")

    @property
    def bits(self) -> float:
        """Return log2 of how many ends there are."""
        return self.length * log2(len(self.words))

    def drawn(self, draw: np.random.Generator) -> str:
        """Return an end."""
        return " ".join(self.words[index] for index in draw.integers(len(self.words), size=self.length))

    def runs(self, text: str) -> list[tuple[str, ...]]:
        """Return the stretches of words of the list, in lower case."""
        known, runs = {word.casefold() for word in self.words}, [list[str]()]
        for word in map(str.casefold, _WORD.findall(text)):
            if word in known:
                runs[-1].append(word)
            elif runs[-1]:
                runs.append([])
        return [tuple(run) for run in runs if run]


_MOST = 1_000_000


def canaries(
    openings: Sequence[str], secrets: Secrets, count: int, seed: int = 0, repeats: Sequence[int] = (1,)
) -> list[Canary]:
    """Return ``count`` canaries with different secrets; ``openings`` and ``repeats`` are taken in turn."""
    if not openings or not repeats or count < 1 or min(repeats) < 1:
        raise ConfigurationError("Canaries need an opening, and are planted once or more.")
    if count > _MOST:
        raise ConfigurationError(f"At most {_MOST:,} canaries are planted; fewer tell as much.")
    if log2(2 * count) > secrets.bits:
        raise ConfigurationError("There are too few secrets for so many canaries; make them longer.")
    draw, drawn = np.random.default_rng([seed, 1]), dict[str, None]()
    while len(drawn) < count:
        drawn[secrets.drawn(draw)] = None
    return [Canary(openings[number % len(openings)], secret, repeats[number % len(repeats)])
            for number, secret in enumerate(drawn)]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exposure:
    """The exposure of a canary in ``bits``, its ``rank`` (1: the least surprising) among ``among`` secrets."""

    canary: Canary
    rank: int
    among: int

    @property
    def bits(self) -> float:
        """Return log2 |R| - log2 rank."""
        return log2(self.among) - log2(self.rank)


def exposures(
    planted: Sequence[Canary], secrets: Secrets, surprise: Surprise, sampled: int = 1000, seed: int = 0
) -> list[Exposure]:
    """Return the exposure of each canary among ``sampled`` other secrets behind the same opening.

    ``surprise`` is asked once a canary. A surprise that is no number counts as the largest.
    """
    draw = np.random.default_rng([seed, 2])
    results = []
    for canary in planted:
        others = [secrets.drawn(draw) for _ in range(sampled)]
        texts = [canary.text, *(Canary(canary.opening, other).text for other in others if other != canary.secret)]
        given = np.nan_to_num(np.asarray(surprise(texts), dtype=np.float64), nan=np.inf)
        below, equal = int((given[1:] < given[0]).sum()), int((given[1:] == given[0]).sum())
        results.append(Exposure(canary, 1 + below + int(draw.integers(equal + 1)), len(texts)))
    return results


def found_in(texts: Iterable[str], secrets: Secrets, longest: int = 16) -> Surprise:
    """Return the surprise of an attacker who has only ``texts``: minus the most signs of a secret in a row there.

    Digits are compared whatever stands between them, words in any case.
    """
    seen: set[tuple[str, ...]] = set()
    for text in texts:
        for run in secrets.runs(text):
            for size in range(1, min(longest, len(run)) + 1):
                seen.update(run[start : start + size] for start in range(len(run) - size + 1))
    return lambda asked: [-float(_longest(secrets.runs(text), seen, longest)) for text in asked]


def whole(canary: Canary, secrets: Secrets, surprise: Surprise) -> bool:
    """Return whether all of the secret was found by the ``surprise`` of :func:`found_in`."""
    return -surprise([canary.secret])[0] >= sum(map(len, secrets.runs(canary.secret)))


def _longest(runs: Sequence[tuple[str, ...]], seen: set[tuple[str, ...]], most: int) -> int:
    pieces = ((size, run[start : start + size]) for run in runs for size in range(min(most, len(run)), 0, -1)
              for start in range(len(run) - size + 1))  # fmt: skip
    return max((size for size, piece in pieces if piece in seen), default=0)


def by_chance(exposed: Sequence[Exposure]) -> float:
    """Return the probability of so large exposures together, or larger, if every rank were equally likely.

    Rank / |R| is at least a uniform number then, so the sum of its negative logarithms is at most one of the Gamma
    law with as many degrees as there are canaries.
    """
    from scipy.stats import gamma  # slow to import

    if not exposed:
        return 1.0
    return float(gamma.sf(sum(each.bits for each in exposed) * log(2), len(exposed)))


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
    plain = [spaced_words(text) for text in texts]
    conditions = {spaced_words(name): spaced_words(condition) for name, condition in people.planted.items()}
    candidates = [*map(spaced_words, people.kept_back), *conditions]
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

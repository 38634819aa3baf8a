"""A public table of a population: how many people of it share what is shown of a person: k-map.

Sweeney: k-anonymity (2002) and El Emam and Dankar: Protecting Privacy Using k-Anonymity (2008) for k-map, in which
k counts people of a population and not records of a release. Threat model: the attacker has the table and knows that
the person lives in its population. The attacker takes what is shown for true and about the person; of several values
of one attribute, those that leave the fewest people.

The expected matches are the people of all cells that agree with everything shown. Ages are taken as evenly spread
inside a band. What the table lacks matches nobody, and counts as a person who stands alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from sfumato.kinds.places.geonames import NAME, version_of
from sfumato.kinds.places.populated import Located, located, people_in, people_of_countries
from sfumato.types import FloatArray

AGE, SEX, PLACE, OCCUPATION, BIRTH_YEAR = "age", "sex", "place", "occupation", "birth_year"
OLDEST = 110
"""Where a band without an upper end stops."""
FEW = 5
"""Cells with fewer people are too small to mean much: surveys and censuses round or swap there."""
_MOST_WAYS = 2_000

Ages = tuple[int, int]
Value = str | Ages
Shown = Mapping[str, Sequence[Value | None]]
"""What is shown of a person, by attribute; None is a value that nobody can look up."""


class Matches(NamedTuple):
    """How many people of a population share what is shown of one.

    Attributes:
        expected: The people of all cells that agree; 0 if a value is not in the table.
        absent: Whether a value, or all values together, are not in the table.
        thin: Whether one of the cells that agree has fewer than :data:`FEW` people.
    """

    expected: float
    absent: bool
    thin: bool


ABSENT = Matches(0.0, absent=True, thin=False)


class Population(ABC):
    """A population of which a public table counts the people."""

    name: str

    @property
    @abstractmethod
    def attributes(self) -> Sequence[str]:
        """Return the attributes that the table has."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """Return how many cells there are."""

    @property
    @abstractmethod
    def people(self) -> float:
        """Return how many people there are."""

    @property
    @abstractmethod
    def thin_cells(self) -> int:
        """Return how many cells have fewer than :data:`FEW` people."""

    @abstractmethod
    def matches(self, shown: Shown) -> Matches:
        """Return how many people share what is ``shown``. Attributes that the table lacks are left out."""


@dataclass(frozen=True, eq=False)
class ListedPlaces(Population):
    """The places that come with sfumato, and how many people live in each. It knows nothing else about them."""

    name: str = version_of(NAME)

    @property
    def attributes(self) -> Sequence[str]:
        """Return the place alone."""
        return (PLACE,)

    @property
    def thin_cells(self) -> int:
        """Return how many places have fewer than :data:`FEW` people, of those with any."""
        return sum(0 < people < FEW for people in people_in().values())

    @property
    def cells(self) -> int:
        """Return how many places are listed."""
        return len(people_in())

    @property
    def people(self) -> float:
        """Return the people of all countries."""
        return float(people_of_countries())

    def matches(self, shown: Shown) -> Matches:
        """Return how many people live in the least of the places that are shown."""
        places = [None if value is None else located(str(value)) for value in shown.get(PLACE, ())]
        if not places:
            return Matches(self.people, absent=False, thin=False)
        expected = min(0 if place is None else people_in().get(place, 0) for place in places)
        return ABSENT if expected <= 0 else Matches(float(expected), absent=False, thin=expected < FEW)


@dataclass(frozen=True, eq=False)
class Table(Population):
    """A table of people: each cell has a value of every attribute, and how many people have these values.

    Nobody is in two cells: :func:`sfumato.attacks.population_files.read_population` refuses tables where somebody is.
    """

    name: str
    columns: Mapping[str, Sequence[Value]]
    counts: FloatArray
    _shares: dict[tuple[str, Value | None], FloatArray] = field(default_factory=dict, repr=False)  # private values

    @property
    def attributes(self) -> Sequence[str]:
        """Return the attributes that the table has."""
        return tuple(self.columns)

    @property
    def cells(self) -> int:
        """Return how many cells there are."""
        return len(self.counts)

    @property
    def people(self) -> float:
        """Return how many people there are."""
        return float(self.counts.sum())

    @property
    def thin_cells(self) -> int:
        """Return how many cells have fewer than :data:`FEW` people."""
        return int((self.counts < FEW).sum())

    def matches(self, shown: Shown) -> Matches:
        """Return how many people share what is ``shown``. Attributes that the table lacks are left out."""
        named = [(name, dict.fromkeys(values)) for name, values in shown.items() if name in self.columns and values]
        every = [[self._share(name, value) for value in values] for name, values in named]
        if any(not share.any() for shares in every for share in shares):
            return ABSENT
        if prod(map(len, every)) > _MOST_WAYS:  # the least share of each cell is at most that of any one way
            every = [[np.min(shares, axis=0)] for shares in every]
        everybody = np.ones(len(self.counts))
        ways = (np.prod([everybody, *way], axis=0) for way in product(*every))
        fewest = min(ways, key=lambda agreeing: float(agreeing @ self.counts))
        expected = float(fewest @ self.counts)
        return Matches(expected, expected <= 0.0, bool((self.counts[fewest > 0] < FEW).any()))

    def _share(self, name: str, value: Value | None) -> FloatArray:
        """Return which share of the people of each cell agrees with ``value``."""
        known = self._shares.get((name, value))
        if known is None:
            known = self._shares[name, value] = np.array(list(self._agreeing(name, value)), dtype=np.float64)
        return known

    def _agreeing(self, name: str, value: Value | None) -> Iterable[float]:
        cells = self.columns[name]
        if name == AGE and isinstance(value, tuple):
            return (_overlap(value, cell) for cell in cells if isinstance(cell, tuple))
        if name != PLACE or value is None or value in cells:
            return (float(cell == value) for cell in cells)
        area = located(str(value))
        return (float(area is not None and cell is not None and cell.within(area)) for cell in self._places)

    @cached_property
    def _places(self) -> list[Located | None]:
        places = {name: located(str(name)) for name in set(self.columns[PLACE])}
        return [places[name] for name in self.columns[PLACE]]


def _overlap(shown: Ages, cell: Ages) -> float:
    """Return which share of the ages in ``cell`` is among those ``shown``."""
    years = min(shown[1], cell[1]) - max(shown[0], cell[0]) + 1
    return max(0, years) / (cell[1] - cell[0] + 1)

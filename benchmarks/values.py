"""How far a replacement is from the value, at equal success of the best guess: kinds of value against phrases.

Usage: values.py [--record]

An attacker knows the law and that the value is one of up to 300 public ones, each as likely. The success of the best
guess is computed from the laws; nothing is drawn. Every law has the scale at which the success is the one of the row.
Before there were kinds, phrases were as far apart as their sentence embeddings. A phrase that the vocabulary did not
hold became the nearest one. An output that the kind cannot read as a value has no error; the table lists the share of
such outputs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from recording import table, written

from sfumato.abstract.kind import Form, Kind
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.engines.routes import Route
from sfumato.kinds.places.listed import RADIUS
from sfumato.kinds.registry import kinds_of
from sfumato.mechanisms.santext import SanText
from sfumato.privacy.distances import Distance
from sfumato.privacy.line_law import LineLaw
from sfumato.privacy.privacy_loss import DistanceLoss
from sfumato.types import FloatArray, IntArray
from sfumato.vocabularies.builtin import builtin_vocabularies, family

SUCCESSES = (0.05, 0.1, 0.25)
VALUES = 300
Laws = Callable[[float], FloatArray]
"""The laws of all values at a scale, shape (values, outputs)."""


@dataclass(frozen=True)
class Line:
    """Up to 300 values of a kind: their tokens, in one written form, with a label of the vocabularies before."""

    kind: Kind
    form: Form
    label: str
    tokens: Sequence[str]

    @cached_property
    def domain(self) -> Vocabulary:
        return self.kind.vocabulary(self.form.grain)

    @cached_property
    def inputs(self) -> IntArray:
        """Return where the values are in the domain."""
        return np.array([self.domain.tokens.index(token) for token in self.tokens])

    @property
    def unit(self) -> str:
        return "km" if self.kind.unit == "km" else f"{self.kind.unit}s"

    @cached_property
    def points(self) -> FloatArray:
        return np.asarray(self.domain.vectors[self.inputs], dtype=np.float64)

    def geometric(self, scale: float) -> FloatArray:
        order = np.argsort(self.domain.vectors[:, 0], kind="stable")
        law, places = LineLaw(self.domain.vectors[order, 0], scale), np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        rows = np.exp(np.stack([law.log_law(int(places[token])) for token in self.inputs]))
        return np.asarray(rows[:, places])

    def santext(self, scale: float) -> FloatArray:
        return _exponential(self.distances(self.domain.vectors), scale)

    def distances(self, vectors: FloatArray) -> FloatArray:
        """Return how far each value is from each of ``vectors``, in the unit of the domain."""
        squares = sum((self.points[:, [axis]] - vectors[:, axis]) ** 2 for axis in range(vectors.shape[1]))
        return np.asarray(np.sqrt(squares))


def _exponential(distances: FloatArray, scale: float) -> FloatArray:
    weights = np.exp(-scale * distances)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def lines() -> list[Line]:
    """Return the values: dates of 20 years, ages, the largest cities, amounts of four digits."""
    kinds = kinds_of()
    days = [token for token in kinds["DATE"].vocabulary("day").tokens if "2000" <= token[:4] < "2020"]
    cities = list(kinds["PLACE"].vocabulary("city").tokens[:VALUES])
    money = kinds["MONEY"].read("£6,412")
    assert money is not None
    amounts = sorted((t for t in kinds["MONEY"].vocabulary(money.form.grain).tokens if int(t) < 100_000), key=int)
    return [
        Line(kinds["DATE"], _form(kinds["DATE"], "11 January 2019"), "DATE", days[:: len(days) // VALUES][:VALUES]),
        Line(kinds["AGE"], _form(kinds["AGE"], "62 years old"), "AGE", kinds["AGE"].vocabulary("year").tokens),
        Line(kinds["PLACE"], _form(kinds["PLACE"], "London"), "PLACE", cities),
        Line(kinds["MONEY"], money.form, "MONEY", amounts[:: len(amounts) // VALUES][:VALUES]),
    ]


def _form(kind: Kind, text: str) -> Form:
    reading = kind.read(text)
    assert reading is not None
    return reading.form


@dataclass(frozen=True)
class Before:
    """The vocabulary by label that replaced these values before there were kinds."""

    line: Line
    vocabulary: Vocabulary

    @classmethod
    def of(cls, line: Line) -> Before:
        return cls(line, builtin_vocabularies(labels=[line.label])[family(line.label)])

    @cached_property
    def distances(self) -> FloatArray:
        """Return how far the token of each value is from each token of the vocabulary."""
        words = [self.line.kind.write(token, self.line.form) for token in self.line.tokens]
        tokens = Route(SanText(self.vocabulary, 1.0), "nearest").tokens(words)
        return np.asarray(Distance().block(self.vocabulary.vectors[tokens], self.vocabulary.vectors))

    def santext(self, scale: float) -> FloatArray:
        return _exponential(self.distances, scale)

    @cached_property
    def points(self) -> FloatArray:
        """Return the position of each token that is read as a value, else nan."""
        dimensions = self.line.domain.vectors.shape[1]
        return np.array([_point(self.line, token, dimensions) for token in self.vocabulary.tokens])


def _point(line: Line, text: str, dimensions: int) -> FloatArray:
    """Return where the value of ``text`` lies in the units of the kind, also if another grain holds it."""
    reading, nowhere = line.kind.read(text), np.full(dimensions, np.nan)
    if reading is None:
        return nowhere
    grain, value = reading.form.grain, reading.value
    if line.kind.name == "DATE":
        middle = {"day": "", "month": "-15", "year": "-07-02"}.get(grain)
        index = None if middle is None else line.domain.find(value[:10] if not middle else value + middle)
        return nowhere if index is None else line.domain.vectors[index]
    domain = line.kind.vocabulary(grain)
    index = domain.find(value)
    return nowhere if index is None else np.asarray(domain.vectors[index], dtype=np.float64)


def success(laws: FloatArray) -> float:
    """Return how often the best guess among the values is right."""
    return float(laws.max(axis=0).sum() / len(laws))


def scale_at(laws: Laws, wanted: float, most: float) -> float | None:
    """Return the scale with that success of the best guess; None where even ``most`` does not have it."""
    if success(laws(most)) < wanted:
        return None
    low, high = most * 1e-6, most
    while high > low * 1.002:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if success(laws(middle)) < wanted else (low, middle)
    return high


def error(line: Line, laws: FloatArray, points: FloatArray) -> tuple[float, float]:
    """Return the mean distance to outputs that are values, and the share of outputs that are none."""
    has_value = ~np.isnan(points[:, 0])
    away = line.distances(points[has_value])
    if line.kind.name == "PLACE":
        away = 2.0 * RADIUS * np.arcsin(np.minimum(1.0, away / (2.0 * RADIUS)))  # along the ground
    masses = laws[:, has_value]
    return float((masses * away).sum() / masses.sum()), max(0.0, float(1.0 - masses.sum() / len(laws)))


def order_kept(laws: FloatArray, points: FloatArray) -> float:
    """Return the share of pairs of different dates whose draws, one for each, are in the same order."""
    has_value = ~np.isnan(points[:, 0])
    positions, places = np.unique(points[has_value, 0], return_inverse=True)
    masses = np.zeros((len(laws), len(positions)))
    np.add.at(masses.T, places, laws[:, has_value].T)
    below = np.cumsum(masses, axis=1) - masses
    earlier = below @ masses.T  # [i, j]: the draw for i is before that for j
    first, last = np.triu_indices(len(laws), 1)
    return float(earlier[first, last].mean())


def measured(line: Line) -> list[list[object]]:
    """Return a row for each success and law."""
    before, rows = Before.of(line), []
    vectors = np.asarray(line.domain.vectors, dtype=np.float64)
    on_a_line = vectors.shape[1] == 1
    spread = float(np.median(np.abs(np.diff(np.sort(vectors[:, 0]))))) if on_a_line else 1.0
    ways: list[tuple[str, Laws, FloatArray, float]] = []
    if on_a_line:
        ways.append(("geometric", line.geometric, vectors, 20.0 / spread))
    ways.append(("santext", line.santext, vectors, 20.0 / spread))
    ways.append(("before: santext, phrases", before.santext, before.points, 2000.0))
    for wanted, (name, laws, points, most) in product(SUCCESSES, ways):
        scale = scale_at(laws, wanted, most)
        head = [line.kind.name, f"{wanted:g}", name]
        if scale is None:
            rows.append([*head, "not reached", "", "", ""])
            continue
        law = laws(scale)
        distance, none = error(line, law, points)
        order = f"{order_kept(law, points):.3f}" if line.kind.name == "DATE" else ""
        loss = _epsilon(line, name, scale)
        rows.append([*head, f"{_rounded(distance)} {line.unit}", f"{none:.3f}", order, loss])
        print(*rows[-1], flush=True)
    return rows


def _rounded(distance: float) -> str:
    """Return three significant digits, without an exponent."""
    return f"{float(f'{distance:.3g}'):,g}"


def _epsilon(line: Line, name: str, scale: float) -> str:
    """Return the certified loss for each unit of the law over the domain."""
    if name == "geometric":
        return f"{scale:.3g}"
    if name != "santext":
        return ""
    if line.domain.vectors.shape[1] == 1:
        return f"{_loss_on_a_line(np.sort(line.domain.vectors[:, 0]), scale):.3g}"
    return f"{DistanceLoss(line.domain.vectors, Distance()).worst(scale).loss:.3g}"


def _loss_on_a_line(positions: FloatArray, scale: float) -> float:
    """Return the exact loss of the exponential law with equal weights, for each unit.

    It is the scale and the steepest slope of the logarithm of the normaliser. Neighbours have the steepest slope.
    """
    decay = np.exp(-scale * np.diff(positions))
    sums = [np.ones(len(positions)), np.ones(len(positions))]
    for side, factors in zip(sums, (decay, decay[::-1]), strict=True):
        for place, factor in enumerate(factors.tolist()):
            side[place + 1] += factor * side[place]
    normaliser = np.log(sums[0] + sums[1][::-1] - 1.0)
    return scale + float(np.abs(np.diff(normaliser) / np.diff(positions)).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    header = ["kind", "best guess right", "law", "mean error", "no value", "order of dates kept", "ε per unit"]
    rows = [row for line in lines() for row in measured(line)]
    written("values", table(header, rows), given.record)


if __name__ == "__main__":
    main()

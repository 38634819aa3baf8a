"""The probabilities that are drawn from, beside the same law in sixty decimal digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from sfumato import Route, Vocabulary
from sfumato.building import methods
from sfumato.detectors.words import Words
from sfumato.engines.engine import Engine
from sfumato.engines.tokens import DrawnTokens
from sfumato.privacy import distances
from sfumato.privacy.sampling import LawTable, sampling_error

DIMENSIONS = 384


def far_from_the_origin(spread: float, seed: int = 0) -> Vocabulary:
    """Vectors that differ little beside their norms, as encoders make them: products cancel."""
    rng = np.random.default_rng(seed)
    vectors = 10.0 * (rng.normal(size=(1, DIMENSIONS)) + spread * rng.normal(size=(24, DIMENSIONS)))
    return Vocabulary(tuple(f"t{number}" for number in range(24)), vectors, "a toy made by the tests")


def error_of_the_law(vocabulary: Vocabulary) -> tuple[float, float]:
    """The largest relative error of a probability at a steep scale, and the bound that a statement prints."""
    widest = max(np.linalg.norm(vocabulary.vectors - row, axis=1).max() for row in vocabulary.vectors)
    made = methods.mechanism("santext", vocabulary, 600.0 / widest)
    worst = 0.0
    with localcontext() as context:
        context.prec = 60
        rows = [[Decimal(float(number)) for number in row] for row in vocabulary.vectors]
        for token in range(2):
            apart = [sum((a - b) ** 2 for a, b in zip(rows[token], row, strict=True)) for row in rows]
            weights = [(-Decimal(made.scale) * Decimal(square).sqrt()).exp() for square in apart]
            total = sum(weights)
            pairs = zip(made.law(token).tolist(), weights, strict=True)
            worst = max(worst, *(abs(float(Decimal(drawn) * total / weight - 1)) for drawn, weight in pairs))
    return worst, Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY")).relative_error


@pytest.mark.parametrize("spread", [0.004, 0.01, 0.1])
def test_a_law_is_right_to_the_error_that_is_stated(spread: float) -> None:
    error, stated = error_of_the_law(far_from_the_origin(spread))
    assert error < stated < 2e-8


def test_distances_by_products_alone_would_not_be(monkeypatch: pytest.MonkeyPatch) -> None:
    _, stated = error_of_the_law(far_from_the_origin(0.0015))
    monkeypatch.setattr(distances, "_CLOSE", 1e-6)
    error, _ = error_of_the_law(far_from_the_origin(0.0015))
    assert error > stated


@pytest.mark.parametrize("outcomes", [40, 2048, 20_000])
@pytest.mark.parametrize("law", ["equal", "uniform", "steep"])
def test_cumulative_sums_are_right_to_the_error_of_a_draw(law: str, outcomes: int) -> None:
    rng = np.random.default_rng(0)
    weights = {
        "equal": np.full(outcomes, 0.1),
        "uniform": rng.random(outcomes),
        "steep": np.exp(-650.0 * rng.random(outcomes)),
    }[law]
    table = LawTable.from_weights(weights[None])
    sums, total = list(map(Fraction, table.cumulative[0].tolist())), sum(map(Fraction, weights.tolist()))
    before, worst = Fraction(0), Fraction(0)
    for running, outcome in zip(sums, table.order[0].tolist(), strict=True):
        drawn = (running - before) / sums[-1]
        worst, before = max(worst, abs(drawn * total / Fraction(float(weights[outcome])) - 1)), running
    assert float(worst) < sampling_error(outcomes)

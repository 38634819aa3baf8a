"""The geometric law on a line: it sums to 1, loses ε for each unit and no more, and draws have exactly this law."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.mechanisms.geometric import Geometric
from sfumato.mechanisms.independent import Independent
from sfumato.mechanisms.santext import SanText
from sfumato.privacy.line_law import LineLaw
from sfumato.privacy.randomness import RandomDraws, SeededRandomness
from sfumato.types import FloatArray, IntArray

UNEVEN = np.array([0.0, 0.1, 0.25, 2.0, 2.01, 7.0])

gaps = st.lists(st.floats(0.01, 50.0), min_size=1, max_size=12)


def table(law: LineLaw) -> FloatArray:
    return np.array([np.exp(law.log_law(place)) for place in range(len(law.positions))])


def values(positions: FloatArray, unit: str = "day") -> Vocabulary:
    tokens = tuple(f"value {number}" for number in range(len(positions)))
    return Vocabulary(tokens, positions[:, None], "a line", unit=unit)


@given(gaps, st.floats(0.01, 8.0))
def test_every_row_sums_to_one_and_every_pair_loses_epsilon_times_its_distance(
    gaps: list[float], scale: float
) -> None:
    positions = np.concatenate([[0.0], np.cumsum(gaps)])
    law = LineLaw(positions, scale)
    assert np.abs(table(law).sum(axis=1) - 1.0).max() < 1e-12
    logs = np.array([law.log_law(place) for place in range(len(positions))])
    for first in range(len(positions)):
        for second in range(first):
            loss = np.abs(logs[first] - logs[second]).max()
            assert loss == pytest.approx(scale * (positions[first] - positions[second]), rel=1e-9)


def test_weights_are_those_of_the_formula_in_exact_numbers() -> None:
    ratios = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1, 7), Fraction(0)]
    gaps = [-math.log(ratio) for ratio in ratios[1:-1]]
    law = LineLaw(np.concatenate([[0.0], np.cumsum(gaps)]), 1.0)
    for place in range(4):
        before, after = ratios[place], ratios[place + 1]
        exact = (1 - before * after) / ((1 + before) * (1 + after))
        assert math.exp(law.log_weights[place]) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("scale", [0.05, 0.7, 1.6])
@pytest.mark.parametrize("place", [0, 2, 5])
def test_draws_have_this_law(scale: float, place: int) -> None:
    law, draws = LineLaw(UNEVEN, scale), 200_000
    source = RandomDraws(
        SeededRandomness(31 + place), draws, [bytes([place, i & 255, i >> 8 & 255, i >> 16]) for i in range(draws)]
    )
    counts = np.bincount(law.draw(np.full(draws, place), source), minlength=len(UNEVEN))
    expected = table(law)[place] * draws
    common = expected > 5.0
    seen, wanted = counts[common], expected[common]
    assert chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > 1e-4
    assert counts[~common].sum() <= 30
    uniform = np.full(len(seen), seen.sum() / len(seen))
    assert chisquare(seen, uniform).pvalue < 1e-4  # the test would notice another law


class Chosen:
    """Uniforms that were chosen by the test."""

    def __init__(self, numbers: FloatArray) -> None:
        self.numbers = numbers

    def __call__(self, width: int) -> FloatArray:
        assert width == self.numbers.shape[1]
        return self.numbers

    def words(self, width: int) -> IntArray:
        raise AssertionError


def test_the_rarest_value_is_drawn_by_the_rarest_numbers() -> None:
    law = LineLaw(np.arange(40.0), 30.0)  # e^-1170 from end to end: three chunks
    tiny = math.exp(-500.0)
    rows = np.array([[1e-20, 1.0, tiny / 2, tiny / 2, tiny / 2], [1.0, 1e-20, tiny / 2, tiny / 2, tiny / 2]])
    assert law.draw(np.array([39, 0]), Chosen(rows)).tolist() == [0, 39]
    assert law.draw(np.array([39, 0]), Chosen(np.ones((2, 5)))).tolist() == [39, 0]
    one_step = np.array([[1e-20, 1.0, 1.0, 1.0, 1.0], [1.0, 1e-20, 1.0, 1.0, 1.0]])
    assert law.draw(np.array([39, 0]), Chosen(one_step)).tolist() == [38, 1]


@pytest.mark.parametrize("positions", [[1.0], [0.0, 0.0], [1.0, 0.5], [0.0, math.nan]])
def test_what_is_no_line_is_refused(positions: list[float]) -> None:
    with pytest.raises(ConfigurationError):
        LineLaw(np.array(positions), 1.0)


@pytest.mark.parametrize("scale", [1e-9, 1e9, math.inf, math.nan])
def test_what_cannot_be_drawn_faithfully_is_refused(scale: float) -> None:
    with pytest.raises(GuaranteeError):
        LineLaw(np.arange(10.0), scale)


def test_geometric_needs_no_order_and_certifies_epsilon() -> None:
    shuffled = UNEVEN[[3, 0, 5, 1, 4, 2]]
    mechanism = Geometric(values(shuffled), 0.8)
    certificate = mechanism.certify()
    assert (certificate.certified, certificate.kind) == (0.8, "exact")
    laws = np.array([mechanism.law(token) for token in range(6)])
    distances = np.abs(shuffled[:, None] - shuffled)
    losses = np.abs(np.log(laws)[:, None] - np.log(laws)[None]).max(axis=2)
    assert losses == pytest.approx(0.8 * distances, rel=1e-9, abs=1e-12)
    assert str(mechanism.guarantee).startswith("metric-LDP, epsilon 0.8 per day")


def test_geometric_keeps_twice_as_much_as_the_exact_exponential_law_on_a_line() -> None:
    """The reason why it exists: equal weights lose twice as much near an end as inside."""
    domain = values(np.arange(300.0))
    expected = []
    for mechanism in (Geometric(domain, 0.1), SanText(domain, 0.1)):
        law = mechanism.law(150)
        expected.append(float((law * np.abs(np.arange(300) - 150)).sum()))
    assert expected[0] < 0.62 * expected[1]


@pytest.mark.parametrize("vectors", [np.zeros((3, 2)), np.array([[0.0], [1.0], [1.0]])])
def test_geometric_refuses_what_is_no_line(vectors: FloatArray) -> None:
    with pytest.raises(ConfigurationError, match="line"):
        Geometric(Vocabulary(("a", "b", "c"), vectors, "no line"), 1.0)


def test_independent_draws_do_not_depend_on_the_value() -> None:
    mechanism = Independent(values(np.arange(7.0)))
    assert str(mechanism.guarantee).startswith("LDP, epsilon 0")
    assert mechanism.certify().certified == 0.0
    contexts = [number.to_bytes(4, "little") for number in range(70_000)]

    def drawn(token: int) -> IntArray:
        source = RandomDraws(SeededRandomness(5), len(contexts), contexts)
        return mechanism.draw(np.full(len(contexts), token), source)

    assert np.array_equal(drawn(0), drawn(6))
    assert chisquare(np.bincount(drawn(3), minlength=7)).pvalue > 1e-4
    with pytest.raises(ConfigurationError):
        Independent(values(np.arange(7.0)), 1.0)


@settings(max_examples=20)
@given(gaps, st.floats(0.05, 3.0), st.integers(0, 2**32))
def test_every_draw_is_a_value_of_the_line(gaps: list[float], scale: float, seed: int) -> None:
    positions = np.concatenate([[0.0], np.cumsum(gaps)])
    places = np.arange(len(positions)).repeat(3)
    contexts = [number.to_bytes(4, "little") for number in range(len(places))]
    drawn = LineLaw(positions, scale).draw(places, RandomDraws(SeededRandomness(seed), len(places), contexts))
    assert ((drawn >= 0) & (drawn < len(positions))).all()


def test_a_line_whose_sums_are_wrong_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """The closed form says nothing of a law that does not sum to 1; the actual sums are looked at."""
    monkeypatch.setattr(LineLaw, "largest_deviation", 1e-3)
    with pytest.raises(GuaranteeError, match="do not sum to 1"):
        Geometric(values(UNEVEN), 0.7).certify()

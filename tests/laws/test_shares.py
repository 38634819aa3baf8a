"""Every compiled draw on a grid of uniform numbers: an outcome gets its share of the grid, to within one point.

No chance is involved, so the smallest deviation shows: a law whose scale is 5 % off is rejected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sfumato.privacy import distance_law
from sfumato.privacy.distance_law import DistanceLaw
from sfumato.privacy.integer_law import TOTAL
from sfumato.privacy.sampling import LawTable
from sfumato.privacy.set_law import SetLaw

pytestmark = pytest.mark.law

POINTS = 1 << 10
SCALE = 1.3


def whole_shares(outcomes: int, seed: int) -> Any:
    """A share of the points for each outcome, whole numbers with the sum of all; some are 0, some equal."""
    drawn = np.random.default_rng(seed).choice(outcomes, size=POINTS, p=_uneven(outcomes))
    return np.bincount(drawn, minlength=outcomes)


def _uneven(outcomes: int) -> Any:
    weights = 0.8 ** np.arange(outcomes)
    return weights / weights.sum()


def middles(points: int) -> Any:
    return (np.arange(points) + 0.5) / points


@pytest.mark.parametrize("outcomes", [1, 2, 17, 48, 49, 300])
def test_a_row_of_a_table_gives_every_outcome_its_share(outcomes: int) -> None:
    rows = np.array([whole_shares(outcomes, seed) for seed in range(3)])
    tables = [LawTable.from_weights(0.125 * rows)]
    if outcomes <= 48:
        tables.append(LawTable.empty(3, outcomes))
        tables[-1].put_few(slice(0, 3), 0.125 * rows)
    for table in tables:
        for row, shares in enumerate(rows):
            drawn = table.draw(np.full(POINTS, row), middles(POINTS))
            np.testing.assert_array_equal(np.bincount(drawn, minlength=outcomes), shares)


def test_a_law_in_whole_numbers_gives_every_token_its_share() -> None:
    """Three sets whose tokens are mixed; the first and the last number of each point decide alike."""
    groups, seed = ([4, 0, 7, 2, 8], [3], [6, 1, 5]), 0
    set_of, weights = np.empty(9, dtype=np.int64), []
    for number, group in enumerate(groups):
        set_of[group] = number
        weights.append(np.array([whole_shares(len(group), seed + place) for place in group]) * (TOTAL // POINTS))
    starts = np.cumsum([0, *map(len, groups)])
    law = SetLaw(np.concatenate(groups), starts, set_of, tuple(weights))
    firsts = np.arange(POINTS, dtype=np.int64) * (TOTAL // POINTS)
    for number, group in enumerate(groups):
        for row, token in enumerate(group):
            for numbers in (firsts, firsts + (TOTAL // POINTS - 1)):
                words = numbers.astype(np.uint64) << np.uint64(2) | np.uint64(3)
                seen = np.bincount(law.draw(np.full(POINTS, token), words), minlength=9)
                expected = np.zeros(9, dtype=np.int64)
                expected[group] = weights[number][row] // (TOTAL // POINTS)
                np.testing.assert_array_equal(seen, expected)


def points_of(name: str) -> Any:
    points = np.random.default_rng(2).normal(size=(61, 2))
    if name == "copies":
        points[1::5] = points[::5][: len(points[1::5])]
    return points


def made(vectors: Any, limit: float, way: str) -> DistanceLaw:
    """A law in blocks of four, the last of one, that is drawn from in one of the ways."""
    first: dict[bytes, int] = {}
    canonical = np.array([first.setdefault(row.tobytes(), number) for number, row in enumerate(vectors)])
    law = DistanceLaw(vectors, np.arange(len(vectors)), canonical, SCALE, limit, error=1e-9)
    assert np.unique(np.diff(law._starts)).tolist() == [1, 4]
    if way == "blocks":
        law._led, law._inside._most = False, 0
    elif way == "tables":
        law._led = False
    elif way == "heads and sums":
        law = law.knowing(np.array([np.log(np.exp(law.log_weights(token)).sum()) for token in range(len(vectors))]))
        assert law._log_sums is not None
    return law


def deviation(counts: Any, weights: Any, starts: Any, points: int) -> float:
    """How many points the share of a block, or that of a member inside its block, is off at most."""
    blocks = np.add.reduceat(weights, starts[:-1])
    seen = np.add.reduceat(counts, starts[:-1]) / points
    worst = np.abs(seen - points * blocks / blocks.sum()).max()
    wide = np.diff(starts)
    met = np.repeat(seen, wide)
    inside = counts[met > 0] / met[met > 0] - points * (weights / np.repeat(blocks, wide))[met > 0]
    return float(max(worst, np.abs(inside).max()))


@pytest.mark.parametrize("way", ["blocks", "tables", "heads", "heads and sums"])
@pytest.mark.parametrize("limit", [np.inf, 0.9])
@pytest.mark.parametrize("name", ["normal", "copies"])
def test_blocks_and_members_get_their_shares_however_they_are_drawn(
    name: str, limit: float, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distance_law, "_BLOCKS", 16)
    vectors, points = points_of(name), 300
    law = made(vectors, limit, way)
    first, second = np.meshgrid(middles(points), middles(points), indexing="ij")
    grid = np.stack([first.ravel(), second.ravel()], axis=1)
    for token in (0, 6, 60):
        away = np.minimum(np.linalg.norm(vectors - vectors[token], axis=1), limit)
        for _ in range(2):  # the second time from what the first has kept
            counts = np.bincount(law.draw(np.full(len(grid), token), grid), minlength=len(vectors))
            assert deviation(counts, np.exp(-SCALE * away), law._starts, points) < 1.0 + 1e-6
        for factor in (0.95, 1.05):
            assert deviation(counts, np.exp(-factor * SCALE * away), law._starts, points) > 1.2
    assert (law._inside._kept > 0) == (way != "blocks")
    assert law._likeliest.known.any() == way.startswith("heads")

"""CluSanT's tables: draws are those of the shipped laws, and gains are what their names say."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.building.methods import mechanism as build

pytest.importorskip("matplotlib")
BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    from clusant_cases import Paragraph
    from clusant_report import Gains
    from reproduction_clusant import AtItsScale, AtItsScales, Shared, farthest_of
finally:
    sys.path.remove(BENCHMARKS)


@pytest.fixture
def unit(make_vocabulary: Any) -> Any:
    vectors = np.random.default_rng(4).normal(size=(24, 6))
    return make_vocabulary(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@pytest.mark.parametrize("token_distance", ["plain", "stretched"])
def test_without_a_certificate_the_law_is_the_certified_one(unit: Any, token_distance: str) -> None:
    options = {"k": 32.0, "clusters": 3, "token_distance": token_distance, "calibration": "paper"}
    certified: Any = build("clusant", unit, 8.0, **options)
    bare = AtItsScales(unit, 8.0, farthest=farthest_of(unit.vectors), **options)
    assert bare.scales == pytest.approx(certified.scales, rel=1e-6)
    tokens = np.arange(24).repeat(50)
    np.testing.assert_array_equal(*(law.draw(tokens, Shared.of(1, len(tokens))) for law in (bare, certified)))
    assert "_certified" not in vars(bare)
    santext: Any = build("santext", unit, 8.0, calibration="paper")
    assert AtItsScale(unit, 8.0, calibration="paper").scale == santext.scale


def rows(similarities: dict[tuple[str, float], dict[str, float]]) -> dict[tuple[str, float], dict[str, list[float]]]:
    return {key: {cell: [value, value] for cell, value in cells.items()} for key, cells in similarities.items()}


def test_gains_are_over_santext_at_the_epsilon_that_is_asked_for() -> None:
    gains = Gains(rows({
        ("santext", 4.0): {"": 0.5},
        ("santext", 8.0): {"": 0.8},
        ("program", 4.0): {"2 1": 0.5, "2 8": 0.6, "4 1": 0.45, "4 8": 0.7},
        ("program", 8.0): {"2 1": 0.8, "2 8": 0.8, "4 1": 0.8, "4 8": 0.88},
        ("custext", 4.0): {"2 inf": 0.75, "4 inf": 0.75},
        ("custext", 8.0): {"2 inf": 0.9, "4 inf": 0.9},
    }))  # fmt: skip
    assert gains.cells == ([2, 4], [1.0, 8.0, math.inf])
    assert gains.best("program", 4.0) == (4, 8.0)
    assert gains.resampled("program", 4.0, 4, 8.0)[0] == pytest.approx(40.0)
    assert gains.resampled("program", 8.0, 4, 8.0)[0] == pytest.approx(10.0)
    assert gains.resampled("program", 8.0, 4, 8.0, 4.0)[0] == pytest.approx(76.0)
    assert gains.resampled("program", 4.0, 2, math.inf)[0] == pytest.approx(50.0)
    assert gains.rising("program", 4.0) == ("4 of 4", "2 of 3")  # from 2 to 4 clusters it falls at k = 1


def test_equal_phrases_of_a_paragraph_get_the_same_name() -> None:
    paragraph = Paragraph("Oslo and Rome, Oslo", ((0, 4), (9, 13), (15, 19)))
    assert paragraph.phrases() == ["oslo", "rome", "oslo"]
    assert paragraph.filled(["x", "yy", "x"]) == "x and yy, x"

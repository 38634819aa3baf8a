"""Inputs that occur often: their draws inside a block are looked up, and every uniform keeps its outcome."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

from sfumato.privacy import quick_draws
from sfumato.privacy.distance_law import DistanceLaw

pytestmark = pytest.mark.law

WORDS = 5000


def law_of(scale: float = 2.0, copies: bool = False) -> DistanceLaw:
    vectors = np.random.default_rng(3).normal(size=(WORDS, 2))
    if copies:  # within a block: which of two equal weights comes first must not change
        vectors[1::3] = vectors[::3][: len(vectors[1::3])]
    first: dict[bytes, int] = {}
    canonical = np.array([first.setdefault(row.tobytes(), number) for number, row in enumerate(vectors)])
    return DistanceLaw(vectors, np.arange(WORDS), canonical, scale)


def seldom(law: DistanceLaw) -> DistanceLaw:
    law._inside._most = 0
    return law


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("scale", [0.1, 2.0, 20.0])
def test_frequent_inputs_change_no_draw(scale: float, copies: bool) -> None:
    often, plain = law_of(scale, copies), seldom(law_of(scale, copies))
    rng = np.random.default_rng(0)
    for _ in range(4):
        tokens = np.where(
            rng.random(9000) < 0.7, rng.choice([3, 7, 4000], size=9000), rng.integers(0, 300, size=9000)
        )
        uniforms = 1.0 - rng.random((9000, 2))
        np.testing.assert_array_equal(often.draw(tokens, uniforms), plain.draw(tokens, uniforms))
    if scale < 20.0:  # a steep law is decided by its heads, so that hardly a draw comes here
        assert often._inside._kept >= 3
        assert (often._inside._slot >= 0).sum() == often._inside._kept


def test_the_memory_for_frequent_inputs_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(quick_draws, "_BYTES", 2 * 12 * WORDS + 2 * 12 * 3)
    law, plain = law_of(0.1), seldom(law_of(0.1))
    rng = np.random.default_rng(0)
    tokens, uniforms = rng.choice([3, 7, 11, 13], size=20_000), 1.0 - rng.random((20_000, 2))
    for _ in range(2):
        np.testing.assert_array_equal(law.draw(tokens, uniforms), plain.draw(tokens, uniforms))
    assert law._inside._kept == 2
    assert len(law._inside._table.order) <= 2 * law._inside._groups


def test_which_inputs_are_frequent_stays_in_memory() -> None:
    law = law_of(0.1)
    law.draw(np.full(9000, 5), 1.0 - np.random.default_rng(0).random((9000, 2)))
    assert law._inside._kept == 1
    copy = pickle.loads(pickle.dumps(law))
    assert copy._inside._kept == 0
    assert not copy._inside._met.any()


def test_threads_that_share_frequent_inputs_change_no_draw() -> None:
    law, plain = law_of(0.5), seldom(law_of(0.5))
    rng = np.random.default_rng(6)
    jobs = [(rng.integers(0, 12, size=2000), 1.0 - rng.random((2000, 2))) for _ in range(24)]
    expected = [plain.draw(*job) for job in jobs]
    drawn: list[Any] = [None] * len(jobs)

    def work(mine: range) -> None:
        for number in mine:
            drawn[number] = law.draw(*jobs[number])

    threads = [threading.Thread(target=work, args=(range(first, len(jobs), 4),)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, theirs in zip(drawn, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert law._inside._kept == 12

"""A process takes its share of the processors, and threads share work in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from sfumato import runtime
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.methods import mechanism
from sfumato.privacy.randomness import RandomDraws, SeededRandomness
from sfumato.runtime import in_threads, processors, slices


@pytest.mark.parametrize(
    ("share", "expected"), [("1", 1), ("9999", None), ("0", 1), ("", None), ("many", None), ("2,1", None)]
)
def test_a_share_of_the_processors(share: str, expected: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", share)
    assert processors() == (len(os.sched_getaffinity(0)) if expected is None else expected)


def test_work_runs_in_so_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def thread(number: int) -> tuple[int, int]:
        return number, threading.get_ident()

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    made = list(in_threads(thread, range(50)))
    assert [number for number, _ in made] == list(range(50))
    assert len({ident for _, ident in made}) == 1
    assert slices(5, 2) == [slice(0, 2), slice(2, 4), slice(4, 5)]


def test_threads_work_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    if processors() < 2:
        pytest.skip("one processor")
    both, shares = threading.Barrier(2, timeout=30), list[float]()

    def thread(number: int) -> tuple[int, int]:
        both.wait()
        return number, threading.get_ident()

    made = list(in_threads(thread, range(4), shares.append))
    assert [number for number, _ in made] == list(range(4))
    assert len({ident for _, ident in made}) == 2
    assert shares == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.law
@pytest.mark.parametrize(("name", "words"), [("santext", 3000), ("clusant", 600)])
def test_a_law_does_not_depend_on_the_number_of_threads(
    name: str, words: int, make_vocabulary: Callable[..., Vocabulary], monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = np.random.default_rng(5).normal(size=(words, 3))
    vocabulary = make_vocabulary(vectors, [f"w{number}" for number in range(words)])
    tokens, pools = np.arange(20_000) % words, list[int]()
    contexts = [number.to_bytes(4, "little") for number in range(len(tokens))]

    class Pool(runtime.ThreadPoolExecutor):
        def __init__(self, workers: int) -> None:
            pools.append(workers)
            super().__init__(workers)

    monkeypatch.setattr(runtime, "ThreadPoolExecutor", Pool)
    made: list[tuple[Any, ...]] = []
    for share in (1, 3):
        monkeypatch.setattr(runtime, "processors", partial(int, share))
        law = mechanism(name, vocabulary, 4.0)
        drawn = law.draw(tokens, RandomDraws(SeededRandomness(1), len(tokens), contexts))
        made.append((law.parameters, drawn.tolist()))
    assert made[0] == made[1]
    assert set(pools) == {3}, "everything was drawn by one thread"

"""A process takes its share of the processors, and threads share work in order."""

from __future__ import annotations

import os
import threading

import pytest

from sfumato.privacy.threads import in_threads, processors, slices


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

"""Longest copied runs: the same as by brute force, never across texts, fast for whole files."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sfumato.attacks.membership import longest_runs
from sfumato.text.sentences import words


def by_force(text: str, released: list[str]) -> int:
    own, others = words(text), [words(other) for other in released]
    grams = {
        tuple(row[start:end]) for row in others for start in range(len(row)) for end in range(start, len(row) + 1)
    }
    return max((end - start for start in range(len(own)) for end in range(start + 1, len(own) + 1)
                if tuple(own[start:end]) in grams), default=0)  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_runs_are_those_of_brute_force(seed: int) -> None:
    draw = np.random.default_rng(seed)
    words = [chr(97 + number) for number in range(2 + seed % 4)]
    texts, released = ([" ".join(draw.choice(words, size)) for size in draw.integers(0, 14, 9)] for _ in range(2))
    assert longest_runs(texts, released).tolist() == [by_force(text, released) for text in texts]


def test_what_stands_between_words_and_their_case_do_not_count() -> None:
    assert longest_runs(["Anna, the BAKER; sleeps."], ["and anna the baker-sleeps there"]).tolist() == [4]


def test_runs_end_where_a_text_ends() -> None:
    assert longest_runs(["a b c d"], ["a b", "c d"]).tolist() == [2]
    assert longest_runs(["a b", "c d"], ["b c"]).tolist() == [1, 1]


def test_nothing_on_either_side() -> None:
    assert longest_runs([], ["a"]).tolist() == []
    assert longest_runs(["a b", ""], []).tolist() == [0, 0]
    assert longest_runs(["", "!"], ["", "a"]).tolist() == [0, 0]


def test_copies_of_whole_files_take_seconds() -> None:
    draw = np.random.default_rng(1)
    texts = [" ".join(map(str, draw.integers(0, 5000, 100))) for _ in range(2000)]
    started = time.perf_counter()
    assert (longest_runs(texts, texts) == 100).all()
    assert time.perf_counter() - started < 30

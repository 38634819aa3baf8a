"""Grids of figures, and how a number on one is read and written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kinds.numbers.figures import figure_of, grids_up_to
from sfumato.kinds.numbers.grid import Grid, significant_digits
from sfumato.kinds.numbers.number import Number
from sfumato.language.en.numbers import NUMBERS, number_of, number_of_ordinal, spelled, spelled_ordinal

LONG = Grid(5, 0, 10**9)


@given(st.integers(10_001, 10**9))
def test_a_long_number_becomes_the_nearest_by_ratio(number: int) -> None:
    nearest = min(LONG.numbers, key=lambda other: abs(math.log(other / number)))
    assert LONG.nearest(number) in (nearest, *[n for n in LONG.numbers if n * nearest == number * number])
    assert abs(math.log(LONG.nearest(number) / number)) < 0.01


def test_between_two_numbers_the_ratio_decides() -> None:
    grid = Grid(1, 0, 10)
    assert [grid.nearest(number) for number in (1, 9, 10, 11)] == [1, 9, 10, 10]
    below, above = LONG.numbers[:2]
    middle = math.isqrt(below * above)
    assert [LONG.nearest(middle), LONG.nearest(middle + 1)] == [below, above]


@pytest.mark.parametrize("grid", grids_up_to() + grids_up_to(999) + grids_up_to(100) + grids_up_to(above=20))
def test_every_number_of_a_grid_has_its_digits_and_no_other_is_missing(grid: Grid) -> None:
    numbers = grid.numbers
    assert all(significant_digits(number) == grid.digits for number in numbers)
    assert grid.above * 10**grid.decimals < numbers[0] < numbers[-1] <= grid.most * 10**grid.decimals
    assert sorted(set(numbers)) == list(numbers)
    if grid.digits <= 3:  # every power of ten holds as many
        powers = [
            number for number in range(numbers[0], numbers[0] * 10) if significant_digits(number) == grid.digits
        ]
        assert list(numbers[: len(powers)]) == powers[: len(numbers)]


def test_a_number_beyond_its_grid_is_not_read() -> None:
    grid = Grid(1, 0, 100, above=20)
    texts = ("5", "20", "30", "100", "200")
    figures = [figure_of(text, lambda *_: grid, NUMBERS) for text in texts]
    assert [figure is not None for figure in figures] == [False, False, True, True, False]


@given(st.integers(0, 10**15 - 1))
def test_numbers_in_words(number: int) -> None:
    assert number_of(spelled(number)) == number
    assert number_of(spelled(number).replace("-", " ").replace(" and ", " ")) == number
    assert number_of_ordinal(spelled_ordinal(number)) == number


def test_a_text_of_more_than_200_characters_is_not_read() -> None:
    words = spelled(777_777_777_777)
    assert Number().read(words) is not None
    assert len(words.replace(" ", "    ")) > 200
    assert Number().read(words.replace(" ", "   ")) is not None
    assert Number().read(words.replace(" ", "    ")) is None

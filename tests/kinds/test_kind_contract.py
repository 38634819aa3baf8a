"""What every kind of number or time must satisfy, over the forms and shapes of its own test file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kind_contract import (
    check_any_text,
    check_odd_texts,
    check_small_domains,
    check_writing,
    draw_value_and_form,
)
from sfumato.abstract.kind import Form, Kind
from texts_of_patterns import texts_of

from . import test_age, test_date, test_duration, test_money, test_number, test_quantity, test_time


@dataclass(frozen=True, eq=False)
class Case:
    """A kind, the forms that its texts have, and the patterns that it reads."""

    kind: Kind
    forms: Sequence[Form]
    shapes: Sequence[re.Pattern[str]]

    @cached_property
    def values(self) -> st.SearchStrategy[tuple[str, Form]]:
        return draw_value_and_form(self.kind, self.forms)


def american() -> Case:
    """Dates with the month first, in the forms in which they read the texts of the others."""
    readings = (test_date.AMERICAN.read(text) for text, _, _ in test_date.KEPT)
    forms = list(dict.fromkeys(reading.form for reading in readings if reading))
    return Case(test_date.AMERICAN, forms, test_date.SHAPES)


CASES = {
    "age": Case(test_age.AGE, test_age.FORMS, test_age.SHAPES),
    "date": Case(test_date.DATE, test_date.FORMS, test_date.SHAPES),
    "american date": american(),
    "duration": Case(test_duration.DURATION, test_duration.FORMS, test_duration.SHAPES),
    "money": Case(test_money.MONEY, test_money.FORMS, test_money.SHAPES),
    "number": Case(test_number.NUMBER, test_number.FORMS, test_number.SHAPES),
    "quantity": Case(test_quantity.QUANTITY, test_quantity.FORMS, test_quantity.SHAPES),
    "time": Case(test_time.TIME, test_time.FORMS, test_time.SHAPES),
}

every_kind = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@every_kind
@given(data=st.data())
def test_reading_is_the_inverse_of_writing(case: Case, data: st.DataObject) -> None:
    check_writing(case.kind, *data.draw(case.values))


@every_kind
def test_it_is_so_for_every_value_of_the_small_domains(case: Case) -> None:
    check_small_domains(case.kind, case.forms)


@every_kind
@given(text=st.text())
def test_any_text_is_unreadable_or_can_be_written(case: Case, text: str) -> None:
    check_any_text(case.kind, text)


@every_kind
def test_any_text_that_a_shape_matches_is_unreadable_or_can_be_written(case: Case) -> None:
    for text in texts_of(case.shapes):
        check_any_text(case.kind, text)


@every_kind
def test_odd_texts(case: Case) -> None:
    check_odd_texts(case.kind)

"""One order of day and month for a file: an option; a date in the other order cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from sfumato.abstract.treatment import Treatment
from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.engines.routes import Route
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.dates.date import Date
from sfumato.mechanisms.independent import Independent
from sfumato.text.document import Document


def dates(day_first: bool = True, both_orders: bool = False) -> Date:
    return Date(2000, 2029, day_first, both_orders)


def drawn(kind: Date) -> DrawnValues:
    return DrawnValues(kind, {grain: Route(Independent(kind.vocabulary(grain))) for grain in kind.grains})


def shifted(kind: Date) -> Shifted:
    return Shifted(kind, Fraction(1, 30))


def engine(treatment: Treatment) -> Engine:
    return Engine(Given(), Replaced(Redaction("label")), [treatment])


def letter(*dates: str) -> Document:
    text, spans = "Seen", []
    for date in dates:
        spans.append({"start": len(text) + 4, "end": len(text) + 4 + len(date), "label": "DATE"})
        text += f" on {date}"
    return Document(text, "1", {"spans": spans})


US = ("01/03/2019", "01/13/2019")
"""Admitted on 3 January and seen again on the 13th: read date by date they are two months apart, in reverse."""


@pytest.mark.parametrize("treatment", [drawn, shifted])
@pytest.mark.parametrize("date", ["01/13/2019", "01/13/19", "1.13.2019", "01/13", "01/13/2019 at 10:30"])
def test_a_date_in_the_other_order_cannot_be_read(treatment: Callable[[Date], Treatment], date: str) -> None:
    """The mistake: its record was refused, and so missing beside one whose date has the same written form."""
    kind = dates()
    made = engine(treatment(kind))
    documents = [letter("13/01/2019"), letter("02/01/2019", date)]
    made.planned(documents)
    text = made.sanitize_batch(documents)[1].text
    unread = engine(treatment(kind)).sanitize_batch([letter("02/01/2019", "45/67/2019")])[0].text
    shapes = [re.sub(r"\d+", "1", re.sub("[A-Z][a-z]{2,8}", "Month", each)) for each in (text, unread)]
    assert shapes[0] == shapes[1]
    assert kind.read(date) is None
    assert kind.recognises(date)


def test_a_release_depends_on_the_order_alone() -> None:
    engine(shifted(dates(day_first=False))).sanitize_batch([letter(*US)])
    assert engine(shifted(dates())).sanitize_batch([letter("01/13/2019")])[0].text == "Seen on [DATE]"


def test_intervals_are_those_of_the_order() -> None:
    """The mistake: "01/03" read with the day first beside "01/13" with the month first."""
    kind = dates(day_first=False)
    made = engine(shifted(kind))
    for _ in range(20):
        admitted, seen = (
            kind.read(text)
            for text in made.sanitize_batch([letter(*US)])[0].text.removeprefix("Seen on ").split(" on ")
        )
        assert admitted is not None
        assert seen is not None
        days = kind.vocabulary("day").tokens
        assert days.index(seen.value) - days.index(admitted.value) == 10


def test_both_orders_are_read_if_asked() -> None:
    made = engine(shifted(dates(both_orders=True)))
    assert len(made.sanitize_batch([letter("13/01/2019", "01/13/2019")])[0].text) == len("Seen on 13/01/2019") + 14


def test_what_is_no_date_in_any_order_is_released() -> None:
    for text in ("31/13/2019", "45/67/2019", "0/13/2019", "24/30", "May 13 2019", "2019-13-01"):
        engine(shifted(dates())).sanitize_batch([letter(text)])


def test_the_statement_says_the_order() -> None:
    assert any("dates in figures have the day first" in line for line in engine(drawn(dates())).visible)
    assert any("impossible in this order" in line for line in engine(drawn(dates())).visible)
    assert not any("impossible in this order" in line for line in engine(drawn(dates(both_orders=True))).visible)
    american = engine(shifted(dates(day_first=False)))
    assert any("dates in figures have the month first" in line for line in american.visible)

"""The way out where facts find everybody: new records, with their price, or how many people they would need."""

from __future__ import annotations

import pytest

from limits import asking
from sfumato.metrics.estimates import nothing, share
from sfumato.protection.judging import Judged, Measured, judged
from sfumato.protection.trying import instead


def judgements(found: int, of: int = 240) -> tuple[Judged, ...]:
    rates = {name: {"by words": share(0, of)} for name in ("outsiders", "acquaintances")}
    rates["insiders"] = {"BM25": share(found, of) if of else nothing("people")}
    return judged(asking(acquaintances=0.5), Measured(rates, None, None, None, None))


def test_who_is_found_by_facts_is_offered_new_records_with_their_price() -> None:
    [sentence] = instead(judgements(240), 247)
    assert "--policy synthetic --set synthesize.units=250" in sentence
    assert "epsilon 8 for each record or person" in sentence


def test_too_few_people_are_told_how_many_it_takes() -> None:
    [sentence] = instead(judgements(40, 40), 40)
    assert "need more people" in sentence
    assert "insiders = 10 % needs at least 48" in sentence


@pytest.mark.parametrize(("found", "of"), [(0, 240), (0, 0)])
def test_nothing_is_offered_where_nobody_is_found_or_nothing_was_measured(found: int, of: int) -> None:
    assert [*instead(judgements(found, of), 240)] == []

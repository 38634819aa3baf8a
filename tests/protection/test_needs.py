"""What a limit needs is what the judgement of a perfect release of so many people needs, to the person."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from limits import asking
from sfumato.metrics.estimates import Estimate, share, share_by_record
from sfumato.policy import Policy
from sfumato.protection.judging import Judged, judged
from sfumato.protection.needs import Available, needs

EVERY = {
    "acquaintances": 0.5, "token_guess_upper": 0.1, "identifiers_left_upper": 0.05, "missed_upper": 0.02,
    "utility_lower": 0.6,
}  # fmt: skip


def judgement_of(policy: Policy, there: Available) -> Judged:
    return next(each for each in judged(policy, there.at_best()) if each.is_asked)


@pytest.mark.parametrize(("name", "limit"), [*EVERY.items(), ("utility_lower", 0.99), ("missed_upper", 0.5)])
def test_the_least_number_is_enough_and_one_fewer_is_not(name: str, limit: float) -> None:
    policy = asking(**{name: limit})
    [need] = needs(policy, Available.alike(1))
    assert need.least is not None
    assert judgement_of(policy, Available.alike(need.least)).holds
    assert not judgement_of(policy, Available.alike(need.least - 1)).holds
    assert [needs(policy, Available.alike(count))[0].enough for count in (need.least - 1, need.least)] == [
        False,
        True,
    ]


def test_the_numbers_of_the_documentation() -> None:
    least = {need.best.name: need.least for need in needs(asking(**EVERY), Available.alike(51))}
    assert least == {
        "acquaintances": 6, "token_guess_upper": 36, "identifiers_left_upper": 72, "missed_upper": 149,
        "utility_lower": 12,
    }  # fmt: skip


def test_the_table_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-many-records.md").read_text(encoding="utf-8")
    rows = [[int(cell) for cell in row] for row in re.findall(r"^\| (\d+) % " + r"\| (\d+) " * 5, page, re.MULTILINE)]
    assert len(rows) == 6
    for percent, *people in rows:
        for found, count in zip((0, 1, 2, 5, 10), people, strict=True):
            assert share(found, count).high <= percent / 100 < share(found, count - 1).high


@pytest.mark.parametrize("count", [1, 5, 36, 72, 500])
def test_words_of_which_none_is_guessed_are_judged_as_people_of_whom_none_is_found(count: int) -> None:
    words = [owner for owner in range(count) for _ in range(3)]
    assert share_by_record([0.0] * len(words), words, 0, "words").high == share(0, count).high


def test_each_limit_counts_its_own_people() -> None:
    there = Available(register=4, values=5, direct=71, guessed=35, records=3, compared=11)
    policy = asking(**EVERY, outsiders=0.5, insiders=0.5)
    short = needs(policy, there)
    assert [need.there for need in short] == [4, 5, 3, 35, 71, 0, 11]
    assert not [need for need in short if need.enough]
    enough = Available(6, 6, 72, 36, 6, 12, Estimate(0.0, 0.0, 0.019, 160))
    assert all(need.enough for need in needs(policy, enough))
    assert not needs(asking(missed_upper=0.01), enough)[0].enough  # what the review found counts


def test_a_limit_that_no_number_meets_says_so() -> None:
    [need] = needs(asking(identifiers_left_upper=0.0), Available.alike(1000))
    assert need.least is None
    assert need.sentence == (
        "identifiers_left_upper = 0 % cannot hold with any number of people with a marked name, code or number; "
        "1,000 here: TOO FEW"
    )
    assert "at most 1,000 here" in replace(need, looked=False).sentence
    assert "it needs a review" in needs(asking(missed_upper=0.1), Available(9, 9, 9, 9, 9, 9))[0].sentence

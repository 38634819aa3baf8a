"""The attacker who knows the replaced values: identity and full redaction reach the scores that they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linkage import Held, surely_linked
from sfumato.attacks.linkers import BM25
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.linkage import RATE
from sfumato.metrics.estimates import Estimate, share
from sfumato.policy import Policy
from sfumato.policy.limits import Accept, Against
from sfumato.protection.attacking import FoundAgain, Search, _by_claims, _left, _surest_first, bounded, of_register
from sfumato.protection.judging import Measured, judged
from sfumato.protection.originals import Marked
from sfumato.text.sentences import still_there
from sfumato.types import FloatArray

NAMES = ["Anna Larsen", "Bo Nilsson", "Carla Ortega", "Dmitri Volkov", "Elif Kaya", "Femi Adeyemi"] * 5
VALUES = [{"PERSON": (f"{name} {number}x",), "AGE": (f"{20 + number}",)} for number, name in enumerate(NAMES)]
TEXTS = [f"{own['PERSON'][0]}, {own['AGE'][0]}, came to the ward." for own in VALUES]


class Letters:
    """An encoder that counts letters."""

    id = "letters"

    def encode(self, texts: list[str], progress: object = None) -> FloatArray:
        rows = np.array([[text.casefold().count(chr(97 + place)) for place in range(26)] for text in texts], float)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_everybody_is_found_in_the_originals() -> None:
    finding = Search(TEXTS, Letters()).found(VALUES)  # type: ignore[arg-type]
    assert finding.ways.keys() == set(finding.records)
    assert all(ways and set(ways) <= finding.rates.keys() for ways in finding.ways.values())
    assert finding.rates["by words"].value == 1.0
    assert sorted(finding.records) == list(range(len(TEXTS)))
    assert finding.by_kind["AGE"].value == 1.0


def test_nobody_is_found_by_more_than_chance_where_all_texts_are_alike() -> None:
    finding = Search(["PERSON, AGE, came to the ward."] * len(TEXTS), Letters()).found(VALUES)  # type: ignore[arg-type]
    assert all(rate.low <= 1 / len(TEXTS) for rate in finding.rates.values())


def test_the_kind_that_stays_is_the_kind_by_which_people_are_found() -> None:
    released = [f"PERSON, {own['AGE'][0]}, came to the ward." for own in VALUES]
    finding = Search(released, Letters()).found(VALUES)  # type: ignore[arg-type]
    assert finding.by_kind["AGE"].value == 1.0
    assert finding.by_kind["PERSON"].low <= 1 / len(TEXTS)


def test_who_is_found_most_surely_comes_first() -> None:
    """First those whom more attackers find, then those whose record is further ahead of the next best."""
    right = [np.array([True, True, False, True]), np.array([True, False, False, True])]
    leads = [np.array([0.1, 0.9, 0.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.3])]
    assert _surest_first(right, leads) == [3, 0, 1]
    values = [{"PERSON": ("Anna Larsen",)}, {"PERSON": ("Bo Nilsson",)}]
    released = ["Larsen", "Bo Nilsson Larsen"]  # the first shares her name with the second
    assert Search(released, Letters()).found(values).records[0] == 1  # type: ignore[arg-type]


def test_a_guess_is_as_sure_as_its_lead() -> None:
    attackers = [Held(("anna larsen",), ()), Held(("oslo",), ()), Held(("nobody",), ())]
    guesses, leads = surely_linked(BM25(["anna larsen oslo", "bo oslo", "carla"]), attackers)
    assert guesses[0] == 0
    assert leads[0] == 1.0
    assert 0.0 < leads[1] < 0.5
    assert leads[2] == 0.0


def test_a_record_that_is_missing_counts_as_not_found() -> None:
    finding = Search([None, *TEXTS[1:]], Letters()).found(VALUES)  # type: ignore[arg-type]
    assert 0 not in finding.records
    assert finding.rates["by words"].value < 1.0


def test_who_has_no_value_counts_nowhere_and_without_anyone_nothing_is_measured() -> None:
    finding = Search(TEXTS, Letters()).found([{}, *VALUES[1:]])  # type: ignore[arg-type]
    assert finding.rates["by words"].n == len(TEXTS) - 1
    empty = Search(TEXTS, Letters()).found([{}] * len(TEXTS))  # type: ignore[arg-type]
    assert empty.records == ()
    assert empty.rates["by words"].n == 0
    policy = replace(Policy.load("clinical"), against=Against(acquaintances=1.0), accept=Accept())
    [judgement] = [each for each in judged(policy, measured_of(empty)) if each.is_asked]
    assert not judgement.holds


def measured_of(finding: FoundAgain) -> Measured:
    return Measured({"acquaintances": finding.rates}, None, None, None, None)


def test_a_name_that_the_policy_keeps_counts_as_left() -> None:
    found = Marked([{}], [{"PERSON": ("Anna Larsen",)}])
    assert _left(found, ["Anna Larsen came."], [0]) == ((0, "PERSON", "Anna Larsen"),)
    assert _left(found, ["Bo came."], [0]) == ()


def test_few_records_do_not_show_a_similarity() -> None:
    lucky = bounded(Estimate(0.7, 0.7, 0.7, 1))
    assert lucky is not None
    assert lucky.low < 0
    assert bounded(Estimate(0.7, 0.69, 0.71, 300)) == Estimate(0.7, 0.69, 0.71, 300)


@pytest.mark.parametrize(
    ("values", "release", "count"),
    [
        (("Anna Larsen",), "ANNA  LARSEN came", 1),
        (("Anna Larsen", "Anna Larsen"), "Anna Larsen", 1),
        (("Anna Larsen",), "Anna Larsens", 0),
        (("0048-2217",), "MRN 0048-2217.", 1),
        (("Bo",), "Bo came", 0),
        ((), "Anna", 0),
    ],
)
def test_values_are_looked_for_as_whole_words(values: tuple[str, ...], release: str, count: int) -> None:
    assert len(still_there(values, release)) == count


@given(st.from_regex(r"[a-z0-9]{3,9}( [a-z0-9]{1,5}){0,2}", fullmatch=True), st.text(), st.text())
def test_a_value_that_stays_is_always_there(value: str, before: str, after: str) -> None:
    assert still_there([value], f"{before} {value} {after}") == [value]


def test_insiders_know_no_more_facts_than_the_policy_says() -> None:
    setting = {"linker": "BM25", "knowledge": "random", "query": "joined"}
    figures = [Figure(RATE, share(count, 10), {**setting, "k": k}) for k, count in ((1, 2), (3, 5), (5, 9))]
    study = Study("linkage", figures=figures)
    assert [rate.value for rate in _by_claims(study, 3).values()] == [0.2, 0.5]
    assert [rate.value for rate in _by_claims(study, 5).values()] == [0.2, 0.5, 0.9]


def test_outsiders_know_names_and_dates_whether_the_policy_keeps_them_or_not() -> None:
    marks = Marked(
        [{"PERSON": ("Anna Larsen",), "PLACE": ("Bergen",)}], [{"DATE": ("3 May",), "HEALTH": ("asthma",)}]
    )
    assert of_register(marks.every[0]) == {"PERSON": ("Anna Larsen",), "DATE": ("3 May",)}

"""Limits are held against the end of an interval, and what was not measured does not hold."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from limits import POLICY, asking
from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, nothing, share
from sfumato.policy import Policy
from sfumato.policy.limits import ATTACKERS, Accept, Against
from sfumato.policy.tables import shipped_names
from sfumato.protection.judging import Judged, Measured, coarse, failing, judged, loosened, outward
from sfumato.protection.trying import broad_changes, changes, tried
from sfumato.protection.verifying import verdict_on

GOOD = Estimate(0.1, 0.05, 0.2, 100)


def measured(**values: object) -> Measured:
    usual = {"found_again": {"acquaintances": {"by words": GOOD}}, "token_guess": GOOD}
    usual |= {"identifiers_left": GOOD, "missed": None, "utility": Estimate(0.9, 0.8, 0.95, 100)}
    return Measured(**{**usual, **values})  # type: ignore[arg-type]


def asked(policy: Policy, found: Measured) -> list[Judged]:
    return [judgement for judgement in judged(policy, found) if judgement.is_asked]


def test_the_end_of_the_interval_counts_and_not_the_mean() -> None:
    assert not failing(judged(asking(acquaintances=0.2), measured()))
    assert failing(judged(asking(acquaintances=0.19), measured()))  # the mean is 0.1
    assert not failing(judged(asking(utility_lower=0.8), measured()))
    assert failing(judged(asking(utility_lower=0.81), measured()))  # the mean is 0.9


def test_what_is_published_of_a_figure_hardly_differs_by_one_person() -> None:
    """The exact share of 400 people told whether one more was found: the signed envelope had it."""
    policy = asking(acquaintances=0.5)
    published = set()
    for hits in range(20, 60):
        rates = {"by words": share(hits, 400, "people")}
        [judgement] = asked(policy, measured(found_again={"acquaintances": rates}))
        said = judgement.as_json()
        assert set(said["measured"]) == {"low", "high", "of"}  # type: ignore[call-overload]
        published.add(str(said))
    assert len(published) <= 10  # of 40


@pytest.mark.parametrize("hits", range(0, 101, 7))
@pytest.mark.parametrize("people", [100, 1000])
def test_ends_are_rounded_outward_by_half_of_the_interval(hits: int, people: int) -> None:
    exact = share(hits, people)
    low, high = outward(exact.low, exact.high)
    half = (exact.high - exact.low) / 2
    assert 0 <= low <= exact.low < exact.high <= high <= 1
    assert all(end == 0 or round(end / half, 6) >= 1 for end in (low, high))
    assert exact.low - low < 2.5 * half
    assert high - exact.high < 2.5 * half


def test_a_published_end_that_keeps_its_limit_is_not_beyond_it() -> None:
    left, alike = Estimate(0.1, 0.05, 0.18, 100), Estimate(0.9, 0.83, 0.95, 100)
    figures = measured(identifiers_left=left, utility=alike)
    [above, below] = asked(asking(identifiers_left_upper=0.19, utility_lower=0.82), figures)
    assert above.as_json()["measured"] == {"low": 0.0, "high": 0.19, "of": "records"}
    assert above.as_json()["sentence"].endswith("at most 19 % at 95 %; asked: at most 19 %.")  # type: ignore[attr-defined]
    assert below.as_json()["measured"] == {"low": 0.82, "high": 1.0, "of": "records"}
    [failed] = asked(asking(identifiers_left_upper=0.15), measured())
    assert failed.as_json()["measured"] == {"low": 0.0, "high": 0.2, "of": "records"}


def test_a_figure_without_an_interval_is_none_for_readers() -> None:
    """Its exact value would be all that there is of it."""
    told = coarse(Estimate(0.123, math.nan, math.nan, 1))
    assert not [value for value in (told.value, told.low, told.high) if math.isfinite(value)]
    [judgement] = asked(asking(token_guess_upper=1.0), measured(token_guess=Estimate(0.123, math.nan, math.nan, 1)))
    assert "12.3" not in str(judgement.as_json()) + judgement.for_readers.sentence + str(judgement.for_readers)


def test_few_records_do_not_pass_by_luck() -> None:
    assert failing(judged(asking(identifiers_left_upper=0.05), measured(identifiers_left=share(0, 20))))
    assert not failing(judged(asking(identifiers_left_upper=0.05), measured(identifiers_left=share(0, 200))))


@pytest.mark.parametrize("nothing_measured", [None, nothing(), Estimate(0.0, math.nan, math.nan, 1)])
def test_what_was_not_measured_does_not_hold(nothing_measured: Estimate | None) -> None:
    policy = asking(token_guess_upper=1.0, missed_upper=1.0, utility_lower=0.0)
    judgements = asked(policy, measured(token_guess=nothing_measured, utility=nothing_measured))
    assert len(failing(judgements)) == 3
    assert all("not measured" in judgement.sentence for judgement in judgements)


def test_the_worst_attacker_counts() -> None:
    rates = {"by words": GOOD, "by meaning": Estimate(0.3, 0.2, 0.4, 100)}
    (judgement,) = asked(asking(acquaintances=0.3), measured(found_again={"acquaintances": rates}))
    assert not judgement.holds
    assert "by meaning" in judgement.sentence


def test_an_attacker_with_a_limit_and_without_a_figure_fails() -> None:
    first, second = asked(asking(acquaintances=0.5, insiders=0.5), measured())
    assert (first.state, second.state) == ("safe", "not measured")
    assert failing([first, second]) == (second,)


def test_an_attacker_without_a_limit_is_judged_and_decides_nothing() -> None:
    found = {"outsiders": {"by words": share(0, 240)}, "insiders": {"BM25": share(240, 240)}}
    policy = replace(asking(utility_lower=0.5), against=Against(unlimited="the story stays"))
    judgements = {each.name: each for each in judged(policy, measured(found_again=found))}
    states = [(judgements[name].state, judgements[name].is_asked) for name in ATTACKERS]
    assert states == [("safe", False), ("not measured", False), ("not safe", False)]
    assert not failing(tuple(judgements.values()))
    sentence = judgements["insiders"].sentence
    assert sentence.startswith("People found by insiders, who know facts of the story (BM25): 100 %")
    assert sentence.endswith("the policy sets no limit (the story stays), and 10 % is safe.")


@pytest.mark.parametrize(
    ("limits", "insiders", "title"),
    [
        (
            {"insiders": 0.5}, share(240, 240),
            "Not accepted: 1 of 1 limits do not hold; safe against outsiders and acquaintances; "
            "NOT SAFE against insiders",
        ),
        (
            {"acquaintances": 0.3}, share(240, 240),
            "Accepted with a gap: the limit holds; safe against outsiders and acquaintances; "
            "NOT SAFE against insiders",
        ),
        (
            {"acquaintances": 0.3, "utility_lower": 0.5}, share(0, 240),
            "Accepted: all 2 limits hold; safe against outsiders, acquaintances and insiders",
        ),
        (
            {"acquaintances": 0.3}, nothing(),
            "Accepted with a gap: the limit holds; safe against outsiders and acquaintances; "
            "NOT MEASURED against insiders",
        ),
    ],
)  # fmt: skip
def test_accepted_never_stands_alone_above_a_failed_attacker(
    limits: dict[str, float], insiders: Estimate, title: str
) -> None:
    found = {name: {"by words": share(0, 240)} for name in ("outsiders", "acquaintances")}
    judgements = judged(asking(**limits), measured(found_again={**found, "insiders": {"BM25": insiders}}))
    assert verdict_on([each.as_json() for each in judgements]) == title


def test_every_shipped_policy_limits_each_attacker_or_says_why_not() -> None:
    for policy in map(Policy.load, shipped_names()):
        if policy.limits:
            assert policy.against.limits.keys() == ATTACKERS.keys() or policy.against.unlimited, policy.name
            assert {"outsiders", "acquaintances"} <= policy.against.limits.keys()


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("against", "outsiders = 1.5"), ("accept", "utility_lower = -0.1"), ("against", "neighbours = 0.5"),
        ("against", "facts = 0"), ("against", "facts = 6"), ("accept", "found_again_upper = 0.5"),
    ],
)  # fmt: skip
def test_limits_that_cannot_be_are_refused(section: str, line: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"\[{section}\]"):
        Policy.parse(f'[[treat]]\nkinds = ["AGE"]\nmethod = "label"\n[{section}]\n{line}\n')


def test_limits_do_not_change_what_is_drawn() -> None:
    policy = Policy.parse('[[treat]]\nkinds = ["AGE"]\nmethod = "label"\n')
    limited = policy.with_changes({"accept.utility_lower": "0.5", "against.insiders": "0.1", "against.facts": "1"})
    assert limited.limits == {"utility_lower": 0.5, "insiders": 0.1}
    assert limited.fingerprint == policy.fingerprint


def test_changes_are_of_one_kind_and_leave_the_others() -> None:
    policy = Policy.parse(POLICY)
    found = list(changes(policy, ["AGE", "DATE"]))
    assert [change.words for change in found] == ["AGE: epsilon 0.25 in place of 1", "AGE: its label alone"]
    new = found[0].made_in(policy)
    assert new.treatment_of("AGE").epsilon == 0.25
    assert new.treatment_of("MONEY").epsilon == 1.0
    assert [change.words for change in changes(policy, ["AGE"], weaker=True)] == ["AGE: epsilon 4 in place of 1"]


def test_what_helps_most_comes_first_and_two_are_tried_together() -> None:
    policy = Policy.parse(POLICY)
    limits = asking(identifiers_left_upper=0.05)

    def measure(policy: Policy, without: str = "") -> object:
        rate = 0.3 - (0.05 if policy.treatment_of("AGE").name == "label" else 0)
        rate -= 0.2 if policy.treatment_of("MONEY").epsilon == 0.25 else 0
        return asked(limits, measured(identifiers_left=Estimate(rate, rate, rate, 100)))

    failed = failing(measure(policy))  # type: ignore[arg-type]
    results = tried(policy, list(changes(policy, ["AGE", "MONEY"])), failed, measure)  # type: ignore[arg-type]
    assert results[0].words == "MONEY: epsilon 0.25 in place of 1, and AGE: its label alone"
    assert results[0].holds
    assert results[0].after == pytest.approx((0.05,))
    assert results[1].words.startswith("MONEY: epsilon")
    assert not results[1].holds
    assert results[1].before == pytest.approx((0.3,))
    assert results[0].sentence.endswith(
        "AGE: its label alone: people with a name, code or number left from 30 % to 5 %. "
        "With it all limits hold on the sample."
    )


def test_a_change_that_moves_nothing_or_moves_away_does_not_help() -> None:
    policy = Policy.parse(POLICY)
    limits = asking(identifiers_left_upper=0.05, utility_lower=0.6)

    def measure(policy: Policy, without: str = "") -> object:
        rate, similar = 0.3, 0.6
        if policy.treatment_of("AGE").name == "label":
            rate, similar = 0.1, 0.3  # helps one limit, and breaks another by more
        if policy.treatment_of("MONEY").epsilon == 0.25:
            rate = 0.295  # as much as other draws
        return asked(
            limits,
            measured(
                identifiers_left=Estimate(rate, rate, rate, 100), utility=Estimate(similar, similar, similar, 100)
            ),
        )

    failed = failing(measure(policy))  # type: ignore[arg-type]
    results = tried(policy, list(changes(policy, ["AGE", "MONEY"])), failed, measure)  # type: ignore[arg-type]
    assert results
    assert not [result for result in results if result.helps]


CLINICAL = Policy.load("clinical")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({}, []),
        ({"accept.utility_lower": "0.7", "accept.token_guess_upper": "0.05"}, []),
        ({"accept.utility_lower": "0.5"}, ["utility_lower"]),
        ({"accept.identifiers_left_upper": "0.07", "name": "ours"}, ["identifiers_left_upper"]),
        ({"against.insiders": "0.1", "treat.DATE.epsilon": "0.1"}, []),
        ({"against.acquaintances": "1", "treat.DATE.epsilon": "0.1"}, ["acquaintances"]),
    ],
)
def test_limits_that_were_loosened_are_named(changed: dict[str, str], named: list[str]) -> None:
    found = loosened(CLINICAL.with_changes(changed))
    assert [each.name for each in found] == named
    assert all(f"limit {name} was loosened" in each.sentence for name, each in zip(named, found, strict=True))


def test_a_limit_that_was_left_out_is_loosened_and_a_policy_of_ones_own_is_compared_with_none() -> None:
    without = replace(CLINICAL, against=Against(outsiders=0.05), accept=Accept(utility_lower=0.6))
    assert [each.name for each in loosened(without)] == [
        "acquaintances", "token_guess_upper", "identifiers_left_upper",
    ]  # fmt: skip
    assert "there is no such limit; the policy clinical asks 60 %" in loosened(without)[0].sentence
    assert loosened(Policy.parse(POLICY + "[accept]\nutility_lower = 0.1\n")) == ()


def test_broad_changes_make_all_kinds_coarser_or_labels_and_leave_a_field_out() -> None:
    policy = CLINICAL.with_changes({"treat.PLACE.method": "label"})
    found = list(broad_changes(policy, ["DATE", "PERSON", "PLACE", "HEALTH"], ["text", "answer"]))
    words = ["DATE generalised", "Everything that is marked as its label alone", "Without the field text"]
    assert [change.words for change in found] == [*words, "Without the field answer"]
    general, labels, *without = found
    assert general.made_in(policy).treatment_of("DATE").name == "generalise"
    assert general.made_in(policy).treatment_of("HEALTH").name == "keep"
    assert {labels.made_in(policy).treatment_of(kind).name for kind in ("DATE", "PERSON", "HEALTH")} == {"label"}
    assert [change.without for change in without] == ["text", "answer"]
    assert len(list(broad_changes(policy, ["DATE"], ["text"]))) == 2


def test_a_broad_change_is_told_with_what_it_costs_also_where_it_does_not_help() -> None:
    policy = Policy.parse(POLICY)
    everybody = {"insiders": {"BM25": share(240, 240)}}

    def measure(changed: Policy, without: str) -> list[Judged]:
        similar = 0.4 if changed.treatment_of("AGE").name == "label" else 0.9
        likeness = Judged("utility_lower", 0.0, Estimate(similar, similar - 0.1, 1.0, 50), is_asked=False)
        return [
            likeness,
            *(each for each in judged(changed, measured(found_again=everybody)) if each.name == "insiders"),
        ]

    failed = [each for each in measure(policy, "") if each.name == "insiders"]
    results = tried(policy, list(broad_changes(policy, ["AGE"], ["text"])), failed, measure)
    assert not [result for result in results if result.helps]
    assert results[-1].sentence == (
        "Everything that is marked as its label alone: people found by insiders 100 % as before, "
        "similarity to the original from 90 % to 40 %."
    )

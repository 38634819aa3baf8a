"""Methods at equal success: interpolated on the measured curve, never beyond it; and a search with few more runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import Results
from sfumato.evaluation.comparison import search
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.comparison.frontier import Frontier, frontier
from sfumato.evaluation.comparison.matching import Match, matched
from sfumato.evaluation.comparison.measures import FOUND, Point, strongest
from sfumato.evaluation.comparison.methods import Method
from sfumato.evaluation.comparison.plan import Comparison, Matching, matching
from sfumato.evaluation.comparison.runs import Run
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Figure, Study
from sfumato.metrics.estimates import Estimate

PEOPLE = 200


def point(epsilon: float | None, success: float, method: str = "m", width: float = 0.05, use: float = 0.5) -> Point:
    privacy = Estimate(1 - success, 1 - success - width, 1 - success + width, PEOPLE)
    values = {FOUND: privacy, "cosine similarity": Estimate(use, use - 0.01, use + 0.01, PEOPLE)}
    return Point(method, "method", epsilon, (1,), values)


def only(points: Sequence[Point], success: float) -> Match:
    [match] = matched(points, success, FOUND)
    return match


def test_a_match_lies_on_the_line_over_the_logarithm_of_epsilon() -> None:
    """The success is 0.1·log2(ε), so that 0.25 is at 2 ** 2.5, and the band of ±0.05 goes a factor √2 each way."""
    points = [point(2.0**n, 0.1 * n, use=0.1 + 0.2 * n) for n in (4, 1, 3, 2)]  # in any order
    match = only(points, 0.25)
    assert match.epsilon == pytest.approx(2**2.5)
    assert match.low == pytest.approx(2**2)
    assert match.high == pytest.approx(2**3)
    assert match.values["cosine similarity"].value == pytest.approx(0.6)
    assert match.values["cosine similarity"].low == pytest.approx(0.59)
    assert FOUND not in match.values
    assert match.shown == "5.66 (4 to 8)"
    assert only(points, 0.2).epsilon == pytest.approx(4.0)


def test_the_interval_is_open_where_the_band_leaves_what_was_run() -> None:
    match = only([point(2.0**n, 0.1 * n, width=0.12) for n in (1, 2, 3)], 0.2)
    assert match.epsilon == pytest.approx(4.0)
    assert (match.low, match.high) == (None, None)
    assert match.shown == "4 (below 2 to above 8)"


def test_nothing_is_said_beyond_the_epsilons_that_were_run() -> None:
    points = [point(4.0, 0.2), point(8.0, 0.6)]
    for success, why in (
        (0.19, "the success is 0.20 already at the smallest epsilon, 4; add smaller ones"),
        (0.61, "the success is only 0.60 at the largest epsilon, 8; add larger ones"),
    ):
        match = only(points, success)
        assert (match.epsilon, match.low, match.high, match.shown) == (None, None, None, why)
        assert "why" in match.as_json()
    assert only(points, 0.2).epsilon == pytest.approx(4.0)  # the ends themselves were run
    assert only(points, 0.6).epsilon == pytest.approx(8.0)


def test_a_curve_that_falls_for_a_while_is_made_to_rise_first() -> None:
    points = [point(1.0, 0.1), point(2.0, 0.4), point(4.0, 0.2), point(8.0, 0.6)]  # 0.4 and 0.2 become 0.3 twice
    assert only(points, 0.2).epsilon == pytest.approx(math.sqrt(2))
    assert only(points, 0.45).epsilon == pytest.approx(4 * math.sqrt(2))


def test_what_has_no_curve_says_why() -> None:
    file = replace(point(None, 0.4, "theirs"), kind="file")
    corner = replace(point(None, 1.0, "identity"), kind="baseline")
    points = [point(4.0, 0.2, "once"), point(None, 0.3, "redaction"), file, corner]
    points += [replace(point(1.0, 0.1, "unmeasured"), values={})]
    assert {match.method: match.why for match in matched(points, 0.25, FOUND)} == {
        "once": "it has one epsilon only, 4, with success 0.20; give the plan two or more",
        "redaction": "it has no epsilon to choose; its success is 0.30",
        "theirs": "it has no epsilon to choose; its success is 0.40",
        "unmeasured": "not re-identified was not measured",
    }


def test_the_strongest_attacker_is_named_by_linker_and_vote() -> None:
    def rate(value: float, **setting: Any) -> Figure:
        own = {"linker": "bm25", "query": "merged", "knowledge": "random", "k": 3, **setting}
        return Figure("linkage rate", Estimate(value, value - 0.1, value + 0.1, PEOPLE), own)

    def guess(value: float, role: str, name: str, attacker: str) -> Figure:
        setting = {"field": "kind", "role": role, "classifier": name, "attacker": attacker}
        return Figure("accuracy", Estimate(value, value, value, 50), setting)

    voted = rate(0.5, query="majority", released="claims")
    linkage = Study("linkage", [rate(0.3), voted, rate(0.4, linker="embeddings"), rate(0.9, k=5)])
    guesses = [guess(0.6, "target", "tfidf", "static"), guess(0.7, "target", "embeddings", "adaptive")]
    attributes = Study("attributes", [*guesses, guess(0.9, "task", "tfidf", "adaptive")])
    best = strongest([linkage, attributes], Plan(labels=("kind",)))
    named = {attacker.measure.name: (attacker.name, attacker.success.value) for attacker in best}
    assert named == {
        "not re-identified": ("BM25, vote over claims", 0.5), "kind not guessed": ("embeddings, adaptive", 0.7),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"succes": 0.1}, "did you mean success"),
        ({}, ""),
        ({"success": 0}, "a rate between 0 and 1"),
        ({"success": 1}, "a rate between 0 and 1"),
        ({"success": []}, "a rate between 0 and 1"),
        ({"success": ["0.1"]}, "a rate between 0 and 1"),
        ({"success": True}, "a rate between 0 and 1"),
        ({"measure": "kind not guessed"}, "a rate between 0 and 1"),
        ({"success": 0.1, "measure": "words not guessed"}, "choose from not re-identified"),
        ({"success": 0.1, "tries": 1.5}, "tries in [match] is a whole number"),
        ({"success": 0.1, "tries": 21}, "tries in [match] is a whole number"),
    ],
)
def test_the_table_of_the_plan_is_read_strictly(given: dict[str, Any], reason: str) -> None:
    plans = [Plan(attacks=("linkage", "attributes"), labels=("kind",))]
    if not given:
        assert matching(given, plans) is None
        return
    with pytest.raises(ConfigurationError) as caught:
        matching(given, plans)
    assert reason in str(caught.value)
    with pytest.raises(ConfigurationError, match="needs an attack"):
        matching({"success": 0.1}, [Plan(attacks=())])
    assert matching({"success": [0.1, 0.2]}, plans) == Matching((0.1, 0.2), FOUND)


# The search


def asked(methods: Sequence[Method], tries: int, success: float = 0.3) -> Comparison:
    own = Comparison(Path("in.jsonl"), Plan(), methods=tuple(methods), name="in")
    return replace(own, match=Matching((success,), FOUND, tries))


def found_by(curve: Callable[[str, float], float], ran: list[tuple[str, float]]) -> Any:
    """A comparison whose linker succeeds as often as ``curve`` says; new runs are noted in ``ran``."""

    def made(comparison: Comparison, folder: Path, progress: Any = None) -> list[Outcome]:
        outcomes = []
        for method in comparison.methods:
            for budget in method.budgets:
                assert budget is not None
                if (method.name, budget) not in ran:
                    ran.append((method.name, budget))
                rate = round(curve(method.name, budget) * PEOPLE) / PEOPLE
                setting = {"linker": "bm25", "query": "merged", "knowledge": "random", "k": 3}
                figure = Figure("linkage rate", Estimate(rate, rate - 0.05, rate + 0.05, PEOPLE), setting)
                run = Run(method, budget, 1, f"{method.name}, epsilon {budget:g}, seed 1", "x")
                outcomes.append(Outcome(run, Results({}, [Study("linkage", [figure])])))
        return outcomes

    return made


def sigmoid(center: float) -> Callable[[float], float]:
    return lambda epsilon: 1 / (1 + math.exp(-3 * (math.log(epsilon) - math.log(center))))


@pytest.mark.parametrize("tries", [0, 1, 2, 3, 8])
def test_a_search_runs_few_more_epsilons_and_comes_near(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, float]] = []
    curves = {"near": sigmoid(6.0), "far": sigmoid(400.0), "beyond": sigmoid(5000.0)}
    monkeypatch.setattr(search, "compare", found_by(lambda name, epsilon: curves[name](epsilon), ran))
    given = {"near": (1.0, 20.0), "far": (1.0, 2000.0), "beyond": (1.0, 100.0)}
    methods = [Method(name, "santext", budgets) for name, budgets in given.items()]
    shares: list[float] = []
    result: Frontier = search.searched(asked(methods, tries), Path("out"), shares.append)
    more = [(name, epsilon) for name, epsilon in ran if epsilon not in given[name]]
    assert len(more) <= 2 * tries
    assert not [name for name, _ in more if name == "beyond"]  # its curve ends before the success asked for
    assert shares[-1] == 1.0
    matches = {match.method: match for match in result.matches}
    assert matches["beyond"].epsilon is None
    for name in ("near", "far"):
        exact = math.exp(math.log({"near": 6.0, "far": 400.0}[name]) + math.log(0.3 / 0.7) / 3)
        epsilon = matches[name].epsilon
        assert epsilon is not None
        if tries >= 3:
            assert epsilon == pytest.approx(exact, rel=0.1)
        if tries == 8:
            assert epsilon == pytest.approx(exact, rel=0.02)
            assert len([own for own, _ in more if own == name]) < 8  # it ends when no run could be nearer
    before = list(ran)
    search.searched(asked(methods, tries), Path("out"))
    assert ran == before  # the same search makes the same runs


@pytest.mark.parametrize(
    ("curve", "epsilons", "more", "rounds"),
    [
        (
            lambda epsilon: 0.3 if epsilon == 4.0 else sigmoid(6.0)(epsilon),
            (1.0, 4.0, 20.0),
            0,
            1,
        ),  # to half a record
        (lambda epsilon: float(epsilon >= 5.0), (4.98, 4.99, 5.0, 5.01), 0, 1),  # its three digits were run
        (lambda epsilon: float(epsilon >= 5.0), (4.9, 5.1), 6, 7),
    ],
)
def test_a_search_ends_when_no_run_could_be_nearer(
    curve: Callable[[float], float], epsilons: tuple[float, ...], more: int, rounds: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    ran: list[tuple[str, float]] = []
    made, passes = found_by(lambda _, epsilon: curve(epsilon), ran), list[int]()
    monkeypatch.setattr(search, "compare", lambda *given: passes.append(1) or made(*given))
    search.searched(asked([Method("m", "santext", epsilons)], 20, 0.302), Path("out"))
    assert len(ran) - len(epsilons) <= more
    assert len(passes) <= rounds


def test_a_match_is_asked_for_afterwards_too() -> None:
    made = found_by(lambda _, epsilon: sigmoid(6.0)(epsilon), [])
    own = asked([Method("m", "santext", (2.0, 20.0))], 0)
    result = frontier(replace(own, match=None), made(own, Path("out")))
    assert result.matches == []
    [match] = result.matched(0.5)
    assert match.measure == FOUND
    assert match.epsilon is not None
    for success in (0.0, 1.0, -1.0):
        with pytest.raises(ConfigurationError, match="between 0 and 1"):
            result.matched(success)
    with pytest.raises(ConfigurationError, match="there is not re-identified"):
        result.matched(0.5, "cosine similarity")

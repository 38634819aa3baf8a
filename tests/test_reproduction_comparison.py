"""Table 1 of A False Sense of Privacy as the script writes it: the answers in each row, and what follows."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.answers import BEYOND, NOTHING, ORIGINALS, RELEASE, RIGHT, WEIGHT_BEYOND, tasks_of
from sfumato.metrics.estimates import Estimate

BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import comparison_control
    import reproduction_comparison as script
finally:
    sys.path.remove(BENCHMARKS)


def answers(release: float, nothing: float, spread: float) -> list[Study]:
    right = {NOTHING: nothing, ORIGINALS: 0.9, RELEASE: release}
    figures = [
        Figure(RIGHT, Estimate(value, value - 0.1, value + 0.1, 50), {"of": of}) for of, value in right.items()
    ]
    more = release - nothing
    figures += [
        Figure(name, Estimate(more, more - spread, more + spread, 50), {"of": RELEASE})
        for name in (BEYOND, WEIGHT_BEYOND)
    ]
    return [Study("answers", figures)]


def test_the_row_without_information_is_what_is_answered_beside_nothing() -> None:
    own = {"identity": answers(0.7, 0.4, 0.1), "full-redaction": answers(0.5, 0.4, 0.1), "santext, ε 8": []}
    rows = {line.split(" | ")[0].strip("| "): line for line in script.tradeoff(own).splitlines()}
    assert "0.69 / 0.700 (0.600 to 0.800) | +0.300 (+0.200 to +0.400)" in rows["No Sanitization"]
    assert "0.44 / 0.400 (0.300 to 0.500) | – | –" in rows["Remove All Info"]
    assert "0.67 / –" in rows["Sanitize & Paraphrase"]
    assert "| santext, ε 8 | – / – | – / – | – / – |" in rows["–"]


@pytest.mark.parametrize(("spread", "ranks"), [(0.05, True), (0.5, False)])
def test_a_reader_who_gains_nothing_from_the_profile_ranks_no_method(spread: float, ranks: bool) -> None:
    sentence = script.told({"identity": answers(0.6, 0.4, spread)})
    assert "0.60 right beside the untouched profile and 0.40 beside nothing, a difference of +0.20" in sentence
    assert ("ranks no method" in sentence) is not ranks
    assert script.told({}) == "It did not answer."


def test_the_questions_of_age_have_one_right_option_that_the_profile_says(tmp_path: Path) -> None:
    texts = [f"A {age}-year-old man comes in." for age in range(20, 60)] + ["A man of no age comes in."]
    rows = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "medqa.jsonl").write_text("\n".join(rows), encoding="utf-8")
    asked = comparison_control.ages(tmp_path / "medqa.jsonl", 99)
    assert len(asked) == 40
    tasks, left = tasks_of(asked)
    assert not left
    places = set()
    for row, task in zip(asked, tasks, strict=True):
        assert task is not None
        age = int(task.options[task.right].split()[0])
        assert str(row["text"]).startswith(f"A {age}-year-old")
        others = [int(option.split()[0]) for option in task.options]
        assert sum(abs(age - other) < comparison_control.APART for other in others) == 1
        places.add(task.right)
    assert places == {0, 1, 2, 3}  # the right one is not always at the same place


def test_the_conclusion_about_the_reader_follows_from_the_interval() -> None:
    def beyond(low: float) -> Study:
        return Study("answers", [Figure(BEYOND, Estimate(0.4, low, 0.8, 30), {"of": ORIGINALS})])

    assert "more than this reader knows" in comparison_control.concluded(beyond(0.1), 30)
    assert "the cause is not known" in comparison_control.concluded(beyond(-0.1), 30)


def test_the_plan_of_answers_is_the_plan_with_some_of_its_methods(tmp_path: Path) -> None:
    plan = tomllib.loads(script.answering(tmp_path).read_text(encoding="utf-8"))
    whole = tomllib.loads(script.PLAN.read_text(encoding="utf-8"))
    assert [method.get("name", method["mechanism"]) for method in plan["method"]] == list(script.ANSWERED)
    assert [method for method in whole["method"] if method in plan["method"]] == plan["method"]
    assert plan["evaluate"] == {**whole["evaluate"], "metrics": ["utility", "answers"]}

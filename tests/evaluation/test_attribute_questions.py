"""A chat model is asked for labels: bracketed, read strictly, what is missing is wrong and counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.attacks.attribute_inference import BEFORE, STATIC
from sfumato.attacks.attribute_questions import asked_for, dry_run_answer
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.attributes import ACCURACY, ADVANTAGE, AttributeStudy

COUNT = 120
JOBS = ("baker", "nurse", "judge")
FIELDS = [{"job": JOBS[number % 3], "age": 20 + number / 7} for number in range(COUNT)]
TEXTS = [f"PrivateCanary {number} works as a {record['job']}." for number, record in enumerate(FIELDS)]


def reader(question: Question) -> str:
    """Names the label that the text holds, else the first."""
    text, _, listed = question.user.removeprefix("Text:\n").partition("\n\nValues of ")
    names = re.findall(r"^\d+\. (.*)$", listed, re.MULTILINE)
    return str(1 + next((number for number, name in enumerate(names) if name in text), 0))


def study(released: Sequence[str | None], script: Any = reader, *fields: str, **more: Any) -> Study:
    kept = [None if text is None else record for text, record in zip(released, FIELDS, strict=True)]
    pairs = Pairs([str(n) for n in range(COUNT)], TEXTS, released, (), FIELDS, kept)
    model = script if isinstance(script, ScriptedChat) else ScriptedChat(script)
    return AttributeStudy((), fields or ("job",), chat=model, **more).run(pairs)


def value(found: Study, attacker: str, name: str = ACCURACY) -> float:
    figure = found.figure(name, attacker=attacker, classifier="scripted")
    assert figure is not None, found.skipped
    return figure.estimate.value


def test_identity_reaches_the_ceiling_and_redaction_the_floor() -> None:
    same, gone = study(TEXTS), study(["[GONE]"] * COUNT)
    assert value(same, BEFORE) == value(same, STATIC) == value(gone, BEFORE) == 1.0
    assert value(gone, STATIC) == pytest.approx(1 / 3)
    assert value(gone, STATIC, ADVANTAGE) == pytest.approx(0.0)
    shuffled = study([TEXTS[(number + 1) % COUNT] for number in range(COUNT)])
    assert value(shuffled, STATIC) == 0.0
    assert not same.skipped


def test_random_answers_are_right_by_chance() -> None:
    draw = np.random.default_rng(0)
    rates = [value(study(TEXTS, lambda _: str(draw.integers(1, 4))), STATIC) for _ in range(10)]
    assert abs(np.mean(rates) - 1 / 3) < 6 * np.sqrt(2 / 9 / (10 * COUNT))


@pytest.mark.parametrize("answer", ["", "baker", "0", "4", "1 or 2", "1\n2", "-1", "1.5", "\u0661"])
def test_other_answers_are_wrong_and_counted(answer: str) -> None:
    found = study(TEXTS, lambda question: answer if "PrivateCanary 0 " in question.user else reader(question))
    assert value(found, STATIC) == pytest.approx(1 - 1 / COUNT)
    assert {left.why for left in found.skipped} == {
        f"of {COUNT} answers 1 are missing or could not be read, and count as wrong"
    }


def test_nothing_is_asked_about_missing_and_empty_texts() -> None:
    model = ScriptedChat(reader)
    released: list[str | None] = [None, "", "  ", *TEXTS[3:]]
    found = study(released, model)
    assert model.spent.questions == COUNT + COUNT - 3
    assert value(found, STATIC) == pytest.approx(1 - 3 / COUNT)  # a missing text is no right guess
    assert not found.skipped
    assert asked_for(model, ["a", "a", ""], "job", JOBS)[2] is None
    assert model.spent.questions == COUNT + COUNT - 3 + 1


def test_numbers_many_labels_and_unpaired_records_are_left_out_with_the_reason() -> None:
    found = study(TEXTS, reader, "age")
    assert any("the field holds numbers" in left.why for left in found.skipped)
    many = [{"job": f"job {number // 2}"} for number in range(COUNT)]
    pairs = Pairs([str(n) for n in range(COUNT)], TEXTS, TEXTS, (), many, many)
    told = AttributeStudy((), ("job",), chat=ScriptedChat(reader)).run(pairs)
    assert any("among 50 labels at most, and the field has 60" in left.why for left in told.skipped)
    apart = Pairs(pairs.ids, TEXTS, [None] * COUNT, TEXTS, FIELDS, [None] * COUNT, FIELDS)
    told = AttributeStudy((), ("job",), chat=ScriptedChat(reader)).run(apart)
    assert any("known to belong" in left.why for left in told.skipped)


def test_tasks_are_not_asked_for_and_a_sample_is() -> None:
    model = ScriptedChat(reader)
    pairs = Pairs([str(n) for n in range(COUNT)], TEXTS, TEXTS, (), FIELDS, FIELDS)
    AttributeStudy((), (), ("job",), chat=model).run(pairs)
    assert model.spent.questions == 0
    AttributeStudy((), ("job",), sampled=10, chat=model).run(pairs)
    assert 16 <= model.spent.questions <= 20  # labels of one record in the sample are left out


def test_an_answer_without_a_model_can_be_read() -> None:
    found = study(TEXTS, dry_run_answer)
    assert not found.skipped
    assert dry_run_answer(Question("other", "question")) is None

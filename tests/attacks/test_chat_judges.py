"""What a chat model answers is read strictly: anything else counts as missing, and nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.abstract.chat import BATCH, Price, Question, ScriptedChat, Spent, costs, shortfall
from sfumato.attacks.chat_judges import ChatCategories, ChatJudge, ChatSplitter, dry_run_answer, paraphrased
from sfumato.errors import ConfigurationError
from sfumato.models.chat.answers import json_object, whole_number

FENCED = '```json\n{"facts": ["Anna lives.", "Anna works.", "Anna lives."]}\n```'


@pytest.mark.parametrize("answer", ['{"facts": ["Anna lives.", "Anna  works."]}', FENCED])
def test_facts_are_read(answer: str) -> None:
    model = ScriptedChat(lambda _: answer)
    assert ChatSplitter(model).split(["text", "", " "]) == [("Anna lives.", "Anna works."), (), ()]
    assert model.spent.questions == 1  # nothing is asked about an empty text
    assert model.spent.unreadable == 0


UNREADABLE = [
    "", "Anna lives.", '["Anna"]', '{"facts": "Anna"}', '{"facts": [1]}', "{}", 'Sure! {"facts": ["Anna"]}',
    '{"facts": ["a"], "facts": ["b"]}', "[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("answer", UNREADABLE, ids=range(len(UNREADABLE)))
def test_unreadable_facts_are_none_and_counted(answer: str) -> None:
    model = ScriptedChat(lambda _: answer)
    assert ChatSplitter(model).split(["text"]) == [None]
    assert model.spent.unreadable == 1


def test_the_commonest_vote_counts_and_of_equal_ones_the_least_private() -> None:
    votes = {"a": "11123", "b": "33322", "c": "1122x", "d": "xxxxx", "e": "2 2", "f": "4"}

    def script(question: Question) -> str:
        return votes[question.user[-1]][question.vote : question.vote + 1]

    model = ScriptedChat(script)
    found = ChatJudge(model, 5).distances([["a", "b", "c", "d"]], [["record"]])
    assert found == [[0.0, 1.0, 0.0, None]]
    assert model.spent.unreadable == 1 + 5
    assert len({(question.user, question.vote) for question in model.asked}) == 20


def test_the_record_and_the_claim_stand_in_the_question() -> None:
    model = ScriptedChat(lambda _: "3")
    assert ChatJudge(model, 1).distances([["the claim"], []], [["one", "two"], ["three"]]) == [[1.0], []]
    assert "one\ntwo" in model.asked[0].user
    assert "the claim" in model.asked[0].user
    assert model.asked[0].temperature == 0.0


def test_kinds_are_only_known_ones() -> None:
    answers = {"x": '{"kinds": ["Age"]}', "y": '{"kinds": []}', "z": '{"kinds": ["Shoes"]}', "w": None}
    model = ScriptedChat(lambda question: answers[question.user])
    kinds = [("Age", "how old"), ("Pet", "animals")]
    assert ChatCategories(model, kinds).of(["x", "y", "z", "w"]) == [("Age",), (), None, None]
    assert (model.spent.unreadable, model.spent.failed) == (1, 1)


def test_paraphrased_knowledge() -> None:
    model = ScriptedChat(lambda question: f"  said: {question.user}\n" if question.user != "no" else "  ")
    assert paraphrased(model, ["a", "no"]) == ["said: a", None]


def test_a_text_without_an_answer_is_told_from_one_that_says_nothing() -> None:
    answers = {"lost": None, "nonsense": "no", "nothing": '{"facts": []}', "much": '{"facts": ["Anna lives."]}'}
    model = ScriptedChat(lambda question: answers[question.user])
    assert ChatSplitter(model).split(["nothing", "lost", "", "much", "nonsense"]) == [
        ("nothing",), None, (), ("Anna lives.",), None
    ]  # fmt: skip


def test_nothing_is_asked_about_an_empty_record_which_says_nothing() -> None:
    model = ScriptedChat(lambda _: "1")
    found = ChatJudge(model, 3).distances([["a", "b"], ["c"], ["d"]], [[], ["record"], [" "]])
    assert found == [[1.0, 1.0], [0.0], [1.0]]
    assert model.spent.questions == 3


def test_claims_of_many_records_are_asked_about_together_and_progress_moves() -> None:
    sizes: list[int] = []

    class Watched(ScriptedChat):
        def replies(self, questions: Any) -> Any:
            sizes.append(len(questions))
            return super().replies(questions)

    told: list[float] = []
    claims = [[f"claim {n}.{m}" for m in range(5)] for n in range(100)]
    found = ChatJudge(Watched(lambda q: "1" if ".3" in q.user else "3"), 3).distances(
        claims, [["r"]] * 100, told.append
    )
    assert found == [[1.0, 1.0, 1.0, 0.0, 1.0]] * 100
    assert sizes == [BATCH] * (1500 // BATCH) + [1500 % BATCH]
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_answers_of_a_dry_run_can_be_read() -> None:
    model = ScriptedChat(dry_run_answer)
    assert ChatSplitter(model).split(["Anna lives. Anna works."]) == [("Anna lives.", "Anna works.")]
    assert ChatJudge(model, 3).distances([["a"]], [["b"]]) == [[0.5]]
    assert ChatCategories(model, [("Age", "how old")]).of(["a"]) == [()]
    assert paraphrased(model, ["a"]) == ["a"]
    assert (model.spent.unreadable, model.spent.failed) == (0, 0)
    assert dry_run_answer(Question("another", "question")) is None


NO_MARKS = [
    "", "4", "0", "1.5", "1 2", "one", "+1", "-1", "1_0", "\N{ARABIC-INDIC DIGIT ONE}", "1..", "9" * 5000, "true",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_MARKS, ids=range(len(NO_MARKS)))
def test_only_a_whole_number_in_range_is_one(text: str) -> None:
    with pytest.raises(ValueError):
        whole_number(text, 1, 3)


def test_a_whole_number_may_stand_alone_or_end_a_sentence() -> None:
    assert [whole_number(text, 1, 3) for text in ("1", " 2\n", "3.")] == [1, 2, 3]
    assert json_object('```json\n{"a": 1}\n```') == {"a": 1}


def test_costs_are_those_since_and_of_answers_that_were_not_known() -> None:
    model = ScriptedChat(lambda question: None if question.user == "no" else "two words")
    model.replies([Question("s", "before")])
    before = model.spent.copy()
    model.replies([Question("s", "u"), Question("s", "no")])
    counted = {"questions": 2, "cached": 0, "failed": 1, "tokens_in": 2, "tokens_out": 2, "unreadable": 0}
    assert costs(model, before) == {"model": "scripted", **counted}
    model.price = Price.read("10, 1000000")
    assert costs(model, before)["cost"] == 2.00002
    assert model.spent.questions == 3


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_a_price_is_two_numbers(text: str) -> None:
    with pytest.raises(ConfigurationError, match="IN,OUT"):
        Price.read(text)


def test_more_than_half_missing_is_too_much() -> None:
    assert shortfall(Spent(questions=10, failed=3, unreadable=2)) is None
    assert "10 questions" in str(shortfall(Spent(questions=10, failed=4, unreadable=2)))
    assert shortfall(Spent()) is None

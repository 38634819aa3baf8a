"""What a chat model answers is read strictly: anything else counts as missing, and nothing is guessed."""

from __future__ import annotations

import pytest

from sfumato.attacks.prompted import ChatCategories, ChatJudge, ChatSplitter, paraphrased
from sfumato.chat import Question, ScriptedChat

FENCED = '```json\n{"facts": ["Anna lives.", "Anna works.", "Anna lives."]}\n```'


@pytest.mark.parametrize("answer", ['{"facts": ["Anna lives.", "Anna  works."]}', FENCED])
def test_facts_are_read(answer: str) -> None:
    model = ScriptedChat(lambda _: answer)
    assert ChatSplitter(model).split(["text", "", " "]) == [("Anna lives.", "Anna works."), (), ()]
    assert model.spent.questions == 1  # nothing is asked about an empty text
    assert model.spent.unreadable == 0


@pytest.mark.parametrize("answer", ["", "Anna lives.", '["Anna"]', '{"facts": "Anna"}', '{"facts": [1]}', "{}",
                                    'Sure! {"facts": ["Anna"]}'])  # fmt: skip
def test_unreadable_facts_are_none_and_counted(answer: str) -> None:
    model = ScriptedChat(lambda _: answer)
    assert ChatSplitter(model).split(["text"]) == [()]
    assert model.spent.unreadable == 1


def test_the_commonest_vote_counts_and_of_equal_ones_the_most_private() -> None:
    votes = {"a": "11123", "b": "33322", "c": "1122x", "d": "xxxxx", "e": "2 2", "f": "4"}

    def script(question: Question) -> str:
        return votes[question.user[-1]][question.vote : question.vote + 1]

    model = ScriptedChat(script)
    found = ChatJudge(model, 5).distances([["a", "b", "c", "d"]], [["record"]])
    assert found == [[0.0, 1.0, 0.5, None]]
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


def test_hearsay() -> None:
    model = ScriptedChat(lambda question: f"  said: {question.user}\n" if question.user != "no" else "  ")
    assert paraphrased(model, ["a", "no"]) == ["said: a", None]

"""What a language model adds to an evaluation: marks, judgments, costs; bracketed, and with a server that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chat_server import Server, said
from sfumato.abstract.chat import ChatModel, Price, Question, ScriptedChat, unfinished
from sfumato.attacks.chat_judges import ChatJudge, ChatSplitter
from sfumato.attacks.claim_judges import LexicalJudge
from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import ChatStudy, Measured, estimate, evaluate
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.quality import ASPECTS, CHANGE, GRAMMAR, ORIGINALS, OVERALL, RELEASE, QualityStudy

pytest.importorskip("httpx")
PRIVATE = "PrivateCanary"
TOWNS = ("Oslo", "Lima", "Quito", "Bonn", "Turin", "Kyoto", "Perth", "Leeds", "Lagos", "Minsk", "Sofia", "Tunis")
TEXTS = [
    f"Person {n} of {PRIVATE} lives in {town}. The rent there is {n * 37 + 411} crowns. A dog sleeps near the door."
    for n, town in enumerate(TOWNS)
]
ORDERED = {pair for text in TEXTS for pair in pairwise(text.split())}


def paired(released: list[str | None], originals: list[str] = TEXTS) -> Pairs:
    return Pairs([f"r{n}" for n in range(len(originals))], originals, released)


def teacher(question: Question) -> str:
    """Marks a text by the share of its pairs of words that stand in that order in an original."""
    words = question.user.split()
    pairs = list(pairwise(words))
    mark = 1 + round(4 * sum(pair in ORDERED for pair in pairs) / max(1, len(pairs)))
    return json.dumps(dict.fromkeys(ASPECTS, mark)) if "JSON" in question.system else str(mark)


def comparer(question: Question) -> str:
    """Says whether the words of a fact stand in the record."""
    record, fact = re.fullmatch(r"Record:\n(.*)\n\nFact:\n(.*)", question.user, re.DOTALL).groups()  # type: ignore[union-attr]
    share = np.mean([word in set(record.split()) for word in fact.split()])
    return "1" if share == 1.0 else "2" if share >= 0.5 else "3"


def brackets() -> dict[str, list[str | None]]:
    drawn, words = np.random.default_rng(0), " ".join(TEXTS).split()
    random: list[str | None] = [" ".join(drawn.choice(words, 18)) for _ in TEXTS]
    return {"identity": list(TEXTS), "redacted": ["[REDACTED]"] * 12, "random": random, "missing": [None] * 11 + [""]}


def mark(study: Study, name: str, of: str) -> float:
    found = study.figure(name, of=of)
    assert found is not None
    return found.estimate.value


@pytest.mark.parametrize("aspect", [*ASPECTS, OVERALL])
def test_marks_of_identity_redaction_and_random_text(aspect: str) -> None:
    found = {name: QualityStudy(ScriptedChat(teacher)).run(paired(release)) for name, release in brackets().items()}
    assert all(mark(study, aspect, ORIGINALS) == 5.0 for study in found.values())
    assert mark(found["identity"], aspect, RELEASE) == 5.0
    assert mark(found["identity"], aspect, CHANGE) == 0.0
    assert mark(found["redacted"], aspect, RELEASE) == mark(found["missing"], aspect, RELEASE) == 1.0
    assert mark(found["redacted"], aspect, CHANGE) == -4.0
    assert 1.0 <= mark(found["random"], aspect, RELEASE) < 3.0
    assert not found["identity"].skipped


def test_judgments_of_identity_redaction_and_random_text() -> None:
    claims = [text.replace(".", "").split(" crowns")[:1] for text in TEXTS]
    means = {}
    for name, release in brackets().items():
        records = [[(text or "").replace(".", "")] for text in release]
        judged = ChatJudge(ScriptedChat(comparer), 3).distances(claims, records)
        means[name] = float(np.mean([one for own in judged for one in own if one is not None]))
        lexical = LexicalJudge().distances(claims, records)
        assert (means[name] == 0.0) == (np.max(lexical) == 0.0)
    assert (means["identity"], means["redacted"], means["missing"]) == (0.0, 1.0, 1.0)
    assert means["random"] > 0.3


def test_nothing_is_asked_about_texts_that_are_not_there() -> None:
    model = ScriptedChat(teacher)
    study = QualityStudy(model).run(paired([None, "", " ", *TEXTS[3:]]))
    assert model.spent.questions == 2 * (12 + 9)
    assert study.facts["empty"] == 3
    assert study.figure(GRAMMAR, of=RELEASE).estimate.n == 12  # type: ignore[union-attr]
    assert mark(study, GRAMMAR, RELEASE) == pytest.approx((9 * 5 + 3 * 1) / 12)


def test_releases_without_one_to_one_records_have_marks_but_no_change() -> None:
    pairs = Pairs(["a", "b"], TEXTS[:2], [None, None], strays=["[REDACTED] [REDACTED]"] * 5)
    study = QualityStudy(ScriptedChat(teacher), sampled=3).run(pairs)
    assert study.figure(GRAMMAR, of=RELEASE).estimate.n == 3  # type: ignore[union-attr]
    assert study.figure(GRAMMAR, of=CHANGE) is None
    empty = QualityStudy(ScriptedChat(teacher)).run(Pairs(["a"], [""], [None]))
    assert (empty.figures, empty.skipped) == ([], [])


UNREADABLE = [
    "", "good", "5", '{"grammar": 5}', json.dumps(dict.fromkeys(ASPECTS, 6)), json.dumps(dict.fromkeys(ASPECTS, "5")),
    json.dumps(dict.fromkeys(ASPECTS, 4.5)), json.dumps(dict.fromkeys(ASPECTS, True)),
    json.dumps(dict.fromkeys([*ASPECTS, "style"], 5)), "Here you are: " + json.dumps(dict.fromkeys(ASPECTS, 5)),
]  # fmt: skip


@pytest.mark.parametrize("answer", UNREADABLE, ids=range(len(UNREADABLE)))
def test_marks_are_read_strictly(answer: str) -> None:
    study = QualityStudy(ScriptedChat(lambda q: answer if "JSON" in q.system else "4")).run(paired(list(TEXTS)))
    assert [one.name for one in study.figures] == [OVERALL] * 3
    assert study.facts["chat"]["unreadable"] == 24
    assert "12 of 12" in study.skipped[0].why


def test_a_few_missing_marks_are_told_and_many_leave_no_figure() -> None:
    def some(missing: tuple[str, ...]) -> Study:
        script: Callable[[Question], str | None] = lambda q: None if any(m in q.user for m in missing) else teacher(q)  # noqa: E731
        return QualityStudy(ScriptedChat(script)).run(paired(list(TEXTS)))

    few, many = some(TOWNS[:2]), some(TOWNS[:7])
    assert few.figure(GRAMMAR, of=RELEASE).estimate.n == 10  # type: ignore[union-attr]
    assert {one.why for one in few.skipped} == {"2 of 12 answers are missing or could not be read"}
    assert many.figures == []
    assert all("7 of 12" in one.why and "more than half" in one.why for one in many.skipped)
    assert many.facts["chat"]["failed"] == 2 * 2 * 7
    assert unfinished(many.facts)
    assert unfinished(few.facts)  # what is missing is asked again
    assert not unfinished({})


class Judged:
    """A study that splits and judges by a chat model, as the linkage study does."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    def run(self, pairs: Pairs, progress: Any = None) -> Study:
        claims = [own or () for own in ChatSplitter(self.model).split(pairs.originals)]
        ChatJudge(self.model, 3).distances(claims, [[text] for text in pairs.texts])
        return Study("judged", facts={"own": 1})


def test_costs_and_too_many_missing_answers_stand_in_the_facts() -> None:
    model = ScriptedChat(lambda _: None)
    model.price = Price(1.0, 1.0)
    model.replies([Question("before", "before")])
    study = ChatStudy(Judged(model), model).run(paired(list(TEXTS)))
    assert study.facts["own"] == 1
    assert study.facts["chat"] == {
        "model": "scripted", "questions": 12, "cached": 0, "failed": 12, "tokens_in": 0, "tokens_out": 0,
        "unreadable": 0, "cost": 0.0,
    }  # fmt: skip
    assert "12 got no answer" in study.skipped[0].why
    fine = ScriptedChat(lambda q: '{"facts": ["a"]}' if "facts" in q.system else "1")
    assert not ChatStudy(Judged(fine), fine).run(paired(list(TEXTS))).skipped


def test_an_estimate_counts_what_is_asked() -> None:
    def studies(model: ChatModel) -> dict[str, Measured]:
        return {"judged": Judged(model), "quality": QualityStudy(model, sampled=7)}

    def answered(question: Question) -> str:
        if "facts" in question.system:  # a fact a sentence, as is pretended
            return json.dumps({"facts": re.split(r"(?<=\.) ", question.user)})
        return comparer(question) if question.user.startswith("Record:") else teacher(question)

    pairs, asked = paired(list(TEXTS)), ScriptedChat(answered)
    for study in studies(asked).values():
        study.run(pairs)
    found = estimate(studies, pairs)
    assert found.spent.questions == asked.spent.questions == 12 + 12 * 3 * 3 + 2 * 2 * 7
    letters = sum(-(-len(f"{one.system} {one.user}") // 4) for one in asked.asked)
    assert found.spent.tokens_in == letters
    assert "a cost of about" in found.sentence(Price(1.0, 2.0))
    assert PRIVATE not in found.sentence()


def test_a_server_that_is_down_at_the_start_is_told_before_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ConfigurationError, match="cannot be reached"):
        ChatChoice("m").made(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("keep", [True, False])
def test_a_server_that_dies_in_between_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    alive = {"until": 30}

    def script(number: int, body: dict[str, Any]) -> Any:
        system, user = (turn["content"] for turn in body["messages"])
        return said(teacher(Question(system, user))) if number <= alive["until"] else (500, b"", {})

    monkeypatch.setattr("sfumato.models.chat.endpoint.time.sleep", lambda _: None)
    with closing(Server(script)) as server:
        monkeypatch.setenv("SFUMATO_CHAT_URL", server.url)
        released: list[str | None] = [f"{text} So it is." for text in TEXTS]
        choice, pairs = ChatChoice("m", keep=keep, at_once=1), paired(released)

        def run() -> Study:
            alive["until"] += 1  # the greeting
            made = QualityStudy(choice.made(tmp_path))
            [study] = evaluate(pairs, {"quality": made}, tmp_path, choice.setting).studies
            return study

        stopped = run()
        assert "HTTP 500" in stopped.skipped[0].why
        assert not stopped.figures
        alive["until"] = 10_000
        done = run()
        assert mark(done, OVERALL, ORIGINALS) == 5.0
        assert done.facts["chat"]["cached"] == (30 if keep else 0)
        assert (tmp_path / "answers").exists() == keep
    written = " ".join(path.read_text(encoding="utf-8") for path in (tmp_path / "studies").iterdir())
    assert PRIVATE not in written + str(stopped.skipped)


def test_a_notice_says_where_text_goes_and_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_URL", "https://host.example:8443/SecretCanary/v1?key=SecretCanary")
    said = ChatChoice("m").notice(tmp_path)
    assert "go to host.example:8443" in said
    assert "--no-cache" in said
    assert "SecretCanary" not in said + repr(ChatChoice("m"))
    assert "not kept" in ChatChoice("m", keep=False).notice(tmp_path)


@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": "local:"}, {"votes": 0}, {"at_once": 0}, {"timeout": 0.0},
                                   {"timeout": float("nan")}])  # fmt: skip
def test_choices_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        ChatChoice(**{"name": "m", **wrong})

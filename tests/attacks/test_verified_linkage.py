"""Extract, embed, verify: bracketed, with abstentions, answers that cannot be read, and an endpoint that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chat_server import Server, said
from sfumato.abstract.chat import ChatModel, Question, ScriptedChat
from sfumato.attacks.claim_judges import EmbeddingJudge
from sfumato.attacks.linkage import Held, linked, sentences, surely_linked
from sfumato.attacks.verified_linkage import (
    ABSTAINED,
    NOTHING_KNOWN,
    UNREADABLE,
    Verified,
    dry_run_answer,
    profiles,
)
from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.evaluation.bench import ChatStudy, evaluate
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._learned import TRAINED
from sfumato.evaluation.studies._search import RECALL
from sfumato.evaluation.studies._verifying import VERIFIED
from sfumato.evaluation.studies.linkage import RATE, LinkageStudy
from sfumato.metrics.recall import recall_at_precision
from sfumato.models.causal.gguf import SMOLLM2

pytest.importorskip("bm25s")
pytest.importorskip("httpx")
COLORS = ("red", "green", "blue", "black", "white", "grey", "brown")
ANIMALS = ("cat", "dog", "horse", "cow", "goat", "hen", "fox")
PETS = [f"{color} {animal}" for color in COLORS for animal in ANIMALS]
RECORDS = [
    f"A {pet} of PrivateCanary sleeps. It is {n + 20} years old. Nobody feeds it." for n, pet in enumerate(PETS)
]
HELD = [Held((" ".join(text.split()[1:3]), text.split(". ")[1]), ()) for text in RECORDS]
OWN = np.arange(len(RECORDS))


class Letters:
    """An encoder that counts letters and figures."""

    id = "letters"
    dimensions = 36

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        signs = "abcdefghijklmnopqrstuvwxyz0123456789"
        counts = np.array([[phrase.count(sign) for sign in signs] for phrase in phrases], dtype=float).reshape(-1, 36)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def reader(question: Question) -> str:
    """Notes sentences; chooses the record with most words of what is known, and abstains if they are too few."""
    if question.user.startswith("Text:\n"):
        return json.dumps({"profile": question.user.removeprefix("Text:\n").split(". ")})
    known, *listed = re.split(r"\n\nRecord \d+:\n", question.user.removeprefix("Known of the person:\n"))
    wanted = set(known.replace(".", "").split())
    shares = [len(wanted & set(record.replace(".", "").split())) / len(wanted) for record in listed]
    best = int(np.argmax(shares))
    return f"{best + 1}, {round(100 * shares[best])}" if shares[best] > 0.6 else "0, 100"


def attacker(records: Sequence[str], script: Any = reader, **more: Any) -> tuple[Verified, ScriptedChat]:
    model = ScriptedChat(script)
    return Verified(records, profiles(model, records), model, Letters(), **more), model  # type: ignore[arg-type]


def test_identity_is_found_with_certainty() -> None:
    linker, model = attacker(RECORDS)
    guesses, sure = surely_linked(linker, HELD)
    assert (guesses == OWN).mean() > 0.95
    assert recall_at_precision(sure, guesses == OWN).recall.value > 0.9
    assert model.spent.questions == 2 * len(RECORDS)  # one a record, one a person
    assert linker.counts[UNREADABLE] == linker.counts[ABSTAINED] == 0


@pytest.mark.parametrize("gone", ["[REDACTED]", "", "xyz"])
def test_redaction_is_linked_by_chance_and_nobody_is_named(gone: str) -> None:
    records = [gone] * len(RECORDS)
    rates = []
    for seed in range(10):
        linker, model = attacker(records, seed=seed)
        guesses, sure = surely_linked(linker, HELD, seed)
        rates.append((guesses == OWN).mean())
        assert not sure.any()
        assert model.spent.questions == len(HELD) + (gone != "")  # equal texts are asked about once
    expected = 1 / len(RECORDS)
    assert abs(np.mean(rates) - expected) < 6 * np.sqrt(expected / (10 * len(RECORDS)))


@pytest.mark.parametrize("always", ["1, 100", "3, 50"])
def test_a_model_that_always_says_the_same_is_linked_by_chance_on_equal_records(always: str) -> None:
    """Of equally likely records those shown are drawn at random: no place among them is better than another."""
    hits, trials = 0, 60
    for seed in range(trials):
        script = lambda question: always if "Known" in question.user else reader(question)  # noqa: E731
        linker, _ = attacker(["[X]"] * 7, script, seed=seed)
        hits += int((linked(linker, HELD[:7], seed) == np.arange(7)).sum())
    expected = trials * 7 / 7
    assert abs(hits - expected) < 6 * np.sqrt(expected)
    assert len({tuple(attacker(["[X]"] * 7, always_first, seed=seed)[0].scores(["a"])[0]) for seed in range(20)}) > 3


def always_first(question: Question) -> str:
    return "1, 90" if "Known" in question.user else reader(question)


def test_the_likeliest_records_are_shown_first_and_the_choice_counts() -> None:
    seen = list[str]()

    def script(question: Question) -> str:
        if "Known" in question.user:
            seen.append(question.user)
            return "2, 40"
        return reader(question)

    linker, _ = attacker(RECORDS, script)
    scores = linker.scores([" ".join(HELD[3].known)])
    listed = re.split(r"\n\nRecord \d+:\n", seen[0])[1:]
    assert len(listed) == 5
    assert "red cow" in listed[0]
    chosen = int(scores[0].argmax())
    assert scores[0, chosen] == pytest.approx(1.4)
    assert RECORDS[chosen].split(". ")[0] in listed[1]
    assert linker.sure(scores).tolist() == [pytest.approx(0.4)]
    assert (np.delete(scores[0], chosen) < 1.0).all()


def test_an_abstention_leaves_the_guess_to_the_search_and_is_not_sure() -> None:
    linker, _ = attacker(RECORDS, lambda question: "0, 90" if "Known" in question.user else reader(question))
    guesses, sure = surely_linked(linker, HELD)
    assert (guesses == OWN).mean() > 0.9
    assert not sure.any()
    assert linker.counts[ABSTAINED] == len(HELD)


WRONG = ["", "1", "one, 90", "6, 90", "1, 101", "1; 90", "-1, 90", "1, 90 because", "The record is 1, 90", "1, 9.5",
         "1,\u0661\u0660", '{"record": 1}', "1, 90\n2, 80"]  # fmt: skip


@pytest.mark.parametrize("answer", WRONG, ids=range(len(WRONG)))
def test_choices_are_read_strictly_and_count_as_abstentions(answer: str) -> None:
    linker, model = attacker(RECORDS, lambda question: answer if "Known" in question.user else reader(question))
    sure = linker.sure(linker.scores([" ".join(each.known) for each in HELD[:4]]))
    assert sure.tolist() == [0.0] * 4
    assert (linker.counts[UNREADABLE], linker.counts[ABSTAINED]) == (4, 0)
    assert model.spent.unreadable == 4


PROFILES = ["", "facts", '{"profile": []}', '{"profile": [" "]}', '{"profile": "a"}', '{"profile": [1]}', '["a"]',
            '{"profile": ["a"], "profile": ["b"]}', '{"profile": ["a"', "[" * 100_000]  # fmt: skip


@pytest.mark.parametrize("answer", PROFILES, ids=range(len(PROFILES)))
def test_a_text_without_a_readable_profile_is_searched_as_it_is(answer: str) -> None:
    """A lazy model must not look private."""
    linker, _ = attacker(RECORDS, lambda question: answer if question.user.startswith("Text") else reader(question))
    assert set(linker.noted) == {None}
    assert (linked(linker, HELD) == OWN).mean() > 0.95


def test_a_text_without_a_readable_profile_is_shown_as_it_is() -> None:
    linker, model = attacker(RECORDS[:2], lambda question: "nothing" if "Text" in question.user[:4] else "0, 0")
    linker.scores(["red cat"])
    assert all(text in model.asked[-1].user for text in RECORDS[:2])


def test_empty_texts_few_records_and_nothing_known() -> None:
    linker, model = attacker(["", RECORDS[1]])
    assert linker.noted[0] == ""
    assert model.spent.questions == 1
    scores = linker.scores([" ".join(HELD[1].known), "", "  "])
    assert int(scores[0].argmax()) == 1
    assert linker.counts[NOTHING_KNOWN] == 2
    assert linker.sure(scores)[1:].tolist() == [0.0, 0.0]
    assert "Record 3" not in model.asked[-1].user
    nothing, _ = attacker([])
    assert nothing.scores(["a"]).shape == (1, 0)
    assert nothing.sure(nothing.scores(["a"])).tolist() == [0.0]
    third, _ = attacker(RECORDS[:2], lambda question: "3, 90" if "Known" in question.user else reader(question))
    third.scores(["red cat"])
    assert third.counts[UNREADABLE] == 1  # two records were shown


def test_an_answer_without_a_model_can_be_read() -> None:
    linker, model = attacker(RECORDS, dry_run_answer)
    linker.scores(["red cat"])
    assert model.spent.unreadable == 0
    assert None not in linker.noted
    assert dry_run_answer(Question("other", "question")) is None


def study(released: Sequence[str], model: ChatModel) -> LinkageStudy:
    class Sentences:
        description = "sentences"

        def split(self, texts: Sequence[str], progress: object = None) -> list[tuple[str, ...]]:
            return [sentences(text) for text in texts]

    return LinkageStudy(
        Letters(), EmbeddingJudge(Letters()), k=2, splitter=Sentences(), judged=3, verifier=model,  # type: ignore[arg-type]
    )  # fmt: skip


def pairs(released: Sequence[str | None]) -> Pairs:
    return Pairs([f"r{n}" for n in range(len(RECORDS))], RECORDS, released)


def test_the_study_has_the_verified_search_beside_the_others() -> None:
    found = study(RECORDS, ScriptedChat(reader)).run(pairs(RECORDS))
    rates = {figure.setting["linker"]: figure.estimate.value for figure in found.named(RATE)}
    recalls = {figure.setting["linker"]: figure.estimate.value for figure in found.named(RECALL)}
    assert set(recalls) == {"bm25", "ROUGE-L", "embeddings", "bm25 and embeddings", TRAINED, VERIFIED}
    assert rates[VERIFIED] > 0.9
    assert recalls[VERIFIED] > 0.9
    assert found.facts["verified"]["people"] == len(RECORDS)
    gone = study(["[X]"] * 49, ScriptedChat(reader)).run(pairs(["[X]"] * 49))
    assert {figure.estimate.value for figure in gone.named(RECALL)} == {0.0}
    assert gone.figure(RATE, linker=VERIFIED).estimate.value < 0.2  # type: ignore[union-attr]
    plain = LinkageStudy(Letters(), EmbeddingJudge(Letters()))  # type: ignore[arg-type]
    assert plain.verifier is None


def test_missing_answers_are_told_with_their_number() -> None:
    def script(question: Question) -> str | None:
        return None if "Known" in question.user and "red" in question.user.split("\n")[1] else reader(question)

    found = study(RECORDS, ScriptedChat(script)).run(pairs(RECORDS))
    lost = found.facts["verified"][UNREADABLE]
    assert 0 < lost < len(RECORDS)
    told = next(left.why for left in found.skipped if left.what.endswith("some people"))
    assert f"of 49 answers {lost} could not be read or are missing" in told
    assert "PrivateCanary" not in json.dumps(found.as_json())


def test_an_endpoint_that_dies_in_between_is_told_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = {"until": 60}

    def script(number: int, body: dict[str, Any]) -> Any:
        system, user = (turn["content"] for turn in body["messages"])
        if number > alive["until"]:
            return 500, b"", {}
        return said("Yes." if user == ChatModel.greeting.user else reader(Question(system, user)))

    monkeypatch.setattr("sfumato.models.chat.endpoint.time.sleep", lambda _: None)
    with closing(Server(script)) as server:
        monkeypatch.setenv("SFUMATO_CHAT_URL", server.url)
        choice = ChatChoice("m", at_once=1)

        def run() -> Study:
            model = choice.made(tmp_path)
            [done] = evaluate(
                pairs(RECORDS), {"linkage": ChatStudy(study(RECORDS, model), model)}, tmp_path, choice.setting
            ).studies
            return done

        stopped = run()
        assert not stopped.figures
        assert "HTTP 500" in stopped.skipped[0].why
        alive["until"] = 10_000
        done = run()
    assert done.facts["chat"]["cached"] == 59  # all but the greeting
    assert done.figure(RATE, linker=VERIFIED).estimate.value > 0.9  # type: ignore[union-attr]
    assert "PrivateCanary" not in str(stopped.skipped) + json.dumps(done.as_json())


def test_without_an_address_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_CHAT_URL", raising=False)
    with pytest.raises(ConfigurationError, match="SFUMATO_CHAT_URL"):
        ChatChoice("m").made(tmp_path)


@pytest.mark.models
def test_a_small_local_model_runs_and_what_it_cannot_say_is_counted(tmp_path: Path) -> None:
    try:
        SMOLLM2.place()
    except MissingExtraError as error:
        pytest.skip(str(error))
    model = ChatChoice("local:smollm2", keep=False).made(tmp_path, ready=False)
    linker = Verified(RECORDS[:3], RECORDS[:3], model, Letters())  # type: ignore[arg-type]
    guesses, sure = surely_linked(linker, HELD[:3])
    assert sum(linker.counts[what] for what in (UNREADABLE, ABSTAINED)) == int((sure == 0.0).sum())
    assert guesses.shape == (3,)
    assert model.spent.questions == 3

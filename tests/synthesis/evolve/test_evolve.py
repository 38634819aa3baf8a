"""A run from end to end: the model sees nothing private, noisy votes are drawn once, odd input has a clear end."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from evolving import THINGS, Make, Words, invented, people
from sfumato.abstract.chat import Question
from sfumato.abstract.synthesizer import Unit
from sfumato.errors import ConfigurationError, SfumatoError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.option import undescribed
from sfumato.privacy.accounting import epsilon_of
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.synthesis.evolve import rounds
from sfumato.synthesis.evolve.method import Evolve
from sfumato.synthesis.evolve.writing import dry_run_answer


def shown(questions: Sequence[Question]) -> str:
    return "\n".join(f"{question.system} {question.user}" for question in questions)


def replaying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noisy votes that are the same whatever the votes are: what comes after them may depend on nothing else."""

    def fixed(votes: Any, pool: Any, schedule: Any, number: int, workspace: Any) -> Any:
        return np.random.default_rng(number).integers(-50, 900, len(votes))

    monkeypatch.setattr(rounds, "noisy", fixed)


@pytest.mark.parametrize("epsilon", [4.0, None])
def test_no_private_word_reaches_the_model_or_the_texts(bench: Make, epsilon: float | None) -> None:
    made = bench(("kind: a", "kind: b"), epsilon, texts_per_unit=3)
    texts = made.run(people(60, codes=2, texts=3), (0, 1, 1, 0, 0, 1, 1))
    assert len(texts) == len(set(texts)) == 7
    assert len(made.chat.asked) >= 16
    seen = shown(made.chat.asked) + "".join(texts)
    seen += "".join(path.read_text() for path in made.workspace.folder.iterdir())
    assert "canary" not in seen
    assert "canary" in shown([Question("", people(1)[0].texts[0])])  # the search finds it where it is


def test_after_the_noise_nothing_depends_on_private_texts(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adversary who chooses the private texts and knows the noisy votes learns nothing more from the questions."""
    replaying(monkeypatch)
    asked = []
    for units in (people(60), [Unit(("apple " * 30,), (0,))] * 3, []):
        made = bench(randomness=SeededRandomness(5))
        for path in made.workspace.folder.iterdir():
            path.unlink()
        texts = made.run(units)
        asked.append((made.chat.asked, texts))
    assert asked[0] == asked[1] == asked[2]


def test_votes_decide_who_goes_on(bench: Make) -> None:
    """Without noise, private texts about one thing leave candidates about that thing."""

    def about_kites(units: list[Unit]) -> int:
        made = bench(("",), None, candidates=16, rounds=4)
        for path in made.workspace.folder.iterdir():
            path.unlink()
        return sum("kite" in text for text in made.run(units, (0,) * 12))

    assert about_kites([Unit(("kite kite",), (0,))] * 50) > 9 > 6 > about_kites([])


def test_a_run_spends_what_its_schedule_says(bench: Make) -> None:
    made = bench(epsilon=3.0, rounds=4)
    schedule = made.method.schedule(made.order)
    assert epsilon_of(schedule.events, 1e-5) <= 3.0
    made.run(people(30))
    assert len(list(made.workspace.folder.glob("evolve-votes-*"))) == schedule.events[0].count == 4


# --- resuming -------------------------------------------------------------------------------------------------------


class StoppedError(Exception):
    """What ends a run, as a signal would."""


def stopping(after: int) -> Any:
    left = [after]

    def script(question: Question) -> str | None:
        left[0] -= 1
        if left[0] < 0:
            raise StoppedError
        return invented(question)

    return script


def kept(made: Any) -> dict[str, str]:
    return {path.name: path.read_text() for path in made.workspace.folder.iterdir()}


@pytest.mark.parametrize("after", [3, 9, 14, 19, 23])
def test_a_stopped_run_resumes_without_drawing_again(bench: Make, after: int, monkeypatch: Any) -> None:
    drawn: list[int] = []
    honest = rounds.noisy

    def counting(votes: Any, pool: Any, schedule: Any, number: int, workspace: Any) -> Any:
        drawn.append(number)
        return honest(votes, pool, schedule, number, workspace)

    monkeypatch.setattr(rounds, "noisy", counting)
    with pytest.raises(StoppedError):
        bench(script=stopping(after), rounds=4).run(people(40), (0,) * 30)
    before = {name: text for name, text in kept(bench()).items() if "texts" not in name}
    resumed = bench(rounds=4)
    assert len(resumed.run(people(40), (0,) * 30)) == 30
    assert drawn == [0, 1, 2, 3]
    assert before.items() <= kept(resumed).items()
    asked = len(resumed.chat.asked)
    again = bench(rounds=4)
    assert len(again.run([], (0,) * 30)) == 30  # everything was kept
    assert (len(again.chat.asked), drawn) == (0, [0, 1, 2, 3])
    assert asked > 0


def test_votes_are_kept_before_anything_looks_at_them(bench: Make, monkeypatch: Any) -> None:
    """A run that fails because of its votes must not draw again: that would choose among draws."""
    with monkeypatch.context() as patched:
        patched.setattr(rounds, "resampled", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bench().run(people(20))
    first = kept(bench())["evolve-votes-0.json"]
    bench().run(people(20))
    assert kept(bench())["evolve-votes-0.json"] == first


def test_a_lost_round_votes_again_with_fresh_noise(bench: Make, monkeypatch: Any) -> None:
    """StoppedError between the draw and the disk: nobody has seen that draw, and another one takes its place."""
    drawn: list[Any] = []
    honest = rounds.noisy

    def lost(*args: Any) -> Any:
        drawn.append(honest(*args))
        raise StoppedError

    monkeypatch.setattr(rounds, "noisy", lost)
    for _ in range(2):
        with pytest.raises(StoppedError):
            bench().run(people(20))
    assert drawn[0].tolist() != drawn[1].tolist()
    assert not list(bench().workspace.folder.glob("evolve-votes-*"))


def test_only_the_owner_reads_what_is_kept(bench: Make) -> None:
    made = bench()
    made.run(people(20))
    modes = {stat.S_IMODE(path.stat().st_mode) for path in made.workspace.folder.iterdir()}
    assert modes == {0o600}


@pytest.mark.parametrize("damage", ["", "{", '{"run": 1}', "[]", "\x00"])
def test_votes_that_cannot_be_read_are_not_drawn_again(bench: Make, damage: str) -> None:
    made = bench()
    made.run(people(20))
    path = made.workspace.folder / "evolve-votes-1.json"
    path.write_text(damage)
    with pytest.raises(SfumatoError, match=r"votes-1.*costs its epsilon again"):
        bench().run(people(20))
    assert path.read_text() == damage


@pytest.mark.parametrize("other", [{"epsilon": 3.0}, {"rounds": 4}, {"candidates": 9}, {"codes": ("x",)}])
def test_a_run_with_other_settings_does_not_resume(bench: Make, other: dict[str, Any]) -> None:
    bench().run(people(20))
    with pytest.raises(ConfigurationError, match="a run with other settings"):
        bench(**other).run(people(20))


def test_a_key_repeats_a_run(bench: Make) -> None:
    results = []
    for key in (1, 1, 2):
        made = bench(randomness=PinnedRandomness(bytes(range(key, key + 32))))
        for path in made.workspace.folder.iterdir():
            path.unlink()
        made.run(people(40))
        results.append({name: json.loads(text)["content"] for name, text in kept(made).items()})
    assert results[0] == results[1]
    assert results[0]["evolve-votes-0.json"] != results[2]["evolve-votes-0.json"]


# --- odd input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "units",
    [
        [],
        [Unit(("",), (0,))] * 9,
        people(3),
        [Unit(("apple",), (0,))] * 90,
        [Unit(("<|im_end|> apple </s>",), (0,))] * 9,
    ],
)
def test_private_data_of_any_kind_give_a_run_of_the_same_kind(bench: Make, units: list[Unit]) -> None:
    assert len(bench().run(units)) == 6


def test_codes_that_nobody_has_and_that_nobody_wants(bench: Make) -> None:
    made = bench(("a", "b", "c"))
    assert len(made.run(people(50, codes=2), (2, 2, 2, 0))) == 4
    assert made.run(people(50, codes=2), ()) == []


def test_a_refusal_is_asked_again_and_then_left_out(bench: Make) -> None:
    """Every third answer is a refusal, a list or nothing, whatever is tried; the run makes do with the others."""
    refusals = ["I cannot help with that.", "1. one\n2. two", None]

    def script(question: Question) -> str | None:
        return refusals[question.vote % 3] if question.vote % 8 in (0, 3, 5) else invented(question)

    made = bench(script=script, candidates=8)
    texts = made.run(people(40))
    assert len(texts) == 6
    assert not any("cannot" in text or "1." in text for text in texts)
    counts = made.method.chat.journal.counts()
    assert counts["questions"] == len(made.chat.asked) > counts["failed"] + counts["unreadable"] > 0


@pytest.mark.parametrize("script", [lambda _: None, lambda _: "apple", lambda _: "I'm sorry, but no."])
def test_too_few_seeds_are_a_clear_error_before_any_vote(bench: Make, script: Any) -> None:
    made = bench(("kind: a",), script=script)
    with pytest.raises(ConfigurationError, match=r"usable texts of the control code 'kind: a'.*8 were asked for"):
        made.run(people(20))
    assert kept(made) == {}


def test_a_model_that_repeats_itself_at_the_end_is_a_clear_error(bench: Make) -> None:
    def script(question: Question) -> str | None:
        return question.user.partition(":\n\n")[2] or invented(question)

    with pytest.raises(ConfigurationError, match="Of 40 texts, each unlike the others"):
        bench(script=script).run(people(20), (0,) * 40)
    assert len(bench().run([], (0,) * 6)) == 6  # what was paid for serves a smaller order


def test_texts_are_short_and_unlike_each_other(bench: Make) -> None:
    def wordy(question: Question) -> str | None:
        return f"{invented(question)} And {' and '.join(THINGS)}."

    texts = bench(script=wordy, length=14).run(people(20))
    assert all(len(text.split()) <= 14 and text.endswith(".") for text in texts)
    vectors = Words().encode(texts)
    assert (vectors @ vectors.T - np.eye(6)).max() < 0.97


def test_options_are_checked_and_described() -> None:
    assert undescribed(Evolve) == ()
    for name, value in {
        "rounds": 0, "candidates": 1, "variation": 1.5, "sharpness": -0.1, "temperature": 0.0, "length": 0,
        "about": " ",
    }.items():  # fmt: skip
        with pytest.raises(ConfigurationError, match=name):
            Evolve(None, Words(), **{name: value})  # type: ignore[arg-type]


@pytest.mark.models
def test_with_the_sentence_encoder_texts_vote_for_what_they_mean(bench: Make) -> None:
    """The real encoder, and a model that writes about two things: all private texts are about one of them."""
    rain = ["rain", "a storm", "wet shoes", "clouds", "an umbrella", "puddles", "a flood", "drizzle"]
    bread = ["bread", "a cake", "flour", "an oven", "a bakery", "dough", "a bun", "a crust"]

    def script(question: Question) -> str | None:
        about = question.user.partition(":\n\n")[2]
        topic = (rain, bread)[question.vote % 2] if not about else rain if "Weather" in about else bread
        where = "weather" if topic is rain else "food"
        return f"{where.capitalize()}: we talked of {topic[question.vote // 2 % 8]} for {question.vote % 97} minutes."

    made = bench(("",), 4.0, script=script, encoder=SentenceEncoder(), candidates=10)
    made.method.prepare()
    texts = made.run([Unit(("It poured all day and the street was under water.",), (0,))] * 300)
    assert sum(text.startswith("Weather") for text in texts) >= 5


def test_a_dry_run_answers_every_question(bench: Make) -> None:
    made = bench(script=dry_run_answer)
    assert len(made.run(people(20))) == 6
    assert dry_run_answer(Question("another system prompt", "apple")) is None

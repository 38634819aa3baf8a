"""A whole run: who reads what beside whom, what is kept, and exact laws of all texts over all memberships."""

from __future__ import annotations

import itertools
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exact_prediction import ORDERS, divergence, worst_share
from scripted_models import ScriptedCausal, ScriptedSession
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError, OutputError
from sfumato.privacy.allocation import divergences
from sfumato.privacy.randomness import SeededRandomness, SystemRandomness
from sfumato.synthesis.predict import law as law_module
from sfumato.synthesis.predict import predict as predict_module
from sfumato.synthesis.predict.groups import Groups, Membership
from sfumato.synthesis.predict.predict import Predict
from sfumato.types import FloatArray

ORDER = Order(("",), 16, 1, 6, 40.0, 1e-3)
UNITS = [Unit((f"secret{n} {'oak' if n % 2 else 'elm'}",), (0,)) for n in range(16)]


@dataclass(frozen=True)
class Spy(ScriptedCausal):
    """Keeps the prompts of every session."""

    sessions: list[list[str]] = field(default_factory=list, compare=False)

    def begin(self, prompts: Sequence[Sequence[int]]) -> ScriptedSession:
        self.sessions.append([self.text(prompt) for prompt in prompts])
        return super().begin(prompts)


def liked(prompt: list[str], written: list[str]) -> list[float]:
    """Scores that like the last word of the record (before the last label), for three words; then the end."""
    words = list(ScriptedCausal().words)
    scores = [0.0] * len(words) + [900.0 if len(written) == 3 else -900.0]
    for word in prompt:
        if word in words:
            scores[words.index(word)] += 60.0
    return scores


def method(**options: Any) -> Predict:
    model = options.pop("model", None) or Spy(script=liked)
    return Predict(model, **{"group_size": 4, "length": 4, "record_length": 8, "top_k": 13, **options})


def run(
    made: Predict, folder: Path, units: Sequence[Unit] = UNITS, order: Order = ORDER,
    wanted: Sequence[int] = (0,) * 6, seed: int | None = 1,
) -> Iterator[str]:  # fmt: skip
    randomness = SystemRandomness() if seed is None else SeededRandomness(seed)
    return made.synthesize(order, made.schedule(order), units, wanted, Workspace(folder, randomness))


def test_members_sway_every_token(tmp_path: Path) -> None:
    made = method(clip=100.0)
    texts = list(run(made, tmp_path, [Unit(("oak",), (0,))] * 16, replace(ORDER, epsilon=None)))
    assert texts == ["oak oak oak"] * 6
    swayed = list(run(method(clip=8.0), _new(tmp_path), [Unit(("oak",), (0,))] * 16))
    public = list(run(method(), _new(tmp_path), []))
    assert " ".join(swayed).count("oak") > " ".join(public).count("oak")


def _new(folder: Path) -> Path:
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made


def test_empty_groups_write_public_texts(tmp_path: Path) -> None:
    made = method()
    texts = list(run(made, tmp_path, []))
    assert len(texts) == 6
    assert all(len(text.split()) == 3 for text in texts)
    assert len(set(texts)) > 1, "all words are alike to the public model"


def test_public_rows_share_no_session_with_private_ones_and_groups_none_with_each_other(tmp_path: Path) -> None:
    made = method()
    list(run(made, tmp_path))
    model = made.model
    assert isinstance(model, Spy)
    members = list(Membership(*_kept(tmp_path)).examples(UNITS).values())
    seen = 0
    for session in model.sessions:
        private = {
            text for prompt in session for text in (" ".join(u.texts[0].split()) for u in UNITS) if text in prompt
        }
        assert not private or all("secret" in prompt for prompt in session)
        assert not private or any(private <= {" ".join(text.split()) for text in own} for own in members)
        seen += bool(private)
    assert seen >= len(members)


def _kept(folder: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    import json

    kept = json.loads((folder / "predict-groups.json").read_text())
    return tuple(kept["groups"]), tuple(kept["texts"])


def test_one_row_at_a_time_where_the_model_asks_for_it(tmp_path: Path) -> None:
    """bfloat16: a row can be seen in the scores of another, so each has a session of its own."""
    model = Spy(script=liked, rows=1)
    texts = list(run(method(model=model), tmp_path))
    assert all(len(session) == 1 for session in model.sessions)
    assert texts == list(run(method(model=Spy(script=liked, rows=64)), _new(tmp_path))), "the same law"


@pytest.mark.parametrize("stopped", [1, 3, 5])
def test_a_stopped_run_resumes(tmp_path: Path, stopped: int) -> None:
    """Memberships and finished texts stay, even where randomness is drawn afresh; nothing is written twice."""
    made = method()
    first = run(made, tmp_path, seed=None)
    shown = list(itertools.islice(first, stopped))
    first.close()  # type: ignore[attr-defined]
    before = _kept(tmp_path)
    finished = {path.name: path.read_bytes() for path in tmp_path.glob("predict-group-*.json")}
    again = list(run(made, tmp_path, seed=None))
    assert again[:stopped] == shown
    assert len(again) == 6
    assert _kept(tmp_path) == before
    for name, content in finished.items():
        assert (tmp_path / name).read_bytes().startswith(content[:-2])
    assert list(run(made, tmp_path, seed=None)) == again


def test_what_is_kept_is_for_its_owner_and_holds_no_private_text(tmp_path: Path) -> None:
    list(run(method(), tmp_path))
    paths = list(tmp_path.iterdir())
    assert len(paths) > 2
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"secret" not in path.read_bytes()


def test_another_number_of_units_cannot_resume(tmp_path: Path) -> None:
    next(run(method(), tmp_path))
    with pytest.raises(ConfigurationError, match="other input"):
        next(run(method(), tmp_path, UNITS[:-1]))


def test_a_broken_file_stops_the_run(tmp_path: Path) -> None:
    next(run(method(), tmp_path))
    (tmp_path / "predict-groups.json").write_text('{"secret')
    with pytest.raises(OutputError, match=r"predict-groups\.json") as refused:
        next(run(method(), tmp_path))
    assert "secret" not in str(refused.value)


def test_codes_are_in_the_prompts_of_their_texts(tmp_path: Path) -> None:
    made = method()
    order = replace(ORDER, codes=("topic: move", "topic: card"))
    units = [Unit((f"secret{n}",), (n % 2,)) for n in range(16)]
    assert len(list(run(made, tmp_path, units, order, (0, 1, 0, 1, 0, 1)))) == 6
    assert isinstance(made.model, Spy)
    for session in made.model.sessions:
        for prompt in session:
            code = "move" if "move" in prompt else "card"
            assert prompt.count(f"(topic: {code}):") == (2 if "secret" in prompt else 1)
            for n in range(16):
                assert f"secret{n} " not in prompt or ("card" in prompt) == bool(n % 2)


def test_long_empty_and_blank_records(tmp_path: Path) -> None:
    made = method()
    texts = ("word " * 100_000, "", " \n\n ", "a\n\n\nb\n \nc", "x" * 10**6)
    assert [len(made.read(text)) for text in texts] == [8, 0, 0, 3, 1]
    assert made.model.text(made.read(texts[3])) == "a b c"
    assert len(list(run(made, tmp_path, [Unit((text,), (0,)) for text in texts]))) == 6


def test_a_window_without_room_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    made = method(model=Spy(script=liked, window=33), record_length=20)
    with pytest.raises(ConfigurationError, match="window of 33 tokens has no room for 20 tokens of a record and 4"):
        made.prepare()
    long = replace(ORDER, codes=("topic " * 20,))
    with pytest.raises(ConfigurationError, match="no room"):
        next(run(method(model=Spy(script=liked, window=40)), tmp_path, order=long))
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_finished_texts(tmp_path: Path) -> None:
    made, told = method(), list[float]()
    space = Workspace(tmp_path, SeededRandomness(1))
    list(made.synthesize(ORDER, made.schedule(ORDER), UNITS, (0,) * 6, space, told.append))
    assert told == pytest.approx([n / 6 for n in range(1, 7)])


class Forced:
    """Draws that follow a script of choices, and the probability of all of them."""

    def __init__(self, choices: Sequence[int]) -> None:
        self.choices, self.step, self.probability, self.outcomes = list(choices), 0, 1.0, list[int]()

    def __call__(self, weights: FloatArray, uniforms: FloatArray) -> np.ndarray:
        choice = self.choices[self.step] if self.step < len(self.choices) else 0
        self.step += 1
        self.outcomes.append(weights.shape[1])
        self.choices = [*self.choices[: self.step - 1], choice, *self.choices[self.step :]]
        self.probability *= float(weights[0, choice] / weights.sum())
        return np.array([choice])


@dataclass(frozen=True)
class Placed(Workspace):
    """Memberships by given uniforms."""

    places: tuple[float, ...] = ()

    def uniforms(self, purpose: str, number: int, count: int) -> FloatArray:
        if purpose == "group":
            return np.array([0.5, self.places[number]])
        return np.ones(count)


def extreme(prompt: list[str], written: list[str]) -> list[float]:
    record = next((word for word in prompt if word.startswith("record")), None)
    if record is None:
        return [0.0, 0.0, -6.0, -6.0]
    sign = -9.0 if record == "record-y" else 9.0
    return [sign, -sign, -6.0, -6.0]


def exact(units: Sequence[Unit], folder: Path, patch: pytest.MonkeyPatch) -> dict[tuple[str, ...], float]:
    """The exact law of all texts of a run with two groups, over all memberships."""
    words = ScriptedCausal(("a", "b", "c"), extreme)
    made = Predict(words, group_size=2, clip=0.6, length=2, record_length=2, top_k=4)
    order = Order(("",), 4, 1, 2, None, 1e-3)
    schedule = made.schedule(order)
    schedule = replace(schedule, law=replace(schedule.law, clip=0.6))
    law: dict[tuple[str, ...], float] = {}
    for places in itertools.product((0.25, 0.75), repeat=len(units)):
        todo: list[list[int]] = [[]]
        while todo:
            forced = Forced(todo.pop())
            given = len(forced.choices)
            patch.setattr(law_module, "draw_once", forced)
            for path in folder.iterdir():
                path.unlink()
            space = Placed(folder, SystemRandomness(), places=places)
            texts = tuple(made.synthesize(order, schedule, units, (0, 0), space))
            law[texts] = law.get(texts, 0.0) + forced.probability * 0.5 ** len(units)
            for step in range(given, len(forced.choices)):  # every other choice at the steps that were new
                todo += [[*forced.choices[:step], other] for other in range(1, forced.outcomes[step])]
    assert sum(law.values()) == pytest.approx(1.0)
    return law


THREE = [Unit((f"record-{name}",), (0,)) for name in "xyz"]
RHO = 2 * replace(method().schedule(ORDER).law, group_size=2, clip=0.6).rho  # two tokens a group


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Hundreds of runs need no disk that survives a power cut."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    return monkeypatch


def test_whole_runs_with_a_unit_and_without_are_as_close_as_claimed(
    tmp_path: Path, unsynced: pytest.MonkeyPatch
) -> None:
    with_x, without = exact(THREE, tmp_path, unsynced), exact(THREE[1:], tmp_path, unsynced)
    assert len(with_x) == len(without) == 144  # two texts of a, b or c, and a, b, c or the end
    assert 0.1 < worst_share(with_x, without, RHO) <= 1.0
    bounds = divergences(RHO, 2, np.array(ORDERS))
    of_both = [
        max(divergence(with_x, without, each), divergence(without, with_x, each)) / bound
        for each, bound in zip(ORDERS, bounds, strict=True)
    ]
    assert 0.1 < max(of_both) <= 1.0, "a unit draws one of two groups in secret"


def test_members_of_one_group_alone_are_refuted(tmp_path: Path, unsynced: pytest.MonkeyPatch) -> None:
    """Where every unit is in the first group there is nothing secret, and the cost is that of the group."""

    def gathered(units: Sequence[Unit], groups: Groups, workspace: Workspace) -> Membership:
        return Membership((0,) * len(units), (0,) * len(units))

    unsynced.setattr(predict_module, "joined", gathered)
    with_x, without = exact(THREE[:1], tmp_path, unsynced), exact([], tmp_path, unsynced)
    assert divergence(with_x, without, 2.0) > divergences(RHO, 2, np.array([2.0]))[0]


def test_a_unit_draws_among_as_many_groups_as_are_claimed(tmp_path: Path) -> None:
    """One text in six of a code would be one group of eight, and whose texts are of that code would be in it."""
    made, order = method(group_size=2), replace(ORDER, codes=("topic: move", "topic: card"), units=32)
    schedule = replace(made.schedule(order), choices=4)
    units = [Unit((f"secret{n}",), (1,)) for n in range(32)]
    next(made.synthesize(order, schedule, units, (0,) * 5 + (1,), Workspace(tmp_path, SeededRandomness(1))))
    assert len(set(_kept(tmp_path)[0])) >= 4


def test_groups_by_position_are_refuted(tmp_path: Path, unsynced: pytest.MonkeyPatch) -> None:
    """Where a unit's place in the file decides, removing the first moves all others."""

    def by_position(units: Sequence[Unit], groups: Groups, workspace: Workspace) -> Membership:
        return Membership(tuple(n % len(groups.texts) for n in range(len(units))), (0,) * len(units))

    unsynced.setattr(predict_module, "joined", by_position)
    assert worst_share(exact(THREE, tmp_path, unsynced), exact(THREE[1:], tmp_path, unsynced), RHO) > 1.5

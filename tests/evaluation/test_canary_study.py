"""Planting canaries and looking for them: exposed where they were copied, at chance where they were not."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CANARY, call, write_jsonl
from sfumato.attacks.canary_planting import KINDS, CanaryKey, new_key
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.canaries import (
    CHANCE,
    CONDITIONS,
    EXPOSURE,
    NAMES,
    RECOVERED,
    CanariesStudy,
    nothing_learned,
)
from sfumato.evaluation.studies.membership import INTERVAL, Loss
from sfumato.report.page import headline, page
from sfumato.types import FloatArray


def pairs(released: Sequence[str]) -> Pairs:
    return Pairs(["0"], ["nothing"], [None], list(released), [{}], [None], [{}] * len(released))


def texts_of(key: CanaryKey) -> list[str]:
    return [f"It was late. {canary.text} Thanks." for canary in key.canaries]


def other(kind: str) -> CanaryKey:
    return new_key(kind, 20, seed=8)


@pytest.mark.parametrize("kind", ["phone", "words"])
def test_canaries_that_were_copied_are_exposed_and_others_are_at_chance(kind: str) -> None:
    key = new_key(kind, 20, repeats=(1, 5), seed=7)
    for texts, copied in ((texts_of(key), True), (texts_of(other(kind)), False)):
        study = CanariesStudy(key).run(pairs(texts))
        exposed, recovered = study.figure(EXPOSURE), study.figure(RECOVERED)
        assert exposed is not None
        assert recovered is not None
        assert recovered.estimate.value == float(copied)
        if copied:
            assert exposed.estimate.value == pytest.approx(np.log2(1001), abs=0.01)
            assert float(exposed.setting[CHANCE]) < 1e-9
        else:
            assert exposed.estimate.value < 2 * nothing_learned(1001)
            assert float(exposed.setting[CHANCE]) > 0.01
        assert [one.setting.get("planted") for one in study.figures if one.name == EXPOSURE] == [None, 1, 5]
        assert any(("chance could explain" in line) is not copied for line in headline([study]))


def test_names_that_were_copied_are_told_from_those_kept_back() -> None:
    key = new_key("names", 20, seed=7)
    study = CanariesStudy(key).run(pairs(texts_of(key)))
    names, conditions = study.figure(NAMES), study.figure(CONDITIONS)
    assert names is not None
    assert conditions is not None
    assert (names.estimate.value, names.setting[CHANCE], names.setting[INTERVAL]) == (1.0, 0.5, "above 0.5")
    assert conditions.estimate.value == 1.0
    nobody = CanariesStudy(key).run(pairs(["Nobody is here."]))
    assert "No name of the list" in " ".join(headline([nobody]))


class Memory(Loss):
    """A model that is surprised by nothing it knows; a longer text has more pieces."""

    id = "memory"

    def __init__(self, known: Sequence[str]) -> None:
        self.known = set(known)

    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        nats = np.array([5.0 if text in self.known else 50.0 for text in texts])
        return nats, np.array([1.0 if text in self.known else 100.0 for text in texts])


def test_a_model_is_ranked_by_the_nats_of_the_whole_and_not_of_a_piece() -> None:
    """By the mean of a piece these canaries would surprise most."""
    key = new_key("words", 6, seed=7)
    for known, copied in (([canary.text for canary in key.canaries], True), ([], False)):
        study = CanariesStudy(key, Memory(known)).run(pairs(["nothing of it"]))
        by_loss = study.figure(EXPOSURE, score="loss")
        assert by_loss is not None
        assert (by_loss.estimate.value > 6) is copied
        assert by_loss.setting["model"] == "memory"


def shown(study: Study) -> str:
    return page([study], {"original": {"name": "a", "records": 1}, "release": {"name": "b", "records": 1}})


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_tells_what_was_found(kind: str) -> None:
    key = new_key(kind, 20, seed=7)
    assert "Are planted canaries found again?" in shown(CanariesStudy(key).run(pairs(texts_of(key))))
    assert CanariesStudy(key).run(pairs([])).skipped


@pytest.mark.parametrize("kind", KINDS)
def test_the_commands_plant_and_look(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "in.jsonl", [{"text": f"{CANARY} says {n}.", "n": n} for n in range(60)])
    made = call("canaries", "in.jsonl", "-o", "out.jsonl", "--count", 12, "--kind", kind, "--seed", 0)
    assert made.code == 0, made.err
    assert "12 canaries in 12 records -> out.jsonl (private!)" in made.out
    key = CanaryKey.from_saved(Path("out.jsonl.canaries.json"))
    for name in ("out.jsonl", "out.jsonl.canaries.json"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [row["n"] for row in rows] == list(range(60))
    assert sum(any(canary.text in row["text"] for canary in key.canaries) for row in rows) == 12
    assert CANARY not in Path("out.jsonl.canaries.json").read_text()
    assert all(canary.secret not in made.out + made.err for canary in key.canaries)
    again = call(
        "canaries", "in.jsonl", "-o", "more.jsonl", "--count", 12, "--kind", kind, "--key", "k.json", "--seed", 0
    )
    assert again.code == 0
    assert CanaryKey.from_saved(Path("k.json")) == key
    asked = ("evaluate", "in.jsonl", "out.jsonl", "--synthetic", "--attacks", "canaries", "--metrics", "")
    told = call(*asked, "--canaries", "k.json", "-o", "report", "--json")
    assert told.code == 0, told.err
    [study] = told.json["studies"]
    assert study["study"] == "canaries"
    assert study["facts"]["canaries"] == 12
    assert told.json["canaries"] == "k.json"
    assert all(canary.secret not in told.out for canary in key.canaries)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--kind", "cards"), "choose phone, words, names"),
        (("--repeats", "many"), "whole numbers"),
        (("--count", 0), "Canaries need"),
        (("--count", 61), "too few for 61"),
        (("--kind", "words", "--count", 10**18), "At most 1,000,000"),
        (("--seed", -1), "0 or more"),
        (("--kind", "names", "--opening", "Dear"), "sentences of their own"),
        (("--key", "in.jsonl"), "in.jsonl exists; name a new file for the key"),
        (("--key", "out.jsonl"), "out.jsonl is the output; name a new file for the key"),
        (("--key", "nowhere/key.json"), "cannot be written"),
        (("--field", "body"), "body"),
    ],
)
def test_what_cannot_be_planted_leaves_nothing(
    more: tuple[Any, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "in.jsonl", [{"text": f"{CANARY} says {n}."} for n in range(60)])
    failed = call("canaries", "in.jsonl", "-o", "out.jsonl", *more)
    assert failed.code == 2
    assert sentence in failed.err
    assert CANARY not in failed.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_key_that_is_none_and_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for content in ("", "[]", "{}", '{"form": 1, "kind": "phone", "canaries": [], "secrets": null, "people": null}'):
        wrong = tmp_path / "key.json"
        wrong.write_text(content)
        with pytest.raises(InputError, match=r"is no key of `sfumato canaries`"):
            CanaryKey.from_saved(wrong)
    with pytest.raises(ConfigurationError, match="add --synthetic"):
        Plan(canaries=str(wrong))
    with pytest.raises(ConfigurationError, match="There is no file"):
        Plan(canaries=str(tmp_path / "no.json"), one_to_one=False)
    with pytest.raises(ConfigurationError, match="Name their key"):
        Plan(attacks=("canaries",), one_to_one=False)
    assert Plan(canaries=str(wrong), one_to_one=False, trained="model").setting["canaries"] == "key.json"


def test_an_opening_with_digits_hides_no_secret() -> None:
    """The opening is public; a number in it, which every asked text holds, must not count as found."""
    opening = "Our line 0800 123 4567 890, call"
    made = new_key("phone", 10, [opening])
    texts = [f"{canary.text} please" for canary in made.canaries]
    found = CanariesStudy(made).run(pairs(texts))
    exposed, recovered = found.figure(EXPOSURE), found.figure(RECOVERED)
    assert exposed is not None
    assert recovered is not None
    assert recovered.estimate.value == 1.0
    assert exposed.estimate.value > 9.0
    assert float(exposed.setting[CHANCE]) < 1e-6


def test_the_mean_exposure_by_chance() -> None:
    ranks = np.arange(1, 102)
    assert nothing_learned(101) == pytest.approx(float(np.log2(101 / ranks).mean()))
    assert nothing_learned(100_000) == pytest.approx(math.log2(math.e), abs=1e-3)


@pytest.mark.parametrize(
    "edit",
    [
        {"canaries": []},
        {"canaries": [{"opening": 5, "secret": "x"}]},
        {"canaries": [{"opening": "a", "secret": None}]},
    ],
)
def test_a_key_without_canaries_is_none(tmp_path: Path, edit: dict[str, Any]) -> None:
    path = tmp_path / "key.json"
    new_key("phone", 3).save(path)
    content = json.loads(path.read_text())
    path.chmod(0o600)
    path.write_text(json.dumps({**content, **edit}))
    with pytest.raises(InputError, match="no key of"):
        CanaryKey.from_saved(path)

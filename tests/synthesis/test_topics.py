"""Topics: read off each text by public means; one unit more moves their counts by at most 1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import sfumato
from command_line import call, write_jsonl
from scripted_synthesizers import Inventing, registered
from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import ConfigurationError, InputError, MissingExtraError
from sfumato.models.encoders import files
from sfumato.policy import Policy
from sfumato.policy.wording import lines_of
from sfumato.privacy.randomness import SystemRandomness
from sfumato.run.synthesize_file import planned_by
from sfumato.synthesis import run
from sfumato.synthesis.codes import OTHER, plain
from sfumato.synthesis.request import Request, planned
from sfumato.synthesis.topics import TextVectors, Topics, kept

WORK = Workspace(Path(), SystemRandomness())
NAME = "Zuzanna Quillfeather"
WORDS = ("red", "green", "blue", "white")


class Colours:
    """An encoder whose vector of a text says how often each colour occurs. It notes what it is asked."""

    id, dimensions = "colours", len(WORDS)

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, phrases: Sequence[str], progress: Any = None) -> np.ndarray:
        self.calls.append(list(phrases))
        if any("broken" in phrase for phrase in phrases):
            raise RuntimeError("a tokenizer's own sentence about " + phrases[0])
        return np.array([[float(phrase.split().count(word)) for word in WORDS] for phrase in phrases])


def topics(most: int = 4) -> Topics:
    return Topics(WORDS, most, Colours())


def read(*units: Sequence[str]) -> TextVectors:
    return TextVectors.of(topics(), units)


def test_the_shipped_topics_can_be_codes() -> None:
    shipped = Topics.shipped(32)
    assert len(set(shipped.phrases)) == len(shipped.phrases) > 300
    assert all(plain(phrase) == phrase and phrase != OTHER for phrase in shipped.phrases)
    assert len(shipped.longest) == 32


@pytest.mark.models
def test_a_text_has_the_topic_that_a_reader_would_give_it() -> None:
    shipped = Topics.shipped(2)
    texts = (
        "My parcel should have come on Monday. It is Friday and still nothing!",
        "She has taken insulin since the diabetes was found ten years ago.",
        "The landlord will not give our deposit back after we left the flat.",
        "I cannot log in, it says the password is wrong.",
    )
    every = range(len(shipped.phrases))
    named = TextVectors.of(shipped, [texts]).named(list(every))[0]
    expected = ("parcel", "diabetes", "landlords", "password")
    assert all(word in topic for word, topic in zip(expected, named, strict=True)), named


def test_each_private_text_is_encoded_alone_and_its_topic_depends_on_it_alone() -> None:
    own = topics()
    TextVectors.of(own, [["red", "blue blue"], ["green"]])
    assert isinstance(own.encoder, Colours)
    assert own.encoder.calls == [["red"], ["blue blue"], ["green"]]
    text = "red red green"
    for crowd in ("green green", "red red", "white blue", "?"):
        assert read([text], *[[crowd]] * 9).named([0, 1, 2])[0] == read([text]).named([0, 1, 2])[0] == ["red"]
    assert read([text]).named([1, 2])[0] == ["green"], "the nearest of the kept ones"


def test_one_unit_moves_the_counts_of_topics_by_one_at_most() -> None:
    base = [["red", "blue"], ["green"]]
    rng = np.random.default_rng(1)
    for _ in range(50):
        more = [" ".join(rng.choice(WORDS, 3)) for _ in range(int(rng.integers(1, 6)))]
        moved = read(*base, more).counts - read(*base).counts
        assert 0.0 < np.linalg.norm(moved) <= 1.0 + 1e-12
    assert np.array_equal(read(*base, ["...", ""]).counts, read(*base).counts)


@pytest.mark.law
def test_a_topic_is_kept_as_often_as_its_noise_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit at the limit: a unit moves the chance from Φ(-s) to Φ(1/σ - s), and neither more nor less.

    What is drawn is the noise, so the texts are counted once for all rounds.
    """
    sigma, rounds = 2.0, 4000
    limit = topics().limit(sigma)
    crowd = [["red"]] * 60 + [["green"]] * 60 + [["blue"]] * int(limit)
    for units, count in ((crowd, int(limit)), ([*crowd, ["blue"]], int(limit) + 1)):
        vectors = read(*units)
        with monkeypatch.context() as counted:
            counted.setattr(TextVectors, "counts", vectors.counts)
            hits = sum(2 in vectors.chosen(sigma, WORK) for _ in range(rounds))
        chance = float(norm.cdf((count - limit) / sigma))
        assert abs(hits - rounds * chance) < 6 * np.sqrt(rounds * chance * (1 - chance))
        assert abs(hits - rounds * norm.cdf((count + 1 - limit) / sigma)) > 6 * np.sqrt(rounds / 4)  # it has power


@pytest.mark.law
def test_noise_keeps_few_empty_topics() -> None:
    phrases = tuple(f"topic {n}" for n in range(400))
    many = Topics(phrases, 400, Colours())
    counts = np.zeros(400)
    counts[:5] = 500.0
    rng = np.random.default_rng(2)
    sizes = [len(kept(counts + 3.0 * rng.standard_normal(400), 400, many.limit(3.0))) for _ in range(200)]
    assert min(sizes) == 5
    assert np.mean(sizes) < 5.5


def test_the_most_frequent_topics_are_kept_and_never_fewer_than_two() -> None:
    assert kept(np.array([5.0, 0.5, 9.0, 7.0]), 2, 1.0) == [2, 3]
    assert kept(np.array([5.0, 0.5, 9.0, 7.0]), 4, 1.0) == [0, 2, 3]
    assert kept(np.array([-5.0, -0.5, -9.0, 7.0]), 4, 1.0) == [1, 3]
    assert read(["red"], ["red"], ["blue"]).chosen(None, WORK) == [0, 2]
    assert len(read([""], ["..."]).chosen(3.0, WORK)) >= 2
    assert read([""], ["?!"]).named([0, 1]) == [[OTHER], [OTHER]]


def test_a_text_that_the_encoder_cannot_read_is_named_by_its_place() -> None:
    with pytest.raises(InputError, match="text of unit 2") as caught:
        read(["red"], [f"broken {NAME}"])
    assert NAME not in str(caught.value)


@pytest.mark.parametrize("most", [1, 100_000])
def test_one_topic_or_too_many_are_refused_before_anything_is_planned(most: int) -> None:
    with pytest.raises(ConfigurationError, match="topics is a number from 2 to"):
        planned(Inventing(), Request(5, 100, 4.0, topics=most))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"public_fields": ("question",)}, "leave out topics"),
        ({"unit_field": "topic"}, "with topics none is called 'topic'"),
        ({"topics": -1}, "topics is"),
    ],
)
def test_topics_that_cannot_be_are_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        planned(Inventing(), Request(5, 100, 4.0, **{"topics": 4, **asked}))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts about three things, and a topic list of four."""
    texts = [f"{NAME} red {n}" if n % 2 else f"green green {n}" for n in range(200)]
    write_jsonl(tmp_path / "in.jsonl", [{"text": text, "who": n % 50} for n, text in enumerate(texts)])
    (tmp_path / "in.txt").write_text("\n".join(texts) + "\n")
    monkeypatch.setattr(Topics, "shipped", classmethod(lambda cls, most: cls(WORDS, most, Colours())))
    monkeypatch.chdir(tmp_path)
    return tmp_path


ASKED: dict[str, Any] = {"units": 200, "records": 20, "epsilon": 100.0, "topics": 4}
"""At this ε noise never hides 100 texts of a topic; it may keep one of the two that nobody writes about."""


def test_a_release_by_topic_pays_for_the_choice_and_for_the_shares(here: Path) -> None:
    made = sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **ASKED)
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert {"red", "green"} <= {row["topic"] for row in rows} <= {*WORDS, OTHER}
    assert sum(row["topic"] == "red" for row in rows) in range(8, 12)
    told = made.statement["codes"]["topic"]
    assert (told["values"][:2], told["of"], told["encoder"]) == (["red", "green"], 4, "colours")
    assert "noisy count" in told["source"]
    conditions = made.statement["certificate"]["conditions"]
    assert len(conditions["events"]) == 3
    assert conditions["delta_of_codes"] == 0.0
    assert made.statement["certificate"]["certified"] <= 100.0
    assert NAME not in Path("out.jsonl").read_text() + json.dumps(made.statement)


def test_topics_and_codes_multiply_and_people_are_units(here: Path) -> None:
    options = {**ASKED, "units": 50, "unit_field": "who", "texts_per_unit": 4, "codes": ["who=1,2"]}
    with pytest.raises(ConfigurationError, match="name each once"):
        sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **options)
    rows = [{"text": "red" if n % 2 else "green", "who": n % 50, "kind": "ab"[n % 2]} for n in range(200)]
    write_jsonl(here / "in.jsonl", rows)
    made = sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **{**options, "codes": ["kind=a,b"]})
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert list(first) == ["topic", "kind", "text"]
    assert list(made.statement["codes"]) == ["topic", "kind"]


def test_plain_text_needs_no_field_for_the_topic(here: Path) -> None:
    sfumato.synthesize_file(Inventing(), "in.txt", "out.txt", **ASKED, lines=True)
    assert len(Path("out.txt").read_text().splitlines()) == 20


def test_topics_that_were_paid_for_are_not_chosen_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    keep = run.noisy_shares
    monkeypatch.setattr(run, "noisy_shares", stopped)
    with pytest.raises(KeyboardInterrupt):
        sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **ASKED)
    first = json.loads((here / ".out.jsonl.synthesis" / "topics.json").read_text())
    assert first[:2] == [0, 1]
    monkeypatch.setattr(run, "noisy_shares", keep)
    monkeypatch.setattr(TextVectors, "chosen", lambda *_: [2, 3])  # another draw
    made = sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **ASKED, resume=True)
    assert made.statement["codes"]["topic"]["values"] == [WORDS[index] for index in first]


def test_without_a_guarantee_the_topics_are_counted_exactly_and_the_statement_says_so(here: Path) -> None:
    options = {"units": 200, "records": 20, "no_guarantee": True, "topics": 4}
    made = sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **options)
    assert "exact count" in made.statement["codes"]["topic"]["source"]
    assert any("the topics, and the shares of all, exactly" in seen for seen in made.statement["visible"])


def test_the_text_field_cannot_be_called_as_the_topic_is(here: Path) -> None:
    write_jsonl(here / "in.jsonl", [{"topic": "red"}] * 30)
    with pytest.raises(ConfigurationError, match="no topic"):
        sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **ASKED, fields=["topic"])


def test_a_missing_encoder_is_one_sentence_before_anything_is_read(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setattr(files, "default_folder", lambda: here / "gone")
    Path("in.jsonl").write_text(f"{NAME}, no JSON\n")
    with pytest.raises(MissingExtraError, match="reinstall sfumato") as caught:
        sfumato.synthesize_file(Inventing(), "in.jsonl", "out.jsonl", **ASKED)
    assert NAME not in str(caught.value)


def test_a_dry_run_tells_how_rare_a_topic_is_dropped(here: Path) -> None:
    plan = planned(Inventing(), Request(20, 200, 4.0, topics=4))
    told = "\n".join(plan.lines())
    assert "topics: 4 at most of 4 public ones that more than about" in told
    assert told.count("is paid for") == 3
    asked = ("-m", "finetune", "-e", 4, "--units", 200, "--records", 5, "--topics", 1)
    bare = call("synthesize", "in.jsonl", "-o", "o.jsonl", *asked)
    assert bare.code == 2
    assert "topics is a number from 2" in bare.err


@pytest.mark.models
def test_a_policy_asks_for_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch)
    policy = Policy.parse('[synthesize]\nmethod = "inventing"\nepsilon = 4.0\nunits = 500\ntopics = 8')
    plan = planned_by(policy)
    assert plan.topics is not None
    assert plan.topics.most == 8
    assert "8 public topics at most say what a record is about" in list(lines_of(policy))
    assert planned_by(policy.with_changes({"synthesize.topics": "0"})).topics is None
    with pytest.raises(ConfigurationError, match="topics"):
        policy.with_changes({"synthesize.topics": "-1"})

"""Attacks on synthetic records, bracketed: copies of members, copies of people held out, and independent records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CANARY, call, write_jsonl
from scripted_models import ScriptedCausal
from sfumato.abstract.chat import ScriptedChat
from sfumato.attacks.claim_judges import EmbeddingJudge
from sfumato.attacks.linkage import sentences
from sfumato.attacks.membership import by_pairs
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs, facts_of, read_pairs, with_held_out
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._claim_distances import SEMANTIC
from sfumato.evaluation.studies.copies import COPIED, NEAREST, RUN, CopiesStudy
from sfumato.evaluation.studies.files import chat_studies, read_files, studies
from sfumato.evaluation.studies.linkage import LinkageStudy
from sfumato.evaluation.studies.membership import (
    AREA,
    DIFFERENCE,
    HELD_OUT,
    HITS,
    INTERVAL,
    MEMBERS,
    PEOPLE,
    MemberGap,
    MembershipStudy,
    PublicLoss,
    trained_id,
    trained_loss,
)
from sfumato.files import FileOptions
from sfumato.report.page import headline, page

pytest.importorskip("bm25s")
pytest.importorskip("rouge_score")

TOWNS = ("Oslo", "Lima", "Quito", "Bonn", "Turin", "Kyoto", "Perth", "Leeds", "Lagos", "Minsk")
JOBS = ("baker", "pilot", "nurse", "farmer", "singer", "judge", "clerk")
THINGS = ("bread", "boats", "clocks", "shoes", "maps", "lamps", "drums", "coats", "bells", "chairs", "pots", "rings")


def sample(seed: int, count: int) -> list[str]:
    """Texts of one and the same kind: what somebody does, and what they own."""
    draw = np.random.default_rng(seed)

    def pick(words: Sequence[str]) -> str:
        return str(draw.choice(words))

    return [
        f"This {pick(JOBS)} lives in {pick(TOWNS)} since {draw.integers(1950, 2020)}. The rent is "
        f"{draw.integers(999)} crowns. The family sells {pick(THINGS)} and {pick(THINGS)} to a {pick(JOBS)} from "
        f"{pick(TOWNS)}. They repair {pick(THINGS)} for {draw.integers(999)} crowns."
        for _ in range(count)
    ]  # fmt: skip


class Words:
    """An encoder that counts words."""

    id = "words"
    dimensions = 512

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        found = np.zeros((len(phrases), 512))
        for row, phrase in zip(found, phrases, strict=True):
            for word in phrase.lower().replace(".", " ").split():
                row[int(hashlib.md5(word.encode()).hexdigest()[:6], 16) % 512] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


class Sentences:
    """A splitter at sentences."""

    description = "sentences"

    def split(self, texts: Sequence[str], progress: object = None) -> list[tuple[str, ...]]:
        return [sentences(text) for text in texts]


MEMBERS_OF, OTHERS = sample(1, 110), sample(2, 120)
RELEASES = {"members": MEMBERS_OF, "held out": OTHERS, "independent": sample(3, 115)}
EXPECTED = {"members": 1, "held out": -1, "independent": 0}


def pairs(released: Sequence[str], members: Sequence[str] = MEMBERS_OF, others: Sequence[str] = OTHERS) -> Pairs:
    ids = [f"m{n}" for n in range(len(members))]
    none = [None] * len(members)
    return Pairs(
        ids, members, none, list(released), [{}] * len(members), none, [{}] * len(released),
        held_out=[(f"o{n}", (text, {})) for n, text in enumerate(others)],
    )  # fmt: skip


def linkage() -> MemberGap:
    made = LinkageStudy(Words(), EmbeddingJudge(Words()), splitter=Sentences())  # type: ignore[arg-type]
    return MemberGap(made, LinkageStudy.compared)


def copies() -> MemberGap:
    return MemberGap(CopiesStudy(Words()), CopiesStudy.compared)  # type: ignore[arg-type]


def apart(found: Study, name: str, **setting: Any) -> tuple[float, str]:
    figure = found.figure(name, **{PEOPLE: DIFFERENCE, **setting})
    assert figure is not None, (name, setting)
    return figure.estimate.value, str(figure.setting[INTERVAL])


@pytest.fixture(scope="module")
def found() -> dict[str, list[Study]]:
    """All studies of each release."""
    membership = MembershipStudy(Words())  # type: ignore[arg-type]
    return {name: [made.run(pairs(texts)) for made in (linkage(), copies(), membership)]
            for name, texts in RELEASES.items()}  # fmt: skip


@pytest.mark.parametrize("name", RELEASES)
def test_copies_tell_members_where_they_were_copied(found: dict[str, list[Study]], name: str) -> None:
    study, sign = found[name][1], EXPECTED[name]
    for figure, setting in ((RUN, {}), (COPIED, {"words": 8}), (COPIED, {"words": 20}), (NEAREST, {})):
        value, interval = apart(study, figure, **setting)
        assert interval == {1: "above 0", -1: "below 0", 0: "contains 0"}[sign]
        assert sign * value > 0 or not sign
    if sign:
        own = study.figure(COPIED, words=20, **{PEOPLE: MEMBERS if sign > 0 else HELD_OUT})
        assert own is not None
        assert own.estimate.value == 1.0


@pytest.mark.parametrize("name", RELEASES)
def test_claims_are_disclosed_where_members_were_copied(found: dict[str, list[Study]], name: str) -> None:
    """The figure is a distance, so that what training tells makes it smaller."""
    value, interval = apart(found[name][0], SEMANTIC)
    assert interval == {1: "below 0", -1: "above 0", 0: "contains 0"}[EXPECTED[name]]
    if name == "members":
        own = found[name][0].figure(SEMANTIC, **{PEOPLE: MEMBERS})
        assert own is not None
        assert own.estimate.value < 0.01
        assert value < -0.1


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("score", ["copied run", "word pairs", "nearest record"])
def test_members_are_told_where_they_were_copied(found: dict[str, list[Study]], name: str, score: str) -> None:
    area, hits = (found[name][2].figure(figure, score=score) for figure in (AREA, HITS))
    assert area is not None
    assert hits is not None
    assert area.setting[INTERVAL] == {1: "above 0.5", -1: "below 0.5", 0: "contains 0.5"}[EXPECTED[name]]
    if name == "members":
        assert area.estimate.value > (0.85 if score == "word pairs" else 0.99)
        assert hits.estimate.value > (0.15 if score == "word pairs" else 0.9)
    else:
        assert hits.estimate.low <= 0.01


def test_a_model_that_memorised_is_told_by_its_loss_and_one_that_did_not_is_not() -> None:
    members, others = (
        [f"{a} {b} {a}" for a in "abcdefgh" for b in "abcdefgh"],
        [f"{a} {b} z" for a in "abcdefgh" for b in "abcdefgh"],
    )
    words = tuple("abcdefghz")
    known = {tuple(text.split()[:2]): text.split()[2] for text in members}

    def script(prompt: list[str], written: list[str]) -> list[float]:
        return [4.0 if word == known.get((*prompt, *written)) else 0.0 for word in words] + [-9.0]

    public = ScriptedCausal(words, lambda _, __: [0.0] * len(words) + [-9.0])
    for trained, interval in ((ScriptedCausal(words, script), "above 0.5"), (public, "contains 0.5")):
        losses = PublicLoss(trained), PublicLoss(public)
        study = MembershipStudy(Words(), 500, 0, *losses)  # type: ignore[arg-type]
        result = study.run(pairs(["nothing of it"], members, others))
        for score in ("loss", "loss beside a public model"):
            area = result.figure(AREA, score=score)
            assert area is not None
            assert area.setting[INTERVAL] == interval
        assert not [left for left in result.skipped if left.what == "membership by loss"]


@pytest.mark.models
def test_a_tuned_model_is_read_as_it_was_trained_and_tells_its_members(tmp_path: Path) -> None:
    """Tuned without a guarantee, for many steps: the folder that `finetune` writes is read with its base."""
    pytest.importorskip("transformers")
    import tiny_causal
    from sfumato.abstract.synthesizer import Order, Unit, Workspace
    from sfumato.models.causal.transformers import TransformersCausal
    from sfumato.privacy.randomness import SeededRandomness
    from sfumato.synthesis.finetune.finetune import Finetune

    base = tiny_causal.saved(tiny_causal.llama(), tmp_path / "llama")
    members, others = [text[:60] for text in MEMBERS_OF[:30]], [text[:60] for text in OTHERS[:30]]
    codes = ("topic: move", "topic: pay")
    units = [Unit((text,), (number % 2,)) for number, text in enumerate(members)]
    method = Finetune(TransformersCausal(str(base), device="cpu"), batch=15, steps=60, learning_rate=0.02, length=200)  # type: ignore[arg-type]
    order = Order(codes, 30, 1, 5, None, 1e-3)
    run = tmp_path / "run"
    run.mkdir()
    tuned = method.trained(order, method.schedule(order), units, Workspace(run, SeededRandomness(3), "test"))
    tuned.save(tmp_path / "tuned")
    loss = trained_loss(str(tmp_path / "tuned"), str(base))
    public = trained_loss(str(base), None)
    assert loss.id == trained_id(str(tmp_path / "tuned")) != public.id
    study = MembershipStudy(Words(), 500, 0, loss, public)  # type: ignore[arg-type]
    result = study.run(pairs(["nothing of it"], members, others))
    for score in ("loss", "loss beside a public model"):
        area = result.figure(AREA, score=score)
        assert area is not None
        assert area.setting[INTERVAL] == "above 0.5", area
    assert np.isfinite(loss(["", "a" * 3000])).all()


def test_what_is_missing_is_said(found: dict[str, list[Study]]) -> None:
    alone = copies().run(pairs(MEMBERS_OF, others=()))
    assert alone.figure(RUN) is not None
    assert alone.figure(RUN, **{PEOPLE: DIFFERENCE}) is None
    assert "what training tells, by copies" in {left.what for left in alone.skipped}
    nobody = MembershipStudy(Words()).run(pairs(MEMBERS_OF, others=()))  # type: ignore[arg-type]
    assert not nobody.figures
    assert "what training tells, by membership" in {left.what for left in nobody.skipped}
    assert "membership by loss" in {left.what for left in found["members"][2].skipped}
    few = MembershipStudy(Words()).run(pairs(MEMBERS_OF, others=OTHERS[:99]))  # type: ignore[arg-type]
    assert few.figure(HITS) is None
    assert HITS in {left.what for left in few.skipped}
    empty = [made.run(pairs([])) for made in (copies(), linkage(), MembershipStudy(Words()))]  # type: ignore[arg-type]
    assert not [figure for study in empty for figure in study.figures]
    assert all(study.skipped for study in empty)


def test_short_records_are_left_out_of_rates_and_not_counted_as_private() -> None:
    short = [f"Yes {n}." for n in range(300)]
    result = copies().run(pairs(MEMBERS_OF, [*MEMBERS_OF, *short], [*OTHERS, *short[:200]]))
    rate = result.figure(COPIED, words=8, **{PEOPLE: MEMBERS})
    assert rate is not None
    assert (rate.estimate.value, rate.estimate.n) == (1.0, len(MEMBERS_OF))
    assert "runs of 8 words in 300 records" in {left.what for left in result.skipped}
    assert "runs of 8 words in 200 records, of people held out" in {left.what for left in result.skipped}


def test_word_pairs_prefer_what_was_read() -> None:
    scores = by_pairs(["the cat sleeps", "sleeps cat the", "dogs bark loud", ""], ["the cat sleeps", "the cat eats"])
    assert scores[0] > scores[1] > scores[2]
    assert scores[3] < scores[2]


def test_the_page_tells_both_and_quotes_nobody(found: dict[str, list[Study]]) -> None:
    for name, said in (("members", "interval without 0"), ("independent", "contains 0, so nothing is shown")):
        lines = headline(found[name])
        assert any(said in line for line in lines), lines
        shown = page(found[name], {"original": {"name": "a", "records": 1}, "release": {"name": "b", "records": 1}})
        assert "Are records copied?" in shown
        assert "Can members be told from other people?" in shown
        assert "What training tells" in shown
        assert "crowns" not in shown


def test_a_few_records_that_were_copied_are_seen_where_the_area_shows_nothing() -> None:
    released = [*RELEASES["independent"], *MEMBERS_OF[:8]]
    made = pairs(released)
    study = MembershipStudy(Words()).run(made)  # type: ignore[arg-type]
    area, hits = (study.figure(name, score="copied run") for name in (AREA, HITS))
    assert area is not None
    assert hits is not None
    assert area.setting[INTERVAL] == "contains 0.5"
    assert hits.setting[INTERVAL] == "above 0.01"
    assert any("learned by heart" in line for line in headline([study]))
    assert apart(copies().run(made), COPIED, words=20)[1] == "above 0"


def people(folder: Path, name: str, texts: Sequence[str], prefix: str) -> Path:
    rows = [{"id": f"{prefix}{n}", "text": text, "job": "ab"[n % 2]} for n, text in enumerate(texts)]
    return write_jsonl(folder / f"{name}.jsonl", rows)


OPTIONS = FileOptions(id_field="id", adjustable=False)


def test_texts_of_both_files_are_left_out_of_both_and_counted(tmp_path: Path) -> None:
    original = people(tmp_path, "original", ["a b", "c d", "e f"], "m")
    held = people(tmp_path, "held", ["c d", "g h"], "o")
    read = with_held_out(read_pairs(original, original, OPTIONS, one_to_one=False), held, OPTIONS)
    assert (list(read.originals), list(read.ids)) == (["a b", "e f"], ["m0", "m2"])
    assert (list(read.of_held_out.originals), list(read.of_held_out.ids)) == (["g h"], ["o1"])
    assert len(read.released) == len(read.fields) == len(read.released_fields) == 2
    assert read.sources["held-out"]["in both"] == 2
    result = copies().run(read)
    assert "2 records" in {left.what for left in result.skipped}


def test_members_are_not_taken_for_people_held_out(tmp_path: Path) -> None:
    original = people(tmp_path, "original", ["a secret", "c d"], "m")
    given = read_pairs(original, original, OPTIONS, one_to_one=False)
    with pytest.raises(InputError, match="1 ids that the original has") as caught:
        with_held_out(given, write_jsonl(tmp_path / "x.jsonl", [{"id": "m1", "text": "other"}]), OPTIONS)
    assert "m1" not in str(caught.value)
    with pytest.raises(InputError, match="held out of training") as caught:
        with_held_out(given, people(tmp_path, "same", ["a secret", "c d"], "o"), OPTIONS)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("spelled", ["Ada Li", "ADA\u200b  LI", " ada li "])
def test_an_id_that_names_a_person_is_known_in_every_spelling(tmp_path: Path, spelled: str) -> None:
    original = write_jsonl(tmp_path / "a.jsonl", [{"id": "Ada Li", "text": "a secret"}, {"id": "x", "text": "c"}])
    held = write_jsonl(tmp_path / "b.jsonl", [{"id": spelled, "text": "other"}, {"id": "\u200b", "text": "more"}])
    plan = Plan(one_to_one=False, held_out=str(held), id_field="id")
    with pytest.raises(InputError, match="1 ids that the original has") as caught:
        read_files(original, original, plan)
    assert "ada" not in str(caught.value).casefold()


def test_an_id_of_a_record_is_known_as_it_is_spelled_alone(tmp_path: Path) -> None:
    """Where another field names the person, `aB` and `Ab` are two records."""
    original = write_jsonl(tmp_path / "a.jsonl", [{"id": "aB", "who": "Ada", "text": "a b"}])
    held = write_jsonl(tmp_path / "b.jsonl", [{"id": "Ab", "who": "Bo", "text": "c d"}])
    plan = Plan(one_to_one=False, held_out=str(held), id_field="id", unit_field="who")
    assert read_files(original, original, plan).of_held_out.ids == ["Ab"]
    with pytest.raises(InputError, match="1 ids that the original has"):
        read_files(original, original, replace(plan, unit_field=None))
    again = write_jsonl(tmp_path / "c.jsonl", [{"id": "aB", "who": "Bo", "text": "c d"}])
    with pytest.raises(InputError, match="1 ids that the original has"):
        read_files(original, original, replace(plan, held_out=str(again)))


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="--synthetic"):
        Plan(held_out="people.jsonl")
    with pytest.raises(ConfigurationError, match="--held-out"):
        Plan(one_to_one=False, trained="model")
    with pytest.raises(ConfigurationError, match="copies: an attack on synthetic records"):
        Plan(attacks=("linkage", "copies"))
    assert Plan(one_to_one=False, held_out="/home/anna/people.jsonl").setting["held_out"] == "people.jsonl"


def test_studies_are_wrapped_only_where_records_are_synthetic() -> None:
    made = studies(Bench(Plan(one_to_one=False, held_out="x.jsonl"), Words()))  # type: ignore[arg-type]
    assert isinstance(made["linkage"], MemberGap)
    assert isinstance(made["copies"], MemberGap)
    assert isinstance(made["membership"], MembershipStudy)
    plain = studies(Bench(Plan(), Words()))  # type: ignore[arg-type]
    assert not any(isinstance(study, MemberGap) for study in plain.values())
    assert not {"copies", "membership"} & set(plain)
    chat = ScriptedChat(lambda _: None)
    few = studies(Bench(chat_studies(Plan(one_to_one=False)), Words(), chat))  # type: ignore[arg-type]
    assert "linkage" in few


@pytest.mark.models
def test_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    files = [
        people(tmp_path, name, [f"{text} {CANARY}" for text in texts[:30]], name[0])
        for name, texts in (("members", MEMBERS_OF), ("others", OTHERS), ("synthetic", MEMBERS_OF))
    ]
    command = (
        "evaluate",
        files[0],
        files[2],
        "--synthetic",
        "--held-out",
        files[1],
        "--id-field",
        "id",
        "--task",
        "job",
    )
    ran = call(*command, "--task", "job", "-o", tmp_path / "out", "--sample", "30", "--json")
    assert ran.code == 0, ran.err
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    by_name = {study["study"]: study for study in results["studies"]}
    assert {"linkage", "copies", "membership", "attributes"} <= set(by_name)
    differences = [figure for figure in by_name["copies"]["figures"] if figure["setting"].get(PEOPLE) == DIFFERENCE]
    assert differences[0]["low"] > 0
    assert any(figure["setting"].get(PEOPLE) == HELD_OUT for figure in by_name["attributes"]["figures"])
    assert results["held-out"]["records"] == 30
    assert results["held_out"] == "others.jsonl"
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    for name in ("results.json", "report.html"):
        content = (tmp_path / "out" / name).read_bytes()
        assert not any(hashlib.sha256(file.read_bytes()).hexdigest()[:16].encode() in content for file in files[:2])
    refused = call("evaluate", files[0], files[2], "--held-out", files[1], "-o", tmp_path / "no")
    assert refused.code != 0
    assert "--synthetic" in refused.err


def of_people(folder: Path, name: str, texts: Sequence[str], prefix: str, each: int) -> Path:
    """Every text ``each`` times in a slightly other form, all of one person."""
    rows = [{"id": f"{prefix}{n}-{k}", "text": f"{text} {k}", "who": f"{prefix}{n}"}
            for n, text in enumerate(texts) for k in range(each)]  # fmt: skip
    return write_jsonl(folder / f"{name}.jsonl", rows)


def test_records_of_one_person_count_once(tmp_path: Path) -> None:
    """Ten copies of each record make an interval narrower and hits more frequent; by person they change nothing."""
    few, others, released = sample(5, 12), sample(6, 12), sample(7, 40)
    plain, held = of_people(tmp_path, "one", few, "m", 1), of_people(tmp_path, "held-one", others, "o", 1)
    many, held_many = of_people(tmp_path, "ten", few, "m", 10), of_people(tmp_path, "held-ten", others, "o", 10)
    synthetic = people(tmp_path, "synthetic", released, "s")
    widths = {}
    for name, files, unit in (("one", (plain, held), None), ("ten", (many, held_many), None),
                              ("by person", (many, held_many), "who")):  # fmt: skip
        most = 10 if unit else None
        plan = Plan(one_to_one=False, held_out=str(files[1]), unit_field=unit, id_field="id", texts_per_unit=most)
        read = read_files(files[0], synthetic, plan)
        assert (len(read), len(read.held_out)) == ((120, 120) if name == "ten" else (12, 12))
        area = MembershipStudy(Words()).run(read).figure(AREA, score="word pairs")  # type: ignore[arg-type]
        assert area is not None
        widths[name] = area.estimate.high - area.estimate.low
        run = copies().run(read).figure(RUN, **{PEOPLE: MEMBERS})
        assert run is not None
        assert run.estimate.n == len(read)
        if unit:
            assert len({record["who"] for record in read.fields}) == 12
            assert read.sources["original"] == {**facts_of(many, 120), "people": 12}
            assert read.sources["held-out"]["people"] == 12
            again = read_files(files[0], synthetic, plan)
            assert (again.ids, again.held_out) == (read.ids, read.held_out)
            assert {name.split("-")[1] for name in read.ids} != {"0"}  # drawn, and not the first of each
    first = read_files(many, synthetic, replace(plan, texts_per_unit=None))
    assert {name.split("-")[1] for name in [*first.ids, *first.of_held_out.ids]} == {"0"}  # what a synthesis reads
    for wrong in ({"texts_per_unit": 0}, {"unit_field": None}):
        with pytest.raises(ConfigurationError, match="counted from 1 on"):
            replace(plan, **wrong)  # type: ignore[arg-type]
    assert widths["ten"] < 0.6 * widths["one"]
    assert widths["by person"] == pytest.approx(widths["one"], rel=0.2)


def test_synthetic_records_need_no_id(tmp_path: Path) -> None:
    """`sfumato synthesize` writes none, and the originals have one."""
    original, held = people(tmp_path, "original", ["a b", "c d"], "m"), people(tmp_path, "held", ["e f"], "o")
    synthetic = write_jsonl(tmp_path / "synthetic.jsonl", [{"job": "a", "text": "g h"}] * 3)
    read = read_files(original, synthetic, Plan(one_to_one=False, held_out=str(held), id_field="id"))
    assert (read.ids, read.of_held_out.ids, len(read.candidates[0])) == (["m0", "m1"], ["o0"], 3)
    with pytest.raises(InputError, match="the field 'id' is missing"):
        read_files(original, synthetic, Plan(id_field="id"))


def test_a_person_is_a_member_or_held_out_and_has_a_name(tmp_path: Path) -> None:
    rows = [{"text": f"text {n}", "who": [0, "Ada Li", "ADA\u200b  LI", 1, "1 ", "x"][n]} for n in range(6)]
    original = write_jsonl(tmp_path / "a.jsonl", rows)
    assert len(read_files(original, original, Plan(one_to_one=False, unit_field="who")).originals) == 4
    other = write_jsonl(tmp_path / "b.jsonl", [{"text": "another secret", "who": " ada li"}])
    asked = Plan(one_to_one=False, held_out=str(other), unit_field="who")
    with pytest.raises(InputError, match="1 people of the field 'who' are in the original") as caught:
        read_files(original, original, asked)
    assert "secret" not in str(caught.value)
    nameless = write_jsonl(tmp_path / "c.jsonl", [{"text": "another secret", "who": "9"}, {"text": "more secret"}])
    with pytest.raises(InputError, match=r"c\.jsonl: 1 records have no value in the field 'who'") as caught:
        read_files(original, original, Plan(one_to_one=False, held_out=str(nameless), unit_field="who"))
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="has the field 'whom'"):
        read_files(original, original, Plan(one_to_one=False, unit_field="whom"))
    with pytest.raises(ConfigurationError, match="add --synthetic"):
        Plan(unit_field="who")

"""Two files in, results and a page out: bracketed by identity, redaction and random text; nothing private in them."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CANARY, call, write_jsonl
from sfumato.errors import InputError
from sfumato.evaluation.bench import evaluate
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.results import Figure, Skipped, Study, as_text
from sfumato.files import FileOptions
from sfumato.metrics.estimates import share

pytestmark = pytest.mark.models
pytest.importorskip("bm25s")
pytest.importorskip("torch")

TOWNS = ("Oslo", "Lima", "Quito", "Bonn", "Turin", "Kyoto", "Perth", "Leeds", "Lagos", "Minsk", "Sofia", "Tunis")
JOBS = ("baker", "pilot", "nurse", "farmer")
FEW = ("--sample", "12")
"""A word a record, for tests that assert nothing about the words that a model guesses."""


def texts() -> list[str]:
    return [
        f"Person {n} lives in {town} and works as a {JOBS[n % 4]}. The rent is {n * 37 + 411} crowns. "
        f"A {('black', 'white')[n % 2]} dog sleeps near the door."
        for n, town in enumerate(TOWNS)
    ]


def rows(released: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": f"r{n}", "text": text, "job": JOBS[n % 4], "dog": ("black", "white")[n % 2]}
        for n, text in enumerate(released)
    ]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_jsonl(tmp_path_factory.mktemp("in") / "original.jsonl", rows(texts()))


def evaluated(original: Path, folder: Path, released: list[dict[str, Any]], *more: str) -> dict[str, Any]:
    release = write_jsonl(folder / "release.jsonl", released)
    task = () if "--attacks" in more else ("--task", "dog")  # without attacks, nothing guesses it
    asked = ("--id-field", "id", *task, "--sample", "60", "--json")
    ran = call("evaluate", original, release, *asked, "-o", folder / "out", *more)
    assert ran.code == 0, ran.err
    written = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    assert written == ran.json
    return written


@pytest.fixture(scope="module")
def identity(original: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The evaluation of a release that changes nothing: its folder, which is to be copied and not changed, and it."""
    folder = tmp_path_factory.mktemp("identity")
    return folder, evaluated(original, folder, rows(texts()))


def value(found: dict[str, Any], study: str, name: str, **setting: Any) -> float:
    [one] = [one for one in found["studies"] if one["study"] == study]
    figures = [
        figure for figure in one["figures"]
        if figure["name"] == name and all(figure["setting"].get(key) == want for key, want in setting.items())
    ]  # fmt: skip
    return float(figures[0]["value"])


def useless() -> dict[str, list[str]]:
    """Releases that hold nothing of their originals."""
    shuffled, words = np.random.default_rng(0), " ".join(texts()).split()
    return {"redacted": ["[REDACTED]"] * 12, "random": [" ".join(shuffled.choice(words, 25)) for _ in range(12)]}


def test_identity_redaction_and_random_text(
    original: Path, identity: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    made = {"identity": identity[1]}
    for name, released in useless().items():
        (tmp_path / name).mkdir()
        made[name] = evaluated(original, tmp_path / name, rows(released))
    rate, told, cosine, dog, words = {}, {}, {}, {}, {}
    for name, found in made.items():
        rate[name] = value(found, "linkage", "linkage rate", knowledge="random", k=3, linker="bm25", query="merged")
        told[name] = value(found, "linkage", "claims not supported")
        cosine[name] = value(found, "utility", "cosine similarity")
        words[name] = value(found, "tokens", "masked words guessed", of="release") if name != "redacted" else 0.0
        if name == "identity":
            originals = value(found, "tokens", "masked words guessed", of="originals")
        dog[name] = value(found, "attributes", "accuracy", attacker="adaptive", classifier="tfidf")
        assert value(found, "attributes", "accuracy", attacker="on originals", classifier="tfidf") == 1.0
    assert (rate["identity"], told["identity"], cosine["identity"]) == (1.0, 0.0, pytest.approx(1.0))
    assert dog["identity"] == 1.0
    assert words["identity"] == originals > words["random"]
    assert told["redacted"] == 1.0
    assert rate["redacted"] < 0.5
    assert rate["random"] < 0.7
    assert cosine["redacted"] < cosine["random"] < 0.9
    assert dog["redacted"] <= 0.5


def test_divergence_is_measured_where_it_is_asked_for(original: Path, tmp_path: Path) -> None:
    moved, cosine = {}, {}
    for name, released in {"identity": texts(), **useless()}.items():
        (tmp_path / name).mkdir()
        more = ("--attacks", "", "--metrics", "divergence", "--sample", "6")
        found = evaluated(original, tmp_path / name, rows(released), *more)
        moved[name] = value(found, "divergence", "neighboring divergence")
        cosine[name] = value(found, "divergence", "cosine similarity of the same stretches")
        page = (tmp_path / name / "out" / "report.html").read_text(encoding="utf-8")
        assert "Do the kept words still mean the same?" in page
        assert ("no word was kept" in page) is (name == "redacted")
    assert moved["identity"] == 0.0
    assert cosine["identity"] == pytest.approx(1.0)
    assert moved["redacted"] == 1.0
    assert 0.4 < moved["random"] < 1.0
    assert cosine["redacted"] < cosine["random"] < 0.95


def test_missing_and_reordered_records_are_failures_and_shown(original: Path, tmp_path: Path) -> None:
    released = [row for row in rows(texts())[::-1] if row["id"] not in ("r3", "r4")]
    released.append({"id": "other", "text": "Nobody knows this one.", "job": "x", "dog": "y"})
    found = evaluated(original, tmp_path, released, *FEW)
    assert (found["missing"], found["strays"]) == (2, 1)
    assert value(found, "linkage", "linkage rate", knowledge="random", k=3) == pytest.approx(10 / 12)
    assert value(found, "utility", "words kept") == pytest.approx(10 / 12)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "2 originals have no released record" in page


def test_a_release_without_records_of_its_own_is_attacked_too(original: Path, tmp_path: Path) -> None:
    found = evaluated(original, tmp_path, rows(texts()), "--synthetic", *FEW)
    skipped = {one["what"] for study in found["studies"] for one in study["skipped"]}
    assert "linkage rate" in skipped
    assert value(found, "linkage", "claims not supported") == 0.0  # who copies everything tells everything


def test_nothing_private_is_written_or_said(tmp_path: Path) -> None:
    secret = [f"{CANARY}{n} lives in {town}. {CANARY} has a dog." for n, town in enumerate(TOWNS)]
    original = write_jsonl(tmp_path / "original.jsonl", rows(secret))
    release = write_jsonl(tmp_path / "release.jsonl", rows(secret[::-1]))
    asked = ("--id-field", "id", "--label", "job", *FEW)
    ran = call("evaluate", original, release, *asked, "-o", tmp_path / "out")
    assert ran.code == 0
    assert CANARY not in ran.out + ran.err
    for path in (tmp_path / "out").rglob("*"):
        assert CANARY not in path.name
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    # who holds what is forwarded must not be able to confirm a guess of the private file
    digest = hashlib.sha256(original.read_bytes()).hexdigest()[:16].encode()
    for name in ("results.json", "report.html"):
        assert digest not in (tmp_path / "out" / name).read_bytes()
    assert (
        hashlib.sha256(release.read_bytes()).hexdigest() in ran.out + (tmp_path / "out" / "results.json").read_text()
    )


def test_text_is_shown_only_where_that_is_asked_for(original: Path, tmp_path: Path) -> None:
    release = write_jsonl(tmp_path / "release.jsonl", rows(texts()[::-1]))
    options = ("evaluate", original, release, "--id-field", "id", "--attacks", "linkage", "--metrics", "")
    for more, shown in (((), False), (("--show-text",), True)):
        assert call(*options, "-o", tmp_path / "out", *more).code == 0
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert ("lives in Oslo" in page) is shown
        assert ("Do not forward" in page) is shown


def test_a_stopped_evaluation_goes_on(original: Path, identity: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, first = identity
    shutil.copytree(folder / "out", tmp_path / "out")
    for path in (tmp_path / "out" / "studies").glob("linkage*"):
        kept = json.loads(path.read_text(encoding="utf-8"))
        kept["facts"]["kept"] = True
        path.write_text(as_text(kept), encoding="utf-8")
    again = evaluated(original, tmp_path, rows(texts()))
    assert again["studies"][0]["facts"].pop("kept") is True
    # what a statement would have told is looked for again, as it may be there now
    kept = [[one for one in found["studies"][1:] if one["study"] != "guarantee"] for found in (again, first)]
    assert kept[0] == kept[1]
    other = evaluated(original, tmp_path, rows([text.lower() for text in texts()]))
    assert "kept" not in other["studies"][0]["facts"]


def test_a_statement_that_appears_is_read(original: Path, tmp_path: Path) -> None:
    """Kept linkage knew no law, as there was no statement."""
    release = write_jsonl(tmp_path / "release.jsonl", rows(texts()))
    options = ("evaluate", original, release, "--id-field", "id", "--attacks", "linkage", "--metrics", "")
    for stated, told in ((None, "there is no"), ("{}", "is not a privacy statement")):
        if stated is not None:
            (tmp_path / "release.jsonl.privacy.json").write_text(stated, encoding="utf-8")
        assert call(*options, "-o", tmp_path / "out").code == 0
        [study] = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["studies"]
        assert any(told in left["why"] for left in study["skipped"] if "law" in left["what"])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--attacks", "linkage,guessing"), "no attack 'guessing'"),
        (("--id-field", "nothing"), "'nothing'"),
        (("--label", "nothing"), "has the field 'nothing'; correct --label"),
        (("--claims", "0"), "1 to 100"),
        (("--knowledge", "all"), "first, random or last"),
        (
            ("--attacks", "linkage", "--task", "nothing"),
            "A task is a field that the attack 'attributes' guesses; add it",
        ),
        (("--attacks", "linkage", "--label", "nothing", "--task", "x"), "A label or a task is a field"),
    ],
)
def test_what_cannot_be_is_a_sentence(original: Path, tmp_path: Path, options: tuple[str, ...], reason: str) -> None:
    ran = call("evaluate", original, original, "-o", tmp_path / "out", *options)
    assert reason in ran.err + ran.out + "".join(
        path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("results.json")
    )
    assert ran.code == 0 or not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told_first(original: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    ran = call("evaluate", original, original, "-o", tmp_path / "out")
    assert ran.code == 2
    assert "cannot be written" in ran.err


def test_pairs_by_place_and_by_id(tmp_path: Path) -> None:
    first = write_jsonl(tmp_path / "a.jsonl", [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}])
    released = [{"id": 2, "text": "B"}, {"id": 3, "text": "C"}, {"id": 1, "text": ""}]
    second = write_jsonl(tmp_path / "b.jsonl", released)
    with pytest.raises(InputError, match="3, so their order does not say"):
        read_pairs(first, second, FileOptions())  # one that is missing would move all others
    by_place = read_pairs(first, write_jsonl(tmp_path / "c.jsonl", released[:2]), FileOptions())
    assert (by_place.released, by_place.strays) == (["B", "C"], [])
    by_id = read_pairs(first, second, FileOptions(id_field="id"))
    assert (by_id.released, by_id.strays, by_id.missing) == (["", "B"], ["C"], 0)
    assert by_id.candidates == (["", "B", "C"], [0, 1, -1])
    loose = read_pairs(first, second, FileOptions(), one_to_one=False)
    assert (loose.released, len(loose.strays), loose.linkable) == ([None, None], 3, False)


def test_results_go_to_text_and_back() -> None:
    figures = [Figure("rate", share(3, 4), {"k": 3}, "low"), Figure("none", share(0, 0))]
    study = Study("s", figures, [Skipped("x", "y")])
    again = Study.from_json(json.loads(as_text(study.as_json())))
    assert again.figures[0] == study.figures[0]
    assert np.isnan(again.figures[1].estimate.value)
    assert again.skipped == study.skipped
    assert "NaN" not in as_text(study.as_json())
    assert Pairs(["1"], ["a"], ["b"]).texts == ["b"]


@pytest.mark.parametrize(("again", "runs"), [(True, 2), (False, 1)])
def test_what_can_be_mended_is_tried_again(tmp_path: Path, again: bool, runs: int) -> None:
    class Missing:
        asked = 0

        def run(self, pairs: Pairs, progress: Any = None) -> Study:
            self.asked += 1
            return Study("s", skipped=[Skipped("a figure", "something is not installed", again)])

    study = Missing()
    for _ in range(2):
        evaluate(Pairs(["1"], ["a"], ["b"]), {"s": study}, tmp_path, {})
    assert study.asked == runs
    for other in ({"setting": {"seed": 1}}, {"made_with": ["another model of the same name"]}):
        evaluate(Pairs(["1"], ["a"], ["b"]), {"s": study}, tmp_path, **{"setting": {}, **other})  # type: ignore[arg-type]
    assert study.asked == runs + 2

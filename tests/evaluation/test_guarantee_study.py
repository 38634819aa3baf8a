"""The guarantee study: the release's own statement, the mechanism made again from it, and how often it is undone."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import CANARY, WORDS, write_jsonl, write_vectors
from releasing import release_file
from scripted_models import ScriptedMasked
from sfumato.abstract.models import MASKED
from sfumato.attacks.token_attacks import permitted
from sfumato.building.stated import read_statement, rebuilt
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.guarantee import (
    BAYES,
    DRAWN,
    GUESSING,
    IN_CONTEXT,
    IN_PRIOR,
    NAMED,
    PERMITTED,
    GuaranteeStudy,
)
from sfumato.files import FileOptions
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.report.page import headline
from sfumato.storage.digests import digest_of_everything

OPTIONS = RunOptions(FileOptions(id_field="id"), overwrite=True)
MECHANISMS: dict[str, dict[str, Any]] = {
    "santext": {},
    "santext+": {"sensitive_share": 0.7},
    "custext": {"set_size": 4},
    "custext+": {"set_size": 4, "similarity": "cosine"},
    "clusant": {"k": 3.0, "set_size": 4},
    "clusant by number": {"k": math.inf, "clusters": 4},
    "tem": {"threshold": 0.7},
    "fbdd": {},
    "mahalanobis": {"regularisation": 0.2},
    "vickrey": {"calibration": "paper"},
}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    texts = [f"{' '.join(draw.choice(WORDS, 12)).capitalize()}. {CANARY}!" for _ in range(60)]
    return write_jsonl(tmp_path / "original.jsonl", [{"id": f"r{n}", "text": text} for n, text in enumerate(texts)])


def released(original: Path, vectors: Path, name: str = "santext", epsilon: float = 3.0, **options: Any) -> Path:
    made = sfumato.build(name.split()[0], epsilon, vocabulary=vectors, **options)
    release = original.with_name("release.jsonl")
    release_file(made, original, release, OPTIONS, options.pop("randomness", None))
    return release


def pairs_of(original: Path, release: Path) -> Pairs:
    return read_pairs(original, release, FileOptions(id_field="id"))


def studied(original: Path, release: Path, **options: Any) -> Study:
    found = GuaranteeStudy(release, **options).run(pairs_of(original, release))
    assert CANARY not in json.dumps(found.as_json())
    return found


def value(study: Study, name: str, **setting: Any) -> float:
    figure = study.figure(name, **setting)
    assert figure is not None, study.skipped
    return figure.estimate.value


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_every_mechanism_is_made_again_from_its_statement(original: Path, vectors: Path, name: str) -> None:
    release = released(original, vectors, name, **MECHANISMS[name])
    made = rebuilt(read_statement(release), "ANY", [release.parent])
    asked = sfumato.mechanism(name.split()[0], sfumato.load_vocabulary(vectors), 3.0, **MECHANISMS[name])
    assert made.parameters == asked.parameters
    study = studied(original, release)
    assert value(study, GUESSING) <= value(study, PERMITTED) <= 1.0
    if name in ("fbdd", "mahalanobis", "vickrey"):
        assert study.figure(BAYES) is None
        assert any("closed form" in one.why for one in study.skipped)
        return
    assert (made.law(3) == asked.law(3)).all()
    assert value(study, GUESSING) - 1e-12 <= value(study, BAYES) <= value(study, PERMITTED) + 1e-9
    assert study.figure(NAMED, of=DRAWN) is not None


def test_the_attacker_grows_with_epsilon_and_is_seen_in_the_release(original: Path, vectors: Path) -> None:
    rates = []
    for epsilon in (0.01, 3.0, 150.0):
        study = studied(original, released(original, vectors, "custext", epsilon, set_size=4))
        rates.append((value(study, BAYES), value(study, NAMED, of=IN_PRIOR), value(study, PERMITTED)))
        assert value(study, NAMED, of=DRAWN) <= value(study, NAMED, of=IN_PRIOR)  # the canary is no token
    assert [list(one) for one in zip(*rates, strict=True)] == [sorted(one) for one in zip(*rates, strict=True)]
    assert rates[2] == pytest.approx((1.0, 1.0, 1.0), abs=1e-3)
    assert rates[0][0] == pytest.approx(rates[0][2], abs=0.02)  # nothing but the most common word of each set
    assert studied(original, released(original, vectors, "santext", 0.01)).facts["ANY"]["permitted"] < 0.5


def test_a_guarantee_that_hardly_limits_is_told_first(original: Path, vectors: Path) -> None:
    said = [headline([studied(original, released(original, vectors, "santext", each))]) for each in (60.0, 0.01)]
    assert [any("hardly limits an attacker" in line for line in lines) for lines in said] == [True, False]


def test_what_is_counted_is_what_the_law_says(original: Path, vectors: Path) -> None:
    """Words drawn evenly, and a prior that says so: the share named in the release is the success rate."""
    names = [f"qx{n}zz" for n in range(20)]
    odd = write_vectors(vectors.parent, names, "odd.txt")
    draw = np.random.default_rng(2)
    texts = [" ".join(draw.choice(names, 30)) for _ in range(150)]
    write_jsonl(original, [{"id": f"r{n}", "text": text} for n, text in enumerate(texts)])
    study = studied(original, released(original, odd, "custext", 1.5, set_size=5))
    expected = value(study, BAYES)
    assert value(study, NAMED, of=DRAWN) == pytest.approx(expected, abs=5 * math.sqrt(0.25 / 4500))
    assert value(study, GUESSING) == pytest.approx(1 / 20)
    groups = np.repeat(np.arange(4), 5)
    assert value(study, PERMITTED) == pytest.approx(permitted(np.full(20, 0.05), 1.5, groups))


def why(study: Study) -> str:
    assert not study.figures
    [one] = study.skipped
    return one.why


def edited(release: Path, /, **changes: Any) -> None:
    path = release.with_name(f"{release.name}.privacy.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    content.update(changes)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_what_cannot_be_made_again_is_left_out(original: Path, vectors: Path) -> None:
    release = released(original, vectors)
    study = GuaranteeStudy(release)
    assert study.fingerprint == GuaranteeStudy(release).fingerprint
    pairs = pairs_of(original, release)
    edited(release, release={"sha256": hashlib.sha256(release.read_bytes()).hexdigest()})
    assert study.run(pairs).figures
    edited(release, release={"sha256": "0" * 64})
    assert "another file" in why(study.run(pairs))
    assert GuaranteeStudy(release).fingerprint != study.fingerprint
    edited(release, release=None)
    assert "another file" in why(study.run(pairs))  # a statement that does not say what it is about
    edited(release, release={"sha256": digest_of_everything(release)}, records={"count": 7})
    assert "another number of records" in why(study.run(pairs))
    statement = release.with_name(f"{release.name}.privacy.json")
    for text in ("{", "[]", "{}", '{"mechanism": 3}'):
        statement.write_text(text, encoding="utf-8")
        assert "statement" in why(study.run(pairs)) or "JSON" in why(study.run(pairs))
    statement.unlink()
    assert "there is no release.jsonl.privacy.json" in why(study.run(pairs))


def test_a_vocabulary_that_went_or_changed_is_not_used(original: Path, vectors: Path, tmp_path: Path) -> None:
    release = released(original, vectors)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = vectors.rename(elsewhere / vectors.name)
    assert "no longer there" in why(studied(original, release))
    assert studied(original, release, folders=[elsewhere]).figures
    write_vectors(elsewhere, seed=5)
    assert moved.exists()
    assert "has changed" in why(studied(original, release, folders=[elsewhere]))


def test_parameters_of_another_version_are_not_guessed(original: Path, vectors: Path) -> None:
    release = released(original, vectors, "custext", set_size=4)
    content = json.loads(release.with_name(f"{release.name}.privacy.json").read_text(encoding="utf-8"))
    for change in ({"set_size": 4, "new": 1}, {"similarity": "manhattan"}, {"epsilon": "3"}):
        told = content["vocabularies"]["ANY"]
        edited(release, vocabularies={"ANY": {**told, "parameters": {**told["parameters"], **change}}})
        assert "cannot be built again" in why(studied(original, release)) or "does not say" in why(
            studied(original, release)
        )
    for odd in (None, {}, [], {"ANY": None}):
        edited(release, vocabularies=odd)
        assert why(studied(original, release))


def test_a_seeded_run_has_no_guarantee(original: Path, vectors: Path) -> None:
    made = sfumato.build("santext", 3.0, vocabulary=vectors)
    release = original.with_name("release.jsonl")
    release_file(made, original, release, OPTIONS, SeededRandomness(1))
    study = studied(original, release)
    assert study.figure(PERMITTED) is None
    assert study.figure(BAYES) is not None
    assert any("seeded" in one.why for one in study.skipped)


def test_a_rewriting_and_marked_spans_are_told(original: Path, vectors: Path) -> None:
    release = original.with_name("release.jsonl")
    rewriter = sfumato.build("dp-mlm", 9.0, model=ScriptedMasked(), clip=(-5.0, 0.0))
    release_file(rewriter, original, release, OPTIONS)
    assert "depends on the whole document" in why(studied(original, release))
    listed = original.with_name("names.txt")
    listed.write_text("cat\n", encoding="utf-8")
    study = studied(original, released(original, vectors, detect=f"list:{listed}"))
    assert study.figure(BAYES) is not None
    assert study.figure(NAMED) is None
    content = studied(original, released(original, vectors, detect="content-words"))
    assert content.figure(NAMED, of=DRAWN) is not None
    release_file(sfumato.build("redaction", detect=f"list:{listed}"), original, release, OPTIONS)
    assert "redaction has no formal guarantee" in why(studied(original, release))
    one = sfumato.build("santext", 3.0, vocabulary={"ANY": vectors, "LOC": vectors})
    release_file(one, original, release, OPTIONS)
    both = studied(original, release)
    assert {figure.setting["vocabulary"] for figure in both.figures} == {"ANY", "LOC"}
    assert any("several vocabularies" in left.why for left in both.skipped)


def test_records_that_went_or_changed_are_counted(original: Path, vectors: Path) -> None:
    release = released(original, vectors)
    rows = [json.loads(line) for line in release.read_text(encoding="utf-8").splitlines()]
    rows[0]["text"] = "one two three"
    write_jsonl(release, rows)
    assert "another file" in studied(original, release).skipped[0].why  # the statement is about what was released
    beside = release.with_name(f"{release.name}.privacy.json")
    stated = json.loads(beside.read_text(encoding="utf-8"))
    stated["release"]["sha256"] = digest_of_everything(release)
    beside.write_text(json.dumps(stated), encoding="utf-8")
    study = studied(original, release)
    assert [one.what for one in study.skipped] == ["words of 1 records"]
    figure = study.figure(NAMED, of=DRAWN)
    assert figure is not None
    assert figure.estimate.n == 59 * 13
    few = studied(original, release, sampled=10).figure(NAMED, of=DRAWN)
    assert few is not None
    assert few.estimate.n <= 130


class Favours:
    """A masked model that expects ``word`` everywhere; nothing where it is None."""

    id = "favours"
    words = tuple(WORDS)
    word_pieces = np.arange(len(WORDS))
    window, rows = 64, 8

    def __init__(self, word: str | None) -> None:
        self.word = word

    def pieces(self, given: Any) -> list[list[int]]:
        return [[7] for _ in given]

    def scores(self, questions: Any) -> Any:
        for question in questions:
            assert list(question.copy).count(MASKED) == 1
        row = np.array([9.0 if word == self.word else 0.0 for word in WORDS])
        return np.tile(row, (len(questions), 1))


def test_who_reads_around_a_word_names_it_more_often(tmp_path: Path, vectors: Path) -> None:
    texts = [" ".join([WORDS[3]] * 8) for _ in range(30)]
    original = write_jsonl(tmp_path / "same.jsonl", [{"id": f"r{n}", "text": text} for n, text in enumerate(texts)])
    release = released(original, vectors, "santext", 1.0)
    right = {
        word: value(studied(original, release, model=Favours(word)), NAMED, of=IN_CONTEXT)
        for word in (WORDS[3], WORDS[4], None)
    }
    assert right[WORDS[3]] == 1.0  # the prior knows it, and the law leaves it possible
    assert right[WORDS[4]] == 0.0  # a wrong prior misleads
    assert 0.0 <= right[None] < 1.0
    assert studied(original, release).figure(NAMED, of=IN_CONTEXT) is None
    few = studied(original, release, model=Favours(None), read=10).figure(NAMED, of=IN_CONTEXT)
    assert few is not None
    assert few.estimate.n == 10

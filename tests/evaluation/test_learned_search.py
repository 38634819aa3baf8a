"""The linkage study with attackers who know the law of the release, or other people's records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import CANARY, write_jsonl, write_vectors
from releasing import release_file
from sfumato.attacks.claim_judges import EmbeddingJudge
from sfumato.attacks.linkage import sentences
from sfumato.attacks.trained_linkage import Trained
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies import _learned
from sfumato.evaluation.studies._learned import BY_LAW, TRAINED
from sfumato.evaluation.studies._search import RECALL
from sfumato.evaluation.studies.linkage import RATE, LinkageStudy
from sfumato.files import FileOptions
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")
WORDS = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}o" for n in range(240)]
OPTIONS = RunOptions(FileOptions(id_field="id"), overwrite=True)


class Letters:
    """An encoder that counts letters."""

    id = "letters"
    dimensions = 26

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        signs = "abcdefghijklmnopqrstuvwxyz"
        counts = np.array([[phrase.count(sign) for sign in signs] for phrase in phrases], dtype=float).reshape(-1, 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


class Sentences:
    description = "sentences"

    def split(self, texts: Sequence[str], progress: object = None) -> list[tuple[str, ...]]:
        return [sentences(text) for text in texts]


@pytest.fixture
def original(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    texts = [". ".join(" ".join(draw.choice(WORDS, 5)) for _ in range(4)) + f". {CANARY}!" for _ in range(60)]
    return write_jsonl(tmp_path / "original.jsonl", [{"id": f"r{n}", "text": text} for n, text in enumerate(texts)])


def released(original: Path, name: str = "custext", **options: Any) -> Path:
    vectors = write_vectors(original.parent, WORDS)
    release = original.with_name("release.jsonl")
    made = sfumato.build(name, 1.0, vocabulary=vectors, **options)
    release_file(made, original, release, OPTIONS, SeededRandomness(5))
    return release


def studied(original: Path, release: Path, stated: Path | None = None, **more: Any) -> Study:
    pairs = more.pop("pairs", None) or read_pairs(original, release, FileOptions(id_field="id"))
    made = LinkageStudy(
        Letters(), EmbeddingJudge(Letters()), splitter=Sentences(), judged=3, release=stated or release, **more,  # type: ignore[arg-type]
    )  # fmt: skip
    study = made.run(pairs)
    assert CANARY not in json.dumps(study.as_json())
    return study


def rate(study: Study, linker: str) -> float:
    figure = study.figure(RATE, linker=linker, query="merged", k=3)
    assert figure is not None, study.skipped
    return figure.estimate.value


def why(study: Study, what: str) -> str:
    return next((left.why for left in study.skipped if what in left.what), "")


def test_who_reads_the_statement_finds_more(original: Path) -> None:
    study = studied(original, released(original, set_size=10))
    assert rate(study, BY_LAW) > 0.9
    assert rate(study, BY_LAW) > rate(study, "bm25") + 0.2
    assert rate(study, TRAINED) > 0.8  # it weighs the score by the law too
    assert study.figure(RECALL, linker=BY_LAW).estimate.value > 0.8  # type: ignore[union-attr]
    assert study.figure(RECALL, linker=TRAINED) is not None


def test_without_a_statement_or_a_law_the_reason_is_told(original: Path, tmp_path: Path) -> None:
    release = released(original, set_size=4)
    other = tmp_path / "other.jsonl"
    other.write_bytes(release.read_bytes())
    study = studied(original, release, other)
    assert "there is no other.jsonl.privacy.json" in why(study, BY_LAW)
    assert study.figure(RATE, linker=BY_LAW) is None
    noise = studied(original, released(original, "fbdd"))
    assert "no law in closed form" in why(noise, BY_LAW)


def test_a_statement_of_another_file_is_not_believed(original: Path) -> None:
    release = released(original, set_size=4)
    lines = release.read_text(encoding="utf-8").splitlines()
    release.write_text("\n".join(lines[1:] + lines[:1]) + "\n", encoding="utf-8")
    assert "statement of another file" in why(studied(original, release), BY_LAW)


def test_a_release_by_a_policy_has_no_single_law(original: Path) -> None:
    release = released(original, set_size=4)
    path = release.with_name("release.jsonl.privacy.json")
    stated = json.loads(path.read_text(encoding="utf-8"))
    for change, told in (
        ({"treatments": [{"kinds": ["DATE"]}]}, "not of words that one law draws"),
        ({"vocabularies": {**stated["vocabularies"], "B": {}}}, "not of words that one law draws"),
        ({"steps": [{"name": "polish"}]}, "polished"),
        ({"mechanism": "dp-mlm"}, "whole document"),
    ):
        path.write_text(json.dumps({**stated, **change}), encoding="utf-8")
        assert told in why(studied(original, release), BY_LAW)


def test_too_few_people_are_not_learned_from(original: Path) -> None:
    pairs = read_pairs(original, released(original, set_size=4), FileOptions(id_field="id")).keeping(range(30))
    study = studied(original, original, pairs=pairs)
    assert "fewer than 40 people" in why(study, TRAINED)
    assert study.figure(RATE, linker=TRAINED) is None


def test_people_without_a_record_are_asked_about_and_never_found(original: Path) -> None:
    pairs = read_pairs(original, original, FileOptions(id_field="id"))
    half = [text if number % 2 else None for number, text in enumerate(pairs.released)]
    kept = Pairs(pairs.ids, pairs.originals, half, fields=pairs.fields, sources=pairs.sources)
    study = studied(original, original, pairs=kept)
    assert why(study, TRAINED)  # 30 of 60 people: 15 on a side
    whole = studied(original, original)
    assert rate(whole, TRAINED) == 1.0


def test_nobody_is_searched_for_by_what_their_own_record_taught(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught, asked = list[set[str]](), list[set[str]]()

    class Watched(Trained):
        def scores(self, queries: Sequence[str]) -> np.ndarray:
            taught.append(set(self.queries))
            asked.append(set(queries))
            return super().scores(queries)

    monkeypatch.setattr(_learned, "Trained", Watched)
    studied(original, original)
    assert len(taught) == len(asked) == 2
    assert all(not own & others for own, others in zip(asked, taught, strict=True))
    assert taught[0] == asked[1]

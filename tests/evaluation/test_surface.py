"""Usual measures bracketed: identity, redaction, random text; releases with and without records of their own."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.utility import (
    EMBEDDING_AWAY,
    ENTITIES_GONE,
    ENTITIES_KEPT,
    MAUVE,
    ROUGE_AWAY,
    SurfaceStudy,
)
from sfumato.metrics import similarity as of_mauve
from sfumato.models.encoders.sentence import SentenceEncoder

pytestmark = pytest.mark.models
pytest.importorskip("bm25s")
pytest.importorskip("torch")

TOWNS = (
    "Oslo",
    "Lima",
    "Berlin",
    "Paris",
    "Tokyo",
    "Madrid",
    "Boston",
    "London",
    "Chicago",
    "Vienna",
    "Rome",
    "Cairo",
)
TEXTS = [f"Maria Lopez moved to {town} in {1980 + n} and rents {n + 3} rooms." for n, town in enumerate(TOWNS)] * 5
MAUVE_THERE = importlib.util.find_spec("mauve") is not None


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


def study(encoder: SentenceEncoder, released: list[str], own: bool = True) -> Study:
    ids = [str(n) for n in range(len(TEXTS))]
    pairs = Pairs(ids, TEXTS, released) if own else Pairs(ids, TEXTS, [None] * len(TEXTS), strays=released)
    return SurfaceStudy(encoder).run(pairs)


def values(found: Study) -> dict[str, float]:
    return {one.name: one.estimate.value for one in found.figures}


def test_identity_redaction_and_random_text(encoder: SentenceEncoder) -> None:
    words = " ".join(TEXTS).split()
    draw = np.random.default_rng(0)
    other = [" ".join(draw.choice(words, 12)) for _ in TEXTS]
    same, gone, random = (values(study(encoder, one)) for one in (TEXTS, ["[X]"] * len(TEXTS), other))
    assert same[ROUGE_AWAY] == pytest.approx(0.0)
    assert same[EMBEDDING_AWAY] == pytest.approx(0.0, abs=1e-6)
    assert (same[ENTITIES_KEPT], same[ENTITIES_GONE]) == (1.0, 0.0)
    assert (gone[ENTITIES_KEPT], gone[ENTITIES_GONE], gone[ROUGE_AWAY]) == (0.0, 1.0, 1.0)
    assert 0.0 < random[ROUGE_AWAY] < 1.0
    assert 0.0 < random[EMBEDDING_AWAY] < gone[EMBEDDING_AWAY]
    assert random[ENTITIES_KEPT] < 0.6
    if MAUVE_THERE:
        assert same[MAUVE] == pytest.approx(1.0)
        assert gone[MAUVE] < random[MAUVE] < 0.9


def test_names_removed_only(encoder: SentenceEncoder) -> None:
    found = values(study(encoder, [text.replace("Maria Lopez", "[NAME]") for text in TEXTS]))
    assert 0.3 < found[ENTITIES_KEPT] < 1.0
    assert found[ENTITIES_GONE] == 0.0  # town and year stand


def test_without_records_of_their_own_the_nearest_counts(encoder: SentenceEncoder) -> None:
    copied = study(encoder, TEXTS[::-1], own=False)
    assert values(copied)[ROUGE_AWAY] == pytest.approx(0.0)
    assert values(copied)[EMBEDDING_AWAY] == pytest.approx(0.0, abs=1e-6)
    assert values(copied)[ENTITIES_KEPT] == 1.0
    assert {one.setting["of"] for one in copied.figures if "of" in one.setting} == {"nearest record", "any record"}
    apart = values(study(encoder, ["Water boils in the mountains.", "The lake is cold."], own=False))
    assert apart[ROUGE_AWAY] > 0.8
    assert apart[ENTITIES_KEPT] == 0.0


@pytest.mark.parametrize(("released", "strays"), [([None], []), ([""], []), (["a"], ["b"]), ([None], [""])])
def test_one_record_or_none(encoder: SentenceEncoder, released: list[str | None], strays: list[str]) -> None:
    found = SurfaceStudy(encoder).run(Pairs(["1"], ["Anna lives in Oslo."], released, strays))
    assert found.figures or found.skipped
    if found.figures:
        [why] = [one.why for one in found.skipped if one.what == MAUVE]
        assert "40 texts" in why


def test_without_the_package_the_command_is_told(encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mauve", None)
    [why] = [one.why for one in study(encoder, TEXTS).skipped if one.what == MAUVE]
    assert "pip install 'sfumato[mauve]'" in why


@pytest.mark.skipif(not MAUVE_THERE, reason="mauve-text is not installed")
def test_mauve_is_that_of_the_package_and_its_interval_holds_it() -> None:
    from mauve import compute_mauve

    draw = np.random.default_rng(0)
    near, far = draw.normal(size=(120, 8)), draw.normal(size=(120, 8)) + 1.0
    for other in (near, far):
        found = of_mauve.mauve_score(near, other, 3)
        package = compute_mauve(p_features=near, q_features=other, num_buckets=6, seed=3)
        assert found.value == pytest.approx(min(1.0, float(package.mauve)))
        assert found.low <= found.value <= found.high
    assert of_mauve.mauve_score(np.ones((50, 4)), np.ones((50, 4)), 0).value == 1.0

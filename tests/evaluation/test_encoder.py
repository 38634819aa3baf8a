"""Another sentence encoder for an evaluation: it is the one that is used, in Python and in comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sfumato
from sfumato.errors import SfumatoError
from sfumato.evaluation.comparison.compare import _Workshop
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.studies.files import remembering
from sfumato.models.encoders.files import default_folder
from sfumato.models.encoders.sentence import SentenceEncoder

pytestmark = pytest.mark.models


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    original, release = tmp_path / "original.jsonl", tmp_path / "release.jsonl"
    rows = [{"id": str(n), "text": f"Person {n} rents {n + 3} rooms. The cat sleeps."} for n in range(6)]
    for path in (original, release):
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return original, release


def test_the_encoder_of_the_plan_is_the_one_of_all_studies(files: tuple[Path, Path], tmp_path: Path) -> None:
    folder = default_folder()  # a copy of the usual one, by its folder, is another model by its name
    named = remembering(Plan(encoder=str(folder))).encoder.id
    assert named == SentenceEncoder(str(folder)).id != remembering(Plan()).encoder.id
    found = sfumato.evaluate(
        *files, tmp_path / "out", id_field="id", attacks=[], metrics=["utility"], encoder=str(folder)
    )
    figure = found.study("utility").figure("cosine similarity")
    assert figure is not None
    assert figure.setting["encoder"] == found.facts["encoder"] == named
    assert str(folder.parent) not in (tmp_path / "out" / "results.json").read_text(encoding="utf-8")


def test_a_comparison_uses_it_too() -> None:
    folder = str(default_folder())
    runs: Any = SimpleNamespace(comparison=SimpleNamespace(evaluation=Plan(encoder=folder)))
    assert _Workshop(runs)._encoder.id == SentenceEncoder(folder).id != SentenceEncoder().id


def test_a_folder_that_is_none_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(SfumatoError, match="encoder"):
        sfumato.evaluate(*files, id_field="id", attacks=[], metrics=["utility"], encoder=str(tmp_path / "no such"))
    with pytest.raises(SfumatoError, match="encoder must be"):
        sfumato.evaluate(*files, id_field="id", attacks=[], metrics=["utility"], encoder=3)  # type: ignore[arg-type]

"""``training/train_paraphrase.py`` on a tiny model: what is kept, how rows look, and that it learns and saves."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.mechanisms.dp_paraphrase import DPParaphrase
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.clipped_softmax import ClipRange

PAIRS = [("A baker closed his shop.", "A shop is closed."), ("She was on the tram.", "She was in the street.")]


@pytest.fixture(scope="module")
def script() -> Any:
    pytest.importorskip("transformers")
    path = Path(__file__).parents[2] / "training" / "train_paraphrase.py"
    if not path.is_file():
        pytest.skip("the training scripts are not part of this copy")
    spec = importlib.util.spec_from_file_location("train_paraphrase", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def _record(pair: tuple[str, str], gold: str = "entailment", labels: tuple[str, ...] = ("entailment",)) -> str:
    return json.dumps(
        {"gold_label": gold, "sentence1": pair[0], "sentence2": pair[1], "annotator_labels": list(labels)}
    )


def test_pairs_are_kept_where_all_annotators_agree(script: Any) -> None:
    lines = [
        _record(PAIRS[0]),
        _record(PAIRS[0], labels=("entailment", "neutral", "entailment")),
        _record(PAIRS[0], "neutral", ("neutral",)),
        _record(PAIRS[0], "-", ("entailment", "neutral")),
        _record(("so", "so")),
        _record(PAIRS[1], labels=("entailment", "entailment", "")),
    ]
    assert list(script.entailments(lines)) == PAIRS


def test_a_tiny_model_learns_pairs_as_the_mechanism_asks_for_them(script: Any, tmp_path: Path) -> None:
    import torch

    import tiny_causal

    folder = tiny_causal.saved(tiny_causal.gpt2(), tmp_path / "model", chat=False)
    model = TransformersCausal(str(folder), device="cpu")
    row = script.row(model, PAIRS[0], 100)
    prompt = DPParaphrase(model, 1.0, ClipRange(0, 1, "made up")).prompt(model.pieces(PAIRS[0][0]))
    assert row.pieces[: row.given] == prompt
    assert model.text(row.pieces[row.given :]) == f" {PAIRS[0][1]}<|end|>"
    assert script.row(model, PAIRS[0], 5) is None
    side_by_side = script.batch([row, script.row(model, PAIRS[1], 100)], "cpu")
    assert (side_by_side["labels"][0] != script.IGNORED).sum() == len(row.pieces) - row.given

    (tmp_path / "pairs.jsonl").write_text("\n".join(_record(pair) for pair in PAIRS * 8))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        given = ["--model", folder, "--pairs", tmp_path / "pairs.jsonl", "--out", tmp_path / "tuned"]
        given += ["--device", "cpu", "--epochs", "12", "--batch", "8", "--rate", "1e-2"]
        assert script.main([str(one) for one in given]) == 0
        tuned = TransformersCausal(str(tmp_path / "tuned"), device="cpu")
        assert sorted(path.suffix for path in (tmp_path / "tuned").glob("model*")) == [".safetensors"]
        before, after = (_log_probability(one, row) for one in (model, tuned))
    finally:
        torch.set_num_threads(threads)
    assert after > before + 2.0 * (len(row.pieces) - row.given)
    with pytest.raises(SystemExit, match="not empty"):
        script.main([str(one) for one in given])


def _log_probability(model: TransformersCausal, row: Any) -> float:
    """Of the paraphrase and the end, drawn from the model as the mechanism draws."""
    column = {int(piece): at for at, piece in enumerate(model.outcomes)}
    session, total = model.begin([row.pieces[: row.given]]), 0.0
    for piece in row.pieces[row.given :]:
        scores = session.scores()[0].astype(np.float64)
        total += scores[column[piece]] - np.logaddexp.reduce(scores)
        session.take([column[piece]])
    return total

"""The judge by entailment: a scripted model for what it makes of answers, a tiny network for how one is loaded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sfumato.attacks.claim_judges import EntailmentJudge
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.entailment import EntailmentModel


class Stated:
    """What follows is what is stated."""

    id = "stated"

    def entailed(
        self, premises: Sequence[Sequence[str]], hypotheses: Sequence[str], progress: Any = None
    ) -> list[float]:
        return [float(one in premise) for premise, one in zip(premises, hypotheses, strict=True)]


def test_identity_redaction_and_others() -> None:
    judge = EntailmentJudge(Stated())
    claims = [("a", "b"), ("c",), ("d",), ()]
    assert judge.distances(claims, [("b", "a"), ("C",), (), ("x",)]) == [[0.0, 0.0], [1.0], [1.0], []]
    assert "stated" in judge.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertForSequenceClassification

    from tiny_models import bert_tokenizer, write

    tokenizer = bert_tokenizer()
    torch.manual_seed(3)
    labels = {0: "contradiction", 1: "ENTAILMENT", 2: "neutral"}
    config = BertConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, hidden_size=32, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=48, initializer_range=0.5, num_labels=3, id2label=labels,
        label2id={label: number for number, label in labels.items()}, pad_token_id=0,
    )  # fmt: skip
    return write(tmp_path_factory.mktemp("nli"), BertForSequenceClassification(config).eval(), tokenizer)


@pytest.mark.models
def test_a_network_is_asked_in_the_same_way_alone_and_in_company(folder: Path) -> None:
    model = EntailmentModel(str(folder))
    premises = [
        ("the cat sat on the mat", "the dog ran"),
        ("green river",),
        ("the park " * 20, "the hall", "a mat " * 9),
    ]
    claims = ["the dog ran far", "a green river", "the cat"]
    told: list[float] = []
    together = model.entailed(premises, claims, told.append)
    alone = [model.entailed([premise], [claim])[0] for premise, claim in zip(premises, claims, strict=True)]
    assert together == pytest.approx(alone, abs=1e-5)
    assert all(0 < one < 1 for one in together)
    assert len(set(together)) == 3
    assert told[-1] == 1.0
    longest = model.entailed([[one] for one in premises[2]], [claims[2]] * 3)
    assert together[2] >= min(longest)  # several windows, of which the best counts
    judged = EntailmentJudge(model).distances([[claims[0]]], [premises[0]])
    assert judged == [[pytest.approx(1 - alone[0], abs=1e-6)]]


@pytest.mark.models
def test_the_label_is_found_by_its_name(folder: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(folder, other)
    setting = json.loads((other / "config.json").read_text(encoding="utf-8"))
    setting["id2label"] = {"0": "good", "1": "bad", "2": "ugly"}
    setting["label2id"] = {"good": 0, "bad": 1, "ugly": 2}
    (other / "config.json").write_text(json.dumps(setting), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="entailment"):
        EntailmentModel(str(other)).entailed([("a",)], ["b"])


@pytest.mark.models
def test_pickled_weights_and_missing_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match="pickled"):
        EntailmentModel(str(tmp_path)).entailed([("a",)], ["b"])
    with pytest.raises(MissingExtraError):
        EntailmentModel(str(tmp_path / "nothing")).entailed([("a",)], ["b"])

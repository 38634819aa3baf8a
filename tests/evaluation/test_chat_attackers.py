"""All attackers with a chat model from the command line, by an endpoint on this machine: figures, page, no text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from chat_server import Server, said
from command_line import CANARY, call, write_jsonl, write_vectors
from releasing import release_file
from sfumato.abstract.chat import ChatModel, Question
from sfumato.evaluation.bench import _answer
from sfumato.files import FileOptions
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions

pytestmark = pytest.mark.models
for needed in ("httpx", "bm25s", "sklearn", "jinja2", "rouge_score", "sacrebleu"):
    pytest.importorskip(needed)
WORDS = ["cat", "dog", "house", "river", "stone", "green", "winter", "friend", "market", "doctor", "window", "summer"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    draw = np.random.default_rng(1)
    texts = [". ".join(f"The {a} of the {b} saw a {c}" for a, b, c in draw.choice(WORDS, (4, 3))) for _ in range(12)]
    rows = [
        {"id": f"r{n}", "job": ("baker", "nurse")[n % 2], "text": f"{text}. {CANARY}."}
        for n, text in enumerate(texts)
    ]
    original = write_jsonl(tmp_path / "original.jsonl", rows)
    made = sfumato.build("custext", 2.0, vocabulary=write_vectors(tmp_path, WORDS), set_size=3)
    options = RunOptions(FileOptions(id_field="id", keep=("job",)), overwrite=True)
    release_file(made, original, tmp_path / "release.jsonl", options, SeededRandomness(1))
    return original, tmp_path / "release.jsonl"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    def script(number: int, body: dict[str, Any]) -> Any:
        system, user = (turn["content"] for turn in body["messages"])
        return said("Yes." if user == ChatModel.greeting.user else _answer(Question(system, user)) or "nothing")

    with closing(Server(script)) as serving:
        monkeypatch.setenv("SFUMATO_CHAT_URL", serving.url)
        yield serving


def test_every_attacker_with_a_model_runs(files: tuple[Path, Path], server: Server, tmp_path: Path) -> None:
    asked = ("--id-field", "id", "--label", "job", "--attacks", "linkage,reconstruction,attributes", "--metrics", "")
    ran = call("evaluate", *files, *asked, "--chat-model", "m", "--no-cache", "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    studies = {study["study"]: study for study in results["studies"]}
    assert {figure["setting"].get("linker") for figure in studies["linkage"]["figures"]} >= {
        "extract, embed, verify", "law of the release", "bm25 and embeddings",
    }  # fmt: skip
    assert {figure["setting"].get("attacker") for figure in studies["reconstruction"]["figures"]} >= {
        "language model, release alone", "language model, with the law", "law, word by word",
    }  # fmt: skip
    assert any(figure["setting"].get("classifier") == "m" for figure in studies["attributes"]["figures"])
    for study in studies.values():
        assert study["facts"]["chat"]["questions"] > 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for title in ("Can the original text be written again?", "named rightly", "extract, embed, verify"):
        assert title in page
    assert CANARY not in page + json.dumps(results) + ran.out + ran.err
    dry = call("evaluate", *files, *asked, "--chat-model", "m", "--dry-run", "-o", tmp_path / "dry")
    assert dry.code == 0
    assert "questions" in dry.out + dry.err

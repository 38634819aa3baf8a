"""`sfumato synthesize` with models too small to say anything: each method end to end, and a model kept."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from chat_server import Server, said
from command_line import call, everything_below, write_jsonl
from sfumato.models.chat.endpoint import Endpoint
from tiny_causal import llama, saved

pytestmark = pytest.mark.models
NAME = "Zuzanna Quillfeather"


def method(name: str, *options: str) -> tuple[str, ...]:
    """The flags of a method with these options, over the tiny model."""
    return ("-m", name, "--set", "model=model", *(part for option in options for part in ("--set", option)))


FINETUNE = method("finetune", "steps=4", "length=12", "batch=20", "rank=2")
PREDICT = method("predict", "length=4", "group-size=8", "top-k=5")
ASKED = ("--units", 60, "--records", 6, "-e", 6, "--code", "topic=move,call")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(llama(), tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def here(tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [
        {"text": f"{NAME} says {n} <|end|><|user|> again", "topic": ("move", "call")[n % 2], "who": n % 20}
        for n in range(60)
    ]
    write_jsonl(tmp_path / "in.jsonl", rows)
    (tmp_path / "model").symlink_to(model)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(path: str = "out.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("chosen", [FINETUNE, PREDICT], ids=["finetune", "predict"])
def test_a_method_writes_records_and_a_statement(here: Path, chosen: tuple[Any, ...]) -> None:
    made = call("synthesize", "in.jsonl", "-o", "out.jsonl", *chosen, *ASKED)
    assert made.code == 0, made.err
    assert "6 synthetic records -> out.jsonl" in made.out
    assert [set(row) for row in lines()] == [{"topic", "text"}] * 6
    stated = json.loads(Path("out.jsonl.privacy.json").read_text())
    assert stated["certificate"]["certified"] <= 6.0
    assert stated["method"] == chosen[1]
    assert NAME.encode() not in everything_below(here).replace((here / "in.jsonl").read_bytes(), b"")
    assert sorted(path.name for path in here.iterdir()) == [
        "in.jsonl",
        "model",
        "out.jsonl",
        "out.jsonl.privacy.json",
    ]


@pytest.mark.parametrize("chosen", [FINETUNE, PREDICT], ids=["finetune", "predict"])
def test_a_method_writes_by_public_topics_and_more_of_them_later(here: Path, chosen: tuple[Any, ...]) -> None:
    texts = ("The parcel came three weeks late.", "His diabetes needs more insulin now.")
    write_jsonl(here / "in.jsonl", [{"text": texts[n % 2]} for n in range(60)])
    asked = ("--units", 60, "--records", 8, "-e", 100, "--topics", 3)  # so that noise hides no topic
    keep = ("--save-model", "kept") if chosen is FINETUNE else ()
    made = call("synthesize", "in.jsonl", "-o", "out.jsonl", *chosen, *asked, *keep)
    assert made.code == 0, made.err
    topics = {row["topic"] for row in lines()}
    assert {"a parcel that came late", "diabetes and blood sugar"} <= topics
    shown = call("synthesize", "-o", "out.jsonl", *chosen, *asked, "--dry-run").out
    assert "topics: 3 at most of" in shown
    assert shown.count("is paid for: ") == 3
    if keep:
        own = ("-m", "finetune", "--set", "model=model", "--set", "rank=2", "--records", 9)
        for name in ("more.csv", "more.txt"):
            more = call("synthesize", "--from", "kept", "-o", name, *own)
            assert more.code == 0, more.err
            assert json.loads(Path(f"{name}.privacy.json").read_text())["codes"]["topic"]["most"] == 3
        failed = call("synthesize", "--from", "kept", "-o", "a.csv", *own, "--topics", 3)
        assert "alone" in failed.err


@pytest.mark.parametrize("chosen", [FINETUNE, PREDICT], ids=["finetune", "predict"])
def test_a_dry_run_reads_nothing(here: Path, chosen: tuple[Any, ...]) -> None:
    Path("in.jsonl").unlink()
    told = call("synthesize", "in.jsonl", "-o", "out.jsonl", *chosen, *ASKED, "--dry-run", "--json").json
    assert told["certificate"]["certified"] <= 6.0
    assert told["schedule"]
    shown = call("synthesize", "-o", "out.jsonl", *chosen, *ASKED, "--dry-run").out
    assert "Nothing was read" in shown
    assert shown.count("is paid for: ") == len(told["certificate"]["conditions"]["events"]) == 2
    assert "takes about 1 minute on this machine" in shown
    assert "{" not in shown


def test_more_records_of_a_model_that_was_kept_cost_nothing_more(here: Path) -> None:
    call("synthesize", "in.jsonl", "-o", "out.jsonl", *FINETUNE, *ASKED, "--save-model", "kept")
    assert stat.S_IMODE((here / "kept").stat().st_mode) == 0o700
    assert NAME.encode() not in everything_below(here / "kept")
    own = ("-m", "finetune", "--set", "model=model", "--set", "rank=2")
    made = call("synthesize", "--from", "kept", "-o", "more.csv", *own, "--records", 9)
    assert made.code == 0, made.err
    assert "9 synthetic records" in made.out
    first, more = (json.loads(Path(f"{name}.privacy.json").read_text()) for name in ("out.jsonl", "more.csv"))
    assert (more["epsilon"], more["delta"]) == (first["epsilon"], first["delta"])
    assert more["records"]["written"] == 9
    for wrong, sentence in (
        (("--from", "kept", "-o", "more.csv", *own, "--records", 9), "exists"),
        (("--from", "kept", "-o", "a.csv", *own, "--records", 9, "-e", 3), "alone"),
        (("--from", "kept", "-o", "a.csv", *own), "--records"),
        (("--from", "kept", "-o", "a.txt", *own, "--records", 9), "no fields"),
        (("--from", "model", "-o", "a.csv", *own, "--records", 9), "no fine-tuned model"),
        (("--from", "kept", "-o", "a.csv", *PREDICT, "--records", 9), "tunes no model"),
        (("in.jsonl", "-o", "b.jsonl", *PREDICT, *ASKED, "--save-model", "k"), "tunes no model"),
        (("in.jsonl", "-o", "b.jsonl", *FINETUNE, *ASKED, "--save-model", "kept"), "another place for the model"),
    ):
        failed = call("synthesize", *wrong)
        assert failed.code == 2
        assert sentence in failed.err


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--units", 60, "--records", 6), "Give --epsilon: you decide how much privacy loss is allowed"),
        (("-e", 6, "--records", 6), "Give --units"),
        (("-e", 6, "--units", 10, "--records", 6), "fewer"),
        (("-e", 6, "--units", 60, "--records", 6, "--set", "nothing=1"), "no option nothing"),
        (("-e", 6, "--units", 60, "--records", 6, "--delta", "0.1"), "1 over the number"),
        (("-e", 6, "--units", 60, "--records", 6, "--set", "length=4000"), "no room"),
        (("-e", 6, "--units", 60, "--records", 6, "--set", "model=in.jsonl"), "model"),
        (("--no-guarantee", "-e", 6, "--units", 60, "--records", 6), "not both"),
    ],
)
def test_what_cannot_work_is_one_sentence(here: Path, more: tuple[Any, ...], sentence: str) -> None:
    named = {str(word).partition("=")[0] for word in more if "=" in str(word)}
    pairs = zip(FINETUNE[::2], FINETUNE[1::2], strict=True)
    usual = [word for pair in pairs if str(pair[1]).partition("=")[0] not in named for word in pair]
    failed = call("synthesize", "in.jsonl", "-o", "out.jsonl", *usual, *more)
    assert failed.code == 2
    assert sentence in failed.err
    assert NAME not in failed.err
    assert not (here / "out.jsonl").exists()


def test_a_guarantee_of_predict_needs_exact_scores(here: Path) -> None:
    failed = call("synthesize", "in.jsonl", "-o", "out.jsonl", *PREDICT, *ASKED, "--set", "number_format=bfloat16")
    assert failed.code == 2
    assert "in float32 alone" in failed.err


def test_the_private_folder_is_no_model(here: Path) -> None:
    folder = here / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text(NAME)
    shutil.copytree(here / "model", folder / "model")
    failed = call("synthesize", "texts", "-o", "out", "-m", "finetune", "--set", "model=texts/model", *ASKED[:6])
    assert failed.code == 2
    assert "private" in failed.err or "input" in failed.err
    assert not (here / "out").exists()


def test_training_is_audited_in_one_run() -> None:
    asked = ("audit", "-m", "finetune", "-e", 3, "--canaries", 400, "--steps", 5, "--seed", 1)
    told = call(*asked, "--json").json
    assert told["refuted"] is False
    assert told["lower_bound"] < 3.0 < told["most_that_can_be_shown"]
    assert "is consistent with the claim of 3" in call(*asked).out
    for wrong, sentence in (
        (("-m", "finetune"), "Give --epsilon"),
        (("-m", "finetune", "-e", 9), "show an epsilon of at most"),
        (("-m", "predict", "-e", 3), "trains nothing"),
        (("-m", "santext", "-e", 3, "--steps", 5), "belongs to the audit of finetune"),
    ):
        failed = call("audit", *wrong)
        assert failed.code == 2
        assert sentence in failed.err


def test_an_audit_exits_with_1_where_the_claim_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.synthesis.finetune import dp_sgd

    monkeypatch.setattr(dp_sgd, "gaussian", lambda uniforms: 0.0 * uniforms)  # training without noise
    failed = call("audit", "-m", "finetune", "-e", 3, "--steps", 20, "--confidence", 0.95, "--seed", 1)
    assert failed.code == 1
    assert "REFUTES the claim of 3" in failed.out


def written(number: int, body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    """An answer of public words that no other question gets."""
    words = ("apple", "bread", "chair", "door", "eagle", "fence", "glove", "house", "kite", "lamp", "moon", "nest")
    return said(" ".join(words[number * step % len(words)] for step in (1, 5, 7, 11)) + f" number {number}.")


EVOLVE = ("-m", "evolve", "--chat-model", "big", "--set", "candidates=4", "--set", "rounds=1")


def test_evolve_asks_an_endpoint_as_it_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Endpoint] = []
    kept = Endpoint.ready
    monkeypatch.setattr(Endpoint, "ready", lambda self: (asked.append(self), kept(self)))
    server = Server(written)
    monkeypatch.setenv("SFUMATO_CHAT_URL", server.url)
    more = ("--chat-at-once", 3, "--chat-timeout", 7)
    planned = call("synthesize", "in.jsonl", "-o", "out.jsonl", *EVOLVE, *ASKED, *more, "--dry-run")
    assert planned.code == 0, planned.err
    assert not server.bodies  # nothing is asked in a dry run
    made = call("synthesize", "in.jsonl", "-o", "out.jsonl", *EVOLVE, *ASKED, *more)
    server.close()
    assert made.code == 0, made.err
    assert {(one.at_once, one.timeout, one.folder) for one in asked} == {(3, 7.0, None)}
    assert len(lines()) == 6
    assert NAME not in json.dumps(server.bodies)
    for flags, sentence in (
        (
            (*FINETUNE, "--chat-timeout", 7),
            "--chat-timeout is for what asks a language model, and finetune asks none",
        ),
        ((*EVOLVE, "--chat-at-once", 0), "at least 1"),
        (("-m", "evolve"), "name one with --chat-model"),
    ):
        failed = call("synthesize", "in.jsonl", "-o", "b.jsonl", *flags, *ASKED)
        assert failed.code == 2
        assert sentence in failed.err

"""dp-mlm on the command line, with the model that ships: nothing here needs a network."""

from __future__ import annotations

import json
import math
import signal
import time
from pathlib import Path

import pytest

from command_line import CANARY, call, everything_below, write_jsonl, write_key
from sfumato.building.build import build_contextual
from sfumato.privacy.composition import compose
from warm_command import finish, start

pytestmark = pytest.mark.models
pytest.importorskip("torch")

TEXTS = ["The doctor saw Anna.", f"{CANARY}, a nurse from Oslo, slept.", "", "Yes", "😀 [MASK] [SEP] two \x00 три"]
WORDS = [4, 6, 0, 1, 4]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "in.jsonl", [{"id": str(n), "text": text} for n, text in enumerate(TEXTS)])


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_file_is_rewritten_with_a_statement(source: Path) -> None:
    output = source.with_name("out.jsonl")
    softmax = ("--set", "law=softmax")
    told = call("sanitize", source, "-o", output, "-m", "dp-mlm", "-e", 30, *softmax, "--json").json["privacy"]
    assert (told["mechanism"], told["definition"], told["epsilon_per_draw"]) == ("dp-mlm", "LDP", 30.0)
    assert told["private"] is True
    assert "every word" in told["detector"]["protects"]
    certificate = told["certificate"]
    assert certificate["kind"] == "exact"
    assert 0.9999999 * 30 <= certificate["certified"] <= 30.0
    tau, outcomes = certificate["scale"], certificate["conditions"]["outcomes"]
    assert math.isclose(
        tau + math.log((1 + (outcomes - 1) * math.exp(tau)) / (math.exp(tau) + outcomes - 1)), 30, rel_tol=1e-9
    )
    assert "public sentences" in told["clip"]["source"]
    records = told["records"]
    assert records["draws_per_record"]["total"] == sum(WORDS)
    most = records["cost_per_record"]["maximum"]
    assert (most["draws"], most["epsilon"]) == (6, 180.0)
    assert most["epsilon_by_zcdp"] > 0
    found = texts(output)
    assert CANARY.encode() not in everything_below(source.parent / "out.jsonl")
    assert CANARY.lower() not in output.read_text(encoding="utf-8").lower()
    assert found[2] == ""
    assert found[4].startswith("😀 [")
    assert "три" not in found[4]


def test_zcdp_of_a_document_uses_the_bounded_range() -> None:
    guarantee = build_contextual("dp-mlm", 30.0, law="softmax").others.mechanism.guarantee
    assert guarantee.rho is not None
    assert guarantee.rho < 0.5 * 30.0**2
    by_hand = 6 * guarantee.rho + 2 * math.sqrt(6 * guarantee.rho * math.log(1e6))
    found = compose(guarantee, 6)
    assert found.approximate is not None
    assert 0.9 * by_hand < found.approximate <= by_hand


def test_a_document_budget_is_split_over_its_words(source: Path) -> None:
    output = source.with_name("out.jsonl")
    told = call("sanitize", source, "-o", output, "-m", "dp-mlm", "--set", "document_epsilon=120", "--json").json[
        "privacy"
    ]
    assert told["unit"] == "one document"
    assert told["epsilon_per_document"] == 120.0
    assert "over its number of draws" in told["epsilon_per_draw"]
    for cost in told["records"]["cost_per_record"].values():
        assert cost["epsilon"] in (0.0, 120.0)
    assert "Each document satisfies LDP, epsilon 120, for one document" in told["summary"]


def test_only_what_is_detected_is_rewritten(source: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text(f"{CANARY}\nAnna\n", encoding="utf-8")
    output = source.with_name("out.jsonl")
    told = call(
        "sanitize", source, "-o", output, "-m", "dp-mlm", "-e", 30, "--detect", f"list:{terms}", "--json"
    ).json
    found = texts(output)
    assert found[0].startswith("The doctor saw ")
    assert found[0] != TEXTS[0]
    assert found[1].endswith(", a nurse from Oslo, slept.")
    assert CANARY not in found[1]
    assert told["privacy"]["records"]["draws_per_record"]["total"] == 2
    kept = source.with_name("kept.jsonl")
    call("sanitize", source, "-o", kept, "-m", "dp-mlm", "-e", 30, "--detect", "content-words", "--json")
    assert texts(kept)[0].startswith("The ")
    statement = json.loads(kept.with_name("kept.jsonl.privacy.json").read_text(encoding="utf-8"))
    assert "stop words" in statement["detector"]["leaves_unprotected"]


def test_blocks_additions_and_pins(source: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    write_key(key)
    options = (
        "-m",
        "dp-mlm",
        "-e",
        60,
        "--set",
        "block=4",
        "--set",
        "addition=1.0",
        "--pin",
        key,
        "--id-field",
        "id",
    )
    outputs = [source.with_name(f"out{n}.jsonl") for n in range(2)]
    told = [call("sanitize", source, "-o", output, *options, "--json").json["privacy"] for output in outputs]
    assert texts(outputs[0]) == texts(outputs[1])
    assert told[0]["records"]["draws_per_record"]["total"] == 2 * sum(WORDS)
    assert told[0]["parameters"]["block"] == 4
    assert any("added" in seen for seen in told[0]["visible"])
    assert len(texts(outputs[0])[0].split()) == 8


@pytest.mark.parametrize("mechanism", ["dp-prompt", "dp-paraphrase"])
def test_what_a_generative_mechanism_cannot_do_is_one_sentence(source: Path, mechanism: str) -> None:
    output, model = source.with_name("out.jsonl"), source.with_name("model")
    model.mkdir()
    method = ("sanitize", source, "-o", output, "-m", mechanism, "-e", 5, "--set", "clip=0,1")
    base = (*method, "--set", f"model={model}")
    assert "holds no .safetensors file" in call(*base).err
    assert "leave out --detect" in call(*base, "--detect", "content-words").err
    assert "no option block" in call(*base, "--set", "block=2").err
    assert "must be public" in call(*method, "--set", f"model={source.parent}").err
    assert not output.exists()
    assert "tuned on paraphrases" in call("sanitize", source, "-o", output, "-m", "dp-paraphrase", "-e", 5).err


def test_explain_gives_the_law_of_a_word_there() -> None:
    base = ("explain", "-m", "dp-mlm", "--epsilon", 60, "--text", "The doctor saw the patient.", "--position")
    law = call(*base, 1, "--all", "--json").json
    assert law["support"] == len(law["law"])
    assert math.isclose(sum(one["probability"] for one in law["law"]), 1.0, rel_tol=1e-9)
    assert law["law"][0]["probability"] / law["law"][-1]["probability"] <= math.exp(law["scale"]) * (1 + 1e-9)
    other = call(*base, 4, "--json").json
    assert [one["token"] for one in other["law"]] != [one["token"] for one in law["law"][:20]]
    for position in (5, -1):
        assert "no word" in call(*base, position).err
    assert "--text" in call("explain", "-m", "dp-mlm", "-e", 60).err
    assert "Word 1" in call(*base, 1).out


def test_certify_names_scale_outcomes_and_clip_range() -> None:
    exact = call("certify", "-m", "dp-mlm", "-e", 50, "--set", "law=softmax", "--json").json
    paper = call("certify", "-m", "dp-mlm", "-e", 50, "--set", "calibration=paper", "--json").json
    assert paper["scale"] == exact["paper_scale"] == 25.0
    assert exact["scale"] > 1.5 * paper["scale"]
    assert paper["certified"] < exact["certified"] <= 50.0
    assert exact["outcomes"] == 22541
    assert exact["clip"]["lower"] < exact["clip"]["upper"]
    given = call("certify", "-m", "dp-mlm", "-e", 50, "--set", "clip=-3,16", "--json").json
    assert given["clip"] == {"lower": -3.0, "upper": 16.0, "source": "given by hand"}
    assert given["scale"] == exact["scale"]


def test_a_range_is_measured_on_public_text_and_used(source: Path, tmp_path: Path) -> None:
    text, clip = tmp_path / "public.txt", tmp_path / "clip.json"
    text.write_text("The sun rose over the hills.\nNobody was there.\n", encoding="utf-8")
    found = call("models", "calibrate", "--law", "softmax", "--text", text, "-o", clip, "--json").json
    assert found["lower"] < found["upper"]
    assert "2 lines, sha256" in found["source"]
    told = call("certify", "-m", "dp-mlm", "-e", 50, "--set", f"clip={clip}", "--json").json
    assert told["clip"] == {key: found[key] for key in ("lower", "upper", "source")}
    refused = call("sanitize", clip, "-o", tmp_path / "x.txt", "-m", "dp-mlm", "-e", 5, "--set", f"clip={clip}")
    assert refused.code == 2
    assert "--set clip=" in call("models", "calibrate", "--law", "softmax").out


def test_gains_are_measured_on_public_text_and_used(source: Path, tmp_path: Path) -> None:
    text, gains = tmp_path / "public.txt", tmp_path / "gains.json"
    text.write_text("The sun rose over the hills.\nNobody was there.\n", encoding="utf-8")
    found = call("models", "calibrate", "--text", text, "-o", gains, "--json").json
    assert found["firsts"][0] == 1
    assert found["firsts"][-1] == 22541
    assert "mean cosine" in found["source"]
    assert "2 lines, sha256" in found["source"]
    told = call("certify", "-m", "dp-mlm", "-e", 5, "--set", f"gains={gains}", "--json").json
    assert told["ranking"] == {"outcomes": 22541, "source": found["source"]}
    assert told["certified"] <= 5.0
    refused = call("sanitize", gains, "-o", tmp_path / "x.txt", "-m", "dp-mlm", "-e", 5, "--set", f"gains={gains}")
    assert refused.code == 2
    for wrong in ("{}", "no json", json.dumps({**found, "firsts": [2, 1]}), json.dumps({**found, "gains": ["x"]})):
        gains.write_text(wrong, encoding="utf-8")
        told = call("certify", "-m", "dp-mlm", "-e", 5, "--set", f"gains={gains}")
        assert told.code == 2
        assert told.err.count("Error") == 1
    gains.write_text(json.dumps({**found, "model": "another"}), encoding="utf-8")
    assert "another model" in call("certify", "-m", "dp-mlm", "-e", 5, "--set", f"gains={gains}").err
    assert (
        "leave them out"
        in call("certify", "-m", "dp-mlm", "-e", 5, "--set", "law=softmax", "--set", f"gains={gains}").err
    )


@pytest.mark.parametrize("rule", ["best", "paper"])
def test_the_law_by_rank_has_no_rule(rule: str) -> None:
    told = call("models", "calibrate", "--rule", rule)
    assert told.code == 2
    assert "--law softmax" in told.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "Give --epsilon"),
        (("-e", "5", "--set", "document_epsilon=5"), "one of the two"),
        (("-e", "5", "--set", "k=2"), "leave out k "),
        (("-e", "5", "--set", "vocabulary=words.txt"), "leave out vocabulary "),
        (("-e", "5", "--set", "unknown=nearest"), "leave out unknown "),
        (("-e", "5", "--set", "model=nobody/nothing"), "sfumato provision nobody/nothing"),
        (("-e", "5", "--set", "model=./nowhere"), "no folder"),
        (("-e", "5", "--set", "clip=3,1"), "lower one first"),
        (("-e", "5", "--set", "clip=x"), "'x' is neither"),
        (("-e", "5", "--set", "block=0"), "from 1 on"),
        (("-e", "5", "--set", "addition=2"), "probability"),
        (("-e", "5", "--set", "nothing=2"), "no option nothing"),
        (("-e", "5", "--set", "number_format=float16"), "float32, int8 or bfloat16"),
        (("-e", "2000", "--set", "law=softmax"), "resolution"),
        (("-e", "5", "--set", "law=rang"), "rank or softmax"),
        (("-e", "5", "--set", "law=rank", "--set", "clip=-1,2"), "leave it out, or give --set law=softmax"),
        (("-e", "5", "--set", "law=rank", "--set", "calibration=paper"), "has no paper calibration"),
        (("-e", "nan"), "finite"),
    ],
)
def test_what_cannot_be_is_one_sentence(source: Path, options: tuple[str, ...], reason: str) -> None:
    output = source.with_name("out.jsonl")
    found = call("sanitize", source, "-o", output, "-m", "dp-mlm", *options)
    assert found.code == 2
    assert reason in found.err
    assert found.err.count("Error") == 1
    assert CANARY not in found.err
    assert not output.exists()
    assert (
        "leave out model " in call("sanitize", source, "-o", output, "-m", "santext", "-e", 5, "--set", "model=x").err
    )


def test_a_run_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A batch of 2 makes chunks of 8 records."""
    records = [{"id": str(n), "text": f"A river {n}"} for n in range(32)]
    source, output = write_jsonl(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl"
    options = ("sanitize", source, "-o", output, "-m", "dp-mlm", "-e", 50, "--seed", 3, "--set", "batch=2")
    for _ in range(3):  # a test that is held up stops a run that is over, but not three times one after the other
        process = start(*options)
        while process.poll() is None and not list(tmp_path.glob(".out.jsonl.parts/0*.json")):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        finish(process)
        if not output.exists():
            break
        output.unlink()
        output.with_name("out.jsonl.privacy.json").unlink()
    assert not output.exists()
    assert 1 <= len(list(tmp_path.glob(".out.jsonl.parts/0*.json"))) < 4
    assert call(*options, "--resume").code == 0
    whole = tmp_path / "whole.jsonl"
    assert call("sanitize", source, "-o", whole, *options[4:]).code == 0
    assert texts(output) == texts(whole)
    assert len(texts(output)) == 32

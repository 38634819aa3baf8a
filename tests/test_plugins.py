"""Another package adds a method, a detector, a study and a metric: one class and one entry point each."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import sfumato
from command_line import call, write_jsonl, write_vectors
from scripted_models import ScriptedMasked
from sfumato import registry
from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.evaluation.comparison.plan import read_comparisons

ROWS = {
    "sfumato.mechanisms": "ladder = rainbow:Ladder",
    "sfumato.contextual": "sparing = rainbow:Sparing",
    "sfumato.heuristics": "initials = rainbow:Initials",
    "sfumato.detectors": "shouted = rainbow:Shouted",
    "sfumato.attacks": "copied = rainbow:Copied",
    "sfumato.metrics": "lengths = rainbow:Lengths",
    "sfumato.synthesizers": "tally = rainbow:Tally",
}
TEXT = "The cat saw ANNA LEES near the river and the dog."


@pytest.fixture
def rainbow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package, installed as pip would leave it: a module, and metadata with entry points."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copy(Path(__file__).with_name("plugin") / "rainbow.py", site)
    install(site, "rainbow", ROWS)
    monkeypatch.syspath_prepend(site)
    yield tmp_path
    sys.modules.pop("rainbow", None)


def install(site: Path, name: str, rows: Mapping[str, str]) -> None:
    info = site / f"{name}-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n")
    (info / "RECORD").write_text(f"{name}.py,,\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{row}\n" for group, row in rows.items()))


def test_without_the_package_there_is_none_of_it() -> None:
    assert not [point for group in ROWS for point in entry_points(group=group) if point.value.startswith("rainbow")]
    with pytest.raises(ConfigurationError, match="no method 'ladder'"):
        sfumato.build("ladder", 2.0)


def test_everything_is_listed(rainbow: Path) -> None:
    found = call("list", "--json").json
    kinds = ("mechanisms", "methods_without_a_guarantee", "synthesis", "detectors", "attacks", "metrics")
    names = {name for kind in kinds for name, about in found[kind].items() if about == "from the package rainbow 2.5"}
    assert names == {row.split(" ")[0] for row in ROWS.values()}
    shown = call("list", "ladder", "--json").json
    assert shown["family"] == registry.TOKENS
    assert [one["name"] for one in shown["options"]["its own"]] == ["step"]
    assert "how many tokens make a step" in call("list", "ladder").out


def test_a_mechanism(rainbow: Path) -> None:
    vectors = write_vectors(rainbow)
    made = sfumato.build("ladder", 2.0, vocabulary=vectors, step=3)
    release = made.sanitize("the cat", sfumato.SeededRandomness(1))
    assert release.text != "the cat"
    assert made.statement_fields()["vocabularies"]["ANY"]["parameters"] == {"epsilon": 2.0, "step": 3}
    with pytest.raises(ConfigurationError, match=r"ladder has no option k, which belongs to clusant; leave out k"):
        sfumato.build("ladder", 2.0, vocabulary=vectors, k=2.0)
    source, output = write_jsonl(rainbow / "in.jsonl", [{"text": TEXT}]), rainbow / "out.jsonl"
    asked = ("sanitize", source, "-o", output, "-m", "ladder", "-e", 4, "--set", f"vocabulary={vectors}")
    told = call(*asked, "--set", "step=2", "--json").json["privacy"]
    assert (told["mechanism"], told["epsilon_per_draw"]) == ("ladder", 4.0)
    assert told["certificate"]["certified"] <= 4.0
    assert "is from the package rainbow 2.5; its proof and certificate are not sfumato's." in told["summary"]
    assert (told["origin"], told["versions"]["rainbow"]) == ("rainbow:Ladder rainbow 2.5", "2.5")
    refused = call(*asked, "--force", "--set", "step=two").err
    assert "step is a whole number, not 'two'" in refused


def test_the_metric_guarantee_of_a_mechanism_is_audited(rainbow: Path) -> None:
    """Its distance is its own, and the audit needs to know no class for it."""
    asked = ("audit", "-m", "ladder", "-e", 2, "--set", f"vocabulary={write_vectors(rainbow)}", "--set", "step=2")
    found = call(*asked, "--samples", 20_000, "--seed", 3, "--tokens", "cat,house", "--json").json
    worst, far = found["pairs"]
    assert far["distance"] == 1.0  # two tokens make a step
    assert worst["exact"] == pytest.approx(found["certificate"]["certified"])
    assert not found["refuted"]


def test_a_mechanism_in_context(rainbow: Path) -> None:
    made = sfumato.build("sparing", 8.0, model=ScriptedMasked(), clip=(-5.0, 0.0), thanks=2)
    assert made.statement_fields()["parameters"]["thanks"] == 2
    assert made.sanitize("One elm fell.", sfumato.SeededRandomness(1)).text.endswith(".")
    assert made.guarantee is not None


def test_a_heuristic_and_a_detector(rainbow: Path) -> None:
    assert sfumato.build("initials", dots=2).sanitize(TEXT).text == TEXT.replace("ANNA", "A..").replace("LEES", "L..")
    source, output = write_jsonl(rainbow / "in.jsonl", [{"text": TEXT}]), rainbow / "out.jsonl"
    asked = ("sanitize", source, "-o", output, "-m", "initials", "--set", "dots=0", "--set", "detect.least=3")
    assert call(*asked).code == 0
    assert json.loads(output.read_text())["text"] == "The cat saw A L near the river and the dog."
    found = call("find", "--text", TEXT, "--detect", "shouted", "--json").json
    assert found["spans"] == 2
    assert (
        "--detect shouted has no option most; leave out most" in call(*asked, "--force", "--set", "detect.most=1").err
    )


def test_a_file_that_an_option_names_is_not_the_private_input(rainbow: Path) -> None:
    source, output = write_jsonl(rainbow / "in.jsonl", [{"text": TEXT}]), rainbow / "out.jsonl"
    for options in ({"words": source}, {"detect": "shouted", "detect_options": {"words": str(source)}}):
        with pytest.raises(VocabularyError, match="private input"):
            sfumato.sanitize_file("initials", source, output, **options)


WRONG = """
from dataclasses import dataclass
from typing import ClassVar
from rainbow import Initials, Ladder, Lengths, Shouted
from sfumato.abstract.detector import Detector
from sfumato.mechanisms.santext import SanText

class Leaking(SanText):
    def draw(self, tokens, uniforms):
        return tokens

class Loose(Detector):
    description = unprotected = detect = ""
"""


@pytest.mark.parametrize(
    ("group", "row", "message"),
    [
        ("mechanisms", "leaking = wrong:Leaking", "is called 'santext' and stands under 'leaking'"),
        ("mechanisms", "initials2 = wrong:Initials", "no dataclass of the kind Mechanism"),
        ("heuristics", "ladder2 = wrong:Ladder", "no dataclass of the kind SpanHeuristic"),
        ("contextual", "ladder2 = wrong:Ladder", "no dataclass of the kind ContextualMechanism"),
        ("detectors", "lengths2 = wrong:Lengths", "no dataclass of the kind Detector"),
        ("detectors", "loose = wrong:Loose", "no dataclass of the kind Detector"),
        ("attacks", "shouted2 = wrong:Shouted", "no dataclass of the kind Measure"),
        ("heuristics", "ladder = wrong:Initials", "'ladder' is given twice, by .*rainbow 2.5.*wrong 2.5"),
    ],
)
def test_a_class_that_is_not_what_it_stands_for_is_refused(rainbow: Path, group: str, row: str, message: str) -> None:
    site = rainbow / "site"
    (site / "wrong.py").write_text(WRONG)
    install(site, "wrong", {f"sfumato.{group}": row})
    registry._points.cache_clear()
    load = {"detectors": registry.detector_class, "attacks": registry.study_class}.get(group, registry.method_class)
    try:
        with pytest.raises(ConfigurationError, match=message):
            load(row.split(" ")[0])
    finally:
        registry._points.cache_clear()
        sys.modules.pop("wrong", None)


@pytest.mark.models
def test_an_attack_and_a_metric(rainbow: Path) -> None:
    pytest.importorskip("torch")
    rows = [{"id": str(number), "text": f"{TEXT} {number}"} for number in range(12)]
    before = write_jsonl(rainbow / "in.jsonl", rows)
    after = write_jsonl(rainbow / "out.jsonl", [{**row, "text": row["text"] + "!" * (number % 2)}
                                                for number, row in enumerate(rows)])  # fmt: skip
    asked = ("evaluate", before, after, "-o", rainbow / "found", "--id-field", "id", "--metrics", "lengths")
    studies = {study["study"]: study for study in call(*asked, "--attacks", "copied", "--json").json["studies"]}
    assert studies["copied"]["figures"][0]["value"] == pytest.approx(0.5)
    assert studies["lengths"]["figures"][0]["value"] == pytest.approx(0.5)
    page = (rainbow / "found" / "report.html").read_text(encoding="utf-8")
    assert ">Copied</h3>" in page
    assert "more characters" in page
    assert "copied" in call(*asked, "--attacks", "copid").err  # which is suggested


def test_a_plan_may_give_its_options(rainbow: Path) -> None:
    write_jsonl(rainbow / "in.jsonl", [{"text": TEXT}])
    plan = rainbow / "plan.toml"
    plan.write_text("[input]\nfile = 'in.jsonl'\n[[method]]\nmechanism = 'ladder'\nepsilon = [2, 4]\nstep = 2\n")
    [found] = read_comparisons(plan)
    assert found.methods[0].options == {"step": 2}
    plan.write_text(plan.read_text().replace("step", "stairs"))
    with pytest.raises(ConfigurationError, match="unknown key 'stairs'"):
        read_comparisons(plan)


def test_a_method_of_synthesis(rainbow: Path) -> None:
    source = write_jsonl(rainbow / "in.jsonl", [{"text": TEXT}] * 50)
    asked = ("synthesize", source, "-o", rainbow / "out.jsonl", "-m", "tally", "--units", 50, "--records", 2, "-e", 4)
    told = call(*asked, "--set", "digits=5", "--json").json["privacy"]
    assert (told["method"], told["origin"], told["epsilon"]) == ("tally", "rainbow:Tally rainbow 2.5", 4.0)
    assert "not sfumato's, but those of the package rainbow 2.5" in told["summary"]
    assert told["versions"]["rainbow"] == "2.5"
    assert "how many digits" in call("list", "tally").out

"""The package of examples/own-mechanism: installed, tested by its own tests, audited, and refused if it lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import call, write_jsonl, write_vectors
from scripted_models import ScriptedMasked
from sfumato.errors import GuaranteeError
from test_plugins import install

EXAMPLE = Path(__file__).parents[1] / "examples" / "own-mechanism"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the package as pip would leave it, with the entry points of its pyproject.toml."""
    folder = tmp_path / "site"
    folder.mkdir()
    for path in EXAMPLE.glob("*.py"):
        shutil.copy(path, folder)
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    rows = {group: "\n".join(f"{name} = {value}" for name, value in own.items()) for group, own in points.items()}
    install(folder, "response", rows)
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("response", None)


def test_its_own_tests_pass(site: Path) -> None:
    """They hold the loss over all pairs, draws with power, and a wrong claim that is refused."""
    places = os.pathsep.join([str(site), str(Path(sfumato.__file__).parents[1])])
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_response.py"]
    plain = {"PYTHONPATH": places, "PYTEST_ADDOPTS": "-p no:langsmith_plugin -p no:faker -p no:anyio"}
    done = subprocess.run(asked, cwd=site, env={**os.environ, **plain}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


def test_a_file_is_released_with_its_guarantee(site: Path) -> None:
    source, output = write_jsonl(site / "in.jsonl", [{"text": "the cat saw a dog"}]), site / "out.jsonl"
    asked = (
        "sanitize",
        source,
        "-o",
        output,
        "-m",
        "response",
        "-e",
        2,
        "--set",
        f"vocabulary={write_vectors(site)}",
    )
    stated = call(*asked, "--detect", "words", "--json").json["privacy"]
    assert (stated["mechanism"], stated["definition"], stated["origin"]) == (
        "response", "LDP", "response:Response response 2.5",
    )  # fmt: skip
    assert stated["certificate"]["certified"] == pytest.approx(2.0)
    assert "is from the package response 2.5; its proof and certificate are not sfumato's." in stated["summary"]


def test_draws_that_break_the_certified_law_are_refuted(site: Path) -> None:
    """A certificate looks at the law that the class shows; only draws show what it does."""
    asked = (
        "audit",
        "-m",
        "response",
        "-e",
        2,
        "--set",
        f"vocabulary={write_vectors(site)}",
        "--samples",
        40_000,
        "--seed",
        3,
    )
    assert call(*asked).code == 0
    honest = (site / "response.py").read_text()
    lying = honest.replace("bernoulli(numbers[:, 0], self.leaves)", "bernoulli(numbers[:, 0], 0.1 * self.leaves)")
    assert lying != honest
    (site / "response.py").write_text(lying)
    sys.modules.pop("response")
    assert call(*asked, "--json").code == 1


def test_a_wrong_claim_releases_nothing(site: Path) -> None:
    wrong = (site / "response.py").read_text().replace("(len(self.vocabulary) - 1) * math.exp", "math.exp")
    (site / "response.py").write_text(wrong)
    sanitizer = sfumato.build("response", 2.0, vocabulary=write_vectors(site), detect="words")
    with pytest.raises(GuaranteeError, match="epsilon 2 is not certified on this vocabulary"):
        sanitizer.sanitize("the cat saw a dog")
    source, output = write_jsonl(site / "in.jsonl", [{"text": "the cat saw a dog"}]), site / "out.jsonl"
    asked = (
        "sanitize",
        source,
        "-o",
        output,
        "-m",
        "response",
        "-e",
        2,
        "--set",
        f"vocabulary={write_vectors(site)}",
    )
    assert "not certified" in call(*asked, "--detect", "words").err
    assert not output.exists()


def test_a_mechanism_in_context_that_is_not_certified_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sanitizer = sfumato.build("dp-mlm", 9.0, model=ScriptedMasked())
    assert sanitizer.sanitize("One elm fell.").text

    def refuse(*_: Any) -> Any:
        raise GuaranteeError("the law does not hold")

    monkeypatch.setattr("sfumato.engines.contextual.Spending.certificate", refuse)
    with pytest.raises(GuaranteeError, match="does not hold"):
        sanitizer.sanitize("One elm fell.")

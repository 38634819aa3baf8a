"""The house: its contract, its picture and its page say what the code is."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "sfumato"
ENGINES = {"TokenSanitizer", "ContextualSanitizer", "SpanSanitizer", "TextSanitizer"}


def asks_for_an_engine(path: Path) -> bool:
    """Whether a call of isinstance at ``path`` names an engine."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    asked = [call for call in calls if getattr(call.func, "id", "") == "isinstance"]
    return any(ENGINES & {getattr(node, "id", "") for node in ast.walk(call)} for call in asked)


def test_nobody_but_the_builders_asks_which_engine_it_is(tmp_path: Path) -> None:
    paths = [
        path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ("engines", "building")
    ]
    assert [path for path in paths if asks_for_an_engine(path)] == []
    mistake = tmp_path / "mistake.py"
    mistake.write_text("def cost(made):\n    return isinstance(made, int | SpanSanitizer)\n", encoding="utf-8")
    assert asks_for_an_engine(mistake)


@pytest.mark.parametrize(
    ("path", "text", "broken"),
    [
        ("nowhere.py", "", True),  # a module that nobody placed
        ("text/upward.py", "import sfumato.privacy.guarantee\n", True),
        ("mechanisms/beside.py", "import sfumato.heuristics.redaction\n", True),
        ("text/fine.py", "import sfumato.errors\n", False),
    ],
)
def test_the_contract_catches(tmp_path: Path, path: str, text: str, broken: bool) -> None:
    shutil.copytree(SOURCE, tmp_path / "sfumato", ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "sfumato" / path).write_text(text, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode != 0) is broken, run.stdout + run.stderr


def test_the_picture_is_drawn_from_the_code() -> None:
    path = ROOT / "docs" / "images" / "make_house.py"
    spec = importlib.util.spec_from_file_location("make_house", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_house"] = module
    try:
        spec.loader.exec_module(module)
        assert module.TARGET.read_text(encoding="utf-8") == module.drawn(module.floors()), f"run python {path}"
    finally:
        del sys.modules["make_house"]


def test_the_page_names_what_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(sfumato(?:\.\w+)+)`", page))
    assert len(names) > 15
    for name in names:
        place, _, last = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(place), last), name

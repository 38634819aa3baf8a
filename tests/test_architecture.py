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
CLOSED = ("engines", "kinds")
"""The rooms whose classes nobody asks for from outside: what they are called or can do is asked instead."""


def closed_classes() -> dict[str, str]:
    """The room of every class that is defined in a closed room."""
    trees = ((room, ast.parse(path.read_text())) for room in CLOSED for path in (SOURCE / room).rglob("*.py"))
    return {node.name: room for room, tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def asked_for(path: Path, classes: dict[str, str], own: str) -> set[str]:
    """The ``classes`` of rooms other than its ``own`` that the module at ``path`` asks for: is it one of them?"""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    known: dict[str, set[str]] = {}
    modules = {"sfumato"}
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {name.asname for name in node.names if name.asname and name.name.startswith("sfumato.")}
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sfumato"):
            continue
        for name in node.names:
            room = classes.get(name.name)
            if room not in (None, own) and (
                node.module == "sfumato" or f"{node.module}.".startswith(f"sfumato.{room}.")
            ):
                known[name.asname or name.name] = {name.name}
            if str(node.module).startswith(tuple(f"sfumato.{closed}" for closed in CLOSED)):
                modules.add(name.asname or name.name)

    def named(tree: ast.AST) -> set[str]:
        dotted = [part for part in ast.walk(tree) if isinstance(part, ast.Attribute) and root(part) in modules]
        found = {part.attr for part in dotted if classes.get(part.attr) not in (None, own)}
        return found.union(*(known.get(part.id, set()) for part in ast.walk(tree) if isinstance(part, ast.Name)))

    for node in nodes:  # a name for several of them, such as DRAWN = DrawnValues | Shifted
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not calls(node.value):
            known.setdefault(node.targets[0].id, set()).update(named(node.value))
    asked = [named(node.args[1]) for node in nodes if is_asking(node)]
    asked += [named(node) for node in nodes if isinstance(node, ast.Compare) and asks_for_type(node)]
    asked += [named(node.cls) for node in nodes if isinstance(node, ast.MatchClass)]
    return set().union(*asked)


def root(node: ast.AST) -> str:
    """The first name of a dotted one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", "")


def calls(tree: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(tree))


def is_asking(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass")


def asks_for_type(node: ast.Compare) -> bool:
    """Whether one side of a comparison is the class of a value."""
    sides = [node.left, *node.comparators]
    return any(
        (isinstance(side, ast.Call) and getattr(side.func, "id", "") == "type")
        or (isinstance(side, ast.Attribute) and side.attr == "__class__")
        for side in sides
    )


def test_nobody_outside_its_room_asks_for_a_class() -> None:
    classes = closed_classes()
    assert {"Engine", "DrawnValues", "Shifted", "Kept", "Embedded"} <= classes.keys()
    paths = {path: path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")}
    asking = {path.name: asked for path, room in paths.items() if (asked := asked_for(path, classes, room))}
    assert asking == {}


@pytest.mark.parametrize(
    "mistake",
    [
        "from sfumato.engines.shift import Shifted\ndef f(x):\n    if isinstance(x, Shifted):\n        return 1\n",
        "from sfumato.engines.replaced import Kept\ndef f(x, k):\n    return 1 if isinstance(x.of(k), Kept) else 2\n",
        "from sfumato.engines import shift\ndef f(x):\n    return isinstance(x, int | shift.Shifted)\n",
        "from sfumato.engines.shift import Shifted as S\nA = S, int\ndef f(x):\n    return isinstance(x, A)\n",
        "from sfumato import Engine\ndef f(x):\n    return type(x) is Engine\n",
        "def f(x):\n    from sfumato.kinds.date import Date\n    return x.__class__ in (Date,)\n",
        "from sfumato.kinds.date import Date\ndef f(x):\n    match x:\n        case Date():\n            return 1\n",
    ],
)
def test_a_class_that_is_asked_for_is_noticed(tmp_path: Path, mistake: str) -> None:
    path = tmp_path / "mistake.py"
    path.write_text(mistake, encoding="utf-8")
    assert asked_for(path, closed_classes(), "protect")


def test_a_class_of_another_room_with_the_same_name_may_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "fine.py"
    path.write_text("from sfumato.storage.cache import Kept\ndef f(x):\n    return isinstance(x, Kept)\n")
    assert asked_for(path, closed_classes(), "protect") == set()


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

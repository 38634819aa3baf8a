"""Count the rooms, floors, arrows and circles of the package, beside those of an earlier commit.

A room is a folder of the package, or a module that lies loose in its root. An arrow is a room that imports from
another one; a circle, rooms that import one another in a ring; the floors, the longest way along the arrows. A wing
is a room with all the folders in it; arrows and floors are counted for wings, too. A lonely module has one importer,
in its own wing. Lines of code are those that hold no docstring, comment or import and are not blank. Imports for type
checking alone do not count.

    python benchmarks/house.py                      # the package that is installed
    python benchmarks/house.py --before bcc2c3e --record
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeGuard

import grimp
import networkx as nx
from recording import record, table

ROOT = Path(__file__).parents[1]
LINES = 6
"""How many equal lines, one after the other, count as standing twice."""


@dataclass(frozen=True)
class House:
    """What a newcomer counts on the way through the package."""

    loose_modules: int
    wings: int
    arrows_between_wings: int
    floors_of_wings: int
    rooms: int
    arrows_between_rooms: int
    floors_of_rooms: int
    circles: int
    circles_inside_rooms: int
    modules: int
    lonely_modules: int
    lines_of_code: int
    longest_file: int
    longest_function: int
    lines_twice: int


def measured(source: Path) -> House:
    """Count the house whose package lies in ``source`` (the folder that holds ``sfumato/``)."""
    sys.path.insert(0, str(source))
    graph = grimp.build_graph("sfumato", exclude_type_checking_imports=True, cache_dir=None)
    imports = [(one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)]
    rooms = _drawn([(_room(one, source), _room(other, source)) for one, other in imports])
    wings = _drawn([(_wing(one), _wing(other)) for one, other in imports])
    paths = sorted((source / "sfumato").rglob("*.py"))
    return House(
        loose_modules=len(list((source / "sfumato").glob("*.py"))),
        wings=wings.number_of_nodes(),
        arrows_between_wings=wings.number_of_edges(),
        floors_of_wings=_floors(wings),
        rooms=rooms.number_of_nodes(),
        arrows_between_rooms=rooms.number_of_edges(),
        floors_of_rooms=_floors(rooms),
        circles=_circles(rooms),
        circles_inside_rooms=_circles(nx.DiGraph(pair for pair in imports if len({*map(_wing, pair)}) == 1)),
        modules=len(paths),
        lonely_modules=sum(_is_lonely(module, graph) for module in graph.modules),
        lines_of_code=sum(map(_lines_of_code, paths)),
        longest_file=max(len(path.read_text(encoding="utf-8").splitlines()) for path in paths),
        longest_function=max(length for path in paths for length in _functions(path)),
        lines_twice=_twice(paths),
    )


def _drawn(imports: list[tuple[str, str]]) -> nx.DiGraph:
    """The arrows between different rooms; ``sfumato/__init__.py`` only names what is public."""
    rooms = nx.DiGraph((room, other) for room, other in imports if room != other)
    rooms.remove_nodes_from({"sfumato"} & set(rooms))
    return rooms


def _circles(arrows: nx.DiGraph) -> int:
    return sum(len(ring) > 1 for ring in nx.strongly_connected_components(arrows))


def _is_lonely(module: str, graph: grimp.ImportGraph) -> bool:
    importers = graph.find_modules_that_directly_import(module)
    return len(importers) == 1 and module.count(".") > 1 and _wing(*importers) == _wing(module)


def _floors(rooms: nx.DiGraph) -> int:
    return int(nx.dag_longest_path_length(nx.condensation(rooms))) + 1


def _wing(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _room(module: str, source: Path) -> str:
    folder = source.joinpath(*module.split("."))
    if folder.is_dir() or module.count(".") == 1:
        return module
    return module.rpartition(".")[0]


def _functions(path: Path) -> Iterator[int]:
    """The lengths of the functions at ``path``, in lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _lines_of_code(path: Path) -> int:
    """Return how many lines of ``path`` hold code: no docstring or other text alone, comment, import or blank."""
    text = path.read_text(encoding="utf-8")
    left_out = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text_alone(node)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(line) and not line.startswith("#") for number, line in lines if number not in left_out)


def _is_text_alone(node: ast.AST) -> TypeGuard[ast.Expr]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _twice(paths: list[Path]) -> int:
    """How many runs of :data:`LINES` lines of code appear in more than one place; imports do not count."""
    seen: dict[tuple[str, ...], set[tuple[Path, int]]] = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        imports = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        lines = [
            (number, line.strip())
            for number, line in enumerate(text.splitlines(), 1)
            if number not in imports and len(line.strip()) > 3
        ]
        for first in range(len(lines) - LINES + 1):
            run = tuple(line for _, line in lines[first : first + LINES])
            seen.setdefault(run, set()).add((path, lines[first][0]))
    return sum(len(places) > 1 for places in seen.values())


def _earlier(commit: str) -> House:
    """Count the house as it was at ``commit``, in a process of its own."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        command = [sys.executable, __file__, "--source", str(Path(folder, "src")), "--json"]
        found = subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
        return House(**json.loads(found.stdout))


def main() -> None:
    """Count, and print or record."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--source", type=Path, default=ROOT / "src", help="The folder that holds sfumato/.")
    arguments.add_argument("--before", metavar="COMMIT", help="An earlier commit to count beside this one.")
    arguments.add_argument("--json", action="store_true", help="Print the figures as JSON.")
    arguments.add_argument("--record", action="store_true", help="Write the table into docs/benchmarks.md.")
    given = arguments.parse_args()
    now = asdict(measured(given.source))
    if given.json:
        print(json.dumps(now))
        return
    then = {} if given.before is None else asdict(_earlier(given.before))
    header = ["", *([f"at {given.before}"] if then else []), "now"]
    rows: list[list[object]] = [
        [name.replace("_", " "), *([then[name]] if then else []), count] for name, count in now.items()
    ]
    print(table(header, rows))
    if given.record:
        record("house", table(header, rows))


if __name__ == "__main__":
    main()

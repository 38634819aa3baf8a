"""Messages, read in the source: none has a message within it that brings a full stop of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato

ROOT = Path(sfumato.__file__).parent
STOPLESS = {"strerror", "lineno", "colno", "pos", "start", "msg", "__name__", "errno", "args"}
FOREIGN = {
    "evaluation/comparison/plan.py",  # of tomllib
    "vocabularies/vector_files.py",  # of the operating system, of zlib, and of numpy
    "cli/against.py",  # of the checker, which has no sentences
    "release/account.py",  # of the operating system
    "release/on_ray.py",  # names of classes
    "batch/__init__.py",  # a place
}
"""Where what is quoted is no sentence of this program."""


def within(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield where a caught error is written into a sentence that goes on, or ends, after it."""
    for handler in ast.walk(tree):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue
        for string in (node for node in ast.walk(handler) if isinstance(node, ast.JoinedStr)):
            for part, after in zip(string.values, string.values[1:], strict=False):
                if not isinstance(part, ast.FormattedValue) or not isinstance(after, ast.Constant):
                    continue
                names = {node.id for node in ast.walk(part.value) if isinstance(node, ast.Name)}
                parts = {node.attr for node in ast.walk(part.value) if isinstance(node, ast.Attribute)}
                shorn = parts & (STOPLESS | {"removesuffix", "rstrip"})
                if handler.name in names and not shorn and re.match(r"[.;,)]", str(after.value)):
                    yield string.lineno, ast.unparse(part.value)


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("raise E(f'x: {error}.')", True),
        ("raise E(f'x ({str(error)}); do y.')", True),
        ("raise E(f'x: {error.reason}; do y.')", True),
        ("raise E(f'x: {error}')", False),
        ("raise E(f'x: {error.strerror}.')", False),
        ("raise E(f'x: {type(error).__name__}.')", False),
        ("raise E(f'{str(error).removesuffix(chr(46))}; do y.')", False),
    ],
)
def test_an_error_within_a_sentence_is_seen(line: str, caught: bool) -> None:
    assert bool([*within(ast.parse(f"try:\n    x\nexcept A as error:\n    {line}"))]) is caught


def test_no_error_with_a_full_stop_stands_within_a_sentence() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        found = [*within(ast.parse(path.read_text(encoding="utf-8")))]
        wrong += [f"{name}:{line} {what}" for line, what in found if name not in FOREIGN]
    assert wrong == []


def test_no_message_ends_with_two_full_stops() -> None:
    two = re.compile(r"[\w)\]}'\"]\.[.;](\s|$)")
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
        wrong += [f"{path.name}:{text.lineno}" for text in texts if two.search(text.value)]
    assert wrong == []

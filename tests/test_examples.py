"""The examples are notebooks in Markdown: their blocks run from top to bottom, and print what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from short_lists import short_families
from test_docs import NOTEBOOKS, ROOT

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_MODELS = {"compare.md"}
_FEW = {"compare.md": 10}
"""How many of the example records a page gets that shows no figure about them."""


def _pages() -> Iterator[Any]:
    for page in NOTEBOOKS:
        yield pytest.param(page, id=page.name, marks=[pytest.mark.models] if page.name in _MODELS else [])


def run(text: str, capsys: pytest.CaptureFixture[str]) -> int:
    """Run the blocks of a page in one namespace; return how many outputs were compared."""
    names: dict[str, Any] = {}
    printed, compared = "", 0
    for block in _BLOCK.finditer(text):
        if block["kind"] == "python":
            exec(compile(block["body"], "example", "exec"), names)
            printed = capsys.readouterr().out
            html = [value._repr_html_() for value in names.values() if hasattr(type(value), "_repr_html_")]
            assert all(html)
        elif block["kind"] == "text":
            assert printed == block["body"]
            compared += 1
    return compared


@pytest.mark.parametrize("page", list(_pages()))
def test_an_example_runs_and_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").mkdir()
    records = (ROOT / "examples" / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "examples" / "records.jsonl").write_bytes(b"".join(records[: _FEW.get(page.name)]))
    monkeypatch.chdir(tmp_path)
    with short_families():  # no page shows what is in them
        assert run(page.read_text(encoding="utf-8"), capsys)


def test_an_example_that_prints_something_else_fails(capsys: pytest.CaptureFixture[str]) -> None:
    page = "```python\nx = 1\n```\n\n```python\nprint(x + 1)\n```\n\n```text\n2\n```\n"
    assert run(page, capsys) == 1
    with pytest.raises(AssertionError):
        run(page.replace("```text\n2", "```text\n3"), capsys)

"""The page of the papers' tables: each figure names the models that made it, and those are the models that ship."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = str(ROOT / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import reproduction
    from recording import models
finally:
    sys.path.remove(BENCHMARKS)

PAGE = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
_MODELS = re.compile(r"(masked|encoder|detector|causal): ([^\s;,]+@[0-9a-f]{16}[^\s;,.]*)")
SILENT = {"detector genres", "synthesis-budgets"}
"""Sections without figures, or recorded before tables named their models. One that is recorded leaves this list."""


def stale(page: str) -> list[str]:
    """Return the models that a section of ``page`` names and that are not those that ship."""
    shipped = models("masked", "encoder", "detector", "causal")
    return [
        f"{section}: {part} {name}"
        for section, text in reproduction.sections(page).items()
        for part, name in _MODELS.findall(text)
        if name != shipped[part]
    ]


def test_no_figure_is_of_a_model_that_was_replaced() -> None:
    assert stale(PAGE) == []


def test_an_older_hash_is_found() -> None:
    masked = models("masked")["masked"]
    section = f"<!-- begin made -->\nModels: masked: {masked}. 1 CPU minute.\n<!-- end made -->"
    assert stale(section) == []
    older = section.replace(masked[-16:], "0" * 16)
    assert stale(older) == [f"made: masked {masked[:-16]}{'0' * 16}"]


def test_every_table_names_its_models() -> None:
    assert {name for name, text in reproduction.sections(PAGE).items() if "Models: " not in text} == SILENT


def test_the_time_of_a_script_is_read_from_its_sections() -> None:
    page = "<!-- begin made -->\nModels: none. 12 CPU minutes.\n<!-- end made -->"
    assert reproduction.minutes_of('written("made", text, given.record)', page) == 12
    assert reproduction.minutes_of('written("other", text, given.record)', page) is None


def test_scripts_are_chosen_by_name_and_by_cost() -> None:
    known = [
        reproduction.Script(Path(f"reproduction_{name}.py"), cost)
        for name, cost in (("a", 3), ("b", 40), ("c", None))
    ]
    assert [script.name for script in reproduction.chosen(known, [], cheap=True)] == ["a"]
    assert [script.name for script in reproduction.chosen(known, ["b"], cheap=False)] == ["b"]
    with pytest.raises(SystemExit, match="No script plays d; there are a, b, c"):
        reproduction.chosen(known, ["d"], cheap=False)

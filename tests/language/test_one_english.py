"""Each list of English words is written down once, in the room that every other room asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sfumato
from sfumato.language.en.calendar import MONTHS, WEEKDAYS
from sfumato.language.en.numbers import DECADES, ONES, TENS
from sfumato.language.lists import lists_of

SOURCE = Path(sfumato.__file__).parent
LISTS = {
    "months": {*MONTHS.full, *MONTHS.short} - {"may", "march", "mar"},
    "weekdays": {*WEEKDAYS.full, *WEEKDAYS.short} - {"sat", "sun"},
    "number words": {*ONES[4:], *TENS, *DECADES},
    "titles": {title for title, uses in lists_of("en", "titles").items() if "stop" in uses}
    - {"st", "fr", "det", "jr", "sr", "rev"},
}
"""Words that only a list of them has several of."""
MOST = 2


@cache  # each list is looked for in all files
def words_in(source: str) -> set[str]:
    """The words of the strings of ``source`` that are no docstrings; in "Jan(?:uary)?" that is "jan"."""
    tree = ast.parse(source)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in said)
    texts = (node.value for node in strings if isinstance(node.value, str))
    return {word.lower() for text in texts for word in re.findall(r"[^\W\d_]+", re.sub(r"\\[a-zA-Z]", " ", text))}


def sources(inside: bool) -> Iterator[Path]:
    """The files in the room of languages, or those outside of it."""
    for path in sorted(SOURCE.rglob("*.py")):
        if (path.relative_to(SOURCE).parts[0] == "language") is inside:
            yield path


@pytest.mark.parametrize("name", LISTS)
def test_a_list_stands_in_no_other_room(name: str) -> None:
    held = {str(path.relative_to(SOURCE)): words_in(path.read_text()) & LISTS[name] for path in sources(inside=False)}
    assert {path: sorted(words) for path, words in held.items() if len(words) > MOST} == {}


@pytest.mark.parametrize("name", ["months", "weekdays", "number words"])
def test_a_list_stands_in_one_file_of_the_room(name: str) -> None:
    most = len(LISTS[name]) // 2
    holders = [path for path in sources(inside=True) if len(words_in(path.read_text()) & LISTS[name]) > most]
    assert len(holders) == 1, holders


@pytest.mark.parametrize(
    "mistake",
    [
        'MONTHS = "january|february|march|april"',
        r'_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Dec(?:ember)?)\b"',
        'NUMBERS = ("four", "five", "six")',
        'TITLE = rf"\\b(?:mr|mrs|prof){GAP}"',
    ],
)
def test_a_second_list_would_be_found(mistake: str) -> None:
    assert any(len(words_in(mistake) & words) > MOST for words in LISTS.values())

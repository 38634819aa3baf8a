"""The walk of a marked value is the one that docs/architecture.md writes down, and no longer than it says.

A real run is traced: a text in which one value is marked goes through the engine of the policy `clinical`, after
others of its kind, so that all is built. A file counts if a function in it is called that takes arguments.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import sfumato
from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.policy import Policy
from sfumato.text.document import Document

PACKAGE = Path(sfumato.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
MOST_FILES, MOST_FORMS = 20, 4
TREATED = {"PERSON", "AGE"}
COMPARING = {"sfumato.text.occurrences", "sfumato.engines.families", "sfumato.kinds.people.mentions"}
NAMES = [f"{first} {last}" for first in ("Anna", "Peter", "Mary", "John") for last in ("Larsen", "Miller", "Jones")]
_NUMBERS = count()
_FILE = re.compile(r"`([\w/]+\.py)`")


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The engine of the policy `clinical` for two of its kinds, with marks that are given."""
    policy = Policy.load("clinical")
    rules = tuple(rule for rule in policy.treat if TREATED & set(rule.kinds))
    made = build_policy(replace(policy, treat=rules, find=replace(policy.find, detect=("given",), allow=())))
    made.prepare()
    return made


def document(label: str, *values: str) -> Document:
    text, spans = "We saw", []
    for value in values:
        spans.append({"start": len(text) + 1, "end": len(text) + 1 + len(value), "label": label})
        text = f"{text} {value} once,"
    return Document(text, f"text {next(_NUMBERS)}", {"spans": spans})


@contextmanager
def traced(note: Callable[[FrameType], object]) -> Iterator[None]:
    """Hand every call of a function with arguments to ``note``."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount:
            note(frame)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def files_of(engine: Engine, label: str, usual: str, value: str) -> set[str]:
    """Return the files that ``value`` passes from the answer of the detector on, after others were drawn."""
    for _ in range(2):
        engine.sanitize(document(label, usual))
    passed: list[str] = []

    def note(frame: FrameType) -> None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            passed.append(path.relative_to(PACKAGE).as_posix())

    with traced(note):
        [release] = engine.sanitize_batch([document(label, value)])
    assert len(release.bounds) == 2
    last = max(number for number, path in enumerate(passed) if path.startswith("detectors/"))
    return {*passed[last + 1 :]}


def written_down() -> tuple[set[str], set[str]]:
    """Return the files in the table of the page, and those that it names for an age."""
    section = PAGE.read_text(encoding="utf-8").split("## The walk of a marked value")[1].split("\n## ")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    sentence = section[section.index("\nAn age ") :].split(".\n", 1)[0]
    return {*_FILE.findall(rows)}, {*_FILE.findall(sentence)}


def test_a_name_passes_the_files_of_the_page(engine: Engine) -> None:
    passed = files_of(engine, "PERSON", *NAMES[:2])
    assert passed == written_down()[0]
    assert len(passed) <= MOST_FILES


def test_an_age_passes_the_files_of_its_language_too(engine: Engine) -> None:
    table, of_age = written_down()
    passed = files_of(engine, "AGE", "34", "51")
    assert passed - table <= of_age
    of_names = {path for path in table if path.startswith("kinds/people/")} | {"engines/families.py"}
    assert passed >= table - of_names - {
        "language/people.py",
        "language/naming.py",
        "mechanisms/independent.py",
    }


def test_no_value_has_more_forms_than_four(engine: Engine) -> None:
    """A form is a class of which one more value makes more. What compares texts or names keeps its own to itself."""
    made: list[Counter[type]] = []
    engine.sanitize(document("PERSON", *NAMES[:2]))
    for number in (1, 2):
        classes: Counter[type] = Counter()

        def note(frame: FrameType, classes: Counter[type] = classes) -> None:
            own = frame.f_locals
            made_by = own.get("_cls") or (type(own["self"]) if frame.f_code.co_name == "__init__" else None)
            if made_by is not None and made_by.__module__.startswith("sfumato."):
                classes[made_by] += 1

        names = NAMES[2:4] if number == 1 else NAMES[4:7]
        with traced(note):
            engine.sanitize_batch([document("PERSON", *names)])
        made.append(classes)
    more = {own.__name__ for own in made[1] - made[0] if own.__module__ not in COMPARING}
    assert more - {"Form", "Style"} == {"Span", "Reading"}  # a reading holds its form, and that its style
    assert len(more - {"Form", "Style"} | {"token", "text"}) <= MOST_FORMS

"""Made text: marks point at values, the parts share nothing, and a seed gives the same bytes."""

from __future__ import annotations

import importlib
import json
import random
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("faker", reason="made text draws names from faker, which is not installed")
pytest.importorskip("phonenumbers")

DETECTOR = Path(__file__).parents[2] / "training" / "detector"


@pytest.fixture(scope="module")
def made() -> Any:
    before = set(sys.modules)
    sys.path.insert(0, str(DETECTOR))
    try:
        yield importlib.import_module("made")
    finally:
        sys.path.remove(str(DETECTOR))
        for name in set(sys.modules) - before:
            if name.startswith("made"):
                del sys.modules[name]


@pytest.fixture(scope="module")
def train(made: ModuleType) -> list[dict[str, Any]]:
    return list(made.made_records(3, 200, "train"))


@pytest.fixture(scope="module")
def held(made: ModuleType) -> list[dict[str, Any]]:
    return list(made.made_records(3, 100, "held"))


def test_marks_are_whole_values_that_do_not_overlap(train: list[dict[str, Any]], made: ModuleType) -> None:
    for record in train:
        for mark in record["entities"]:
            value = record["text"][mark["start"] : mark["end"]]
            assert value
            assert value == value.strip()
            assert mark["label"] in made.LABELS
        for first, second in pairwise(record["entities"]):
            assert first["end"] <= second["start"]


def test_offsets_point_at_the_values(train: list[dict[str, Any]]) -> None:
    surface = sys.modules["made_surface"]
    pieces = [
        surface.Piece("Dr "),
        surface.Piece(" Jane O'Neil ", "PERSON", True, "irish"),
        surface.Piece("is here."),
    ]
    text, marks = surface.record_of(surface.joined(pieces))
    assert [text[mark["start"] : mark["end"]] for mark in marks] == ["Jane O'Neil"]
    shapes = {
        "IP": r"[\da-f.:\s]+",
        "AGE": r"\d[\d/½¼¾,.]*(\s[\w.]+){0,5}|[^\W\d][\w’'-]*(\s[\w/’'.-]+){0,5}|\d \d/\d",
        "EMAIL": r"\S+@\S+|.+ at .+",
        "MONEY": r"\S(.*\S)?",
    }
    for record in train:
        for mark in record["entities"]:
            value = record["text"][mark["start"] : mark["end"]]
            if mark["label"] in shapes:
                assert re.fullmatch(shapes[mark["label"]], value, re.DOTALL | re.IGNORECASE), value


def test_a_seed_gives_the_same_bytes(train: list[dict[str, Any]], made: ModuleType) -> None:
    again = list(made.made_records(3, 40, "train"))
    assert json.dumps(again) == json.dumps(train[:40])
    assert json.dumps(list(made.made_records(4, 40, "train"))) != json.dumps(again)


def test_the_parts_share_no_template(train: list[dict[str, Any]], held: list[dict[str, Any]]) -> None:
    assert not {name for record in train for name in record["templates"]} & {
        name for record in held for name in record["templates"]
    }


def test_a_name_is_in_one_part(made: ModuleType) -> None:
    names = sys.modules["made_names"]
    for origin in names.ORIGINS:
        for kind in ("male", "female", "family"):
            assert not set(names.pool(origin, kind, "train")) & set(names.pool(origin, kind, "held"))


@pytest.mark.parametrize("part", ["train", "held"])
def test_every_template_can_be_written(made: ModuleType, part: str) -> None:
    world, grammar = sys.modules["made_world"], sys.modules["made_grammar"]
    for language in ("en", *made.OTHER_LANGUAGES):
        for section in grammar.sections(language).values():
            assert section.lines[part], section.name
            for line in section.lines[part]:
                world.World(random.Random(line.text), part, language).write(line.nodes)


def test_every_label_and_origin_occurs(train: list[dict[str, Any]], made: ModuleType) -> None:
    origins = set(sys.modules["made_names"].ORIGINS)
    marks = [mark for record in train for mark in record["entities"]]
    assert {mark["label"] for mark in marks} == set(made.LABELS)
    assert {mark["origin"] for mark in marks if mark["label"] == "PERSON"} == origins


def test_prices_of_goods_and_measurements_of_notes_are_no_marks(made: ModuleType) -> None:
    world, grammar = sys.modules["made_world"], sys.modules["made_grammar"]
    sections = grammar.sections("en")
    for name, allowed in (("goods.line", {"ORGANIZATION", "DATE", "GROUP"}), ("short.obs", set())):
        for line in sections[name].lines["train"]:
            pieces = world.World(random.Random(line.text), "train", "en").write(line.nodes)
            assert {piece.label for piece in pieces if piece.label and piece.telling} <= allowed, line.text


def test_codes_of_two_kinds_differ(made: ModuleType) -> None:
    world, grammar = sys.modules["made_world"], sys.modules["made_grammar"]
    own = world.World(random.Random(1), "train", "en")
    pieces = own.write(grammar.parsed("{nhs.a} {mrn.a} {nhs.a}"))
    first, second, third = (piece.text for piece in pieces if piece.label == "CODE")
    assert first == third != second


def test_scanned_genres_have_the_errors_of_a_scanner(made: ModuleType) -> None:
    records = [record for record in made.made_records(5, 12_000, "train") if record["genre"] in made.SCANNED]
    assert len(records) > 2
    text = " ".join(record["text"] for record in records)
    assert re.search(r"[a-z][015][a-z]", text)

"""Marks go to Label Studio and come back as decisions, whatever characters the texts hold."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from reviewing import CANARY, LISTED, session, texts
from sfumato.detectors.rules import Listed
from sfumato.errors import InputError
from sfumato.policy import Policy
from sfumato.review import Reviewed, decisions_from
from sfumato.review.label_studio import configuration, lines_of_tasks, tasks_of
from sfumato.review.treated import ByPolicy

LINES = texts("\U0001f600 Ann Lee met \U0001f600 Carl.", f"Bob knows {CANARY}.", "Oslo\r\nand Rome")


def annotated() -> list[dict[str, Any]]:
    """The tasks, each annotated as it was predicted."""
    tasks = json.loads(json.dumps(list(tasks_of(LINES, LISTED))))
    return [
        {**task, "id": n, "annotations": [{"result": task["predictions"][0]["result"]}]}
        for n, task in enumerate(tasks)
    ]


def region(text: str, phrase: str, label: str) -> dict[str, Any]:
    """A region as a browser makes it: offsets in units of UTF-16."""
    start = len(text[: text.index(phrase)].encode("utf-16-le")) // 2
    value = {"start": start, "end": start + len(phrase.encode("utf-16-le")) // 2, "text": phrase, "labels": [label]}
    return {"id": "new", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def lines(folder: Path, tasks: Any) -> list[dict[str, Any]]:
    path = folder / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return lines_of_tasks(path, LINES, LISTED, [1])


def test_what_was_not_changed_is_read_and_nothing_else(tmp_path: Path) -> None:
    expected = [{"action": "read", "record": n, "sampled": n == 1} for n in range(3)]
    assert lines(tmp_path, annotated()) == expected
    tasks = annotated()
    tasks[1]["annotations"][0]["was_cancelled"] = True
    tasks[2]["annotations"] = []
    assert lines(tmp_path, tasks) == expected[:1]


@pytest.mark.parametrize("how", ["no annotations", "cancelled", "not a task", "nothing"])
def test_an_export_that_nobody_annotated_is_refused(tmp_path: Path, how: str) -> None:
    """Taken for no decisions, it would read as a review that found nothing to correct."""
    tasks = annotated() if how != "nothing" else []
    for task in tasks:
        if how == "cancelled":
            task["annotations"][0]["was_cancelled"] = True
        elif how == "no annotations":
            task["annotations"] = []
        else:
            del task["annotations"]
    with pytest.raises(InputError, match=r"tasks\.json holds no annotations, and so no decisions"):
        lines(tmp_path, tasks)


def test_offsets_are_those_of_a_browser() -> None:
    [first, *_] = tasks_of(LINES, LISTED)
    value = first["predictions"][0]["result"][0]["value"]
    assert (value["start"], value["end"], value["text"]) == (3, 10, "Ann Lee")


def test_what_a_person_changed_becomes_decisions(tmp_path: Path) -> None:
    tasks = annotated()
    own = [task["annotations"][0]["result"] for task in tasks]
    own[0].append(region(LINES.documents[0].text, "Carl", "PERSON"))
    own[1].clear()
    own[2][0]["value"]["labels"] = ["ORGANIZATION"]
    path = tmp_path / "d.jsonl"
    with session(path, LINES, sample=3) as made:
        made.add_lines(lines(tmp_path, tasks))
    spans = Reviewed(LISTED, decisions_from(path)).detect(list(LINES.documents))
    found = [[(d.text[s.start : s.end], s.label) for s in own] for d, own in zip(LINES.documents, spans, strict=True)]
    assert found == [[("Ann Lee", "PERSON"), ("Carl", "PERSON")], [], [("Oslo", "ORGANIZATION")]]
    assert decisions_from(path).read == {0, 1, 2}


def test_an_import_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    tasks, path = annotated(), tmp_path / "d.jsonl"
    tasks[0]["annotations"][0]["result"].append(region(LINES.documents[0].text, "Carl", "PERSON"))
    tasks[1]["annotations"][0]["result"][0]["value"]["labels"] = [f"{CANARY} A"]
    with session(path, LINES) as made:
        before = path.read_bytes()
        with pytest.raises(InputError, match=r"d\.jsonl, line 3: the label") as raised:
            made.add_lines(lines(tmp_path, tasks))
    assert CANARY not in str(raised.value)
    assert path.read_bytes() == before


Change = Callable[[list[dict[str, Any]]], Any]


def _shifted(tasks: list[dict[str, Any]]) -> None:
    tasks[1]["annotations"][0]["result"][0]["value"]["start"] += 1


def _halved(tasks: list[dict[str, Any]]) -> None:
    tasks[0]["annotations"][0]["result"].append(region(f"\U0001f600{CANARY}", CANARY, "X"))
    tasks[0]["annotations"][0]["result"][-1]["value"]["start"] = 1


def _overlapping(tasks: list[dict[str, Any]]) -> None:
    tasks[1]["annotations"][0]["result"].append(region(LINES.documents[1].text, "Bob knows", "PERSON"))


def _of_another_text(tasks: list[dict[str, Any]]) -> None:
    tasks[1]["data"]["sfumato"]["text_sha256"] = "0" * 64


WRONG: dict[str, tuple[Change, str]] = {
    "shifted offsets": (_shifted, "task 1, region 0: it is no region"),
    "half a character": (_halved, "task 0, region 1: it is no region"),
    "overlapping": (_overlapping, "task 1: two regions overlap"),
    "another text": (_of_another_text, "task 1: it is about no text"),
    "twice the same": (lambda tasks: tasks.append(copy.deepcopy(tasks[1])), "task 3: an earlier task"),
    "two annotations": (lambda tasks: tasks[1]["annotations"].append({"result": []}), "task 1: it has several"),
    "no result": (lambda tasks: tasks[1].update(annotations=[{}]), "task 1: its annotation has no result"),
    "no task": (lambda tasks: tasks.__setitem__(1, CANARY), "task 1: it is no task"),
    "no data": (lambda tasks: tasks[1].pop("data"), "task 1: it is about no text"),
    "a region that is none": (lambda tasks: tasks[1].update(annotations=[{"result": [CANARY]}]), "task 1, region 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_by_its_place(case: str, tmp_path: Path) -> None:
    change, said = WRONG[case]
    tasks = annotated()
    assert lines(tmp_path, tasks)
    change(tasks)
    with pytest.raises(InputError, match=said) as raised:
        lines(tmp_path, tasks)
    assert CANARY not in str(raised.value)


@pytest.mark.parametrize("content", ["", "{}", CANARY, "[" * 100_000])
def test_a_file_that_is_none_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="no list of tasks") as raised:
        lines_of_tasks(path, LINES, LISTED, [])
    assert CANARY not in str(raised.value)


def test_the_configuration_names_the_labels() -> None:
    assert '<Label value="PERSON"/>' in configuration(["PERSON", "PLACE"])
    assert [each.get("value") for each in fromstring(configuration(['A "B" & C', "D"])).iter("Label")] == [
        'A "B" & C', "D",
    ]  # fmt: skip


OTHERS = Listed.from_lines(["GPE\tOslo", "WARD\tRome", "PER\tBob"])
POLICY = ByPolicy(Policy.parse("[[treat]]\nlabels = ['WARD']\nmethod = 'label'\n"))


def test_predictions_bear_what_the_configuration_lists(tmp_path: Path) -> None:
    """A detector's labels are not in the configuration, so Label Studio would not show their regions."""
    listed = {each.get("value") for each in fromstring(configuration(POLICY.names)).iter("Label")}
    tasks = json.loads(json.dumps(list(tasks_of(LINES, OTHERS, POLICY))))
    regions = [task["predictions"][0]["result"] for task in tasks]
    labels = [[region["value"]["labels"] for region in own] for own in regions]
    assert labels == [[], [["PERSON"]], [["PLACE"], ["WARD"]]]
    assert all(label in listed for own in labels for [label] in own)
    path = tmp_path / "tasks.json"

    def made(*changed: str) -> list[dict[str, Any]]:
        for region, label in zip(regions[2], changed, strict=True):
            region["value"]["labels"] = [label]
        done = [{**task, "annotations": [{"result": own}]} for task, own in zip(tasks, regions, strict=True)]
        path.write_text(json.dumps(done), encoding="utf-8")
        return [line for line in lines_of_tasks(path, LINES, OTHERS, [], POLICY) if line["action"] != "read"]

    assert made("PLACE", "WARD") == made("GPE", "WARD") == []
    assert [(line["action"], line["label"]) for line in made("PERSON", "PLACE")] == [
        ("relabel", "PERSON"), ("relabel", "PLACE"),
    ]  # fmt: skip

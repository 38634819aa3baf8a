"""Given: spans from a record are read in the usual spellings; whatever is doubtful is refused by number."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.given import Given
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document
from sfumato.text.marks import Span

TEXT = "Ann met Bob in Oslo."
DATA = Path(__file__).parents[3] / "shared" / "data"


def found(value: Any, **options: Any) -> list[Span]:
    return list(Given(**options).detect([Document(TEXT, "r1", {"spans": value})])[0])


@pytest.mark.parametrize(
    "item",
    [
        {"start": 8, "end": 11, "label": "PERSON"},
        {"start_offset": 8, "end_offset": 11, "entity_type": "PERSON", "identifier_type": "DIRECT"},
        {"begin": 8, "stop": 11, "type": "PERSON"},
        {"start_position": 8, "end_position": 11, "tag": "PERSON", "entity_value": "Bob"},
        {"start": 8, "start_offset": 8, "end": 11, "label": "PERSON"},
        [8, 11, "PERSON"],
        (8, 11, "PERSON"),
    ],
)
@pytest.mark.parametrize("write", [list, json.dumps])
def test_spellings(item: Any, write: Any) -> None:
    assert found(write([item])) == [Span(8, 11, "PERSON")]


def test_the_label_is_optional() -> None:
    assert found([[8, 11], {"start": 0, "end": 3}, [15, 19, None]], label="X") == [
        Span(0, 3, "X"),
        Span(8, 11, "X"),
        Span(15, 19, "X"),
    ]


def test_no_spans_is_an_answer() -> None:
    assert found([]) == []
    assert found("[]") == []


@pytest.mark.parametrize(
    "bad",
    [
        [8, 99],
        [-1, 3],
        [5, 5],
        [5, 2],
        [True, 3],
        [0, True],
        [0.0, 3.0],
        ["0", "3"],
        [None, 3],
        [0],
        [0, 3, "secret", 1],
        [0, 3, 7],
        [0, 3, ""],
        "secret",
        7,
        None,
        {"start": 0},
        {"end": 3},
        {"start": 0, "begin": 1, "end": 3},
        {"start": 1, "begin": True, "end": 3},
        {"start": 0, "end": 3, "label": ["secret"]},
        {"start": 0, "end": 3, "label": "A", "identifier_type": 5},
    ],
)
def test_a_bad_span_is_refused_by_record_and_number(bad: Any) -> None:
    with pytest.raises(InputError, match=r"^Document 1 of the batch: field .*span 1 ") as refused:
        found([[15, 19], bad])
    assert "secret" not in str(refused.value)
    assert "Bob" not in str(refused.value)
    assert "r1" not in str(refused.value)


@pytest.mark.parametrize("value", [None, "not json secret", "7", '"x"', "{}", {}, 7, b"[]", "[" * 100_000])
def test_a_bad_field_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^Document 1 of the batch: field 'spans' is") as refused:
        found(value)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_a_missing_field_is_refused() -> None:
    good = Document(TEXT, "Ann Secret", {"marks": []})
    with pytest.raises(InputError, match=r"^Document 3 of the batch: field 'marks' is missing") as refused:
        Given("marks").detect([good, good, Document(TEXT, "Ann Secret", {"spans": []})])
    assert refused.value.document == 2
    assert "Ann" not in str(refused.value)


def test_duplicates_are_dropped_and_overlaps_refused_or_united() -> None:
    assert found([[8, 11, "A"], [8, 11, "A"]]) == [Span(8, 11, "A")]
    overlapping = [[0, 11, "A"], [8, 19, "B"], [8, 11, "C"]]
    with pytest.raises(InputError, match=r"'spans': span 1 .*overlaps"):
        found(overlapping)
    with pytest.raises(InputError, match="overlaps"):
        found([[8, 11, "A"], [8, 11, "B"]])
    assert found(overlapping, merge=True) == [Span(0, 19, "A")]
    with pytest.raises(InputError, match="outside"):
        found([[0, 99]], merge=True)


def test_labels_can_be_skipped() -> None:
    items = [
        {"start": 0, "end": 3, "entity_type": "PERSON", "identifier_type": "NO_MASK"},
        {"start": 8, "end": 11, "entity_type": "PERSON", "identifier_type": "DIRECT"},
        [15, 19, "LOC"],
    ]
    assert [span.start for span in found(items, skip_labels=["NO_MASK"])] == [8, 15]
    assert [span.start for span in found(items, skip_labels={"NO_MASK", "LOC"})] == [8]
    with pytest.raises(ConfigurationError):
        Given(skip_labels="NO_MASK")


@given(
    st.recursive(st.none() | st.booleans() | st.integers(-2, 25) | st.floats() | st.text(), st.lists, max_leaves=9)
)
def test_whatever_the_field_holds_the_answer_is_spans_or_an_input_error(value: Any) -> None:
    try:
        spans = found(value)
    except InputError:
        return
    assert all(0 <= span.start < span.end <= len(TEXT) for span in spans)


def test_given_pickles_and_describes_itself() -> None:
    detector = Given("marks", skip_labels={"NO_MASK"})
    assert pickle.loads(pickle.dumps(detector)) == detector
    assert "'marks'" in detector.description
    assert "NO_MASK" in detector.description
    assert hash(detector) == hash(Given("marks", skip_labels=["NO_MASK"]))


@pytest.mark.real_data
def test_gold_spans_of_court_cases() -> None:
    path = DATA / "tab" / "annotated.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    documents = [Document(record["text"], record["doc_id"], record) for record in records]
    detector = Given("entities", skip_labels={"NO_MASK"}, merge=True)
    for record, spans in zip(records, detector.detect(documents), strict=True):
        covered = {place for start, end in spans.bounds for place in range(start, end)}
        masked = [gold for gold in record["entities"] if gold["identifier_type"] != "NO_MASK"]
        assert masked
        assert all(set(range(g["start_offset"], g["end_offset"])) <= covered for g in masked)

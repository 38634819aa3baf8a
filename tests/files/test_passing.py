"""Fields that pass: what is shaped like spans over the text does not, unless it is named; the others are counted."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releasing import sanitize_file
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import FileOptions
from sfumato.files.kept_fields import shows_spans
from sfumato.release.job import RunOptions, RunSummary
from sfumato.text.document import Release

SECRET = "Zaphodsecret"
SPANS: list[Any] = [
    [{"start": 0, "end": 4, "label": "PERSON"}],
    [{"begin": 0, "end": 4}],
    [{"start_offset": 0.0, "end_offset": 4.0}],
    {"offset": 0, "length": 4, "category": "Person"},
    {"start": [0, 6], "end": [4, 8]},
    [[0, 4, "PERSON"]],
    [["PERSON", 0, 4]],
    [[0, 4], [6, 8]],
    {"PERSON": [[0, 4]]},
    {"annotator": {"marks": [None, {"start": 0, "end": 4}]}},
    '[{"start": 0, "end": 4}]',
    "[{'start': 0, 'end': 4, 'label': 'PERSON'}]",
    " [(0, 4, 'PERSON')]",
]
OTHERS: list[Any] = [
    *(None, 3, True, "", "[sic] start 0, 4", "{", [], {}, [1, 2], ["a", "b"], [[0.5, 4.5]], [[100, 200]], [[4, 0]]),
    *([[4, 0, "a"]], [[True, False, "a"]], {"start": "2020", "end": "2021"}, {"start": 1}, [{"x": 0, "y": 4}]),
]


_DEEP = 2000
DEEP: list[Any] = [
    "[" * _DEEP + '{"start": 0, "end": 4}' + "]" * _DEEP,
    "[" * 500 + '{"start": 0, "end": 4}' + "]" * 500,
    "[" * 500 + "{'start': 0, 'end': 4}" + "]" * 500,
    '[{"start": 0, "end": 4, "n": ' + "1" * 5000 + "}]",
    "[{'start': 0, 'end': 4, 'n': " + "1" * 5000 + "}]",
]


@pytest.mark.parametrize("number", range(len(DEEP)))
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_spans_deep_in_a_text_or_beside_a_long_number_do_not_pass(tmp_path: Path, number: int, form: str) -> None:
    with pytest.raises(InputError, match="'marks' would pass unchanged"):
        released(tmp_path, written(tmp_path, form, DEEP[number]))


BEFORE = ["\ufeff", "\xa0", "\u3000", "\u2003", "\x1c", "\x85", "\u2028", "\u200b", "\u2060 \ufeff"]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_spans_behind_a_blank_or_a_mark_of_the_encoding_do_not_pass(tmp_path: Path, before: str, form: str) -> None:
    for value in ('[{"start": 0, "end": 4}]', "[(0, 4, 'PERSON')]"):
        with pytest.raises(InputError, match="'marks' would pass unchanged"):
            released(tmp_path, written(tmp_path, form, before + value))


JSON_SPANS = '[{"start": 0, "end": 4}]'


@pytest.mark.parametrize(
    "column",
    [
        pa.array([JSON_SPANS], pa.json_()),
        pa.array([JSON_SPANS.encode()]),
        pa.array([JSON_SPANS.encode()], pa.binary(len(JSON_SPANS))),
        pa.array([JSON_SPANS.encode()], pa.large_binary()).dictionary_encode(),
        pa.array([[JSON_SPANS]]),
        pa.array([[JSON_SPANS]], pa.large_list(pa.large_string())),
        pa.array([[JSON_SPANS]], pa.list_(pa.string(), 1)),
        pa.array([{"inner": JSON_SPANS.encode()}]),
    ],
    ids=lambda column: str(column.type),
)
def test_spans_in_a_column_of_any_type_do_not_pass(tmp_path: Path, column: pa.Array) -> None:
    pq.write_table(pa.table({"text": ["Anna came."], "marks": column}), tmp_path / "in.parquet")
    with pytest.raises(InputError, match="'marks' would pass unchanged"):
        released(tmp_path, "in.parquet")
    nothing = pa.table({"text": ["Anna came."], "marks": pa.nulls(1, column.type)})
    pq.write_table(nothing, tmp_path / "in.parquet")
    released(tmp_path, "in.parquet")


def test_spans_are_found_however_deep_they_are() -> None:
    deep: Any = {"start": 0, "end": 4}
    for _ in range(_DEEP):
        deep = [deep]
    assert shows_spans(deep, 4)


class Upper:
    """Answers with capitals, and counts the documents that reached it."""

    def __init__(self) -> None:
        self.seen = 0

    def sanitize_batch(self, documents: Any, randomness: Any) -> list[Release]:
        self.seen += len(documents)
        return [Release(document.id, document.text.upper(), (), "X", 0) for document in documents]


def released(folder: Path, name: str, made: Upper | None = None, **options: Any) -> RunSummary:
    return sanitize_file(
        made or Upper(),
        folder / name,
        folder / f"out_{name}",
        RunOptions(FileOptions(**options), overwrite=True),
        None,
    )


def written(folder: Path, form: str, value: Any, name: str = "marks") -> str:
    """Write two records of which the second alone has ``value``, and return the file's name."""
    path = folder / f"in.{form}"
    rows = [{"text": f"Anna {SECRET}", "kind": "x"}, {"text": "Anna saw Bob", "kind": "y", name: value}]
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist([{name: None, **row} for row in rows]), path)
    else:
        with path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["text", "kind", name])
            table.writerows([[row["text"], row["kind"], row.get(name, "")] for row in rows])
    return path.name


@pytest.mark.parametrize("value", SPANS, ids=repr)
def test_what_is_shaped_like_spans_is_known(value: Any) -> None:
    assert shows_spans(value, 12)
    assert shows_spans(json.dumps(value) if not isinstance(value, str) else value, 12)


@pytest.mark.parametrize("value", OTHERS, ids=repr)
def test_other_values_are_no_spans(value: Any) -> None:
    assert not shows_spans(value, 12)


def test_a_cell_that_python_wrote_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    assert shows_spans(r"[{'start': 0, 'end': 4, 'text': '\d'}]", 9)
    assert not recwarn.list


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("value", SPANS, ids=repr)
def test_spans_that_would_pass_are_refused_before_a_draw(tmp_path: Path, form: str, value: Any) -> None:
    if form == "csv":
        value = value if isinstance(value, str) else repr(value)
    if form == "parquet" and not isinstance(value, str) and any(isinstance(row, list) for row in value):
        value = json.dumps(value)  # a column has one type
    made, name = Upper(), written(tmp_path, form, value)
    with pytest.raises(InputError, match=rf"^{name}, (line|row) [23]: the field 'marks' would pass.* --keep-field"):
        released(tmp_path, name, made)
    assert made.seen == 0
    assert not (tmp_path / f"out_{name}").exists()
    for options in ({"keep": ("kind",)}, {"keep": ("marks", "kind")}, {"spans_field": "marks"}):
        if "spans_field" in options and form == "jsonl":  # its first record has none
            continue
        assert released(tmp_path, name, **options).records == 2


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_spans_are_refused_in_any_chunk_and_never_set_aside(tmp_path: Path, form: str) -> None:
    name = written(tmp_path, form, '[[0, 4, "PERSON"]]')
    with pytest.raises(InputError, match="would pass unchanged"):
        released(tmp_path, name, chunk_records=1, on_error="quarantine")
    assert not list(tmp_path.glob("out_*"))  # a stopped run keeps its finished chunks hidden


def test_a_record_without_a_text_passes_no_spans_either(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": null, "marks": [[0, 4, "PERSON"]]}\n')
    with pytest.raises(InputError, match="'marks' would pass"):
        released(tmp_path, "a.jsonl")


def test_spans_beside_a_text_inside_are_refused(tmp_path: Path) -> None:
    turn = {"content": "Anna saw Bob", "marks": [{"start": 0, "end": 4}]}
    (tmp_path / "a.jsonl").write_text(json.dumps({"turns": [turn], "kind": 1}) + "\n")
    with pytest.raises(InputError, match="the field 'turns' would pass"):
        released(tmp_path, "a.jsonl", fields=("turns[].content",))
    done = released(tmp_path, "a.jsonl", fields=("turns[].content",), keep=("kind",))
    assert done.passing == {"turns (except what is sanitized)": 1, "kind": 1}


def test_a_key_that_may_be_a_name_is_not_quoted(tmp_path: Path) -> None:
    name = written(tmp_path, "jsonl", [[0, 4, "PERSON"]], name=f"{SECRET} Beeblebrox")
    with pytest.raises(InputError, match="a field whose name is not repeated") as caught:
        released(tmp_path, name)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_fields_that_pass_are_counted_over_all_chunks(tmp_path: Path, form: str) -> None:
    name = written(tmp_path, form, "z")
    every = 1 if form == "jsonl" else 2
    assert released(tmp_path, name, chunk_records=1).passing == {"kind": 2, "marks": every}
    assert released(tmp_path, name, chunk_records=1, keep=("marks",)).passing == {"marks": every}
    assert released(tmp_path, name, id_field="kind", keep=()).passing == {}


def test_a_key_of_a_single_record_is_not_listed(tmp_path: Path) -> None:
    """Of several records the keys that all have are the fields of the file; of one, any may be a name."""
    line = json.dumps({"text": "a", "ward": 1, SECRET: 2}) + "\n"
    for lines, listed in ((line, "'text', 'ward'"), (line + '{"text": "b", "ward": 2}\n', "'text', 'ward'")):
        (tmp_path / "a.jsonl").write_text(lines)
        with pytest.raises(ConfigurationError, match=f"did you mean 'ward'[?] There are: {listed}[.]$"):
            released(tmp_path, "a.jsonl", keep=("wrad",))


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_missing_field_of_spans_says_who_reads_it(tmp_path: Path, form: str) -> None:
    name = written(tmp_path, form, "z")
    with pytest.raises(
        InputError, match=r"'spans'.*; the detector given reads its spans from it, so .*detect.spans_field"
    ):
        released(tmp_path, name, spans_field="spans")

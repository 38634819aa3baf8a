"""Texts that are null or missing: passed on as they are, counted, and never a way around the mechanism."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CANARY, call, write_jsonl, write_vectors
from releasing import sanitize_file
from sfumato.errors import InputError
from sfumato.files import FileOptions, open_source
from sfumato.release.job import RunOptions, RunSummary


def released(folder: Path, scripted: Any, records: list[Any], workers: int = 1, **options: Any) -> tuple[Any, Any]:
    """The released records and the summary."""
    source, target = write_jsonl(folder / "in.jsonl", records), folder / "out.jsonl"
    done = sanitize_file(
        scripted.NumberedWords(), source, target, RunOptions(FileOptions(**options), workers, overwrite=True), None
    )
    return [json.loads(line) for line in target.read_text().splitlines()], done


def test_a_null_text_passes_as_null_and_takes_no_draw(tmp_path: Path, scripted: Any) -> None:
    records = [{"n": 1, "text": "a b"}, {"n": 2, "text": None}, {"n": 3, "text": "c"}]
    for size in (1, 2, 100):
        made, done = released(tmp_path, scripted, records, chunk_records=size)
        assert made == [{"n": 1, "text": "w0 w1"}, {"n": 2, "text": None}, {"n": 3, "text": "w0"}]
        assert (done.records, done.absent, done.draws, dict(done.draws_per_record)) == (3, 1, 3, {2: 1, 0: 1, 1: 1})


def test_of_several_fields_one_may_be_null(tmp_path: Path, scripted: Any) -> None:
    records = [{"a": None, "b": "x y"}, {"b": "x", "a": "x y z"}, {"a": None, "b": None}]
    made, done = released(tmp_path, scripted, records, fields=("a", "b"))
    assert made == [{"a": None, "b": "w0 w1"}, {"b": "w0", "a": "w0 w1 w2"}, {"a": None, "b": None}]
    assert (done.records, done.absent, dict(done.draws_per_record)) == (3, 3, {2: 1, 4: 1, 0: 1})
    chunks = list(open_source(tmp_path / "in.jsonl", FileOptions(fields=("a", "b"))).chunks())
    assert [document.id for chunk in chunks for document in chunk.documents] == ["0/b", "1/a", "1/b"]


def test_a_record_without_text_is_not_one_in_which_nothing_was_found(tmp_path: Path, scripted: Any) -> None:
    _, done = released(tmp_path, scripted, [{"text": None}, {"text": "."}, {"text": "a"}])
    assert done.untouched == 1


def test_places_are_right_beside_null_texts(tmp_path: Path, scripted: Any) -> None:
    records = [{"a": None, "b": "x"}, {"a": "fine", "b": scripted.REFUSED}, {"a": "x", "b": None}]
    with pytest.raises(InputError, match=r"in\.jsonl, line 2") as caught:
        released(tmp_path, scripted, records, fields=("a", "b"))
    assert scripted.REFUSED not in str(caught.value)
    made, done = released(tmp_path, scripted, records, fields=("a", "b"), on_error="quarantine")
    assert made == [{"a": None, "b": "w0"}, {"a": "w0", "b": None}]
    assert (done.records, done.quarantined, done.absent) == (2, 1, 2)


def test_the_field_of_a_refused_text_is_named(tmp_path: Path, scripted: Any) -> None:
    records = [{"a": None, "b": "x", "c": scripted.REFUSED}]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    options = RunOptions(FileOptions(fields=("a", "b", "c")))
    with pytest.raises(InputError, match=r"line 1, field 'c': span 1 is odd"):
        sanitize_file(scripted.Refusing(), source, tmp_path / "out.jsonl", options, None)


def test_given_spans_of_a_null_text_do_not_stay(tmp_path: Path, scripted: Any) -> None:
    records = [{"text": None, "spans": [[0, 3, CANARY]]}, {"text": "a", "spans": []}]
    made, _ = released(tmp_path, scripted, records, spans_field="spans")
    assert made[0] == {"text": None, "spans": []}


def test_null_texts_pass_through_worker_processes(tmp_path: Path, scripted: Any) -> None:
    records = [{"n": n, "text": None if n % 3 else "a b"} for n in range(30)]
    made, done = released(tmp_path, scripted, records, workers=2, chunk_records=7)
    assert made == [{"n": n, "text": None if n % 3 else "w0 w1"} for n in range(30)]
    assert done.absent == 20


def test_a_missing_field_is_an_error_unless_it_may_pass(tmp_path: Path, scripted: Any) -> None:
    records = [{"n": 1, "text": "a"}, {"n": 2}]
    with pytest.raises(InputError, match="line 2: the field 'text' is missing"):
        released(tmp_path, scripted, records)
    made, done = released(tmp_path, scripted, records, missing="pass")
    assert made == [{"n": 1, "text": "w0"}, {"n": 2}]
    assert (done.records, done.absent) == (2, 1)


def test_a_field_that_no_record_has_is_misspelt(tmp_path: Path, scripted: Any) -> None:
    """Passed on, every private text would stand in the release."""
    with pytest.raises(InputError, match="no record has the field 'txt'"):
        released(tmp_path, scripted, [{"text": CANARY}] * 5, fields=("txt",), missing="pass", chunk_records=2)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("value", [7, True, ["x"], {"x": "y"}])
def test_what_is_neither_text_nor_null_is_an_error(tmp_path: Path, scripted: Any, value: Any) -> None:
    with pytest.raises(InputError, match="line 1: the field 'text' is not a string"):
        released(tmp_path, scripted, [{"text": value}, {"text": "a"}], missing="pass")


def parquet(folder: Path, scripted: Any, table: pa.Table, **options: Any) -> tuple[list[Any], RunSummary]:
    pq.write_table(table, folder / "in.parquet")
    files = FileOptions(**options)
    target = folder / "out.parquet"
    done = sanitize_file(
        scripted.NumberedWords(), folder / "in.parquet", target, RunOptions(files, overwrite=True), None
    )
    return pq.read_table(io.BytesIO(target.read_bytes())).to_pylist(), done


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_a_null_of_parquet_passes(tmp_path: Path, scripted: Any, kind: pa.DataType) -> None:
    table = pa.table({"n": [1, 2, 3], "text": pa.array(["a b", None, "c"], kind)})
    made, done = parquet(tmp_path, scripted, table)
    assert made == [{"n": 1, "text": "w0 w1"}, {"n": 2, "text": None}, {"n": 3, "text": "w0"}]
    assert (done.records, done.absent, dict(done.draws_per_record)) == (3, 1, {2: 1, 0: 1, 1: 1})


def test_spans_beside_a_null_of_parquet_are_empty(tmp_path: Path, scripted: Any) -> None:
    given = [{"start": 0, "end": 3, "label": CANARY}]
    for spans in (pa.array([given, given]), pa.array([json.dumps(given)] * 2)):
        made, _ = parquet(tmp_path, scripted, pa.table({"text": ["a", None], "spans": spans}), spans_field="spans")
        assert made[1]["text"] is None
        assert made[1]["spans"] in ([], "[]")


def test_statement_and_closing_lines_tell_of_null_texts(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "the cat"}, {"text": None}])
    given = ("-m", "santext", "-e", "4", "--set", f"vocabulary={write_vectors(tmp_path)}")
    done = call("sanitize", source, "-o", tmp_path / "out.jsonl", *given)
    assert done.code == 0, done.err
    assert "1 text is null or missing, and passed on as such" in done.out
    told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text())
    assert told["records"]["texts_absent"] == 1
    assert any("null" in one for one in told["visible"])
    full = write_jsonl(tmp_path / "full.jsonl", [{"text": "the cat"}])
    assert call("sanitize", full, "-o", tmp_path / "all.jsonl", *given).code == 0
    told = json.loads((tmp_path / "all.jsonl.privacy.json").read_text())
    assert told["records"]["texts_absent"] == 0
    assert not any("null" in one for one in told["visible"])


def test_the_command_passes_missing_fields_on_only_if_told(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "the cat"}, {"note": CANARY}])
    given = ("-m", "santext", "-e", "4", "--set", f"vocabulary={write_vectors(tmp_path)}")
    done = call("sanitize", source, "-o", tmp_path / "out.jsonl", *given)
    assert done.code == 2
    assert CANARY not in done.out + done.err
    assert "--missing pass" in done.err
    assert call("sanitize", source, "-o", tmp_path / "out.jsonl", *given, "--missing", "pass").code == 0
    assert call("sanitize", source, "-o", tmp_path / "x.jsonl", *given, "--missing", "sometimes").code == 2

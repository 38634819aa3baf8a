"""Formats: all but the text comes out untouched, and what is broken is refused without being quoted."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releasing import sanitize_file
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.files import SUFFIXES, FileOptions, open_input, open_source
from sfumato.release.job import RunOptions, RunSummary
from sfumato.text.document import Release

SECRET = "Zaphodsecret"
BOM = b"\xef\xbb\xbf"


def convert(
    folder: Path, name: str, data: bytes, scripted: Any, echo: bool = False, **options: Any
) -> tuple[bytes, RunSummary]:
    """The bytes that come out for ``data`` in a file called ``name``."""
    source, target = folder / name, folder / f"out_{name}"
    source.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    sanitizer = scripted.Echo() if echo else scripted.NumberedWords()
    files = FileOptions(**options)
    summary = sanitize_file(sanitizer, source, target, RunOptions(files=files, overwrite=True), None)
    written = target.read_bytes()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return gzip.decompress(written) if name.endswith(".gz") else written, summary


def refusal(folder: Path, name: str, data: bytes, scripted: Any, **options: Any) -> str:
    """The message that ``data`` is refused with; it must not hold the secret, nor leave an output."""
    with pytest.raises(SfumatoError) as caught:
        convert(folder, name, data, scripted, **options)
    error: BaseException | None = caught.value
    assert isinstance(error, InputError)
    assert not (folder / f"out_{name}").exists()
    assert error.__cause__ is None or error.__suppress_context__
    assert SECRET not in str(error)
    assert str(error).endswith(".")
    return str(error)


# --- byte for byte ---

ODD_TEXTS = [
    "",
    "a\r\nb\n",
    "no end",
    "\x00 nul \x00",
    "a\u2028b\x85c\x0bd\n",
    "lone \r return",
    "\n\n\n",
    "é ß 漢 🙂\n",
]


@pytest.mark.parametrize("mark", [b"", BOM], ids=["", "bom"])
@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_text_is_reproduced_byte_for_byte(
    tmp_path: Path, scripted: Any, name: str, lines: bool, text: str, mark: bytes
) -> None:
    data = mark + text.encode()
    assert convert(tmp_path, name, data, scripted, echo=True, lines=lines)[0] == data


def test_only_line_feeds_part_lines(tmp_path: Path, scripted: Any) -> None:
    written, summary = convert(
        tmp_path, "a.txt", "one\u2028two\r\nthree\x0cfour\n\nfive".encode(), scripted, lines=True
    )
    assert written == "w0\u2028w1\r\nw0\x0cw1\n\nw0".encode()
    assert summary.records == 4
    assert dict(summary.draws_per_record) == {2: 2, 0: 1, 1: 1}


def test_whole_text_is_one_document(tmp_path: Path, scripted: Any) -> None:
    written, summary = convert(tmp_path, "a.txt", b"one two\nthree", scripted)
    assert written == b"w0 w1\nw2"
    assert (summary.records, summary.draws, summary.characters) == (1, 3, 13)


def test_jsonl_changes_nothing_but_the_string(tmp_path: Path, scripted: Any) -> None:
    data = (
        b'\xef\xbb\xbf { "n" : 1.50, "x":{"text":"inner"},"te\\u0078t"\t: "a\\nb \\u00e9" ,'
        b' "big":12345678901234567890 }\r\n'
        b"\n"
        b'{"text":"","u":"\\u2028 \\/","f":1E5,"d":1,"d":2}\n'
        b'{"u": NaN, "text": "caf\xc3\xa9 \xe2\x80\xa8 x"}'
    )
    wanted = (
        b'\xef\xbb\xbf { "n" : 1.50, "x":{"text":"inner"},"te\\u0078t"\t: "w0\\nw1 w2" ,'
        b' "big":12345678901234567890 }\r\n'
        b"\n"
        b'{"text":"","u":"\\u2028 \\/","f":1E5,"d":1,"d":2}\n'
        b'{"u": NaN, "text": "w0 \xe2\x80\xa8 w1"}'
    )
    assert convert(tmp_path, "a.jsonl", data, scripted)[0] == wanted
    assert convert(tmp_path, "a.jsonl.gz", data, scripted)[0] == wanted


def test_jsonl_keeps_lone_surrogates_and_nuls(tmp_path: Path, scripted: Any) -> None:
    data = b'{"text": "\\ud800 \\u0000"}\n'
    assert json.loads(convert(tmp_path, "a.jsonl", data, scripted, echo=True)[0]) == json.loads(data)


def test_jsonl_escapes_do_not_tell_how_the_private_line_was_written(tmp_path: Path, scripted: Any) -> None:
    plain, raw = b'{"text": "tea"}\n', '{"text": "thé"}\n'.encode()
    written = []
    for data in (plain, raw):
        (tmp_path / "a.jsonl").write_bytes(data)
        options = RunOptions(overwrite=True)
        sanitize_file(scripted.NumberedWords("é"), tmp_path / "a.jsonl", tmp_path / "b.jsonl", options, None)
        written.append((tmp_path / "b.jsonl").read_bytes())
    assert written[0] == written[1]


def test_several_fields_are_several_documents(tmp_path: Path, scripted: Any) -> None:
    data = b'{"b": "x y", "id": 7, "a": "x"}\n{"a": "", "b": "z", "id": "q"}\n'
    written, summary = convert(tmp_path, "a.jsonl", data, scripted, fields=("a", "b"), id_field="id")
    assert written == b'{"b": "w0 w1", "id": 7, "a": "w0"}\n{"a": "", "b": "w0", "id": "q"}\n'
    assert summary.records == 2
    assert dict(summary.draws_per_record) == {3: 1, 1: 1}
    source = open_source(tmp_path / "a.jsonl", FileOptions(fields=("a", "b"), id_field="id"))
    (chunk,) = source.chunks()
    assert [document.id for document in chunk.documents] == ["7/a", "7/b", "q/a", "q/b"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", [b"", BOM], ids=["", "bom"])
@pytest.mark.parametrize("last", [True, False])
def test_csv_keeps_its_values_and_layout(
    tmp_path: Path, scripted: Any, end: str, delimiter: str, mark: bytes, last: bool
) -> None:
    rows = [
        ["id", "text", "note"],
        ["1", 'He said "no", then;left\tfor|good', "a\r\nb"],
        ["2", "two\nlines\x00", ' "q"'],
        ["3", "lone \r return", "\u2028 é"],
        ["4", "", ""],
    ]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    text = buffer.getvalue() if last else buffer.getvalue().removesuffix(end)
    written, _ = convert(tmp_path, "a.csv", mark + text.encode(), scripted, echo=True, chunk_records=2)
    assert written.startswith(mark + delimiter.join(rows[0]).encode() + end.encode())
    body = written.removeprefix(mark).decode()
    assert body.endswith(end) == last
    assert list(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)) == rows


def test_csv_exchanges_only_the_text(tmp_path: Path, scripted: Any) -> None:
    data = b'id,text,label\r\n1,"one, two",x\r\n\r\n2,three,y\r\n'
    assert convert(tmp_path, "a.csv", data, scripted)[0] == b'id,text,label\r\n1,"w0, w1",x\r\n\r\n2,w0,y\r\n'


@pytest.mark.parametrize("records", [1, 2, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_blank_lines_of_a_table_are_kept(tmp_path: Path, scripted: Any, name: str, end: str, records: int) -> None:
    mark = "," if name == "a.csv" else "\t"
    lines = ["id,text", "", "1,one", "2,two", "", "", "3,three", "4,four", "", ""]
    expected = ["id,text", "", "1,w0", "2,w0", "", "", "3,w0", "4,w0", "", ""]
    data = "".join(line.replace(",", mark) + end for line in lines).encode()
    options = {"chunk_records": records, "id_field": "id"}
    written, summary = convert(tmp_path, name, data, scripted, **options)
    assert written.decode() == "".join(line.replace(",", mark) + end for line in expected)
    assert summary.records == 4
    unended, _ = convert(tmp_path, name, data.rstrip(), scripted, **options)
    assert unended.decode() == "".join(line.replace(",", mark) + end for line in expected).rstrip()
    only, _ = convert(tmp_path, name, (f"id{mark}text{end}" + 2 * end).encode(), scripted, **options)
    assert only.decode() == f"id{mark}text{end}" + 2 * end
    alone, _ = convert(tmp_path, name, data, scripted, keep=(), chunk_records=records)
    assert alone.decode() == end.join(["text", "w0", "w0", "w0", "w0", ""])  # where a blank line would be a text


def test_blank_lines_stay_beside_rows_that_are_set_aside(tmp_path: Path, scripted: Any) -> None:
    data = b"id,text\n1,one\n\nbad\n\n2,two\n"
    written, summary = convert(tmp_path, "a.csv", data, scripted, on_error="quarantine")
    assert (written, summary.quarantined) == (b"id,text\n1,w0\n\n2,w0\n", 1)


def test_one_column_csv_keeps_empty_rows(tmp_path: Path, scripted: Any) -> None:
    written, summary = convert(tmp_path, "a.csv", b"text\none\n\ntwo\n", scripted)
    assert list(csv.reader(io.StringIO(written.decode()))) == [["text"], ["w0"], [""], ["w0"]]
    assert summary.records == 3


def test_tsv_takes_quotation_marks_as_text(tmp_path: Path, scripted: Any) -> None:
    data = BOM + b'text\tlabel\r\n"The stray one\t1\r\nsaid "no"\t"0\r\n'
    written, summary = convert(tmp_path, "a.tsv", data, scripted)
    assert written == BOM + b'text\tlabel\r\n"w0 w1 w2\t1\r\nw0 "w1"\t"0\r\n'
    assert summary.records == 2


def test_tsv_with_quoted_cells_says_the_way_out(tmp_path: Path, scripted: Any) -> None:
    data = f'text\tlabel\n"one\ntwo {SECRET}"\t1\n'.encode()
    assert 'quoting "csv"' in refusal(tmp_path, "a.tsv", data, scripted)
    written, _ = convert(tmp_path, "a.tsv", data, scripted, quoting="csv")
    assert written == b'text\tlabel\n"w0\nw1 w2"\t1\n'


def test_tsv_with_quoted_cells_is_never_parted_wrongly_in_quarantine(tmp_path: Path, scripted: Any) -> None:
    """Read without quoting, line 3 would be a row whose first cell, a piece of the text, passes through."""
    data = f'id\ttext\n1\t"one\n{SECRET}\ttwo\nthree"\n'.encode()
    refusal(tmp_path, "a.tsv", data, scripted, on_error="quarantine")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt"])
def test_empty_inputs_give_empty_outputs(tmp_path: Path, scripted: Any, name: str) -> None:
    for data in (b"text\tlabel",) if name == "a.tsv" else (b"text\n",) if name == "a.csv" else (b"",):
        written, summary = convert(tmp_path, name, data, scripted, lines=True)
        assert written == data
        assert summary.records == 0


def test_every_suffix_opens(tmp_path: Path) -> None:
    assert len(SUFFIXES) == 10
    for suffix in SUFFIXES:
        path = tmp_path / f"a{suffix}"
        data = b"text\n"
        if "parquet" in suffix:
            sink = io.BytesIO()
            pq.write_table(pa.table({"text": ["a"]}), sink)
            data = sink.getvalue()
        path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
        assert open_source(path, FileOptions()).kind in suffix


def test_gzip_output_is_deterministic(tmp_path: Path, scripted: Any) -> None:
    convert(tmp_path, "a.jsonl.gz", b'{"text": "a b"}\n' * 50, scripted, chunk_records=7)
    first = (tmp_path / "out_a.jsonl.gz").read_bytes()
    assert first[4:8] == bytes(4), "its header holds a time"
    convert(tmp_path, "a.jsonl.gz", b'{"text": "a b"}\n' * 50, scripted, chunk_records=11)
    assert (tmp_path / "out_a.jsonl.gz").read_bytes() == first


# --- spans ---


def test_released_spans_replace_the_private_ones(tmp_path: Path, scripted: Any) -> None:
    released = [{"start": 0, "end": 2, "label": "WORD"}, {"start": 3, "end": 5, "label": "WORD"}]
    line = b'{"spans": [[0, 12, "Zaphodsecret"]], "text": "Zaphodsecret met"}\n'
    written, _ = convert(tmp_path, "a.jsonl", line, scripted, spans_field="spans")
    assert json.loads(written) == {"spans": released, "text": "w0 w1"}
    (chunk,) = open_source(tmp_path / "a.jsonl", FileOptions(spans_field="spans")).chunks()
    assert chunk.documents[0].metadata["spans"] == [[0, 12, SECRET]]

    data = b'text,spans\nZaphodsecret met,"[[0, 12, ""Zaphodsecret""]]"\n'
    written, _ = convert(tmp_path, "a.csv", data, scripted, spans_field="spans")
    (row,) = csv.DictReader(io.StringIO(written.decode()))
    assert (row["text"], json.loads(row["spans"])) == ("w0 w1", released)
    (chunk,) = open_source(tmp_path / "a.csv", FileOptions(spans_field="spans")).chunks()
    assert chunk.documents[0].metadata["spans"] == '[[0, 12, "Zaphodsecret"]]'


def test_parquet_spans_are_replaced(tmp_path: Path, scripted: Any) -> None:
    given = [{"start": 0, "end": 12, "label": "X", "text": SECRET}]
    table = pa.table({"text": [f"{SECRET} met"], "spans": [given], "json": [json.dumps(given)]})
    for field in ("spans", "json"):
        data = parquet(tmp_path, table.select(["text", field]))
        written, _ = convert(tmp_path, "a.parquet", data, scripted, spans_field=field)
        assert SECRET.encode() not in written
        value = pq.read_table(io.BytesIO(written))[field].to_pylist()[0]
        value = json.loads(value) if field == "json" else value
        assert value[1] == {"start": 3, "end": 5, "label": "WORD"}


# --- parquet ---


def parquet(folder: Path, table: pa.Table, **options: Any) -> bytes:
    path = folder / "made.parquet"
    pq.write_table(table, path, **options)
    data = path.read_bytes()
    path.unlink()
    return data


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_parquet_keeps_types_and_columns(tmp_path: Path, scripted: Any, name: str, kind: pa.DataType) -> None:
    schema = pa.schema(
        [
            pa.field("n", pa.int32(), nullable=False),
            pa.field("text", kind, metadata={b"k": b"v"}),
            pa.field("when", pa.timestamp("ns", "UTC")),
            pa.field("nested", pa.list_(pa.struct([("a", pa.binary())]))),
        ],
        metadata={b"made": b"here"},
    )
    rows = [{"n": n, "text": "a b" * (n % 3), "when": n * 1_000_000, "nested": [{"a": b"\xff"}]} for n in range(1000)]
    table = pa.Table.from_pylist(rows, schema)
    data = parquet(tmp_path, table, compression="zstd", row_group_size=130)
    written, summary = convert(tmp_path, name, data, scripted, chunk_records=90)
    file = pq.ParquetFile(io.BytesIO(written))
    assert file.schema_arrow.equals(pq.read_schema(io.BytesIO(data)))
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.read().drop_columns(["text"]).to_pydict() == table.drop_columns(["text"]).to_pydict()
    assert file.read()["text"].to_pylist()[:3] == ["", "w0 w1", "w0 w1 w2"]
    assert summary.records == 1000


def test_parquet_labels_are_read_along(tmp_path: Path) -> None:
    table = pa.table({"text": ["a b"], "age": [31], "rest": ["x"]})
    pq.write_table(table, tmp_path / "a.parquet")
    (chunk,) = open_source(tmp_path / "a.parquet", FileOptions(labels=("age", "text", "nothing"))).chunks()
    assert chunk.documents[0].metadata == {"text": "a b", "age": 31}
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([2])], ["text", "age", "age"])
    pq.write_table(twice, tmp_path / "b.parquet")
    with pytest.raises(InputError, match="'age' twice"):
        open_source(tmp_path / "b.parquet", FileOptions(labels=("age",)))


def test_parquet_row_groups_do_not_show_the_chunks(tmp_path: Path, scripted: Any) -> None:
    data = parquet(tmp_path, pa.table({"text": ["a b"] * 3000}))
    first, _ = convert(tmp_path, "a.parquet", data, scripted, chunk_records=97)
    second, _ = convert(tmp_path, "a.parquet", data, scripted, chunk_records=900)
    assert first == second


def test_parquet_refusals(tmp_path: Path, scripted: Any) -> None:
    def message(table: pa.Table, **options: Any) -> str:
        return refusal(tmp_path, "a.parquet", parquet(tmp_path, table), scripted, **options)

    assert "int64" in message(pa.table({"text": [1]}))
    # names of columns are quoted where CSV quotes them: near ones and usual ones
    assert "'Text'" in message(pa.table({"Text": [SECRET]}))
    assert "other" not in message(pa.table({"other": [SECRET]}))
    assert "twice" in message(pa.Table.from_arrays([["a"], ["b"]], names=["text", "text"]))
    bad = pa.array([b"ok", SECRET.encode() + b"\xff"], pa.binary()).view(pa.string())
    assert "UTF-8" in message(pa.table({"text": bad}))
    assert "earlier" in message(pa.table({"text": ["a", "b"], "id": [SECRET, SECRET]}), id_field="id")
    assert "Parquet" in refusal(tmp_path, "a.parquet", b"PAR1" + SECRET.encode(), scripted)
    table, options = pa.table({"text": ["a", "c", "b"], "n": [1, 1, 3]}), {"on_error": "quarantine", "id_field": "n"}
    written, summary = convert(tmp_path, "a.parquet", parquet(tmp_path, table), scripted, **options)
    assert pq.read_table(io.BytesIO(written)).to_pylist() == [{"text": "w0", "n": 1}, {"text": "w0", "n": 3}]
    (line,) = quarantined(tmp_path / "out_a.parquet")
    assert pq.read_table(io.BytesIO(line["raw"])).to_pylist() == [{"text": "c", "n": 1}]
    assert (line["line"], summary.quarantined) == (2, 1)


TEXT_TYPES = {
    "view": pa.string_view(),
    "large": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "small-dictionary": pa.dictionary(pa.int8(), pa.string(), ordered=True),
    "dictionary-of-large": pa.dictionary(pa.int16(), pa.large_string()),
}


@pytest.mark.parametrize("kind", TEXT_TYPES.values(), ids=TEXT_TYPES)
def test_every_type_of_text_column_is_sanitized(tmp_path: Path, scripted: Any, kind: pa.DataType) -> None:
    texts = [f"{SECRET} {'and ' * (n % 3)}more" for n in range(90)] + [None] * 10
    data = parquet(tmp_path, pa.table({"n": range(100), "text": pa.array(texts, kind)}), row_group_size=30)
    written, summary = convert(tmp_path, "a.parquet", data, scripted, chunk_records=17)
    assert SECRET.encode() not in written
    table = pq.read_table(io.BytesIO(written))
    assert table["text"].to_pylist() == [" ".join(f"w{n}" for n in range(2 + n % 3)) for n in range(90)] + [None] * 10
    read = pq.read_table(io.BytesIO(data)).schema.field("text").type  # which Parquet may simplify
    assert pa.types.is_dictionary(table["text"].type) == pa.types.is_dictionary(read)
    assert pa.types.is_dictionary(read) or table["text"].type == read
    assert (summary.records, summary.absent) == (100, 10)


def test_a_dictionary_has_room_for_more_texts_than_the_private_one(tmp_path: Path, scripted: Any) -> None:
    """Names that were one text may become as many as there are rows."""

    class Counting(scripted.Echo):  # type: ignore[misc, name-defined]
        def sanitize_batch(self, documents: Any, randomness: Any) -> Any:
            return [Release.joined(one.id, ("", f"new {one.id}", ""), "WORD", 1) for one in documents]

    kind = pa.dictionary(pa.int8(), pa.string())
    pq.write_table(pa.table({"text": pa.array([SECRET] * 500, kind)}), tmp_path / "a.parquet")
    sanitize_file(Counting(), tmp_path / "a.parquet", tmp_path / "b.parquet", RunOptions(), None)
    assert pq.read_table(tmp_path / "b.parquet")["text"].to_pylist() == [f"new {n}" for n in range(500)]


def test_a_dictionary_of_private_texts_that_are_set_aside_stays_out(tmp_path: Path, scripted: Any) -> None:
    texts = pa.array([f"{scripted.REFUSED} {SECRET}", "a b", "c"], pa.dictionary(pa.int32(), pa.string()))
    data = parquet(tmp_path, pa.table({"text": texts}))
    written, summary = convert(tmp_path, "a.parquet", data, scripted, on_error="quarantine")
    assert pq.read_table(io.BytesIO(written))["text"].to_pylist() == ["w0 w1", "w0"]
    assert SECRET.encode() not in written
    assert summary.quarantined == 1


@pytest.mark.parametrize(
    "kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_rows_are_set_aside_beside_columns_of_any_kind(tmp_path: Path, scripted: Any, kind: Any) -> None:
    texts, others = pa.array([f"{scripted.REFUSED} {SECRET}", "a b", "c"]), pa.array([SECRET, "d", "e"])
    data = parquet(tmp_path, pa.table({"text": texts.cast(kind), "other": others.cast(kind)}))
    written, summary = convert(tmp_path, "a.parquet", data, scripted, on_error="quarantine")
    assert pq.read_table(io.BytesIO(written))["other"].to_pylist() == ["d", "e"]
    assert SECRET.encode() not in written
    assert summary.quarantined == 1


def test_a_dictionary_that_is_not_utf8_is_refused(tmp_path: Path, scripted: Any) -> None:
    bad = pa.array([b"ok", SECRET.encode() + b"\xff"], pa.binary()).view(pa.string()).dictionary_encode()
    for column in (bad, pa.array([b"ok", SECRET.encode() + b"\xff"], pa.binary_view()).view(pa.string_view())):
        told = refusal(tmp_path, "a.parquet", parquet(tmp_path, pa.table({"text": column})), scripted)
        assert "row 2" in told
        assert "UTF-8" in told


def test_spans_may_be_a_dictionary_of_json(tmp_path: Path, scripted: Any) -> None:
    given = pa.array([json.dumps([[0, 12, SECRET]])], pa.dictionary(pa.int8(), pa.string()))
    data = parquet(tmp_path, pa.table({"text": [f"{SECRET} met"], "spans": given}))
    written, _ = convert(tmp_path, "a.parquet", data, scripted, spans_field="spans")
    assert SECRET.encode() not in written
    assert json.loads(pq.read_table(io.BytesIO(written))["spans"].to_pylist()[0])[1]["label"] == "WORD"


# --- folders ---


def test_folder_keeps_paths_and_bytes(tmp_path: Path, scripted: Any) -> None:
    source = tmp_path / "in"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "b.txt").write_bytes(BOM + b"one\r\ntwo")
    (source / "deep" / "er" / "é.TXT").write_bytes(b"")
    (source / "deep" / "z.txt.gz").write_bytes(gzip.compress(b"one"))
    (source / "deep" / "left.dat").write_text(SECRET)
    for records in (1, 100):
        target = tmp_path / f"out{records}"
        options = RunOptions(files=FileOptions(chunk_records=records))
        summary = sanitize_file(scripted.NumberedWords(), source, target, options, None)
        assert summary.records == 3
        found = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
        assert found == ["b.txt", "deep/er/é.TXT", "deep/z.txt.gz"]
        assert (target / "b.txt").read_bytes() == BOM + b"w0\r\nw1"
        assert gzip.decompress((target / "deep" / "z.txt.gz").read_bytes()) == b"w0"
    (chunk,) = open_source(source, FileOptions()).chunks()
    assert [document.id for document in chunk.documents] == found


def test_folder_never_follows_links(tmp_path: Path, scripted: Any) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "s.txt").write_text(SECRET)
    for link, target in (("l.txt", outside / "s.txt"), ("folder", outside)):
        source, out = tmp_path / f"in_{link}", tmp_path / f"out_{link}"
        source.mkdir()
        (source / "a.txt").write_text("one")
        (source / link).symlink_to(target)
        with pytest.raises(InputError, match="symbolic link"):
            sanitize_file(scripted.Echo(), source, out, RunOptions(), None)
        options = RunOptions(files=FileOptions(on_error="quarantine"), overwrite=True)
        summary = sanitize_file(scripted.Echo(), source, out, options, None)
        assert (summary.records, summary.quarantined) == (1, 1)
        assert [path.name for path in out.rglob("*")] == ["a.txt"]
        assert quarantined(out)[0]["raw"] == b""


def test_what_is_hidden_in_a_folder_is_not_released(tmp_path: Path, scripted: Any) -> None:
    """As of a pattern: nobody who looks into the folder sees it, so nobody would look for it in the release."""
    shown = ["a.txt", "_b.txt", "more/c.txt"]
    for name in (*shown, ".d.txt", "._a.txt", ".git/e.txt", "more/.f.txt.gz", "more/.g/h.txt"):
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET if name not in shown else "a")
    (tmp_path / "notes" / ".link").symlink_to(tmp_path)
    out = tmp_path / "out"
    summary = sanitize_file(scripted.Echo(), tmp_path / "notes", out, RunOptions(), None)
    assert summary.records == len(shown)
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir())
    assert found == sorted(shown)
    for name in shown:
        (tmp_path / "notes" / name).unlink()
    with pytest.raises(InputError, match="no text or document that is not hidden"):
        open_input(tmp_path / "notes", FileOptions())
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "notes" / "a.parquet")
    assert open_input(tmp_path / "notes", FileOptions()).kind == "shards"


def test_folder_refusals(tmp_path: Path, scripted: Any) -> None:
    source = tmp_path / "in"
    source.mkdir()
    with pytest.raises(InputError, match="holds no text or document"):
        open_source(source, FileOptions())
    (source / "a.txt").write_bytes(b"\n\n" + SECRET.encode() + b"\xff")
    with pytest.raises(ConfigurationError):
        open_source(source, FileOptions(lines=True))
    with pytest.raises(InputError, match=r"a\.txt, line 3.*UTF-8") as caught:
        sanitize_file(scripted.Echo(), source, tmp_path / "out", RunOptions(), None)
    assert SECRET not in str(caught.value)
    for target in (source / "out", tmp_path):
        with pytest.raises(OutputError, match="inside each other"):
            sanitize_file(scripted.Echo(), source, target, RunOptions(overwrite=True), None)


# --- refusals ---

# --- fields that stay ---


def test_fields_that_are_not_kept_are_left_out_of_lines(tmp_path: Path, scripted: Any) -> None:
    data = (
        b'\xef\xbb\xbf { "spans" : [[0, 1, "Zaphodsecret"]], "te\\u0078t"\t: "a b" , "kind":"x, }", "id" : 1 }\r\n\n'
        b'{"Zaphodsecret": {"kind": "Zaphodsecret"}, "id": 2, "text": "", "kin\\u0064": 1.50, "kind": 2}\n'
        b'{"id":3,"text":"c","z":"Zaphodsecret"}'
    )
    written, _ = convert(tmp_path, "a.jsonl", data, scripted, id_field="id", keep=("kind",))
    assert written == (
        b'\xef\xbb\xbf{"te\\u0078t"\t: "w0 w1", "kind":"x, }", "id" : 1}\r\n\n'
        b'{"id": 2, "text": "", "kin\\u0064": 1.50, "kind": 2}\n'
        b'{"id":3, "text":"w0"}'
    )
    written, _ = convert(tmp_path, "a.jsonl", data, scripted, keep=())
    assert [json.loads(line) for line in written.decode("utf-8-sig").split("\n") if line.strip()] == [
        {"text": "w0 w1"},
        {"text": ""},
        {"text": "w0"},
    ]
    every = data.replace(b"[[0, 1, ", b"[[0, ")
    assert SECRET.encode() in convert(tmp_path, "a.jsonl", every, scripted)[0]
    written, _ = convert(tmp_path, "a.jsonl", data.split(b"\n")[0], scripted, spans_field="spans", keep=())
    assert list(json.loads(written.decode("utf-8-sig"))) == ["spans", "text"]
    assert SECRET.encode() not in written


def test_fields_that_are_not_kept_can_still_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a", "patient": "Zaphodsecret"}\n')
    (tmp_path / "a.csv").write_text("text,patient\na,Zaphodsecret\n")
    for name in ("a.jsonl", "a.csv"):
        (chunk,) = open_source(tmp_path / name, FileOptions(keep=())).chunks()
        assert chunk.documents[0].metadata["patient"] == SECRET


def test_a_record_that_is_set_aside_is_whole_there(tmp_path: Path, scripted: Any) -> None:
    lines = b'\n{"z": "Zaphodsecret", "text": "Refuseme"}\n', b'{"z": 1, "text": "a"}\n'
    written, _ = convert(tmp_path, "a.jsonl", b"".join(lines), scripted, keep=(), on_error="quarantine")
    assert written == b'{"text": "w0"}\n'
    assert quarantined(tmp_path / "out_a.jsonl")[0]["raw"] == lines[0]
    rows = b"z,text\n", b"Zaphodsecret,Refuseme\n", b"1,a\n"
    written, _ = convert(tmp_path, "a.csv", b"".join(rows), scripted, keep=(), on_error="quarantine")
    assert written == b"text\nw0\n"
    assert quarantined(tmp_path / "out_a.csv")[0]["raw"] == rows[1]


@pytest.mark.parametrize(
    ("name", "data", "kept"),
    [
        ("a.csv", b'z,text,kind,id\nZaphodsecret,"a, b",x,1\n\n2,,"x, y",3', b'text,kind\n"w0, w1",x\n\n,"x, y"'),
        ("a.tsv", b"z\tkind\ttext\r\nZaphodsecret\tx\ta b\r\n", b"kind\ttext\r\nx\tw0 w1\r\n"),
    ],
)
def test_columns_that_are_not_kept_are_left_out_of_tables(
    tmp_path: Path, scripted: Any, name: str, data: bytes, kept: bytes
) -> None:
    assert convert(tmp_path, name, data, scripted, keep=("kind", "text"))[0] == kept
    assert convert(tmp_path, name, data, scripted, keep=("kind",), chunk_records=1)[0] == kept
    with pytest.raises(ConfigurationError, match="no field 'knid' to keep"):
        convert(tmp_path, name, data, scripted, keep=("knid",))
    alone, _ = convert(tmp_path, name, data, scripted, keep=())
    assert next(csv.DictReader(io.StringIO(alone.decode()))).keys() == {"text"}
    assert SECRET.encode() not in alone


def test_columns_that_are_not_kept_are_left_out_of_parquet(tmp_path: Path, scripted: Any) -> None:
    table = pa.table({"z": [SECRET, "b"], "text": ["a b", "c"], "kind": [1, None], "id": ["x", "y"]})
    data = parquet(tmp_path, table)
    written, _ = convert(tmp_path, "a.parquet", data, scripted, id_field="id", keep=("kind",), chunk_records=1)
    there = pq.read_table(io.BytesIO(written))
    assert there.to_pydict() == {"text": ["w0 w1", "w0"], "kind": [1, None], "id": ["x", "y"]}
    assert SECRET.encode() not in written
    with pytest.raises(ConfigurationError, match="no field 'knid' to keep"):
        convert(tmp_path, "a.parquet", data, scripted, keep=("knid",))


@pytest.mark.parametrize("keep", [None, ("z", "kind", "views", "map", "tensor")])
def test_no_metadata_of_a_parquet_file_is_released(
    tmp_path: Path, scripted: Any, keep: tuple[str, ...] | None
) -> None:
    """Neither pandas' own, nor that of a file, a column, what is nested in it, or an extension type."""
    said = {"pandas": SECRET}
    struct = pa.struct([pa.field("n", pa.int8(), metadata=said)])
    inside = pa.field("item", struct, metadata=said)
    tensor = pa.fixed_shape_tensor(pa.int8(), [1], dim_names=[SECRET])
    columns = {
        "text": (pa.string(), ["a"]),
        "z": (pa.int8(), [7]),
        "kind": (pa.list_(inside), [[{"n": 1}]]),
        "views": (pa.list_view(inside), [[{"n": 2}]]),
        "map": (pa.map_(pa.string(), pa.field("value", struct, metadata=said)), [[("k", {"n": 3})]]),
        "tensor": (tensor, [[4]]),
    }
    schema = pa.schema([pa.field(name, kind, metadata=said) for name, (kind, _) in columns.items()], metadata=said)
    storage = [tensor.storage_type if name == "tensor" else kind for name, (kind, _) in columns.items()]
    arrays = [pa.array(values, kind) for kind, (_, values) in zip(storage, columns.values(), strict=True)]
    arrays[-1] = pa.ExtensionArray.from_storage(tensor, arrays[-1])
    data = parquet(tmp_path, pa.Table.from_arrays(arrays, schema=schema))

    def whole(written: bytes) -> str:
        file = pq.ParquetFile(io.BytesIO(written))
        return f"{file.metadata.metadata} {file.schema_arrow.to_string(show_field_metadata=True)}"

    assert whole(data).count(SECRET) > 6
    written, _ = convert(tmp_path, "a.parquet", data, scripted, keep=keep)
    assert SECRET not in whole(written)
    assert SECRET.encode() not in written
    assert "metadata" not in whole(written)
    there = pq.read_table(io.BytesIO(written))
    assert there.to_pylist() == [
        {"text": "w0", "z": 7, "kind": [{"n": 1}], "views": [{"n": 2}], "map": [("k", {"n": 3})], "tensor": [4]}
    ]


def test_words_of_rows_that_were_set_aside_are_in_no_dictionary(tmp_path: Path, scripted: Any) -> None:
    levels = pa.DictionaryArray.from_arrays(
        pa.array([1, 2, 0, None], pa.int8()), pa.array(["low", SECRET, "high"]), ordered=True
    )
    nested = pa.array([[SECRET], ["x"], None, []], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    table = pa.table({"text": ["Refuseme", "a", "b", "c"], "level": levels, "nested": nested})
    for options in ({}, {"keep": ("level", "nested")}):
        data = parquet(tmp_path, table)
        written, _ = convert(tmp_path, "a.parquet", data, scripted, on_error="quarantine", **options)
        assert SECRET.encode() not in written
        there = pq.read_table(io.BytesIO(written))
        assert there.schema.field("level").type == levels.type
        assert there["level"].to_pylist() == ["high", "low", None]
        assert there["level"].chunk(0).dictionary.to_pylist() == ["low", "high"]
        assert there["nested"].to_pylist() == [["x"], None, []]


def test_a_chunk_of_bad_rows_alone_is_set_aside(tmp_path: Path, scripted: Any) -> None:
    texts = pa.array([b"\xff", b"a", b"Refuseme"], pa.binary()).view(pa.string())
    table = pa.table({"text": texts, "k": [1, 2, 3]})
    data = parquet(tmp_path, table)
    written, summary = convert(tmp_path, "a.parquet", data, scripted, on_error="quarantine", chunk_records=1)
    assert pq.read_table(io.BytesIO(written)).to_pydict() == {"text": ["w0"], "k": [2]}
    assert (summary.records, summary.quarantined) == (1, 2)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_column_that_stays_alone_can_be_read_again(tmp_path: Path, scripted: Any, delimiter: str) -> None:
    data = f"z{delimiter}text\nS{delimiter}Lee, Anna\nS{delimiter}c\n".encode()
    written, _ = convert(tmp_path, "a.csv", data, scripted, keep=())
    assert written == b'text\n"w0, w1"\nw0\n'
    assert convert(tmp_path, "b.csv", written, scripted, echo=True)[0] == written
    with pytest.raises(ConfigurationError, match="One column alone"):
        convert(tmp_path, "a.csv", data, scripted, keep=(), quoting="none")


def test_a_last_line_that_is_empty_stays_a_line(tmp_path: Path, scripted: Any) -> None:
    written, summary = convert(tmp_path, "a.tsv", b"z\ttext\nS\ta\nS\t", scripted, keep=())
    assert (written, summary.records) == (b"text\nw0\n\n", 2)
    written, _ = convert(tmp_path, "a.tsv", b"z\ttext\nS\t", scripted, keep=())
    assert written == b"text\n\n"
    written, summary = convert(tmp_path, "b.tsv", written, scripted)
    assert summary.records == 1
    assert convert(tmp_path, "a.csv", b'z,text\nS,a\nS,""', scripted, keep=())[0] == b'text\nw0\n""'


def test_a_misspelt_name_to_keep_is_met_where_it_can_be_told(tmp_path: Path, scripted: Any) -> None:
    data = b'{"text": "a", "kind": 1}\n' * 3
    with pytest.raises(ConfigurationError, match="no field 'knid' to keep"):
        convert(tmp_path, "a.jsonl", data, scripted, keep=("kind", "knid"))
    rare = data + b'{"text": "a", "rare": null}\n'
    assert b"kind" not in convert(tmp_path, "a.jsonl", rare, scripted, keep=("rare",), chunk_records=1)[0]
    with pytest.raises(ConfigurationError, match=r"no field 'zip' to keep; look at .* There are: 'text'\.$"):
        convert(tmp_path, "a.jsonl", b'{"text": "a", "Zaphodsecret": 1}\n' + data, scripted, keep=("zip",))
    written, _ = convert(tmp_path, "a.jsonl", b'{"text": "a"}\n' + data, scripted, keep=("kind",), chunk_records=1)
    assert written.count(b"kind") == 3


@pytest.mark.parametrize(
    "named",
    [
        {"keep": ("ward",)}, {"id_field": "id"}, {"fields": ("note",)}, {"spans_field": "spans"},
        {"subject_field": "who"}, {"missing": "pass"}, {"quoting": "none"},
    ],
)  # fmt: skip
def test_a_text_has_no_fields(tmp_path: Path, named: Any) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("x")
    (tmp_path / "a.txt").write_text("x")
    for name in ("a.txt", "folder"):
        with pytest.raises(ConfigurationError, match="leave"):
            open_source(tmp_path / name, FileOptions(**named))
        open_source(tmp_path / name, FileOptions(keep=()))  # a policy that keeps none is for every file


GOOD = b'{"text": "fine"}\n'
BAD_LINES = {
    "cut": b'{"text": "Zaphodsecret',
    "array": b'["Zaphodsecret"]',
    "string": b'"Zaphodsecret"',
    "no json": b"Zaphodsecret",
    "missing": b'{"txet": "Zaphodsecret"}',
    "number": b'{"text": 5, "x": "Zaphodsecret"}',
    "list": b'{"text": ["Zaphodsecret"]}',
    "twice": b'{"text": "a", "text": "Zaphodsecret"}',
    "twice, escaped": b'{"text": "a", "te\\u0078t": "Zaphodsecret"}',
    "tail": b'{"text": "a"} "Zaphodsecret"',
    "tail after nothing": b'{} "Zaphodsecret"',
    "comma": b'{"text": "Zaphodsecret",}',
    "no colon": b'{"text" "Zaphodsecret"}',
    "bare key": b'{text: "Zaphodsecret"}',
    "raw tab": b'{"text": "Zaphodsecret\t"}',
    "utf-8": b'{"text": "Zaphodsecret\xff"}',
    "utf-16": '{"text": "Zaphodsecret"}'.encode("utf-16"),
    "deep": b'{"text": "Zaphodsecret", "x": ' + b"[" * 200_000 + b"}",
    "deep lists": b'{"text": "Zaphodsecret", "x": ' + b"[" * 900 + b"]" * 900 + b"}",
    "deep objects": b'{"text": "Zaphodsecret", "x": ' + b'{"x":' * 900 + b"1" + b"}" * 900 + b"}",
    "a deep list": b"[" * 300 + b'"Zaphodsecret"' + b"]" * 300,
    "long number": b'{"text": "Zaphodsecret", "x": ' + b"1" * 5_000 + b"}",
    "long number alone": b"1" * 5_000,
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_bad_json_lines_are_refused_and_can_be_set_aside(tmp_path: Path, scripted: Any, bad: bytes) -> None:
    data = GOOD * 2 + bad + b"\n" + GOOD
    assert "a.jsonl, line 3:" in refusal(tmp_path, "a.jsonl", data, scripted)
    written, summary = convert(tmp_path, "a.jsonl", data, scripted, on_error="quarantine")
    assert written == GOOD.replace(b"fine", b"w0") * 3
    assert (summary.records, summary.quarantined) == (3, 1)
    (line,) = quarantined(tmp_path / "out_a.jsonl")
    assert (line["file"], line["line"], line["raw"]) == ("a.jsonl", 3, bad + b"\n")
    assert SECRET not in line["reason"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_record_may_be_as_deep_as_it_is_said(tmp_path: Path, scripted: Any, workers: int) -> None:
    """What reads a record is not deeper in it than Python goes, and neither is what sends it to another process."""
    for deepest, code in ((100, 0), (101, 1)):
        inner = b"[" * (deepest - 1) + b"]" * (deepest - 1)
        data = b'{"text": "fine", "x": ' + inner + b', "y": "' + b"[" * 1000 + b'"}\n'
        (tmp_path / "a.jsonl").write_bytes(data * 3)
        options = RunOptions(FileOptions(on_error="quarantine"), workers=workers, overwrite=True)
        summary = sanitize_file(scripted.NumberedWords(), tmp_path / "a.jsonl", tmp_path / "b.jsonl", options, None)
        assert (summary.records, summary.quarantined) == ((3, 0), (0, 3))[code]
        assert (tmp_path / "b.jsonl").read_bytes() == (data.replace(b"fine", b"w0") * 3, b"")[code]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("long number", "line 3: the record has a whole number of more digits than can be read; correct"),
        ("long number alone", "line 3: the record has a whole number of more digits than can be read; correct"),
        ("deep", "line 3: the record has lists and objects inside each other, more than 100 deep; correct"),
        ("deep lists", "line 3: the record has lists and objects inside each other, more than 100 deep; correct"),
        ("a deep list", "line 3: the line is not a JSON object; correct"),
    ],
)
def test_what_python_cannot_read_is_not_called_bad_json(tmp_path: Path, scripted: Any, bad: str, said: str) -> None:
    assert said in refusal(tmp_path, "a.jsonl", GOOD * 2 + BAD_LINES[bad] + b"\n", scripted)


def test_a_misspelt_field_is_met_with_the_fields_there_are(tmp_path: Path, scripted: Any) -> None:
    told = refusal(tmp_path, "a.jsonl", b'{"id": 1, "txet": "Zaphodsecret", "Zaphodsecret": 2}\n' + GOOD, scripted)
    assert (
        "'text' is missing (is the name misspelt? the record has 3 fields, among them 'id', 'txet'; name the" in told
    )
    assert "text in the [fields] of a policy" in told
    # Other keys may be names of people, and so may what only a later record is keyed by.
    told = refusal(tmp_path, "a.jsonl", b'{"Zaphodsecret": "ill"}\n', scripted)
    assert "'text' is missing (is the name misspelt? the record has 1 field; name the text field" in told
    assert "misspelt" not in refusal(tmp_path, "a.jsonl", GOOD + b'{"txet": 1}\n', scripted)
    told = refusal(tmp_path, "a.csv", b"note,txt,Zaphodsecret\n1,2,3\n", scripted)
    assert "choose one of its 3 columns (among them 'note', 'txt'); name the text field with --field, or" in told
    # A table without a header begins with a private row.
    told = refusal(tmp_path, "a.csv", b"Zaphodsecret,John,Berlin,Diabetes\n", scripted)
    assert "John" not in told
    assert "add a header line" in told


def quarantined(output: Path) -> list[dict[str, Any]]:
    path = output.with_name(output.name + ".quarantine.jsonl")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(set(line) == {"file", "line", "reason", "raw_base64"} for line in lines)
    return [{**line, "raw": base64.b64decode(line["raw_base64"])} for line in lines]


BAD_ROWS = {
    "few": b"Zaphodsecret\n",
    "many": b"a,Zaphodsecret,b\n",
    "utf-8": b"\xffZaphodsecret,1\n",
    "utf-8 in a cell of lines": b'"one\n\xff Zaphodsecret\nx, y",1\n',
}


@pytest.mark.parametrize("bad", BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_refused_and_can_be_set_aside(tmp_path: Path, scripted: Any, bad: bytes) -> None:
    data = b"text,label\nfine,1\n" + bad + b"fine,2\n"
    assert "a.csv, line 3:" in refusal(tmp_path, "a.csv", data, scripted)
    written, summary = convert(tmp_path, "a.csv", data, scripted, on_error="quarantine")
    assert written == b"text,label\nw0,1\nw0,2\n"
    (line,) = quarantined(tmp_path / "out_a.csv")
    assert (line["line"], line["raw"], summary.quarantined) == (3, bad, 1)


@pytest.mark.parametrize("on_error", ["stop", "quarantine"])
@pytest.mark.parametrize("bad", [b'"Zaphodsecret', b'"Zaphodsecret" x,1\n'], ids=["open", "closed early"])
def test_broken_quoting_always_stops(tmp_path: Path, scripted: Any, bad: bytes, on_error: str) -> None:
    """Where a row ends is then unknown: a piece of a private text could end up in another column."""
    data = b"text,label\nfine,1\n" + bad + b",1\nfine,2\n"
    assert "line 3" in refusal(tmp_path, "a.csv", data, scripted, on_error=on_error)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_header_refusals_name_the_public_columns(tmp_path: Path, scripted: Any, name: str) -> None:
    mark = b"," if name == "a.csv" else b"\t"
    text = refusal(
        tmp_path, name, mark.join([b"note", b"texts"]) + b"\n" + mark.join([b"Zaphodsecret"] * 2), scripted
    )
    assert "'text'" in text
    assert "'note', 'texts'" in text
    assert "twice" in refusal(tmp_path, name, mark.join([b"text", b"text"]) + b"\n", scripted)
    assert "no header" in refusal(tmp_path, name, b"", scripted)
    assert "UTF-8" in refusal(tmp_path, name, b"text" + mark + b"\xff\n", scripted)
    assert "'spans'" in refusal(tmp_path, name, b"text\n", scripted, spans_field="spans")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_file_without_header_is_not_quoted(tmp_path: Path, scripted: Any, name: str) -> None:
    """Its first line is a private row."""
    for row in ("7,Zaphodsecret", "Zaphodsecret was here,x", "Zaphodsecret,Zaphodsecret", "Zaphodsecret,"):
        data = row.replace(",", "," if name == "a.csv" else "\t").encode()
        assert "add a header line" in refusal(tmp_path, name, data + b"\n", scripted)


def test_carriage_returns_alone_end_no_row(tmp_path: Path, scripted: Any) -> None:
    assert "line 1" in refusal(tmp_path, "a.csv", b"text,n\rZaphodsecret,1\r", scripted)


@pytest.mark.parametrize("lines", [True, False])
def test_invalid_utf8_in_text(tmp_path: Path, scripted: Any, lines: bool) -> None:
    data = b"one\ntwo\nZaphodsecret \xff\nfour\n"
    assert "line 3" in refusal(tmp_path, "a.txt", data, scripted, lines=lines)
    written, _ = convert(tmp_path, "a.txt", data, scripted, lines=lines, on_error="quarantine")
    assert written == (b"w0\nw0\nw0\n" if lines else b"")


@pytest.mark.parametrize("value", ["null", "1.5", "true", '["Zaphodsecret"]'])
def test_ids_are_strings_or_whole_numbers(tmp_path: Path, scripted: Any, value: str) -> None:
    data = f'{{"text": "a", "id": {value}}}\n'.encode()
    assert "'id'" in refusal(tmp_path, "a.jsonl", data, scripted, id_field="id")


def test_ids_are_used_once(tmp_path: Path, scripted: Any) -> None:
    """Pinned randomness is keyed by the id: twice the same id would be twice the same draws."""
    data = b"text,id\na,Zaphodsecret\nb,2\nc,Zaphodsecret\n"
    assert "line 4" in refusal(tmp_path, "a.csv", data, scripted, id_field="id", chunk_records=1)
    written, _ = convert(tmp_path, "a.csv", data, scripted, id_field="id", on_error="quarantine", chunk_records=1)
    assert written == b"text,id\nw0,Zaphodsecret\nw0,2\n"
    lines = b'{"text": "a", "id": 1}\n{"text": "a", "id": "1"}\n'
    assert "line 2" in refusal(tmp_path, "a.jsonl", lines, scripted, id_field="id")


def test_broken_gzip_is_refused(tmp_path: Path, scripted: Any) -> None:
    for data in (gzip.compress(os.urandom(5000).hex().encode())[:-2000], b"Zaphodsecret"):
        (tmp_path / "a.jsonl.gz").write_bytes(data)
        with pytest.raises(InputError, match="gzip") as caught:
            sanitize_file(scripted.Echo(), tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl", RunOptions(), None)
        assert SECRET not in str(caught.value)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_source(tmp_path / "none.txt", FileOptions())
    (tmp_path / "a.odt").write_text("x")
    with pytest.raises(InputError, match=r"save it as \.docx"):
        open_source(tmp_path / "a.odt", FileOptions())
    (tmp_path / "a.odx").write_text("x")
    with pytest.raises(InputError, match=r"\.jsonl\.gz") as caught:
        open_source(tmp_path / "a.odx", FileOptions())
    assert all(suffix in str(caught.value) for suffix in SUFFIXES)
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(InputError, match="regular"):
        open_source(tmp_path / "a.txt", FileOptions())


def test_options_that_cannot_work() -> None:
    for options in (
        {"fields": ()},
        {"fields": "text"},
        {"fields": ("a", "a")},
        {"id_field": "text"},
        {"spans_field": "text"},
        {"fields": ("a", "b"), "spans_field": "c"},
        {"on_error": "ignore"},
        {"quoting": "some"},
        {"chunk_records": 0},
        {"keep": "kind"},
    ):
        with pytest.raises(ConfigurationError):
            FileOptions(**options)  # type: ignore[arg-type]


# --- size ---


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt"])
def test_a_line_of_50_megabytes(tmp_path: Path, scripted: Any, name: str) -> None:
    text = b"abcd efgh " * 5_000_000
    data = {"a.jsonl": b'{"text": "' + text + b'"}\n', "a.txt": text + b"\n"}.get(name, b"text\n" + text + b"\n")
    started = time.process_time()
    written, _ = convert(tmp_path, name, data, scripted, echo=True, lines=True)
    assert written == data
    assert time.process_time() - started < 10


def test_chunks_end_at_records_or_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0123456789\n" * 10)
    for options, sizes in (
        (FileOptions(lines=True, chunk_records=4), [4, 4, 2]),
        (FileOptions(lines=True, chunk_characters=25), [3, 3, 3, 1]),
    ):
        assert [len(chunk.documents) for chunk in open_source(path, options).chunks()] == sizes

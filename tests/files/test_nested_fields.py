"""Texts inside the objects and lists of a JSON line: found by their path, and placed back where they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import CANARY, call
from releasing import sanitize_file
from sfumato.errors import ConfigurationError, InputError, SfumatoError
from sfumato.files import FileOptions, open_source
from sfumato.release.job import RunOptions


def convert(folder: Path, scripted: Any, data: str, *fields: str, **options: Any) -> str:
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text(data, encoding="utf-8")
    files = FileOptions(fields=fields, **options)
    sanitize_file(scripted.NumberedWords(), source, target, RunOptions(files, overwrite=True), None)
    return target.read_text(encoding="utf-8")


def test_a_text_in_an_object_changes_and_nothing_else(tmp_path: Path, scripted: Any) -> None:
    data = '{"note": "stays", "patient" : {"n":1.50, "note" :"one \\u0074wo" , "x":{"note":"inner"}}, "d":1,"d":2 }\n'
    wanted = '{"note": "stays", "patient" : {"n":1.50, "note" :"w0 w1" , "x":{"note":"inner"}}, "d":1,"d":2 }\n'
    assert convert(tmp_path, scripted, data, "patient.note") == wanted


def test_every_element_of_a_list(tmp_path: Path, scripted: Any) -> None:
    data = (
        '{"messages": [ {"role":"user","content":"a b"} ,{"content":"c","role":"bot"}, {"content":null} ]}\n'
        '{"messages":[]}\n{"messages":null}\n'
    )
    wanted = (
        '{"messages": [ {"role":"user","content":"w0 w1"} ,{"content":"w0","role":"bot"}, {"content":null} ]}\n'
        '{"messages":[]}\n{"messages":null}\n'
    )
    assert convert(tmp_path, scripted, data, "messages[].content") == wanted


def test_lists_in_lists_and_lists_of_texts(tmp_path: Path, scripted: Any) -> None:
    data = '{"a": [["x", "y z"], []], "b": {"c": [{"d": ["q"]}]}, "e": "f"}\n'
    made = convert(tmp_path, scripted, data, "a[][]", "b.c[].d[]", "e")
    assert json.loads(made) == {"a": [["w0", "w0 w1"], []], "b": {"c": [{"d": ["w0"]}]}, "e": "w0"}


def test_ids_differ_by_place(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "x", "m": [{"t": "a"}, {"t": null}, {"t": "c"}], "s": {"t": "d"}}\n')
    options = FileOptions(fields=("m[].t", "s.t"), id_field="id")
    (chunk,) = open_source(path, options).chunks()
    assert [one.id for one in chunk.documents] == ["x/m[0].t", "x/m[2].t", "x/s.t"]
    (chunk,) = open_source(path, FileOptions(fields=("s.t",), id_field="id")).chunks()
    assert [one.id for one in chunk.documents] == ["x"]
    (chunk,) = open_source(path, FileOptions(fields=("m[].t",), id_field="id")).chunks()
    assert [one.id for one in chunk.documents] == ["x/m[0].t", "x/m[2].t"]


@pytest.mark.parametrize(
    ("name", "key"),
    [('"a.b"', "a.b"), ('"a[]"', "a[]"), ('"say \\"hi\\""', 'say "hi"'), ("plain name", "plain name"), ("é", "é")],
)
def test_a_key_in_quotation_marks_is_taken_as_it_is(tmp_path: Path, scripted: Any, name: str, key: str) -> None:
    data = json.dumps({key: "x y", "a": {"b": "stays"}, "z": {key: "x"}})
    assert json.loads(convert(tmp_path, scripted, data, name))[key] == "w0 w1"
    assert json.loads(convert(tmp_path, scripted, data, f"z.{name}"))["z"][key] == "w0"


@pytest.mark.parametrize("name", ["a.", ".a", "a..b", "a[", "a[0]", "[]", "a[]b", '"a', '"a"b', "a]", "", 'a."b'])
def test_a_path_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "in.jsonl").write_text("{}\n")
    with pytest.raises(ConfigurationError, match="field"):
        open_source(tmp_path / "in.jsonl", FileOptions(fields=(name,)))


def test_two_spellings_of_one_path_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{}\n")
    with pytest.raises(ConfigurationError, match="once"):
        open_source(tmp_path / "in.jsonl", FileOptions(fields=("a.b", '"a".b')))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"patient": CANARY}, "line 1: 'patient' is not an object"),
        ({"patient": [CANARY]}, "line 1: 'patient' is not an object"),
        ({"patient": {"name": CANARY}}, r"line 1: the field 'patient\.note' is missing"),
        ({"patient": {"note": [CANARY]}}, r"line 1: the field 'patient\.note' is not a string"),
        ({"name": CANARY}, r"line 1: the field 'patient\.note' is missing"),
    ],
)
def test_what_does_not_fit_the_path_is_refused(tmp_path: Path, scripted: Any, line: Any, told: str) -> None:
    with pytest.raises(SfumatoError, match=told) as caught:
        convert(tmp_path, scripted, json.dumps(line), "patient.note")
    assert isinstance(caught.value, InputError)
    assert CANARY not in str(caught.value)
    assert not (tmp_path / "out.jsonl").exists()


def test_what_is_no_list_is_refused(tmp_path: Path, scripted: Any) -> None:
    for value in (CANARY, {"content": CANARY}, [CANARY], [{"text": CANARY}], [[{"content": CANARY}]]):
        for missing in ("stop", "pass") if value != [{"text": CANARY}] else ("stop",):
            with pytest.raises(InputError) as caught:
                convert(tmp_path, scripted, json.dumps({"m": value}), "m[].content", missing=missing)
            assert CANARY not in str(caught.value)


def test_a_key_given_twice_on_the_way_is_refused(tmp_path: Path, scripted: Any) -> None:
    for line in ('{"p": {"note": "a", "note": "b"}}', '{"p": {"note": "a"}, "p": {"note": "b"}}'):
        with pytest.raises(InputError, match="twice"):
            convert(tmp_path, scripted, line, "p.note")


def test_missing_elements_pass_if_told(tmp_path: Path, scripted: Any) -> None:
    data = '{"m": [{"content": "a"}, {"call": 1}]}\n{"other": 1}\n'
    assert convert(tmp_path, scripted, data, "m[].content", missing="pass") == data.replace('"a"', '"w0"')


def test_only_what_is_kept_of_an_object_stays(tmp_path: Path, scripted: Any) -> None:
    line = {
        "id": 1, "patient": {"name": CANARY, "note": "a b", "age": 4, "home": {"town": CANARY, "zip": "9"}},
        "m": [{"t": "c", "who": CANARY}, {"t": None, "who": CANARY}], "other": CANARY,
    }  # fmt: skip
    made = convert(
        tmp_path, scripted, json.dumps(line), "patient.note", "m[].t", keep=("patient.age", "patient.home.zip")
    )
    assert json.loads(made) == {
        "patient": {"note": "w0 w1", "age": 4, "home": {"zip": "9"}}, "m": [{"t": "w0"}, {"t": None}],
    }  # fmt: skip
    whole = json.loads(convert(tmp_path, scripted, json.dumps(line), "patient.note", keep=("patient",)))
    assert whole == {"patient": {**line["patient"], "note": "w0 w1"}}  # type: ignore[dict-item]


def test_id_and_spans_may_be_inside(tmp_path: Path, scripted: Any) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"meta": {"id": "q"}, "doc": {"text": "a b", "spans": [[0, 1, "X"]]}}\n')
    options = FileOptions(fields=("doc.text",), id_field="meta.id", spans_field="doc.spans")
    (chunk,) = open_source(path, options).chunks()
    assert chunk.documents[0].id == "q"
    assert chunk.documents[0].metadata["doc.spans"] == [[0, 1, "X"]]
    made = convert(tmp_path, scripted, path.read_text(), "doc.text", id_field="meta.id", spans_field="doc.spans")
    assert json.loads(made)["doc"]["spans"][1] == {"start": 3, "end": 5, "label": "WORD"}
    beside = path.read_text().replace('"q"}', '"q", "old": [[0, 1, "X"]]}')
    with pytest.raises(InputError, match="'meta' would pass"):
        convert(tmp_path, scripted, beside, "doc.text", id_field="meta.id", spans_field="doc.spans")


def test_a_list_has_no_id_and_no_spans(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{}\n")
    for options in ({"id_field": "m[].id"}, {"spans_field": "m[].spans"}):
        with pytest.raises(ConfigurationError):
            open_source(tmp_path / "in.jsonl", FileOptions(fields=("text",), **options))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError):
        open_source(tmp_path / "in.jsonl", FileOptions(fields=("m[].t",), spans_field="spans"))


def test_a_refused_element_is_named(tmp_path: Path, scripted: Any) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"m": ["fine", None, scripted.REFUSED]}))
    options = RunOptions(FileOptions(fields=("m[]",)))
    with pytest.raises(InputError, match=r"line 1, field 'm\[2\]': span 1 is odd"):
        sanitize_file(scripted.Refusing(), tmp_path / "in.jsonl", tmp_path / "out.jsonl", options, None)


def test_columns_keep_names_with_dots(tmp_path: Path, scripted: Any) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("a.b,c\nx y,z\n")
    options = RunOptions(FileOptions(fields=("a.b",)))
    sanitize_file(scripted.NumberedWords(), source, target, options, None)
    assert target.read_text() == "a.b,c\nw0 w1,z\n"


def test_a_list_of_mixed_kinds_is_refused_before_anything_is_cut_away(tmp_path: Path) -> None:
    """With other fields left out, what is no object became null, and was told as a text that is absent."""
    source = tmp_path / "in.jsonl"
    source.write_text('{"m": [{"c": "Anna slept"}, "Anna", ["Anna"], 3]}\n', encoding="utf-8")
    asked = (
        "sanitize",
        source,
        "-o",
        tmp_path / "out.jsonl",
        "-m",
        "redaction",
        "--field",
        "m[].c",
        "--detect",
        "words",
    )
    for more in ((), ("--keep-field", "m[].c")):
        ran = call(*asked, *more)
        assert ran.code == 2
        assert "is not an object" in ran.err
        assert not (tmp_path / "out.jsonl").exists()

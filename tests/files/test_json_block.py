"""Lines read as columns are read as one by one: the same records, ids, bytes around the texts, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.files import FileOptions, jsonlines
from sfumato.files.json_lines_chunk import BlockReader
from sfumato.files.jsonlines import JsonLinesSource
from sfumato.text.document import Release

TEXTS = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(
    ['"text"', '"text": "a"', "\\u0074"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(2**62, 2**70) | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "id", "a"]), inner, max_size=3)
    ),
    max_leaves=4,
)
RECORDS = st.fixed_dictionaries(
    {"text": TEXTS | VALUES}, optional={"id": st.integers() | TEXTS, "kind": VALUES, "b": TEXTS}
)
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")])


def read(path: Path, options: FileOptions, at_once: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a source reads of ``path``, ``at_once`` lines in a block, or the refusal; and what it writes again."""
    with monkeypatch.context() as patch:
        patch.setattr(jsonlines, "LINES", max(at_once, 1))
        if not at_once:
            patch.setattr(BlockReader, "read", lambda *_: None)
        try:
            chunks = list(JsonLinesSource(path, options).chunks())
        except InputError as error:
            return str(error)
    releases = [
        [Release(document.id, f"<{len(document.text)}é>", [], "x", 0) for document in chunk.documents]
        for chunk in chunks
    ]
    fields = ("documents", "texts", "places", "frames", "order", "lines", "bad", "passing", "head", "tail")
    return [
        (chunk.render(own), *(getattr(chunk, name) for name in fields))
        for chunk, own in zip(chunks, releases, strict=True)
    ]


def check(path: Path, content: str, options: FileOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    singly = read(path, options, 0, monkeypatch)
    for at_once in (1, 2, 512):
        assert repr(read(path, options, at_once, monkeypatch)) == repr(singly)  # NaN is not equal to itself


@given(
    st.lists(RECORDS, max_size=6), SEPARATORS, st.booleans(), st.sampled_from([None, "id"]), st.sampled_from([2, 100])
)
def test_columns_are_what_lines_are(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], separators: tuple[str, str],
    ascii_only: bool, id_field: str | None, most: int,
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("block") / "in.jsonl"
    lines = [json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in records]
    with pytest.MonkeyPatch.context() as monkeypatch:
        for on_error in ("stop", "quarantine"):
            options = FileOptions(id_field=id_field, on_error=on_error, chunk_records=most)
            check(path, "".join(f"{line}\n" for line in lines), options, monkeypatch)


@pytest.mark.parametrize(
    "line",
    [
        r'{"text": "Anna", "text": "Anna"}',
        r'{"text": "Anna", "te\u0078t": "Anna"}',
        r'{"te\u0078t": "Anna", "b": {"text": "Anna"}}',
        r'{"b": {"text": "Anna"}, "text": 5}',
        r'{"b": "\"text\": \"Anna\"", "text": "Anna"}',
        r'{"a\"text": "Anna", "text": "Anna"}',
        r'{"kind": "text", "c": {"text": "Anna"}}',
        r'{"text": "Anna"} {"text": "Anna"}',
        r'{"text": "A\u006ena"}',
        r'{"text": "tab	tab"}',
        r'{"text": "Anna", "b": NaN}',
        r'{"text": "Anna", "b": [[0, 4, "PERSON"]]}',
        r'["text"]',
        r'{"text": "\ud800"}',
        "",
        '{"text": "Anna\\r"}\r',
    ],
)
def test_odd_lines_are_read_as_by_themselves(tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = '{"text": "Berta", "b": 1}'
    for content in (line, f"{usual}\n{line}\n{usual}\n", f"{line}\n{usual}"):
        check(tmp_path / "in.jsonl", content, FileOptions(on_error="quarantine"), monkeypatch)
        check(tmp_path / "in.jsonl", content, FileOptions(), monkeypatch)


def test_usual_lines_are_read_as_columns() -> None:
    reader = BlockReader("text", "id")
    for ascii_only in (True, False):
        for separators in ((", ", ": "), (",", ":")):
            records = [{"id": number, "text": 'Zoë said "no"\n'} for number in range(3)]
            lines = [json.dumps(one, ensure_ascii=ascii_only, separators=separators).encode() for one in records]
            block = reader.read(lines)
            assert block is not None
            assert block.texts == ['Zoë said "no"\n'] * 3
            assert block.ids == [0, 1, 2]
    assert reader.read([b'{"id": 1, "text": "a", "c": {"text": "b"}}']) is None


def test_an_id_that_came_before_is_refused_in_any_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": name, "text": "a"}) for name in ("1", 2, 1)]
    check(tmp_path / "in.jsonl", "\n".join(lines), FileOptions(id_field="id"), monkeypatch)
    path = tmp_path / "in.jsonl"
    assert "was used by an earlier record" in read(path, FileOptions(id_field="id"), 512, monkeypatch)


def test_a_whole_number_of_many_digits_stays_whole_in_any_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a float, two people whose numbers differ in the last digit would be one."""
    content = '{"text": "a", "who": 123456789012345678901234567890}\n{"text": "b", "who": 1.5}\n'
    check(tmp_path / "in.jsonl", content, FileOptions(), monkeypatch)
    [chunk] = JsonLinesSource(tmp_path / "in.jsonl", FileOptions()).chunks()
    assert chunk.documents[0].metadata["who"] == 123456789012345678901234567890

"""Input in other encodings than UTF-8: read as told, written in UTF-8, refused with its place where it is not so."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releasing import sanitize_file
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import FileOptions, open_source
from sfumato.release.job import RunOptions, RunSummary

SECRET = "Zaphodsecret"
NAMES = ["a.txt", "a.txt.gz", "a.jsonl", "a.csv", "a.tsv"]
ENCODINGS = ["cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "UTF8", "iso8859-15"]


def convert(folder: Path, name: str, data: bytes, scripted: Any, **options: Any) -> tuple[bytes, RunSummary]:
    """What comes out for ``data``, every text as it is."""
    source, target = folder / name, folder / f"out_{name}"
    source.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = sanitize_file(scripted.Echo(), source, target, RunOptions(FileOptions(**options), overwrite=True), None)
    written = target.read_bytes()
    return gzip.decompress(written) if name.endswith(".gz") else written, done


def content(name: str, text: str) -> str:
    if ".jsonl" in name:
        return json.dumps({"id": "é", "text": text}, ensure_ascii=False) + "\n"
    if ".csv" in name or ".tsv" in name:
        delimiter = "," if ".csv" in name else "\t"
        return f"id{delimiter}text\né{delimiter}{text}\n"
    return f"{text}\n"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_read_in_an_encoding_is_written_in_utf8(
    tmp_path: Path, scripted: Any, name: str, encoding: str
) -> None:
    text = content(name, "Äpfel für Zoë \u00a0 naïve")
    written, done = convert(tmp_path, name, text.encode(encoding), scripted, encoding=encoding)
    assert written.decode("utf-8").removeprefix("\ufeff") == text
    assert done.records == 1


def test_lines_are_parted_at_line_feeds_whatever_the_bytes(tmp_path: Path, scripted: Any) -> None:
    """The bytes of U+0A00 and U+0D0A hold those of line ends."""
    text = "one\u0a00two\u0d0a\r\nthree\n" * 40_000
    written, done = convert(tmp_path, "a.txt", text.encode("utf-16"), scripted, encoding="utf-16", lines=True)
    assert written.decode() == text
    assert done.records == 80_000


def test_a_byte_order_mark_of_utf16_is_no_character(tmp_path: Path, scripted: Any) -> None:
    for mark, encoding in (("", "utf-16"), ("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")):
        written, _ = convert(tmp_path, "a.csv", f"{mark}text\nhello\n".encode(encoding), scripted, encoding=encoding)
        assert written == b"text\nhello\n"


@pytest.mark.parametrize(
    ("name", "line"), [("a.jsonl", 3), ("a.csv", 3), ("a.tsv", 3), ("a.txt", 3)]
)  # fmt: skip
def test_bytes_that_are_none_are_refused_with_their_place(
    tmp_path: Path, scripted: Any, name: str, line: int
) -> None:
    record = content(name, "fine").encode("cp1252")
    lines = record.splitlines(keepends=True)
    bad = content(name, SECRET).encode("cp1252").splitlines(keepends=True)[-1].replace(b"Zap", b"Za\x81p")
    data = b"".join([*lines, lines[-1], bad] if len(lines) == 1 else [*lines, bad])
    with pytest.raises(InputError, match=f"line {line}: .*not valid cp1252") as caught:
        convert(tmp_path, name, data, scripted, encoding="cp1252", lines=name == "a.txt")
    assert SECRET not in str(caught.value)
    assert not (tmp_path / f"out_{name}").exists()
    options = {"encoding": "cp1252", "lines": name == "a.txt", "on_error": "quarantine"}
    written, done = convert(tmp_path, name, data, scripted, **options)
    assert SECRET.encode() not in written.replace(b"Za\x81p", b"Zap")
    assert done.quarantined == 1
    (aside,) = (tmp_path / f"out_{name}.quarantine.jsonl").read_text().splitlines()
    assert b"secret" in base64.b64decode(json.loads(aside)["raw_base64"])


def test_utf8_is_not_taken_for_ascii(tmp_path: Path, scripted: Any) -> None:
    with pytest.raises(InputError, match=r"line 1: .*not valid ascii"):
        convert(tmp_path, "a.txt", "é".encode(), scripted, encoding="ascii")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("cut", [1, 3])
def test_half_a_character_is_refused(tmp_path: Path, scripted: Any, encoding: str, cut: int) -> None:
    data = f"one\ntwo {SECRET}".encode(encoding)[:-cut]
    if cut == 3 and encoding != "utf-32":
        data = "one\ntwo ".encode(encoding) + "\U0001f600".encode("utf-16-le")[:2] + b"x\0"
    with pytest.raises(InputError, match=r"a\.txt, line 2: ") as caught:
        convert(tmp_path, "a.txt", data, scripted, encoding=encoding, lines=True)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "encoding", ["klingon", "rot13", "base64", "zlib", "idna", "undefined", "", "unicode_escape"]
)
def test_what_is_no_encoding_of_text_is_refused(encoding: str) -> None:
    with pytest.raises(ConfigurationError, match="encoding"):
        FileOptions(encoding=encoding)


def test_a_folder_is_read_in_an_encoding(tmp_path: Path, scripted: Any) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes("Zoë".encode("cp1252"))
    options = RunOptions(FileOptions(encoding="cp1252"))
    sanitize_file(scripted.Echo(), tmp_path / "in", tmp_path / "out", options, None)
    assert (tmp_path / "out" / "a.txt").read_text(encoding="utf-8") == "Zoë"


def test_parquet_says_its_encoding_itself(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    with pytest.raises(ConfigurationError, match="Parquet"):
        open_source(tmp_path / "a.parquet", FileOptions(encoding="cp1252"))


def test_without_an_encoding_other_bytes_say_the_way_out(tmp_path: Path, scripted: Any) -> None:
    with pytest.raises(InputError, match="--encoding"):
        convert(tmp_path, "a.txt", "Zoë".encode("cp1252"), scripted)

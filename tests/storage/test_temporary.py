"""Temporary files with private text lie where the environment says, or nowhere."""

from __future__ import annotations

import ast
import gzip
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import sfumato
from command_line import call, write_jsonl
from sfumato.errors import OutputError
from sfumato.storage.locations import temporary_folder

_MAKERS = {"TemporaryDirectory", "TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile", "mkstemp", "mkdtemp"}


@pytest.mark.parametrize("name", ["TMPDIR", "TEMP", "TMP"])
def test_the_folder_that_is_named_is_used_or_the_run_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for other in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(other, raising=False)
    assert temporary_folder() == Path(tempfile.gettempdir())
    monkeypatch.setenv(name, str(tmp_path))
    assert temporary_folder() == tmp_path
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "missing", tmp_path / "file"):
        monkeypatch.setenv(name, str(wrong))
        with pytest.raises(OutputError, match=name):
            temporary_folder()


def test_a_run_that_needs_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    plain, packed = tmp_path / "a.parquet", tmp_path / "a.parquet.gz"
    parquet.write_table(pa.table({"text": ["Anna"]}), plain)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    (tmp_path / "names").write_text("Anna\n")
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna"}])
    by = ("-m", "redaction", "--detect", f"list:{tmp_path / 'names'}")
    for given in (
        ("sanitize", packed, "-o", tmp_path / "out.parquet.gz"),
        ("sanitize", source, "-o", "-", "--statement", tmp_path / "out.json"),
    ):
        ran = call(*given, *by)
        assert (ran.code, ran.out) == (2, "")
        assert "TMPDIR names a folder" in ran.err
    assert not list(tmp_path.glob("out*"))


def test_every_temporary_file_says_where_it_lies() -> None:
    """A call without ``dir`` falls back to another disk in silence."""
    silent = []
    for path in Path(sfumato.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if name in _MAKERS and not any(keyword.arg == "dir" for keyword in node.keywords):
                    silent.append(f"{path.name}:{node.lineno}")
                if name == "gettempdir" and path.name != "locations.py":
                    silent.append(f"{path.name}:{node.lineno}")
    assert not silent

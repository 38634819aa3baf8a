"""`sfumato sanitize` opens the source once, looks at its fields, prepares once, and only then sanitizes records."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import sfumato
from command_line import call, write_key, write_vectors
from releasing import release_file
from sfumato.errors import InputError, VocabularyError
from sfumato.release.job import RunOptions, opened
from sfumato.run.execute import ready
from sfumato.run.request import Request

PREPARED = {"Sanitizer.prepare"}
REDACT = ("-m", "redaction", "--detect", "list:names.txt")
PHRASES = ("-m", "distortion", "--detect", "list:names.txt", "--set", "way=substitutive")
DISCLOSED = ("-m", "redaction", "--detect", "disclosures", "--chat-model", "nobody", "--dry-run")

WAYS: dict[str, tuple[str, ...]] = {
    "a mechanism over tokens": (
        "in.jsonl",
        "-o",
        "out.jsonl",
        "-m",
        "santext",
        "-e",
        "9",
        "--set",
        "vocabulary=v.txt",
    ),
    "redaction with a map": ("in.jsonl", "-o", "out.jsonl", *REDACT, "--map", "map", "--map-key", "key"),
    "distortion with phrases": ("in.jsonl", "-o", "out.jsonl", *PHRASES, "--set", "phrases=phrases.json"),
    "a folder": ("texts", "-o", "released", *REDACT),
    "Parquet, of one field": ("in.parquet", "-o", "out.parquet", *REDACT, "--keep-field", "text"),
    "a stream": ("-", "-o", "out.jsonl", *REDACT),
    "a run that resumes": ("in.jsonl", "-o", "stopped.jsonl", *REDACT, "--resume"),
    "an output that is replaced": ("in.jsonl", "-o", "old.jsonl", *REDACT, "--force"),
    "a dry run": ("in.jsonl", "-o", "out.jsonl", *DISCLOSED),
}


@contextmanager
def watched() -> Iterator[list[str]]:
    """Yield the names of sfumato's own functions as they are called."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and f"{Path('sfumato')}" in frame.f_code.co_filename:
            called.append(frame.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the runs of this module name, the current one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = [{"text": f"Anna met the old doctor of house {number}"} for number in range(3)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "in.parquet")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Anna")
    (tmp_path / "names.txt").write_text("Anna\n")
    write_key(tmp_path / "key")
    (tmp_path / "phrases.json").write_text(json.dumps({"ANY": ["Oslo"]}))
    (tmp_path / "old.jsonl").write_text("an earlier release")
    write_vectors(tmp_path, name="v.txt")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SFUMATO_CHAT_URL", "http://localhost:1/v1")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "in.jsonl").read_bytes())))
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
def test_everything_happens_once(way: str, here: Path) -> None:
    if way == "a run that resumes":
        assert call("sanitize", *WAYS[way][:-1]).code == 0
        (here / "stopped.jsonl.privacy.json").unlink()
        (here / "stopped.jsonl").unlink()
    with watched() as called:
        ran = call("sanitize", *WAYS[way])
    assert ran.code == 0, ran.err
    names = [name.rpartition("<locals>.")[2] for name in called]

    def when(*wanted: str) -> list[int]:
        return [index for index, name in enumerate(names) if name in wanted]

    (opened,) = when("open_source")
    (checked,) = when("_check_output", "check_output")
    (prepared,) = when(*PREPARED)
    named, read_beside = when("refuse_private")
    looked, first_record, *_ = when("Intake.__init__")  # at the fields of the first records, and to sanitize them
    stated = when("statement")[0]
    assert named < opened < checked < looked < read_beside < prepared < stated < first_record


def test_what_a_sanitizer_read_beside_is_refused_before_it_prepares(here: Path) -> None:
    """A copy of the input made after its name was checked: what was read decides, not what is there now."""
    sanitizer = sfumato.build("distortion", detect="words", way="substitutive", phrases="phrases.json")
    assert sanitizer.sources
    (here / "in.txt").write_bytes((here / "phrases.json").read_bytes())
    with watched() as called, pytest.raises(VocabularyError, match="private input"):
        release_file(sanitizer, "in.txt", "out.txt")
    assert not {*PREPARED} & set(called)
    assert called.count("Intake.__init__") == 1, "its first records were looked at, as through every door"
    assert [name for name in called if name in ("open_source", "check_output", "refuse_private")] == [
        "refuse_private", "open_source", "check_output", "refuse_private",
    ]  # fmt: skip


def test_an_output_belongs_to_the_job_from_the_start(here: Path) -> None:
    """Another run is refused before it prepares, and an output that appears meanwhile is never replaced."""
    with opened("in.jsonl", "out.jsonl", RunOptions()), watched() as called:
        told = call("sanitize", "in.jsonl", "-o", "out.jsonl", *REDACT).err
    assert "Another run is writing out.jsonl" in told
    assert not PREPARED & set(called)
    assert not list(here.glob(".out.jsonl*"))


def test_an_input_that_changes_while_a_sanitizer_is_prepared_is_refused(here: Path) -> None:
    redactor = sfumato.build("redaction", detect="list:names.txt")
    with ready(Request(redactor, Path("in.jsonl"), Path("out.jsonl"))) as made:
        (here / "in.jsonl").write_text('{"other": "Anna"}\n')
        with pytest.raises(InputError, match="changed"):
            made.release()
    assert not (here / "out.jsonl").exists()


def test_columns_that_a_sanitizer_reads_along_are_checked_without_opening_again(here: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.Table.from_arrays([pa.array(["Anna"])] * 3, names=["text", "whose", "whose"])
    pq.write_table(rows, here / "twice.parquet")
    redactor = sfumato.build(
        "redaction", detect="identifiers", operators={"DATE": "generalise"}, shift=3, subject="whose",
        key=bytes(range(32)),
    )  # fmt: skip
    with watched() as called, pytest.raises(InputError, match="'whose' twice"):
        release_file(redactor, "twice.parquet", "out.parquet")
    assert called.count("open_source") == 1

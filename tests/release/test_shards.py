"""Many files as one input: found, refused, sanitized in whatever order, and counted once."""

from __future__ import annotations

import json
import os
import shutil
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import sfumato
from command_line import CANARY, WORDS, call, everything_below, write_jsonl, write_key, write_vectors
from releasing import release_file
from scripted_sanitizer import Echo
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError, VocabularyError
from sfumato.files import Parts
from sfumato.files.keyed_rows import repeated, rows_of_ids
from sfumato.files.options import FileOptions
from sfumato.files.shards import ShardsSource, open_input
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.chunks import Releasing
from sfumato.release.on_ray import finished_on_ray
from sfumato.release.work import Work, part_of
from sfumato.storage.locations import address_of, check_path

KEY = PinnedRandomness(bytes(range(32)))


def shard(path: Path, ids: Sequence[str], word: str = "cat dog", **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = pa.array([f"{word} {WORDS[number % 9]}" for number in range(len(ids))], pa.string())
    pq.write_table(pa.table({"id": pa.array(ids, pa.string()), "text": texts, **columns}), path)
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Four shards, one of them empty, one in a folder below."""
    folder = tmp_path / "notes"
    shard(folder / "a.parquet", [f"a{n}" for n in range(7)])
    shard(folder / "b.parquet", [])
    shard(folder / "c.parquet", [f"c{n}" for n in range(5)], "river")
    shard(folder / "more" / "d.parquet", ["d0"])
    (folder / "_SUCCESS").touch()
    return folder


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


def released(given: Path | str, output: Path, vectors: Path, **more: Any) -> Any:
    given_options = {"id_field": "id", "randomness": KEY, "detect": "words", "vocabulary": vectors, **more}
    return sfumato.sanitize_file("santext", given, output, 4.0, **given_options)


def names(source: Any) -> list[str]:
    return [one.name for one in source.shards]


# --- finding ---


def test_a_folder_a_pattern_and_an_address_find_the_same_files(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = FileOptions()
    every = ["a.parquet", "b.parquet", "c.parquet", "more/d.parquet"]
    assert names(open_input(notes, options)) == every
    assert names(open_input(f"{notes}/**/*.parquet", options)) == every
    assert names(open_input(f"file://{notes}", options)) == every
    assert names(open_input(f"file://{notes}/[ac].parquet", options)) == ["a.parquet", "c.parquet"]
    assert names(open_input(notes / "?.parquet", options)) == every[:3]
    monkeypatch.chdir(notes)
    assert names(open_input("[bc].parquet", options)) == ["b.parquet", "c.parquet"]


def test_a_path_that_lost_a_slash_is_an_address_again() -> None:
    assert address_of(str(Path("s3://bucket/notes"))) == "s3://bucket/notes"
    assert address_of(str(Path("file:///data/notes"))) == "file:///data/notes"
    assert address_of("notes/part-*.parquet") is None
    assert address_of("S3://Bucket/Notes") == "s3://Bucket/Notes"  # schemes have no case
    with pytest.raises(OutputError, match="s3:// begins an address"):  # a folder called S3: was made here
        check_path(Path("S3://bucket/notes"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing-*.parquet", "No file matches nothing-*.parquet"),
        ("*", "must be of one format"),
        ("nosuchstore://bucket/notes", "nosuchstore:// cannot be opened"),
        ("file:///no/such/folder", "cannot be listed"),
    ],
)
def test_nothing_to_read_is_said(
    tmp_path: Path, notes: Path, given: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard(tmp_path / "x.parquet", ["x"])
    write_jsonl(tmp_path / "x.jsonl", [{"text": "cat"}])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SfumatoError, match=said.replace("*", "[*]")):
        open_input(given, FileOptions())


def test_a_folder_of_texts_is_one_as_before(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("cat")
    shard(tmp_path / "x.parquet", ["x"])
    assert open_input(tmp_path, FileOptions()).kind == "folder"


def test_a_field_in_the_name_of_a_folder_is_kept_or_refused(tmp_path: Path) -> None:
    shard(tmp_path / "in" / f"ward={CANARY}" / "a.parquet", ["a"])
    with pytest.raises(ConfigurationError, match="hold the field 'ward'") as error:
        open_input(tmp_path / "in", FileOptions(keep=()))
    assert CANARY not in str(error.value)
    assert names(open_input(tmp_path / "in", FileOptions(keep=None))) == [f"ward={CANARY}/a.parquet"]


def test_one_file_is_one_file_however_it_is_named(
    tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "in-1.jsonl", [{"id": "a", "text": "cat"}])
    done = released("in-1.jsonl", tmp_path / "alone.jsonl", vectors)
    expected, stated = (tmp_path / "alone.jsonl").read_bytes(), done.statement["visible"]
    for given in ("in-*.jsonl", f"file://{tmp_path}/in-1.jsonl", f"file://{tmp_path}/in-?.jsonl"):
        done = released(given, tmp_path / "out.jsonl", vectors, overwrite=True)
        assert (tmp_path / "out.jsonl").read_bytes() == expected
        assert done.statement["visible"] == stated
    released("in-*.jsonl", tmp_path / "folder", vectors)
    assert (tmp_path / "folder" / "in-1.jsonl").read_bytes() == expected
    write_jsonl(tmp_path / "in-2.jsonl", [{"id": "b", "text": "cat"}])
    with pytest.raises(OutputError, match=r"two\.jsonl is the name of a file.* each of 2; name a folder"):
        released("in-*.jsonl", tmp_path / "two.jsonl", vectors)
    assert not (tmp_path / "two.jsonl").exists()
    for public, output in (("in-1.jsonl", "x.jsonl"), ("in-*.jsonl", "x")):
        with pytest.raises(VocabularyError, match="must be public"):
            released(f"file://{tmp_path}/{public}", tmp_path / output, tmp_path / "in-1.jsonl")


@pytest.mark.parametrize(
    ("pattern", "output", "refused"),
    [
        ("*.jsonl", "safe", False),
        ("*.jsonl", "safe.d", False),
        ("a/*.jsonl", "a/safe", False),
        ("[ab]/*.jsonl", "b", False),
        ("*/*.jsonl", "safe", False),
        ("[ab]/**/*.jsonl", "b", True),
        ("**/*.jsonl", "safe", True),
        ("a/**/*.jsonl", "a/safe", True),
        ("a/**/*.jsonl", "safe", False),
        ("a/**/*.jsonl", "link/safe", True),
        ("a/../a/**/*.jsonl", "a/safe", True),
        ("a/**/*.jsonl", "a/.safe", False),
        ("a/*", "a/safe", True),
        ("a/x*.jsonl", "a/xy.jsonl", True),
        ("a/x*.jsonl", "a/y.jsonl", False),
    ],
)
def test_an_output_that_the_pattern_would_match_is_refused(
    tmp_path: Path, vectors: Path, pattern: str, output: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run would read it, and sanitize a release for more."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    if output.startswith("link"):
        (tmp_path / "link").symlink_to("a")
    write_jsonl(tmp_path / "a" / "x.jsonl", [{"id": "a", "text": "cat"}])
    shutil.copy(tmp_path / "a" / "x.jsonl", tmp_path / "y.jsonl")
    before = names(open_input(pattern, FileOptions()))
    if pattern == "*.jsonl":  # which would match the file of what is set aside
        with pytest.raises(OutputError, match="The pattern would match the output or a file beside it"):
            released(pattern, output, vectors, on_error="quarantine")
    if not refused:
        released(pattern, output, vectors)
        assert names(open_input(pattern, FileOptions())) == before
        return
    for form in (pattern, str(tmp_path / pattern), f"file://{tmp_path}/{pattern}"):
        with pytest.raises(OutputError, match="The pattern would match the output"):
            released(form, tmp_path / output if form == pattern else output, vectors)
    assert names(open_input(pattern, FileOptions())) == before


# --- sanitizing ---


def test_every_shard_becomes_the_file_that_it_becomes_alone(tmp_path: Path, notes: Path, vectors: Path) -> None:
    done = released(notes, tmp_path / "out", vectors)
    for name in ("a.parquet", "b.parquet", "c.parquet", "more/d.parquet"):
        released(notes / name, tmp_path / "alone.parquet", vectors, overwrite=True)
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "alone.parquet").read_bytes()
    assert pq.read_table(tmp_path / "out" / "b.parquet").schema == pq.read_table(notes / "b.parquet").schema
    assert done.statement["records"]["count"] == 13
    assert done.statement["records"]["draws_per_record"]["total"] == 3 * 7 + 2 * 6 - 0 + (3 - 2)
    assert {"file names", "which records are in which file"} <= set(done.statement["visible"])
    assert json.loads((tmp_path / "out.privacy.json").read_bytes()) == done.statement


def test_the_release_does_not_depend_on_processes_or_addresses(tmp_path: Path, notes: Path, vectors: Path) -> None:
    released(notes, tmp_path / "out", vectors)
    expected = everything_below(tmp_path / "out")
    released(notes, tmp_path / "two", vectors, workers=2)
    assert everything_below(tmp_path / "two") == expected
    released(f"file://{notes}", tmp_path / "remote", vectors)
    assert everything_below(tmp_path / "remote") == expected


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "csv", "parquet.gz"])
def test_shards_of_every_format_with_records(tmp_path: Path, vectors: Path, suffix: str) -> None:
    table = {"id": ["a", "b"], "text": ["cat dog", "river"]}
    for number in range(2):
        path = tmp_path / f"part-{number}.{suffix}"
        content = _written({**table, "id": [f"{number}{name}" for name in table["id"]]}, suffix)
        path.write_bytes(content)
    released(f"{tmp_path}/part-*", tmp_path / "out", vectors)
    for number in range(2):
        released(tmp_path / f"part-{number}.{suffix}", tmp_path / f"alone.{suffix}", vectors, overwrite=True)
        same = (tmp_path / f"alone.{suffix}").read_bytes()
        assert (tmp_path / "out" / f"part-{number}.{suffix}").read_bytes() == same
    released(f"file://{tmp_path}/part-*", tmp_path / "remote", vectors)
    assert everything_below(tmp_path / "remote") == everything_below(tmp_path / "out")


def test_a_field_to_keep_may_be_in_one_shard_alone(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_jsonl(tmp_path / "in" / "a.jsonl", [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}])
    write_jsonl(tmp_path / "in" / "b.jsonl", [{"id": 3, "text": "c", "ward": 1}])
    pattern = f"{tmp_path}/in/*.jsonl"
    assert len(list(open_input(pattern, FileOptions(keep=("ward",))).tasks())) == 2
    with pytest.raises(ConfigurationError, match=r"no field 'wrad' to keep.* There are: 'id', 'text'\.$"):
        open_input(pattern, FileOptions(keep=("wrad",))).tasks()


def _written(table: dict[str, list[str]], suffix: str) -> bytes:
    import gzip
    import io

    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if suffix.startswith("jsonl"):
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    elif suffix == "csv":
        content = "\n".join([",".join(table), *(",".join(row.values()) for row in rows), ""]).encode()
    else:
        sink = io.BytesIO()
        pq.write_table(pa.table(table), sink)
        content = sink.getvalue()
    return gzip.compress(content, mtime=0) if suffix.endswith(".gz") else content


def test_a_person_pays_for_the_records_of_all_shards(tmp_path: Path, vectors: Path) -> None:
    for number in range(3):
        shard(tmp_path / "in" / f"{number}.parquet", [f"{number}a", f"{number}b"], "cat", who=["x", f"y{number}"])
    many = released(tmp_path / "in", tmp_path / "out", vectors, subject_field="who", chunk_records=1)
    assert many.summary.people == {6: 1, 2: 3}


def test_the_parts_of_another_input_are_left_alone(tmp_path: Path, notes: Path, vectors: Path) -> None:
    (notes / "z.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"z\.parquet is not a complete Parquet file"):
        released(notes, tmp_path / "out", vectors)
    assert not (tmp_path / "out").exists()
    shard(notes / "z.parquet", ["z0"])
    with pytest.raises(OutputError, match="another run"):
        released(notes / "?.parquet", tmp_path / "out", vectors, resume=True)


def test_a_part_that_comes_twice_counts_once(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_input(notes, FileOptions(id_field="id"))
    (tmp_path / ".out.parts").mkdir()
    work = Work(Releasing(Echo(), None, source.options), Parts(tmp_path / "out", "shards", "a run"))
    parts = [(shard.number, part_of(shard, work.releasing)) for shard in source.tasks()]
    repeated_parts = [parts[2], parts[0], parts[2], *parts, parts[0]]

    def results(*_: Any) -> Iterator[Any]:
        yield from repeated_parts

    monkeypatch.setattr("sfumato.release.on_ray._results", results)
    tasks = [(shard, None) for shard in source.tasks()]
    assert [counts.records for _, counts in finished_on_ray(work, tasks, 1)] == [7, 0, 5, 1]
    repeated_parts.append((2, replace(parts[2][1], body=parts[0][1].body)))
    with pytest.raises(OutputError, match=r"c\.parquet has two different releases under one key"):
        list(finished_on_ray(work, tasks, 1))


# --- what is refused ---


def test_a_broken_shard_is_named_without_its_content(tmp_path: Path, notes: Path, vectors: Path) -> None:
    whole = shard(tmp_path / "x.parquet", [f"{CANARY}{n}" for n in range(50)], CANARY).read_bytes()
    middle = whole.index(CANARY.encode())
    (notes / "b.parquet").write_bytes(whole[:middle] + b"\0" * 40 + whole[middle + 40 :])
    result = call(
        "sanitize", notes, "-o", tmp_path / "out", "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}"
    )
    assert result.code == 2
    assert "b.parquet" in result.err
    assert CANARY not in result.err
    assert not (tmp_path / "out").exists()


def test_a_shard_that_is_there_twice_is_refused(tmp_path: Path, notes: Path, vectors: Path) -> None:
    (notes / "e.parquet").write_bytes((notes / "c.parquet").read_bytes())
    with pytest.raises(InputError, match=r"c\.parquet and e\.parquet hold records with one id") as error:
        released(notes, tmp_path / "out", vectors)
    assert "c0" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_ids_of_shards_are_compared_in_pieces(tmp_path: Path) -> None:
    lists = [[f"a{n}" for n in range(300)], [], [f"b{n}" for n in range(200)], ["c", "a17"]]
    paths = [tmp_path / str(number) for number in range(4)]
    for path, ids in zip(paths, lists, strict=True):
        path.write_bytes(rows_of_ids(ids, "secret"))
    assert repeated(paths[:3], at_once=50) is None
    assert repeated(paths, at_once=50) == repeated(paths) == (0, 3)
    for name in ("a0", "a299"):  # wherever its digest lies
        paths[3].write_bytes(rows_of_ids([name], "secret"))
        assert repeated(paths, at_once=50) == (0, 3)
    assert rows_of_ids(["a"], "secret") != rows_of_ids(["a"], "other")  # nobody can look an id up


def test_one_key_for_two_settings_is_two_runs(tmp_path: Path, notes: Path, vectors: Path) -> None:
    released(notes, tmp_path / "out", vectors)
    with pytest.raises(OutputError, match="exists"):
        sfumato.sanitize_file(
            "santext", notes, tmp_path / "out", 5.0, id_field="id", randomness=KEY, vocabulary=vectors, resume=True,
            detect="words",
        )  # fmt: skip


def test_the_output_is_apart_from_every_shard(tmp_path: Path, notes: Path, vectors: Path) -> None:
    with pytest.raises(OutputError, match="inside each other"):
        released(notes, notes / "out", vectors)
    with pytest.raises(OutputError, match="input itself"):
        released(f"{notes}/*.parquet", notes / "a.parquet", vectors, overwrite=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.csv").write_text("a")
    with pytest.raises(OutputError, match="holds other files"):
        released(notes, tmp_path / "out", vectors, overwrite=True)


def test_a_vocabulary_among_the_shards_is_refused(tmp_path: Path, notes: Path, vectors: Path) -> None:
    copy = tmp_path / "copy.vec.txt"
    copy.write_bytes((notes / "a.parquet").read_bytes())
    with pytest.raises(VocabularyError, match="private input"):
        released(f"{notes}/*.parquet", tmp_path / "out", copy)


def test_many_files_have_no_map_and_an_engine_needs_a_key(tmp_path: Path, notes: Path, vectors: Path) -> None:
    with pytest.raises(ConfigurationError, match="no map"):
        sfumato.sanitize_file("redaction", notes, tmp_path / "out", map=tmp_path / "map", map_key=bytes(range(32)))
    with pytest.raises(ConfigurationError, match="run key"):
        released(notes, tmp_path / "out", vectors, engine="ray", randomness=None)
    for engine, said in (("ray", "run key"), ("spark", "processes, ray")):
        more = ["--seed", 1] if engine == "spark" else []
        result = call("sanitize", notes, "-o", tmp_path / "out", "-m", "redaction", "--engine", engine, *more)
        assert result.code == 2
        assert said in result.err


def test_pinned_shards_without_ids_are_refused(notes: Path, vectors: Path) -> None:
    """Equal rows at one place of two files would have one draw."""
    made = sfumato.build("santext", 4.0, detect="words", vocabulary=vectors)
    output = notes.with_name("out")
    with pytest.raises(ConfigurationError, match="needs id_field"):
        release_file(made, notes, output, randomness=KEY)
    assert not output.exists()
    release_file(made, notes, output)


def test_a_vocabulary_that_is_a_file_of_the_store_is_refused(
    notes: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store is told by its places alone: here they lead to this disk, and no path does."""
    monkeypatch.setattr(ShardsSource, "paths", ())
    stored = notes / "a.parquet"
    with pytest.raises(VocabularyError, match="must be public"):
        released(f"file://{notes}", notes.with_name("out"), stored.rename(notes / "z.parquet"))
    copied = notes.with_name("copy.txt")
    copied.write_bytes((notes / "c.parquet").read_bytes())
    with pytest.raises(VocabularyError, match="must be public"):
        released(f"file://{notes}", notes.with_name("out"), copied)
    released(f"file://{notes}", notes.with_name("out"), vectors)


def test_an_address_with_escapes_leads_to_the_folder(notes: Path, vectors: Path) -> None:
    folder = notes.rename(notes.with_name("my notes"))
    address = f"file://{folder}".replace(" ", "%20")
    assert open_input(address, FileOptions()).paths == (folder,)
    inside = Path(shutil.copy(vectors, folder / "_words.txt"))
    with pytest.raises(VocabularyError, match="must be public"):
        released(address, folder.with_name("out"), inside)


# --- object stores ---


def test_a_store_of_google_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself pyarrow tries for a quarter of an hour."""
    monkeypatch.setenv("CLOUD_STORAGE_EMULATOR_ENDPOINT", "http://127.0.0.1:9")  # where nobody answers
    monkeypatch.setattr("sfumato.files.locations._PATIENCE", 1)
    before = time.monotonic()
    for scheme in ("gs", "gcs"):
        with pytest.raises(InputError, match=r"cannot be listed .*did not answer.*network"):
            open_input(f"{scheme}://anonymous@bucket/notes", FileOptions())
    assert time.monotonic() - before < 60


COMMANDS = (
    "sanitize in.jsonl -m redaction -o OUT.jsonl",
    "sanitize in.jsonl -m redaction -o OUT",
    "sanitize in.jsonl --policy clinical -o OUT.jsonl",
    "sanitize in.jsonl -m redaction -o - --statement OUT",
    "find in.jsonl -o OUT.jsonl",
    "canaries in.jsonl -o OUT.jsonl",
    "evaluate in.jsonl in.jsonl -o OUT",
    "compare plan.toml -o OUT",
    "protect in.jsonl --policy clinical --anyway -o OUT",
    "restore in.jsonl --map in.map -o OUT --map-key secret.key",
    "key OUT",
    "policy new clinical -o OUT.toml",
    "ledger init OUT --dataset notes --cap subject:*=4",
)


@pytest.mark.parametrize("store", ["s3://bucket/", "file://FOLDER/"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_address_is_taken_for_no_folder_of_this_machine(
    command: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "in.jsonl", [{"text": "cat"}])
    write_key(tmp_path / "secret.key")
    (tmp_path / "in.map").touch()
    plan = '[input]\nfile = "in.jsonl"\n[evaluate]\nseeds = [1]\n[[method]]\nmechanism = "redaction"\n'
    (tmp_path / "plan.toml").write_text(plan)
    before = everything_below(tmp_path)
    ran = call(*command.replace("OUT", store.replace("FOLDER", str(tmp_path)) + "safe").split())
    assert ran.code == 2
    assert "is written to a disk of this machine" in ran.err or "A ledger is a file, or" in ran.err
    assert everything_below(tmp_path) == before


class _Failing(fs.FileSystemHandler):
    """A store that fails from a step on, as Azure's does: with an error that is no OSError."""

    def __init__(self, folder: Path, step: str) -> None:
        self.inner, self.step = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()), step

    def _at(self, step: str) -> None:
        if step == self.step:
            raise pa.ArrowException(CANARY)

    def get_type_name(self) -> str:
        return "failing"

    def get_file_info(self, paths: list[str]) -> Any:
        self._at("info")
        return self.inner.get_file_info(paths)

    def get_file_info_selector(self, selector: Any) -> Any:
        self._at("listing")
        return self.inner.get_file_info(selector)

    def open_input_file(self, path: str) -> Any:
        self._at("opening")
        step, file = self.step, self.inner.open_input_file(path)

        class Reading:
            closed = False

            def read(self, size: int = -1) -> bytes:
                if step == "reading":
                    raise pa.ArrowException(CANARY)
                return bytes(file.read(size))

            def seek(self, offset: int, whence: int = 0) -> int:
                return int(file.seek(offset, whence))

            def tell(self) -> int:
                return int(file.tell())

            def close(self) -> None:
                file.close()

        return pa.PythonFile(Reading(), "r")

    create_dir = copy_file = delete_dir = delete_dir_contents = delete_file = delete_root_dir_contents = move = Any
    normalize_path = open_append_stream = open_input_stream = open_output_stream = Any


def test_a_folder_that_would_be_passed_over_is_refused(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records were left out of the release without a word."""
    assert len(names(open_input(notes, FileOptions()))) == 4
    inner = notes / "closed"
    shard(inner / "a.parquet", ["x"])
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != inner and access(path, mode))
    for pattern in ("**/*.parquet", "*/*.parquet", "[c]losed/*.parquet"):
        with pytest.raises(InputError, match="cannot be read") as caught:
            open_input(f"{notes}/{pattern}", FileOptions())
        assert "closed" not in str(caught.value)
    assert names(open_input(f"{notes}/*.parquet", FileOptions()))
    monkeypatch.undo()
    inner.rename(notes.parent / "elsewhere")
    inner.symlink_to(notes.parent / "elsewhere")
    with pytest.raises(InputError, match="symbolic link"):
        open_input(notes, FileOptions())
    inner.rename(notes / "_closed")  # what engines put beside their files is no input
    assert len(names(open_input(notes, FileOptions()))) == 4


def test_no_message_repeats_the_key_of_an_address(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = fs.SubTreeFileSystem(str(notes), fs.LocalFileSystem())
    monkeypatch.setattr("sfumato.files.locations._file_system", lambda _: (store, ""))
    for address in (f"s3://KEY:{CANARY}@bucket", f"abfs://:{CANARY}@account/"):
        source = open_input(address, FileOptions())
        assert isinstance(source, ShardsSource)
        assert CANARY not in f"{source.name} {source.path} {source.state} {source.stated} {source.shards}"
        (notes / "other.csv").write_text("text\nx\n")
        with pytest.raises(InputError, match="must be of one format") as caught:
            open_input(f"{address.rstrip('/')}/**", FileOptions())
        assert CANARY not in str(caught.value)


def test_what_azure_runs_for_its_credentials_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Azure's library asks a shell for az, which wrote "az: not found" between the lines of the progress."""
    asked = tmp_path / "asked"
    (tmp_path / "az").write_text(f"#!/bin/sh\ntouch {asked}\necho {CANARY} >&2\nexit 1\n")
    (tmp_path / "az").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="the store refused, or did not answer"):
        open_input("abfs://notes@no-such-account.dfs.core.windows.net/2026", FileOptions())
    os.write(2, b"still here\n")
    assert capfd.readouterr().err == "still here\n"
    assert asked.exists()


@pytest.mark.parametrize("step", ["info", "listing", "opening", "reading", ""])
def test_whatever_a_store_raises_is_one_sentence(notes: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = fs.PyFileSystem(_Failing(notes.parent, step))
    monkeypatch.setattr("sfumato.files.locations._file_system", lambda uri: (store, uri.partition("://")[2]))
    if not step:
        assert len(names(open_input("abfs://notes", FileOptions()))) == 4
        return
    with pytest.raises(InputError, match="the store refused, or did not answer") as caught:
        open_input("abfs://notes", FileOptions())
    assert CANARY not in "".join(traceback.format_exception(caught.value))

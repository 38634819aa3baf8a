"""Runs: an output appears whole or not at all, whatever happens, and does not depend on how it was made."""

from __future__ import annotations

import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

import sfumato
import warm_command
from command_line import write_jsonl
from marked_spans import Marked
from releasing import sanitize_file
from sfumato import errors
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.files import Counts, FileOptions, Parts, kind_of
from sfumato.heuristics.redaction import Redaction
from sfumato.privacy.randomness import SystemRandomness
from sfumato.release.job import RunOptions, opened
from sfumato.text.document import Release
from sfumato.text.marks import Span, Spans, checked_bounds
from warm_command import Process

SECRET = "Zaphodsecret"
SUPPORT = str(Path(__file__).parents[1] / "support")
SOURCES = str(Path(next(iter(sfumato.__path__))).parent)


def lines(count: int) -> bytes:
    return b"".join(b'{"n": %d, "text": "one two%s"}\n' % (n, b" three" * (n % 2)) for n in range(count))


def released(count: int) -> bytes:
    return b"".join(b'{"n": %d, "text": "w0 w1%s"}\n' % (n, b" w2" * (n % 2)) for n in range(count))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines(100))
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def options(records: int = 10, on_error: Any = "stop", **others: Any) -> RunOptions:
    return RunOptions(files=FileOptions(chunk_records=records, on_error=on_error), **others)


def left_behind(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir() if path.name.startswith("."))


# --- the plain run ---


def test_counts_of_labels_survive_a_stop_and_add_up() -> None:
    one, other = Counts(2, 9, 0, {1: 2}, 5, {"A": 1, "B": 2}, 1), Counts(1, 4, 1, {0: 1}, 3, {"B": 1})
    assert Counts.from_json((one + other).as_json()) == Counts(3, 13, 1, {1: 2, 0: 1}, 8, {"A": 1, "B": 3}, 1)


def test_labels_and_untouched_records_are_counted(tmp_path: Path, target: Path) -> None:
    spans = [[[0, 3, "A"], [4, 7, "B"]], [], [[0, 3, "A"]]]
    rows = [{"text": "one two", "more": "six", "spans": own} for own in spans]
    source = write_jsonl(tmp_path / "in.jsonl", rows)
    editor = Engine(Marked(), Replaced(Redaction("label")))
    files = FileOptions(chunk_records=2, keep=("more", "spans"))
    summary = sanitize_file(editor, source, target, RunOptions(files), SystemRandomness())
    assert (dict(summary.labels), summary.untouched) == ({"A": 2, "B": 1}, 1)


def test_summary_and_progress(source: Path, target: Path, scripted: Any) -> None:
    told: list[tuple[int, int, int]] = []
    summary = sanitize_file(
        scripted.NumberedWords(), source, target, options(30), None, lambda *values: told.append(values)
    )
    assert target.read_bytes() == released(100)
    assert (summary.records, summary.draws, summary.quarantined) == (100, 250, 0)
    assert dict(summary.draws_per_record) == {2: 50, 3: 50}
    assert summary.characters == 50 * len("one two") + 50 * len("one two three")
    assert summary.seconds > 0
    assert [records for _, _, records in told] == [30, 60, 90, 100]
    assert told[-1][:2] == (source.stat().st_size, source.stat().st_size)
    assert left_behind(target) == []


def test_output_has_the_usual_permissions(source: Path, target: Path, scripted: Any) -> None:
    (target.parent / "usual").touch()
    sanitize_file(scripted.Echo(), source, target, options(), None)
    assert target.stat().st_mode == (target.parent / "usual").stat().st_mode


def test_compression_follows_the_output_name(source: Path, tmp_path: Path, scripted: Any) -> None:
    packed, unpacked = tmp_path / "out.jsonl.gz", tmp_path / "back.jsonl"
    sanitize_file(scripted.Echo(), source, packed, options(), None)
    assert packed.read_bytes()[:2] == b"\x1f\x8b"
    sanitize_file(scripted.Echo(), packed, unpacked, options(), None)
    assert unpacked.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("records", [1, 7, 100, 1000])
def test_result_depends_neither_on_workers_nor_on_chunks(
    source: Path, target: Path, scripted: Any, records: int
) -> None:
    workers = 2 if records == 7 else 1
    sanitize_file(scripted.NumberedWords(), source, target, options(records, workers=workers), None)
    assert target.read_bytes() == released(100)


def test_one_chunk_starts_no_processes(
    source: Path, target: Path, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a pool was made")

    monkeypatch.setattr("sfumato.release.workers.ProcessPoolExecutor", refuse)
    sanitize_file(scripted.Echo(), source, target, options(100, workers=4), None)
    with pytest.raises(AssertionError):
        sanitize_file(scripted.Echo(), source, target, options(50, workers=4, overwrite=True), None)


# --- what is refused ---


def test_an_output_is_replaced_only_on_request(source: Path, target: Path, scripted: Any) -> None:
    target.write_bytes(b"precious")
    for resume in (False, True):
        with pytest.raises(OutputError, match="exists"):
            sanitize_file(scripted.Echo(), source, target, options(resume=resume), None)
    assert target.read_bytes() == b"precious"
    sanitize_file(scripted.NumberedWords(), source, target, options(overwrite=True), None)
    assert target.read_bytes() == released(100)


def test_the_input_is_never_the_output(source: Path, tmp_path: Path, scripted: Any) -> None:
    (tmp_path / "hard.jsonl").hardlink_to(source)
    (tmp_path / "soft.jsonl").symlink_to(source)
    side = tmp_path / "x.jsonl.quarantine.jsonl"
    side.write_bytes(source.read_bytes())
    for given, output in (
        (source, source),
        (source, "hard.jsonl"),
        (source, "soft.jsonl"),
        (side, "x.jsonl"),
    ):
        with pytest.raises(OutputError, match="the input itself"):
            sanitize_file(scripted.NumberedWords(), given, tmp_path / output, options(overwrite=True), None)
        assert given.read_bytes() == lines(100)


def test_outputs_that_cannot_be(source: Path, tmp_path: Path, scripted: Any) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for name, match in (
        ("none/out.jsonl", "create it first"),
        ("out.csv", r"\.jsonl\.gz"),
        ("out", r"\.jsonl\.gz"),
        ("folder.jsonl", "not a regular file"),
    ):
        with pytest.raises(OutputError, match=match):
            sanitize_file(scripted.Echo(), source, tmp_path / name, options(overwrite=True), None)
    with pytest.raises(ConfigurationError):
        RunOptions(workers=0)


def test_a_folder_of_other_files_is_never_replaced(tmp_path: Path, scripted: Any) -> None:
    given, kept, old = tmp_path / "in", tmp_path / "kept", tmp_path / "old"
    for folder, name in ((given, "a.txt"), (kept, "thesis.docx"), (old, "b.txt")):
        folder.mkdir()
        (folder / name).write_text("one")
    with pytest.raises(OutputError, match="other files"):
        sanitize_file(scripted.NumberedWords(), given, kept, options(overwrite=True), None)
    assert (kept / "thesis.docx").read_text() == "one"
    sanitize_file(scripted.NumberedWords(), given, old, options(overwrite=True), None)
    assert [(path.name, path.read_text()) for path in old.iterdir()] == [("a.txt", "w0")]


# --- a sanitizer that fails ---


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("on_error", ["stop", "quarantine"])
def test_a_failing_sanitizer_fails_closed(
    source: Path, target: Path, scripted: Any, workers: int, on_error: str
) -> None:
    source.write_bytes(lines(30) + f'{{"text": "{SECRET} {scripted.FATAL}"}}\n'.encode() + lines(30))
    with pytest.raises(OutputError, match="ValueError") as caught:
        sanitize_file(scripted.NumberedWords(), source, target, options(10, on_error, workers=workers), None)
    chain: BaseException | None = caught.value
    while chain is not None:
        assert SECRET not in str(chain)
        chain = chain.__cause__ or chain.__context__
    assert not target.exists()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["InputError", "OutputError", "OwnError"])
def test_an_error_takes_nothing_private_along(
    source: Path, target: Path, scripted: Any, workers: int, name: str
) -> None:
    """What a worker sends back holds its whole chain as text, from which a crash reporter would quote."""
    source.write_bytes(lines(30) + f'{{"text": "{SECRET} {scripted.REFUSED}"}}\n'.encode() + lines(30))
    kind = scripted.OwnError if name == "OwnError" else getattr(errors, name)
    told: type[SfumatoError] = errors.GuaranteeError if name == "OwnError" else kind
    with pytest.raises(told) as caught:
        sanitize_file(scripted.Refusing(kind), source, target, options(20, workers=workers), None)
    assert type(caught.value) is told
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in f"{error} {error!r} {getattr(error, '__notes__', '')}"
        error = error.__cause__ or error.__context__
    assert not target.exists()


def test_an_index_in_the_batch_becomes_a_place_in_the_file(tmp_path: Path, target: Path, scripted: Any) -> None:
    """Ids may be names: neither that of the record nor that of one of its fields reaches the message."""
    source = tmp_path / "in.jsonl"
    bad = {"id": f"Mr {SECRET}", "a": "one", "b": scripted.REFUSED}
    records = [{"id": "x", "a": "one", "b": "two"}, bad, {"id": "y", "a": "one", "b": "two"}]
    source.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    for fields, place in ((("a", "b"), "line 2, field 'b'"), (("b",), "line 2")):
        for sanitizer, reason in ((scripted.Refusing(), "span 1 is odd"),):
            chosen = RunOptions(FileOptions(fields=fields, id_field="id"))
            with pytest.raises(InputError) as caught:
                sanitize_file(sanitizer, source, target, chosen, None)
            assert str(caught.value) == f"in.jsonl, {place}: {reason}"
    aside = RunOptions(FileOptions(fields=("a", "b"), id_field="id", on_error="quarantine"))
    assert sanitize_file(scripted.Refusing(), source, target, aside, None).quarantined == 1
    reason = json.loads(target.with_name("out.jsonl.quarantine.jsonl").read_text())["reason"]
    assert reason == "in.jsonl, line 2, field 'b': span 1 is odd"


def test_an_input_error_survives_a_pickle_and_counts_from_one() -> None:
    error = pickle.loads(pickle.dumps(InputError("it is odd", 2)))
    assert (error.document, error.reason, str(error)) == (2, "it is odd", "Document 3 of the batch: it is odd")
    assert str(InputError("it is odd")) == "it is odd"


@pytest.mark.parametrize(
    ("spans", "fault"),
    [
        (Spans([(4, 7), (0, 3)]), "not sorted"),
        (Spans([(0, 5), (3, 7)]), "overlap"),
        (Spans([(0, 3), (0, 3)]), "overlap"),
        (Spans([(3, 0)]), "sorted"),
        (Spans([(0, 3), (3, 3), (4, 7)]), "empty"),
        (Spans([(-3, 3)]), "inside"),
        (Spans([(4, 8)]), "inside"),
        (Spans([(0, 3), (4, 7)], ["A"]), "label each"),
        (Spans([Span(0, 3), Span(4, 7)]), "pairs"),  # type: ignore[list-item]
    ],
)
def test_spans_that_would_release_text_twice_are_refused(spans: Spans, fault: str) -> None:
    with pytest.raises(InputError, match=f"^Document 2 of the batch: .*{fault}"):
        checked_bounds(spans, 7, 1)
    assert checked_bounds(Spans([(0, 3), (3, 4), (5, 7)], "ABC"[:1]), 7) == [0, 3, 3, 4, 5, 7]
    assert checked_bounds(Spans([]), 0) == []


def test_every_document_needs_its_release(source: Path, target: Path, scripted: Any) -> None:
    with pytest.raises(OutputError, match="one release a document"):
        sanitize_file(scripted.Forgetful(), source, target, options(), None)
    assert not target.exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_refused_document_stops_or_is_set_aside(source: Path, target: Path, scripted: Any, workers: int) -> None:
    bad = f'{{"text": "{SECRET} {scripted.REFUSED}"}}\n'.encode()
    source.write_bytes(lines(15) + bad + lines(30))
    with pytest.raises(InputError, match=r"in\.jsonl.*record 15") as caught:
        sanitize_file(scripted.NumberedWords(), source, target, options(20, "stop", workers=workers), None)
    assert SECRET not in str(caught.value)
    assert not target.exists()
    source.write_bytes(lines(15) + bad + b"broken\n" + lines(15))
    summary = sanitize_file(
        scripted.NumberedWords(), source, target, options(10, "quarantine", workers=workers), None
    )
    assert target.read_bytes() == released(15) * 2
    assert (summary.records, summary.quarantined) == (30, 2)
    side = target.with_name("out.jsonl.quarantine.jsonl")
    assert stat.S_IMODE(side.stat().st_mode) == 0o600
    assert [json.loads(line)["line"] for line in side.read_text().splitlines()] == [16, 17]
    target.unlink()
    with pytest.raises(OutputError, match="quarantine"):
        sanitize_file(scripted.NumberedWords(), source, target, options(10, "quarantine"), None)


def test_a_worker_that_dies_is_told(source: Path, target: Path, scripted: Any) -> None:
    source.write_bytes(lines(30) + f'{{"text": "{scripted.KILLER}"}}\n'.encode() + lines(30))
    with pytest.raises(OutputError, match="worker process ended"):
        sanitize_file(scripted.NumberedWords(), source, target, options(workers=2), None)
    assert not target.exists()


class LineBreaker:
    """A sanitizer whose replacements would break the layout."""

    def sanitize_batch(self, documents: Any, randomness: object) -> list[Release]:
        return [Release.joined(document.id, ("", "a\tb\nc", ""), "WORD", 1) for document in documents]


@pytest.mark.parametrize("name", ["a.tsv", "a.txt"])
def test_a_replacement_cannot_break_the_layout(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"text\tother\none\ttwo\n")
    files = RunOptions(files=FileOptions(lines=kind_of(Path(name)) == "txt"))
    with pytest.raises(OutputError, match="a replacement holds"):
        sanitize_file(LineBreaker(), tmp_path / name, tmp_path / f"out_{name}", files, None)
    assert not (tmp_path / f"out_{name}").exists()


# --- killed, cut off, resumed ---

RUN = """
import os, signal, sys
from pathlib import Path
from scripted_sanitizer import NumberedWords
from sfumato.files import FileOptions
from sfumato.release.job import RunOptions
from releasing import sanitize_file
{prelude}
def main():
    options = RunOptions(files=FileOptions(chunk_records={records}), workers={workers}, resume={resume})
    sanitize_file(NumberedWords(pause={pause}), Path(sys.argv[1]), Path(sys.argv[2]), options, None)
if __name__ == "__main__":
    main()
"""

SMALL_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
"""


def start(folder: Path, source: Path, target: Path, prelude: str = "", **values: Any) -> Process:
    """A run in a process of its own."""
    script = folder / "script.py"
    settings = {"records": 10, "workers": 1, "resume": False, "pause": 0.0, **values}
    script.write_text(RUN.format(prelude=prelude, **settings))
    environment = {"PYTHONPATH": os.pathsep.join([SUPPORT, SOURCES])}
    return warm_command.start(source, target, env=environment, program=script)


def finish(process: Process) -> tuple[int, str]:
    _, told = process.communicate(timeout=60)
    assert process.returncode is not None
    return process.returncode, told


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_in_the_middle_and_resumed(
    tmp_path: Path, source: Path, target: Path, scripted: Any, workers: int
) -> None:
    process = start(tmp_path, source, target, pause=0.15, workers=workers, records=5)  # a second before the last part
    parts = tmp_path / ".out.jsonl.parts"
    until = time.monotonic() + 30
    while len(list(parts.glob("*.json"))) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    assert finish(process)[0] == -signal.SIGKILL
    assert not target.exists()
    assert stat.S_IMODE(parts.stat().st_mode) == 0o700
    time.sleep(0.5)
    made = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.part")}
    assert 3 <= len(made) < 20
    time.sleep(0.5)
    assert len(list(parts.glob("*.part"))) == len(made), "a worker outlived its run"

    seen: list[dict[str, int]] = []
    sanitize_file(
        scripted.NumberedWords(),
        source,
        target,
        options(5, resume=True),
        None,
        lambda *_: seen.append({path.name: path.stat().st_mtime_ns for path in parts.glob("*.part")}),
    )
    assert target.read_bytes() == released(100)
    finished = sorted(made)[:3]
    assert all(seen[-1][name] == made[name] for name in finished), "a finished chunk was made again"
    assert left_behind(target) == []


def test_a_run_that_fails_at_once_leaves_nothing(source: Path, target: Path, scripted: Any) -> None:
    source.write_bytes(b"broken\n" + lines(50))
    with pytest.raises(InputError):
        sanitize_file(scripted.NumberedWords(), source, target, options(), None)
    assert left_behind(target) == []


def test_finished_parts_outlive_a_failure_of_the_first(source: Path, target: Path, scripted: Any) -> None:
    """Chunks are finished in any order: what is there is worth resuming, and what is another run's is not ours."""
    source.write_bytes(lines(50) + b"broken\n")
    with pytest.raises(InputError):
        sanitize_file(scripted.NumberedWords(), source, target, options(), None)
    folder = target.parent / ".out.jsonl.parts"
    first, *others = sorted(folder.glob("*.json"))[:-1]
    first.unlink()  # as if it had not been finished when the run was stopped

    class Broken(scripted.NumberedWords):  # type: ignore[misc]
        def sanitize_batch(self, *given: Any) -> Any:
            raise InputError("no answer", 0)

    Broken.__qualname__, Broken.__module__ = scripted.NumberedWords.__qualname__, scripted.NumberedWords.__module__
    with pytest.raises(InputError, match="no answer"):
        sanitize_file(Broken(), source, target, options(resume=True), None)
    assert others
    assert all(one.exists() for one in others)
    Parts(target, "jsonl", "another").abandon()
    assert all(one.exists() for one in others)


def test_resume_refuses_the_parts_of_another_run(source: Path, target: Path, scripted: Any) -> None:
    """Mixing them would release one part of a record's file under another promise than the rest."""
    source.write_bytes(lines(50) + b"broken\n")

    def run(sanitizer: Any, **others: Any) -> None:
        sanitize_file(sanitizer, source, target, options(**others), None)

    with pytest.raises(InputError):
        run(scripted.NumberedWords())
    assert left_behind(target) == [".out.jsonl.parts"]
    for sanitizer, others in (
        (scripted.NumberedWords("x"), {}),
        (scripted.Echo(), {}),
        (scripted.NumberedWords(), {"records": 11}),
        (scripted.NumberedWords(), {"on_error": "quarantine"}),
    ):
        with pytest.raises(OutputError, match="another run"):
            run(sanitizer, resume=True, **others)
    with pytest.raises(InputError):
        run(scripted.NumberedWords(), resume=True)
    source.write_bytes(lines(51))
    with pytest.raises(OutputError, match="another run"):
        run(scripted.NumberedWords(), resume=True)
    run(scripted.NumberedWords("x"))
    assert target.read_bytes() == released(51).replace(b'"w', b'"x').replace(b" w", b" x")


@pytest.mark.parametrize("place", ["sfumato.version.VERSION", "sfumato.privacy.certificates.ANALYSIS"])
def test_resume_refuses_the_parts_of_another_version(
    source: Path, target: Path, scripted: Any, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    source.write_bytes(lines(50) + b"broken\n")
    with pytest.raises(InputError):
        sanitize_file(scripted.Echo(), source, target, options(), None)
    with monkeypatch.context() as other:
        other.setattr(place, "another")
        with pytest.raises(OutputError, match="another run"):
            sanitize_file(scripted.Echo(), source, target, options(resume=True), None)
    with pytest.raises(InputError, match="line 51"):
        sanitize_file(scripted.Echo(), source, target, options(resume=True), None)


def test_the_output_is_checked_when_it_is_opened(source: Path, target: Path) -> None:
    def open_and_close(chosen: RunOptions) -> bool:
        with opened(source, target, chosen) as job:
            return job.checked

    assert open_and_close(options())
    target.write_bytes(b"precious")
    for resume in (False, True):
        with pytest.raises(OutputError, match="exists"):
            open_and_close(options(resume=resume))
    assert open_and_close(options(overwrite=True))
    (target.parent / ".out.jsonl.parts").mkdir()
    (target.parent / ".out.jsonl.parts" / "manifest.json").touch()
    assert not open_and_close(options(resume=True))  # the run itself knows whether they are its own


def test_a_cut_off_part_is_made_again(source: Path, target: Path, scripted: Any) -> None:
    source.write_bytes(lines(50) + b"broken\n")
    with pytest.raises(InputError):
        sanitize_file(scripted.NumberedWords(), source, target, options(), None)
    status = source.stat()
    first, second = sorted((target.parent / ".out.jsonl.parts").glob("*.part"))[:2]
    first.write_bytes(first.read_bytes()[:-5])
    second.unlink()
    # The same size and time, so that the run counts as the same one.
    source.write_bytes(lines(50) + b" " * 7)
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    sanitize_file(scripted.NumberedWords(), source, target, options(resume=True), None)
    assert target.read_bytes() == released(50) + b" " * 7


@pytest.mark.parametrize(("limit", "left"), [(200, []), (1500, [".out.jsonl.parts"])])
def test_a_full_disk_leaves_no_output(
    tmp_path: Path, source: Path, target: Path, scripted: Any, limit: int, left: list[str]
) -> None:
    """A part (of some 300 bytes) does not fit, or only the joined output (of some 3000) does not."""
    code, told = finish(start(tmp_path, source, target, SMALL_FILES.format(limit=limit)))
    assert code == 1
    assert "OutputError" in told.splitlines()[-1]
    assert "cannot be written (File too large)" in told
    assert not target.exists()
    assert left_behind(target) == left
    summary = sanitize_file(scripted.NumberedWords(), source, target, options(resume=True), None)
    assert summary.records == 100
    assert target.read_bytes() == released(100)


GROWING = """
import sys
from pathlib import Path
from scripted_sanitizer import NumberedWords
from sfumato.files import FileOptions
from sfumato.release.job import RunOptions
from releasing import sanitize_file
for name in sys.argv[1:]:
    Path("/proc/self/clear_refs").write_text("5")  # the peak is that of what follows
    options = RunOptions(files=FileOptions(chunk_records=2000), overwrite=True)
    sanitize_file(NumberedWords(), Path(name), Path(name).with_suffix(".out.jsonl"), options, None)
    print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_memory_stays_flat(tmp_path: Path) -> None:
    """The third run of a process is the large one; the first takes what the imports let go."""
    small, large = (tmp_path / f"in{records}.jsonl" for records in (4_000, 60_000))
    small.write_bytes(lines(4_000))
    large.write_bytes(lines(60_000))
    (tmp_path / "script.py").write_text(GROWING)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([SUPPORT, SOURCES])}
    command = [sys.executable, str(tmp_path / "script.py"), str(small), str(small), str(large)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    _, before, peak = map(int, done.stdout.split())
    assert peak - before < 1_500  # kibibytes; held in memory, the larger input alone would take more


def test_errors_are_sfumatos_own(source: Path, target: Path, scripted: Any) -> None:
    source.chmod(0)
    if os.access(source, os.R_OK):
        pytest.skip("root reads everything")
    with pytest.raises(SfumatoError, match="cannot be read"):
        sanitize_file(scripted.Echo(), source, target, options(), None)


def test_an_input_that_changes_under_the_run_is_refused(source: Path, target: Path, scripted: Any) -> None:
    def grow(*_: int) -> None:
        with source.open("ab") as file:
            file.write(lines(1))

    with pytest.raises(InputError, match="changed while"):
        sanitize_file(scripted.Echo(), source, target, options(), None, grow)
    assert not target.exists()

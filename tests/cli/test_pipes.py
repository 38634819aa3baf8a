"""Standard input and output: the same releases, nothing before all of it is made, nothing left behind."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CANARY, SFUMATO, call, everything_below, write_jsonl, write_key, write_vectors
from sfumato.cli import main
from sfumato.storage import Place, owned
from warm_command import Process, run, start


class Piped(NamedTuple):
    """How a run of the command ended, in bytes."""

    returncode: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a vocabulary, and an empty one for what is passing."""
    write_vectors(tmp_path)
    (tmp_path / "passing").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pipe(desk: Path, data: bytes, *arguments: str) -> Piped:
    """Run sanitize in this process with ``data`` on its standard input; nothing may be left of what is passing."""
    given = ["sfumato", "sanitize", *arguments, "-m", "santext", "-e", "4", "--seed", "1"]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    code = 0
    with (
        mock.patch.object(sys, "argv", [*given, "--set", "vocabulary=words.vec.txt"]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = int(left.code or 0)
    out.flush()
    err.flush()
    assert not list((desk / "passing").iterdir())
    return Piped(code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


def plain(desk: Path, name: str, data: bytes, *more: str) -> bytes:
    """What the same run makes from file to file."""
    (desk / name).write_bytes(data)
    done = pipe(desk, b"", name, "-o", f"out-{name}", *more)
    assert done.returncode == 0, done.stderr
    return (desk / f"out-{name}").read_bytes()


JSON = b'{"id": 1, "text": "the cat sat"}\n{"id": 2, "text": "a dog"}\n'
INPUTS = {
    "txt": b"the cat\nsat here",
    "jsonl": JSON,
    "csv": b"id,text\n1,the cat\n2,a dog\n",
    "tsv": b"id\ttext\n1\tthe cat\n",
}


@pytest.mark.parametrize("kind", INPUTS)
def test_a_stream_gives_what_a_file_gives(desk: Path, kind: str) -> None:
    data = INPUTS[kind]
    form = () if kind == "txt" else ("--format", kind)
    done = pipe(desk, data, "-", "-o", "-", "--statement", "said.json", *form)
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain(desk, f"in.{kind}", data)
    told = json.loads((desk / "said.json").read_text())
    beside = json.loads((desk / f"out-in.{kind}.privacy.json").read_text())
    assert told["release"]["sha256"] == beside["release"]["sha256"]
    assert told["records"] == beside["records"]
    assert b"Certified" in done.stderr
    assert sorted(path.name for path in desk.iterdir() if path.name.startswith(".")) == []


def test_a_stream_of_text_is_one_document_unless_lines_are_asked_for(desk: Path) -> None:
    data = INPUTS["txt"]
    done = pipe(desk, data, "-", "-o", "-", "--statement", "said.json", "--lines")
    assert done.stdout == plain(desk, "in.txt", data, "--lines")
    assert json.loads((desk / "said.json").read_text())["records"]["count"] == 2


NAMED = {
    "field": ("--field", "text"), "id": ("--id-field", "id"), "subject": ("--subject-field", "id"),
    "kept": ("--keep-field", "id"), "missing": ("--missing", "pass"), "quoting": ("--quoting", "none"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_named_fields_of_a_stream_need_its_format(desk: Path, name: str) -> None:
    """Read as one text, records would go out with fields that were to stay back."""
    done = pipe(desk, JSON, "-", "-o", "-", "--statement", "said.json", *NAMED[name])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"add --format jsonl" in done.stderr
    assert not (desk / "said.json").exists()


def test_fields_that_a_policy_names_need_the_format_of_a_stream(desk: Path) -> None:
    for more in (("--set", "fields.id=id"), ("--id-field", "id"), ("--field", "text")):
        done = run("sanitize", "-", "-o", "-", "--statement", "said.json", "--policy", "support", *more,
                   given=JSON.decode(), cwd=desk)  # fmt: skip
        assert (done.code, done.out) == (2, "")
        assert "add --format jsonl" in done.err


def test_fields_named_of_standard_input_that_is_searched_need_its_format(desk: Path) -> None:
    done = run("find", "-", "--detect", "words", "--field", "text", given=JSON.decode(), cwd=desk)
    assert (done.code, done.out) == (2, "")
    assert "add --format jsonl" in done.err


def test_a_file_on_one_side_says_the_format(desk: Path) -> None:
    wanted = plain(desk, "in.jsonl", JSON)
    done = pipe(desk, b"", "in.jsonl", "-o", "-", "--statement", "said.json")
    assert done.stdout == wanted
    done = pipe(desk, JSON, "-", "-o", "new.jsonl")
    assert (done.returncode, done.stdout.splitlines()[0][:9]) == (0, b"2 records"), done.stderr
    assert (desk / "new.jsonl").read_bytes() == wanted
    assert (desk / "new.jsonl.privacy.json").exists()


def test_parquet_passes_too(desk: Path) -> None:
    pq.write_table(pa.table({"text": ["the cat"]}), desk / "in.parquet")
    done = pipe(
        desk, (desk / "in.parquet").read_bytes(), "-", "-o", "-", "--format", "parquet", "--statement", "said.json"
    )
    assert done.returncode == 0, done.stderr
    assert pq.read_table(pa.BufferReader(done.stdout)).num_rows == 1


def test_json_facts_go_beside_the_release(desk: Path) -> None:
    done = pipe(desk, JSON, "-", "-o", "-", "--format", "jsonl", "--statement", "said.json", "--json")
    assert len(done.stdout.splitlines()) == 2
    facts = json.loads(done.stderr)
    assert (facts["output"], facts["statement"]) == ("-", "said.json")
    quiet = pipe(desk, JSON, "-", "-o", "-", "--format", "jsonl", "--statement", "other.json", "--quiet")
    assert (len(quiet.stdout.splitlines()), quiet.stderr) == (2, b"")


@pytest.mark.parametrize("form", ["txt", "jsonl"])
def test_empty_input(desk: Path, form: str) -> None:
    done = pipe(desk, b"", "-", "-o", "-", "--format", form, "--statement", "said.json")
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert (desk / "said.json").exists()


SECRET = CANARY.encode()
BAD: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "no-statement": (JSON, ("--format", "jsonl"), "--statement FILE"),
    "not-utf8": (SECRET + b"\xff", ("--statement", "s"), "standard-input.txt, line 1: .*UTF-8"),
    "empty-csv": (b"", ("--format", "csv", "--statement", "s"), "no header"),
    "broken-line": (JSON + b'{"text": "' + SECRET, ("--format", "jsonl", "--statement", "s"), "line 3: .*JSON"),
    "late-error": (JSON * 3000 + b'{"note": 1}', ("--format", "jsonl", "--statement", "s"), "line 6001: .*missing"),
    "another-format": (JSON, ("--format", "docx", "--statement", "s"), "one of txt"),
    "resume": (JSON, ("--resume", "--statement", "s"), "cannot be resumed"),
    "quarantine": (JSON, ("--on-error", "quarantine", "--statement", "s"), "set aside"),
    "no-folder": (JSON, ("--statement", "nowhere/s"), "folder that exists"),
    "statement-is-a-folder": (JSON, ("--statement", "passing"), "must go to a file"),
    "statement-is-a-stream": (JSON, ("--statement", "-"), "must go to a file"),
    "statement-is-a-vocabulary": (JSON, ("--statement", "words.vec.txt"), "apart from"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_nothing_comes_out_of_a_run_that_fails(desk: Path, name: str) -> None:
    data, more, told = BAD[name]
    before = everything_below(desk)
    done = pipe(desk, data, "-", "-o", "-", *more)
    assert (done.returncode, done.stdout) == (2, b"")

    assert re.search(told, done.stderr.decode())
    assert SECRET not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert everything_below(desk) == before


@pytest.mark.parametrize("output", [("-o", "-"), ("-o-",), ("--output", "-"), ("--output=-",)])
def test_an_error_for_programs_is_no_release(desk: Path, output: tuple[str, ...]) -> None:
    done = pipe(desk, SECRET + b"\xff", "-", *output, "--statement", "s", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert json.loads(done.stderr.splitlines()[0])["error"]["kind"] == "InputError"


@pytest.mark.parametrize(
    "arguments",
    [
        ("in.jsonl", "-o", "-", "--format", "csv", "--statement", "s"),
        ("in.jsonl", "-o", "out.jsonl", "--format", "jsonl"),
        ("in.jsonl", "-o", "out.jsonl", "--statement", "s"),
        ("in.jsonl", "-o", "-", "--statement", "in.jsonl", "--force"),
        ("letters", "-o", "-", "--statement", "s"),
        ("-", "-o", "letters"),
    ],
)
def test_what_does_not_fit_is_refused(desk: Path, arguments: tuple[str, ...]) -> None:
    (desk / "in.jsonl").write_bytes(JSON)
    (desk / "letters").mkdir()
    (desk / "letters" / "a.txt").write_bytes(b"the cat")
    before = everything_below(desk)
    done = pipe(desk, JSON, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert everything_below(desk) == before


def started(desk: Path, *arguments: str, **streams: Any) -> Process:
    given = ["sanitize", *arguments, "-m", "santext", "-e", "4", "--set", "vocabulary=words.vec.txt"]
    return start(*given, cwd=desk, env={"TMPDIR": str(desk / "passing")}, text=False, **streams)


def test_a_reader_that_leaves_ends_the_run_quietly(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", [{"text": "the cat sat", "more": 500 * "x"}] * 20_000)
    given = "in.jsonl", "-o", "-", "--statement", "said.json"
    with started(desk, *given) as process:
        process.stdout.read(10)
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(60) == 141
    assert b"Traceback" not in told
    assert b"cat" not in told
    assert (desk / "said.json").exists()
    assert not list((desk / "passing").iterdir())


def test_a_full_standard_output_is_told(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", [{"text": "the cat sat"}] * 2000)
    with (
        open("/dev/full", "wb") as full,
        started(desk, "in.jsonl", "-o", "-", "--statement", "said.json", stdout=full) as process,
    ):
        told = process.stderr.read()
        assert process.wait(60) == 2
    assert b"not the whole release, and its statement was taken back" in told
    assert not (desk / "said.json").exists()
    (desk / "said.json").write_text("before")
    given = "in.jsonl", "-o", "-", "--statement", "said.json", "--force"
    with open("/dev/full", "wb") as full, started(desk, *given, stdout=full) as process:
        assert process.wait(60) == 2
    assert (desk / "said.json").read_text() == "before"
    assert not [path for path in desk.iterdir() if path.name.startswith(".")]


def test_input_that_stops_early_is_what_it_was(desk: Path) -> None:
    """A pipe whose writer dies looks like one that ends: half a line of JSON is refused, with nothing released."""
    given = "-", "-o", "-", "--format", "jsonl", "--statement", "said.json"
    with started(desk, *given, stdin=subprocess.PIPE) as process:
        out, told = process.communicate(JSON[:-5], 60)
    assert (process.returncode, out) == (2, b"")
    assert b"line 2" in told
    assert not (desk / "said.json").exists()


def test_the_vocabulary_may_not_be_what_is_piped(desk: Path) -> None:
    data = (desk / "words.vec.txt").read_bytes()
    done = pipe(desk, data, "-", "-o", "-", "--statement", "said.json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"private input" in done.stderr


def test_a_release_without_a_guarantee_needs_its_statement_too(desk: Path) -> None:
    (desk / "names.txt").write_text("cat\n")
    given = ("sanitize", "-", "-o", "-", "-m", "redaction", "--detect", "list:names.txt")
    done = run(*given, given=b"the cat sat", cwd=desk, text=False)
    assert (done.code, done.out) == (2, b"")
    assert b"--statement" in done.err
    whole = run(*given, "--statement", "said.json", given=b"the cat sat", cwd=desk, text=False)
    assert (whole.code, whole.out) == (0, b"the LISTED_1 sat"), whole.err
    assert json.loads((desk / "said.json").read_text())["guarantee"] is None


def waiting(desk: Path, *arguments: str) -> tuple[Process, Path]:
    """A run that has got half of its standard input and waits for more, and the file that holds it."""
    process = start(*arguments, cwd=desk, env={"TMPDIR": str(desk / "passing")}, stdin=subprocess.PIPE, text=False)
    process.stdin.write(SECRET)
    process.stdin.flush()
    until = time.monotonic() + 60
    while not (held := list((desk / "passing").glob("*/standard-input.*"))) and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.02)
    return process, held[0]


FIND = ("find", "-", "--detect", "list:names.txt")
SANITIZE = ("sanitize", "-", "-o", "-", "--statement", "s", "-m", "redaction", "--detect", "list:names.txt")


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("arguments", [FIND, SANITIZE], ids=["find", "sanitize"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_told_to_end_leaves_nothing_of_its_input(
    desk: Path, number: signal.Signals, arguments: tuple[str, ...]
) -> None:
    (desk / "names.txt").write_text("cat\n")
    process, held = waiting(desk, *arguments)
    with process:
        assert [stat.S_IMODE(path.stat().st_mode) for path in (held.parent, held)] == [0o700, 0o600]
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert b"Traceback" not in process.stderr.read()
    assert not list((desk / "passing").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_stream_that_is_interrupted_is_not_to_be_resumed(desk: Path) -> None:
    (desk / "names.txt").write_text("cat\n")
    process, _ = waiting(desk, *SANITIZE)
    with process:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        told = process.stderr.read()
    assert b"nothing of a stream is kept" in told
    assert b"--resume" not in told
    assert not list((desk / "passing").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_what_a_killed_run_left_goes_with_the_next_one_and_nothing_else_does(desk: Path) -> None:
    (desk / "names.txt").write_text("cat\n")
    alive, kept = waiting(desk, *FIND)
    mine = desk / "passing" / "sfumato-stream-0123456789abcdef"  # without a lock: no run made it
    (mine / "notes").mkdir(parents=True)
    with alive:
        environment = {"TMPDIR": str(desk / "passing")}
        with start(*FIND, cwd=desk, env=environment, stdin=subprocess.PIPE) as killed:
            until = time.monotonic() + 60
            while len(list((desk / "passing").glob("*/standard-input.*"))) < 2 and time.monotonic() < until:
                time.sleep(0.02)
            killed.kill()
        assert len(list((desk / "passing").glob("*/standard-input.*"))) == 2
        done = run(*FIND, cwd=desk, env=environment, given="the cat")
        assert done.code == 0, done.err
        assert list((desk / "passing").glob("*/standard-input.*")) == [kept]
        assert (mine / "notes").is_dir()
        alive.terminate()
        alive.wait(60)
    assert list((desk / "passing").iterdir()) == [mine]


@pytest.mark.parametrize("link", [None, os.link, os.symlink])
@pytest.mark.parametrize(
    "name", ["in.jsonl", "names.txt", "denied.txt", "allowed.txt", "hash.key", "map.key", "map", "found.jsonl"]
)
def test_the_statement_replaces_nothing_that_the_run_needs(desk: Path, name: str, link: Any) -> None:
    for file in ("in.jsonl", "names.txt", "denied.txt", "allowed.txt", "hash.key", "map.key", "map", "found.jsonl"):
        write_key(desk / file, JSON if file == "in.jsonl" else b"the cat, some letters, and more of them")
    if link is not None:
        link(desk / name, desk / "said.json")
    before = everything_below(desk)
    lists = ("--detect", "list:names.txt", "--detect", "given:found.jsonl", "--set", "detect.deny=denied.txt")
    keys = ("--set", "detect.allow=allowed.txt", "--set", "key=hash.key", "--map", "map", "--map-key", "map.key")
    target = name if link is None else "said.json"
    given = ("in.jsonl", "-o", "-", "-m", "redaction", *lists, *keys, "--statement", target, "--force")
    done = call("sanitize", *given)
    assert (done.code, done.out) == (2, "")
    assert "The statement must go to a file apart" in done.err
    assert everything_below(desk) == before


def test_the_statement_replaces_no_vocabulary_and_nothing_that_is_no_file(desk: Path) -> None:
    before = everything_below(desk)
    done = pipe(desk, JSON, "-", "-o", "-", "--statement", "words.vec.txt", "--force")
    assert (done.returncode, done.stdout) == (2, b"")
    os.mkfifo(desk / "fifo")
    done = pipe(desk, JSON, "-", "-o", "-", "--statement", "fifo", "--force")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not a regular file" in done.stderr
    (desk / "fifo").unlink()
    assert everything_below(desk) == before


def test_the_statement_is_not_written_through_a_link_at_a_hidden_name(desk: Path) -> None:
    (desk / "precious").write_text("precious")
    for hidden in (".said.json.tmp", ".said.json.ready", ".said.json.replaced"):
        (desk / hidden).symlink_to("precious")
    done = pipe(desk, b"the cat", "-", "-o", "-", "--statement", "said.json")
    assert done.returncode == 0, done.stderr
    assert (desk / "precious").read_text() == "precious"
    assert json.loads((desk / "said.json").read_text())


def test_one_run_at_a_time_owns_a_statement(desk: Path) -> None:
    with owned([Place(desk / "said.json")]):
        done = pipe(desk, b"the cat", "-", "-o", "-", "--statement", "said.json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Another run is writing said.json" in done.stderr
    (desk / "said.json").touch()
    done = pipe(desk, b"the cat", "-", "-o", "-", "--statement", "said.json")
    assert b"said.json exists" in done.stderr


MADE = "-m santext -e 4 --detect words --set vocabulary={folder}/words.vec.txt"
CLOSED = {
    "stdin": (f"sanitize - -o - --statement s.json {MADE} <&-", "Standard input is closed; name a file"),
    "find-stdin": ("find - --detect words <&-", "Standard input is closed; name a file"),
    "stdout": (f"sanitize in.jsonl -o - --statement s.json {MADE} >&-", "Standard output is closed; name a file"),
    "find-stdout": ("find in.jsonl --detect words >&-", "Standard output is closed; name a file"),
    "gone": (f"sanitize {{folder}}/in.jsonl -o out.jsonl {MADE}", "(the working folder is gone); choose another"),
    "gone-input": ("find in.jsonl --detect words -o out.jsonl", "(the working folder is gone); choose another"),
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_closed_stream_or_a_folder_that_is_gone_is_said(desk: Path, case: str) -> None:
    write_jsonl(desk / "in.jsonl", [{"text": CANARY}])
    command, said = CLOSED[case]
    gone = "mkdir gone && cd gone && rmdir ../gone && " if case.startswith("gone") else ""
    line = f"{gone}exec {SFUMATO} {command.format(folder=desk)}"
    before = everything_below(desk)
    ran = subprocess.run(["sh", "-c", line], cwd=desk, capture_output=True, text=True, check=False)
    assert (ran.returncode, said in ran.stderr, "Internal" in ran.stderr) == (2, True, False), ran.stderr
    assert everything_below(desk) == before


def test_no_file_is_opened_in_place_of_a_closed_stream(desk: Path) -> None:
    """What is printed, or written by a library, would otherwise go into the release."""
    write_jsonl(desk / "in.jsonl", [{"text": "cat"}])
    code = "import os, sys; from sfumato.cli import main\n"
    code += "sys.argv = ['sfumato', 'list', '--json']\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "sys.exit(os.open('in.jsonl', os.O_RDONLY))"
    line = f'exec {sys.executable} -c "{code}" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", line], cwd=desk, check=False).returncode > 2

"""A release and everything that belongs to it appear together or not at all; nobody else writes there meanwhile."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from command_line import SFUMATO, call, everything_below, write_jsonl, write_key, write_vectors
from sfumato.errors import OutputError
from sfumato.storage import Place, owned, publish
from sfumato.storage.digests import digest_of_everything
from warm_command import Process, start
from warm_command import finish as ended
from warm_command import run as run_warm

PRIVATE = "quillfeather"

# A run in a process of its own, which fails or is killed at a step of its work with files. The steps are counted by
# the interpreter's own audit events, so that none is forgotten. What a run leaves that is killed at a step is what is
# there at this step: a run that keeps a copy of it at every step tells this of all of them. A try that is killed is a
# fork. One that fails leaves the process as it was: a lock that it kept would stop the next one.
STEPS = """
import gc, json, os, shutil, signal, sys
from pathlib import Path
from sfumato import build
from sfumato.errors import SfumatoError
from sfumato.files import FileOptions
from sfumato.abstract.journal import Journal, Tally
from releasing import release_file
from sfumato.release.job import Companion, RunOptions
from sfumato.run.execute import map_beside
from sfumato.storage import Place
import sfumato.storage.atomic, sfumato.files.parts

EVERY = -1
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir"}
folder, blow, kind, old_order = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4] == "old"
source = folder / ("in" if kind == "folder" else "in.jsonl")
output = folder / ("out" if kind == "folder" else "out.jsonl")
state = {"step": 0, "at": 0, "armed": False}
lasting = {"in", "in.jsonl", "names", "key", "steps.py", "kept"}

def keep(number):
    state["armed"] = False  # what follows is no step of the run
    kept = folder / "kept" / str(number)
    kept.mkdir(parents=True)
    for path in folder.iterdir():
        if path.name not in lasting:
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, kept / path.name)
    numbers = {path.name: path.stat().st_ino for path in folder.iterdir() if path.name not in lasting}
    (kept.parent / f"{number}.json").write_text(json.dumps(numbers))
    state["armed"] = True

def step():
    if not state["armed"]:
        return
    state["step"] += 1
    if state["at"] == EVERY:
        keep(state["step"])
    if state["step"] == state["at"]:
        if blow == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        state["armed"] = blow == "for-ever"
        state["at"] += blow == "for-ever"
        raise OSError(28, "No space left on device")

def hook(event, given):
    writes = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)
    if (event in CHANGES or writes) and str(folder) in str(given[0]):
        step()

def fsync(handle):  # a process is stopped here, not the machine: nothing has to reach the disk
    step()

if old_order:
    rename = sfumato.files.parts.publish
    sfumato.files.parts.publish = lambda places: rename(places[::-1])

redactor = build("redaction", detect=f"list:{folder / 'names'}", operator="pseudonym")

def release(resume, force):
    files = FileOptions(chunk_records=2)
    beside = map_beside(folder / "map", (folder / "key").read_bytes(), redactor)
    journal = Journal(folder / "rounds.jsonl", resume)
    journal.note("0", "nobody", Tally(questions=1))
    rounds = Companion(Place(journal.path), lambda *_: journal.finish())
    release_file(redactor, source, output, RunOptions(files, 1, force, resume), companions=(beside, rounds))

def answered(resume, force):
    try:
        release(resume, force)
    except SfumatoError as error:
        return str(error)
    except BaseException as error:
        return f"unforeseen {type(error).__name__}"

def armed(at, resume, force):
    state.update(step=0, at=at, armed=at != 0)
    answer = {"error": answered(resume, force), "steps": state["step"]}
    state["armed"] = False
    return answer

def attempt(at, resume, force):
    if blow != "kill" or at in (0, EVERY):
        return armed(at, resume, force)
    told, telling = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(telling, json.dumps(armed(at, resume, force)).encode())
        os._exit(0)
    os.close(telling)
    with os.fdopen(told) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else {"error": "killed", "steps": at}

sys.addaudithook(hook)
os.fsync = fsync
release(False, False)  # imports and caches everything, in this process
gc.collect()
gc.freeze()  # a fork that does not go through everything again copies less of it
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps(attempt(*json.loads(line))), flush=True)
"""


LASTING = ("in", "in.jsonl", "names", "key", "steps.py", "kept")
EVERY = -1  # in place of a step: a run that is not stopped, and keeps at each step a copy of what is there


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)


class Steps:
    """A process that makes releases and is stopped at a step."""

    def __init__(self, folder: Path, blow: str, kind: str = "jsonl", order: str = "new") -> None:
        self.folder = folder
        if kind == "folder":
            (folder / "in").mkdir()
            for number in range(4):
                (folder / "in" / f"{number}.txt").write_text(f"{PRIVATE} phoned")
        else:
            write_jsonl(folder / "in.jsonl", [{"text": f"{PRIVATE} phoned"}] * 4)
        (folder / "names").write_text(f"{PRIVATE}\n")
        write_key(folder / "key")
        self.output = folder / ("out" if kind == "folder" else "out.jsonl")
        (folder / "steps.py").write_text(STEPS)
        self._process = start(folder, blow, kind, order, program=folder / "steps.py", stdin=subprocess.PIPE)
        assert self._process.stdout.readline() == "ready\n"

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def attempt(self, at: int, resume: bool = False, force: bool = False) -> dict[str, Any]:
        self._process.stdin.write(json.dumps([at, resume, force]) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def clear(self) -> None:
        """Leave the input, the names, the key and what is kept alone."""
        for path in self.folder.iterdir():
            if path.name not in LASTING:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def keep(self) -> None:
        """Keep what is there, for :meth:`put_back`, as before the first step."""
        kept = self.folder / "kept" / "0"
        shutil.rmtree(kept.parent, ignore_errors=True)
        names = [path.name for path in self.folder.iterdir() if path.name not in LASTING]
        kept.mkdir(parents=True)
        for name in names:
            _copy(self.folder / name, kept / name)

    def put_back(self, step: int = 0) -> None:
        """Leave nothing there but what was kept at this step; of a step of the run that can be asked for once."""
        self.clear()
        for path in (self.folder / "kept" / str(step)).iterdir():
            (os.rename if step else _copy)(path, self.folder / path.name)
        for path in self.folder.glob(".*.parts/assembled.json"):
            self._made_known(path, json.loads((self.folder / "kept" / f"{step}.json").read_text()))

    def _made_known(self, path: Path, numbers: dict[str, int]) -> None:
        """Let a run know a copy of an assembled output again: the file that it had is another one now."""
        facts = json.loads(path.read_bytes())
        [name] = [name for name, number in numbers.items() if number == facts["inode"]]
        path.write_text(json.dumps({**facts, "inode": (self.folder / name).stat().st_ino}))

    def faults(self) -> list[str]:
        """What is there and must not be."""
        statement, others = self.output.with_name(f"{self.output.name}.privacy.json"), ("map", "rounds.jsonl")
        if not self.output.exists():
            return []
        if not statement.exists():
            return ["a release without its statement"]
        faults = [f"a release without its {name}" for name in others if not (self.folder / name).exists()]
        if json.loads(statement.read_text())["release"]["sha256"] != digest_of_everything(self.output):
            faults.append("a release with the statement of another")
        return faults

    def hidden(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith("."))


def begun(steps: Steps, force: bool) -> None:
    """Make what is there before a run: the output of an earlier one, if it may be there."""
    steps.clear()
    if force:
        assert steps.attempt(0)["error"] is None
    steps.keep()


def every_fault(steps: Steps, force: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Let a run fail at each of its steps in turn, and say how it ended."""
    begun(steps, force)
    for at in count(1):
        steps.put_back()
        answer = steps.attempt(at, force=force)
        if answer["steps"] < at:  # it was over before
            assert answer["error"] is None
            return
        yield at, answer


def every_kill(steps: Steps, force: bool) -> Iterator[int]:
    """Leave in turn what a run leaves that is killed at each of its steps."""
    begun(steps, force)
    whole = steps.attempt(EVERY, force=force)
    assert whole["error"] is None
    for at in range(1, whole["steps"] + 1):
        steps.put_back(at)
        yield at


def listed(folder: Path) -> list[tuple[str, int]]:
    """The size of every file in ``folder`` and its folders, but for those that last; some names are drawn."""
    paths = [path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in LASTING]
    sizes = [0 if path.is_dir() else path.stat().st_size for path in paths]
    names = [re.sub(r"\.sfumato-\w+", ".sfumato", str(path.relative_to(folder))) for path in paths]
    return sorted(zip(names, sizes, strict=True))


@pytest.mark.parametrize("kind", ["jsonl", "folder"])
def test_a_kill_leaves_what_was_there(tmp_path: Path, kind: str) -> None:
    """The copies of the tests below are what a process leaves that is killed: no more and no less is on the disk."""
    seen = []
    with Steps(tmp_path, "kill", kind) as steps:
        begun(steps, False)
        for at in range(1, steps.attempt(EVERY)["steps"] + 1, 11):
            steps.put_back(at)
            copied = listed(tmp_path)
            steps.put_back()
            assert steps.attempt(at)["error"] == "killed"
            assert listed(tmp_path) == copied, at
            seen.append(copied)
    assert len({str(copied) for copied in seen}) > 3


@pytest.mark.parametrize("kind", ["jsonl", "folder"])
@pytest.mark.parametrize("force", [False, True], ids=["fresh", "force"])
def test_killed_at_any_step(tmp_path: Path, kind: str, force: bool) -> None:
    """Whatever the step: no release without its statement, and --resume ends what was begun."""
    killed = 0
    with Steps(tmp_path, "kill", kind) as steps:
        for at in every_kill(steps, force):
            assert steps.faults() == [], at
            resumed = steps.attempt(0, resume=True, force=force)
            assert resumed["error"] is None, (at, resumed)
            assert steps.output.exists(), at
            assert steps.faults() == [], at
            assert PRIVATE.encode() not in everything_below(steps.output) if kind == "folder" else True
            assert steps.hidden() == [], at
            killed += 1
    assert killed > 30, "steps were not counted"


@pytest.mark.parametrize("force", [False, True], ids=["fresh", "force"])
@pytest.mark.parametrize("blow", ["once", "for-ever"])
def test_a_fault_at_any_step(tmp_path: Path, blow: str, force: bool) -> None:
    """A step that fails: what the error says of the output is so, and --resume ends what was begun."""
    failed = 0
    with Steps(tmp_path, blow) as steps:
        for at, answer in every_fault(steps, force):
            told = answer["error"]
            assert steps.faults() == [], (at, told)
            if told is None:  # a step that may fail, such as the removal of a lock file
                assert steps.output.exists(), at
                continue
            assert not told.startswith("unforeseen"), (at, told)
            if "nothing bears that name yet" in told:
                assert not steps.output.exists(), (at, told)
            elif "is complete" in told:
                assert steps.output.exists(), (at, told)
            assert steps.attempt(0, resume=True, force=force)["error"] is None, (at, told)
            assert steps.output.exists()
            assert steps.faults() == [], at
            failed += 1
    assert failed > 20, "no step failed"


def test_the_other_order_is_noticed(tmp_path: Path) -> None:
    """The tests above have power: a release that gets its name before its statement is seen at some step."""
    with Steps(tmp_path, "kill", order="old") as steps:
        seen = {fault for _ in every_kill(steps, False) for fault in steps.faults()}
    assert "a release without its statement" in seen


# --- one run owns an output ---


def redact(folder: Path, source: Path, *more: object, output: str = "out.jsonl") -> tuple[object, ...]:
    names = folder / "names"
    names.write_text(f"{PRIVATE}\n")
    return ("sanitize", source, "-o", folder / output, "-m", "redaction", "--detect", f"list:{names}", *more)


OWNER = """
import sys, time
from pathlib import Path
from sfumato.storage import Place, owned
with owned([Place(Path(sys.argv[1]))]):
    print("owned", flush=True)
    time.sleep(60)
"""


def owning(path: Path) -> Process:
    """Another process that owns ``path`` until it is killed."""
    program = path.parent / "owner.py"
    program.write_text(OWNER)
    process = start(path, program=program)
    assert process.stdout.readline() == "owned\n"
    program.unlink()
    return process


def killed(process: Process) -> None:
    process.kill()
    process.communicate(timeout=60)


def test_two_runs_of_one_output(tmp_path: Path) -> None:
    """Whichever comes first has it: the release is of one input, with its statement, and the other run says so."""
    sources = [write_jsonl(tmp_path / f"in{n}.jsonl", [{"text": f"{n} {PRIVATE}"}] * 50) for n in (0, 1)]
    output, won = tmp_path / "out.jsonl", []
    for turn in range(8):
        more = (("--force",), ("--force", "--workers", 2), ("--resume",), ())[turn % 4]
        if turn % 4 > 1:
            for path in tmp_path.glob("out.jsonl*"):
                path.unlink()
        asked = [redact(tmp_path, source, *more) for source in sources]  # which writes the list that both read
        both = [start(*arguments) for arguments in asked]
        told = [ended(process) for process in both]
        codes = sorted(one.code for one in told)
        assert codes == [0, 2] or (codes == [0, 0] and turn % 4 < 2), told
        for one in told:
            if one.code:
                assert re.fullmatch(r"Error: (Another run is writing|[^\n]* exists;)[^\n]*\n", one.err), one.err
        statement = json.loads(Path(f"{output}.privacy.json").read_text())
        assert statement["release"]["sha256"] == digest_of_everything(output)
        whose = {json.loads(line)["text"].split()[0] for line in output.read_text().splitlines()}
        assert len(whose) == 1, "two inputs in one release"
        if codes == [0, 2]:
            assert whose == {str(next(n for n in (0, 1) if told[n].code == 0))}
        won += [one.code for one in told]
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert 2 in won


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.quarantine.jsonl", "map", "out"])
def test_a_run_keeps_off_what_another_owns(tmp_path: Path, name: str) -> None:
    write_key(tmp_path / "key")
    if name == "out":
        source = tmp_path / "in"
        source.mkdir()
        (source / "a.txt").write_text(PRIVATE)
    else:
        source = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    output = "out" if name == "out" else "out.jsonl"
    asked = redact(tmp_path, source, "--map", tmp_path / "map", "--map-key", tmp_path / "key", output=output)
    other = owning(tmp_path / name)
    try:
        for more in ((), ("--force",), ("--resume",)):
            told = call(*asked, *more)
            assert (told.code, told.out) == (2, ""), told
            assert re.fullmatch(rf"Error: Another run is writing {re.escape(name)} at [^\n]*\n", told.err), told.err
            assert not (tmp_path / output).exists()
    finally:
        killed(other)
    assert call(*asked).code == 0, "the lock outlived its process"
    assert (tmp_path / output).exists()
    assert call("restore", tmp_path / output, "-o", tmp_path / "back", "--map", tmp_path / "map",
                "--map-key", tmp_path / "key").code == 0  # fmt: skip


def test_restoring_keeps_off_too(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    write_key(tmp_path / "key")
    beside = ("--map", tmp_path / "map", "--map-key", tmp_path / "key")
    assert call(*redact(tmp_path, source, *beside, "--set", "operator=pseudonym")).code == 0
    other = owning(tmp_path / "back.jsonl")
    try:
        for more in ((), ("--pseudonyms",), ("--force",)):
            told = call("restore", tmp_path / "out.jsonl", "-o", tmp_path / "back.jsonl", *beside, *more)
            assert "Another run is writing back.jsonl" in told.err
            assert not (tmp_path / "back.jsonl").exists()
    finally:
        killed(other)
    assert call("restore", tmp_path / "out.jsonl", "-o", tmp_path / "back.jsonl", *beside).code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == source.read_bytes()


def test_two_ways_to_one_folder_meet(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    (tmp_path / "way").symlink_to("true")
    other = owning(tmp_path / "true" / "out")
    try:
        with pytest.raises(OutputError, match="Another run is writing out"), owned([Place(tmp_path / "way" / "out")]):
            pass
    finally:
        killed(other)
    with owned([Place(tmp_path / "way" / "out"), Place(tmp_path / "true" / "out")]):
        pass
    assert list((tmp_path / "true").iterdir()) == [], "the lock file of a killed run stays for ever"


def test_what_replaces_nothing_is_said_under_the_lock(tmp_path: Path) -> None:
    """Two runs with a map at one place: the one that comes later must not replace the other's."""
    write_key(tmp_path / "key")
    beside = ("--map", tmp_path / "map", "--map-key", tmp_path / "key")
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    asked = [redact(tmp_path, source, *beside, output=f"out{n}.jsonl") for n in (0, 1)]
    both = [start(*arguments) for arguments in asked]
    told = [ended(process) for process in both]
    assert sorted(one.code for one in told) == [0, 2], told
    first = next(n for n in (0, 1) if told[n].code == 0)
    assert not (tmp_path / f"out{1 - first}.jsonl").exists()
    assert call("restore", tmp_path / f"out{first}.jsonl", "-o", tmp_path / "back.jsonl", *beside).code == 0


# --- publishing ---


def test_what_cannot_get_all_its_names_gets_none(tmp_path: Path) -> None:
    places = [Place(tmp_path / name) for name in ("a", "b", "c")]
    for place in places:
        place.path.write_text(f"old {place.path.name}")
        place.ready.write_text(f"new {place.path.name}")
    places[1].path.unlink()
    stop, real = tmp_path / "c", os.replace

    def fail(source: Any, target: Any) -> None:
        if Path(target) == stop and Path(source) == places[2].ready:
            raise OSError(28, "No space left on device")
        real(source, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            publish(places)
    assert {path.name: path.read_text() for path in sorted(tmp_path.glob("[abc]"))} == {"a": "old a", "c": "old c"}
    publish(places)
    assert {path.name: path.read_text() for path in sorted(tmp_path.glob("[abc]"))} == {
        name: f"new {name}" for name in "abc"
    }


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.privacy.json", "out.jsonl.quarantine.jsonl", "map"])
def test_force_replaces_files_alone(tmp_path: Path, name: str) -> None:
    """Whatever else bears a name that the run is to give stays: a folder of somebody's, a pipe."""
    source, beside = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]), tmp_path / name
    write_key(tmp_path / "key")
    asked = redact(tmp_path, source, "--map", tmp_path / "map", "--map-key", tmp_path / "key", "--force")
    beside.mkdir()
    (beside / "precious").touch()
    assert call(*asked).code == 2
    assert (beside / "precious").exists()
    (beside / "precious").unlink()
    beside.rmdir()
    os.mkfifo(beside)
    assert "not a regular file" in call(*asked).err
    assert beside.is_fifo()


# --- names, and standard output ---

ODD = os.fsdecode(b"out\xff\xfe.jsonl")


@pytest.mark.parametrize("more", [(), ("--json",), ("--quiet",)])
def test_an_output_whose_name_is_no_text(tmp_path: Path, more: tuple[str, ...]) -> None:
    source, output = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]), tmp_path / ODD
    words = redact(tmp_path, source, *more, output=ODD)
    if more:
        ran = run_warm(*words, text=False)
        code, told, refused = ran.code, ran.out, ran.err
    else:  # the name as an interpreter reads it from the words that it is started with
        done = subprocess.run([SFUMATO, *map(os.fsencode, map(str, words))], capture_output=True)
        code, told, refused = done.returncode, done.stdout, done.stderr
    assert (code, refused) == (0, b"")
    statement = json.loads(Path(f"{output}.privacy.json").read_bytes())
    assert os.fsencode(statement["release"]["name"]) == os.fsencode(ODD)
    assert statement["release"]["sha256"] == digest_of_everything(output)
    assert PRIVATE not in output.read_text()
    if "--json" in more:
        assert json.loads(told)["output"] == str(output)


def test_a_release_whose_name_is_no_text_is_evaluated(tmp_path: Path) -> None:
    source, output = (write_jsonl(tmp_path / name, [{"text": PRIVATE}]) for name in ("in.jsonl", ODD))
    told = call("evaluate", source, output, "-o", tmp_path / "found", "--attacks", "", "--metrics", "surface")
    assert told.code == 0, told.err
    assert (tmp_path / "found" / "report.html").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_standard_output(tmp_path: Path, more: tuple[str, ...]) -> None:
    """The release is there, complete, and that is what is said; resuming finds nothing to do."""
    source, output = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]), tmp_path / "out.jsonl"
    asked = redact(tmp_path, source, *more)
    with open("/dev/full", "w") as full:
        told = run_warm(*asked, stdout=full)
    assert told.code == 2
    assert re.fullmatch(
        r"Error: \S+out\.jsonl and \S+\.privacy\.json are complete, [^\n]*\(No space left on device\)\.\n",
        told.err,
    ), told.err
    statement = json.loads(Path(f"{output}.privacy.json").read_text())
    assert statement["release"]["sha256"] == digest_of_everything(output)
    assert call(*asked, "--resume").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["list", "--version", "certify", "sanitize"])
def test_what_cannot_be_printed_is_an_error(tmp_path: Path, command: str) -> None:
    more: dict[str, tuple[object, ...]] = {
        "certify": ("-m", "santext", "-e", 4, "--set", f"vocabulary={write_vectors(tmp_path)}"),
        "sanitize": (*redact(tmp_path, write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]))[1:], "--dry-run"),
    }
    with open("/dev/full", "w") as full:
        told = run_warm(command, *more.get(command, ()), stdout=full)
    assert told.code == 2
    assert re.fullmatch(r"Error: [^\n]*\n", told.err), told.err


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_standard_output(tmp_path: Path, closed: str) -> None:
    source, output = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]), tmp_path / "out.jsonl"
    words = [SFUMATO, *map(str, redact(tmp_path, source))]
    told = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *words], capture_output=True, text=True)
    assert told.returncode == 0
    assert "Error" not in told.stderr
    statement = json.loads(Path(f"{output}.privacy.json").read_text())
    assert statement["release"]["sha256"] == digest_of_everything(output)
    assert output.read_text().count("\n") == 1, "something was printed into the release"


def test_a_name_that_leaves_no_room_for_what_stands_beside_it(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    for length in (249, 244, 230, 215):
        name = "x" * (length - 6) + ".jsonl"
        told = call(*redact(tmp_path, source, output=name))
        if told.code:
            assert re.fullmatch(r"Error: [^\n]*File name too long[^\n]*shorter name[^\n]*\n", told.err), told.err
            assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "names"]
    assert told.code == 0
    told = call(*redact(tmp_path, source, output="x" * 300 + ".jsonl"))
    assert re.fullmatch(r"Error: [^\n]*File name too long[^\n]*\n", told.err), told.err

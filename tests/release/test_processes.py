"""How worker processes start: they share modules and nothing that is drawn, and follow the process that runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import current_process, forkserver
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.release import workers
from sfumato.release.workers import Surroundings, begin, start_method
from worker_calls import told_by_a_worker

served = pytest.mark.skipif(sys.platform != "linux", reason="processes are spawned here")


def told(asked: int = 4) -> list[dict[str, Any]]:
    """Return what two workers tell."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(2, start_method(), begin, (Surroundings.here(), 3)) as pool,
    ):
        given = told_by_a_worker, folder, min(asked, 2)
        return [waiting.result(60) for waiting in [pool.submit(*given) for _ in range(asked)]]


def test_workers_share_no_draw() -> None:
    """Forks of one process would draw the same from a generator that it holds, such as numpy's global one."""
    answers = [*told(), *told()]
    assert len({answer["process"] for answer in answers}) == 4
    for source in ("global", "random", "system"):
        assert len({answer[source] for answer in answers}) == len(answers), source


def test_workers_follow_the_process_that_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server began earlier, perhaps in another folder and with other variables."""
    told(1)
    monkeypatch.setenv("SFUMATO_TEST", "later")
    assert all((answer["variable"], answer["threads"]) == ("later", "3") for answer in told())
    monkeypatch.delenv("SFUMATO_TEST")
    before = os.umask(0o077)
    try:
        answers = told()
    finally:
        os.umask(before)
    assert all(answer["variable"] is None and answer["interrupts"] for answer in answers)
    assert {answer["umask"] for answer in answers} == {0o077}


@served
def test_without_a_place_for_the_server_processes_are_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr(forkserver, "ensure_running", refused)
    assert start_method().get_start_method() == "spawn"


@served
def test_a_socket_with_too_long_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("a" * 120)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    known = {name: setting for name, setting in current_process()._config.items() if name != "tempdir"}
    monkeypatch.setattr(current_process(), "_config", known)
    monkeypatch.setattr("multiprocessing.util._finalizer_registry", {})  # it would look for the folder at the end
    monkeypatch.setattr(forkserver, "ensure_running", forkserver.ForkServer().ensure_running)
    assert start_method().get_start_method() == "spawn"


@served
def test_a_server_that_was_killed_is_started_again() -> None:
    told(1)
    server: int = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    os.kill(server, signal.SIGKILL)
    os.waitid(os.P_PID, server, os.WEXITED | os.WNOWAIT)
    assert told(1)


@pytest.mark.parametrize("error", [EOFError, ConnectionRefusedError, FileNotFoundError])
def test_a_server_that_ends_while_a_process_starts(error: type[Exception]) -> None:
    class Ended:
        def submit(self, *_: Any) -> None:
            raise error("an address")

    with pytest.raises(BrokenProcessPool) as caught:
        workers._submitted(Ended(), None)  # type: ignore[arg-type]
    assert "address" not in str(caught.value)
    assert caught.value.__suppress_context__


SCRIPT = """
import sys
from multiprocessing import forkserver
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import sfumato
from sfumato.release.workers import start_method


def told():
    print(sfumato.__file__, flush=True)


if __name__ == "__main__":
    context = start_method()
    process = context.Process(target=told)
    process.start()
    process.join()
    print(Path(f"/proc/{forkserver._forkserver._forkserver_pid}/status").read_text())
"""


@served
def test_the_server_imports_what_the_run_does_and_holds_ctrl_c_back(tmp_path: Path) -> None:
    """It read modules beside the data before, or another copy of the package.

    Workers inherit what is held back: one that Ctrl-C ended before it ignored it left the others waiting for ever.
    """
    script, own, data = (tmp_path / name for name in ("script.py", "own", "data"))
    script.write_text(SCRIPT)
    own.mkdir()
    data.mkdir()
    (own / "sfumato").symlink_to(Path(sfumato.__file__).parent)
    (data / "filelock.py").write_text("open('imported', 'w').close()")
    command = [sys.executable, str(script), str(own)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=data, check=True)
    assert done.stdout.splitlines()[0] == str(own / "sfumato" / "__init__.py")
    assert not (data / "imported").exists()
    held = int(done.stdout.split("SigBlk:")[1].split()[0], 16)
    assert held >> (signal.SIGINT - 1) & 1


@served
def test_nothing_is_printed_about_what_a_killed_run_leaves() -> None:
    """The process that removes it warned on the terminal, after the run."""
    code = "import os, signal\nfrom sfumato.release.workers import start_method\n"
    code += "left = start_method().Semaphore()\nos.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")


@served
def test_a_server_whose_socket_was_removed_is_not_used() -> None:
    told(1)
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    os.unlink(server._forkserver_address)
    assert start_method().get_start_method() == "spawn"
    os.kill(server._forkserver_pid, signal.SIGKILL)  # the next run starts another one
    os.waitid(os.P_PID, server._forkserver_pid, os.WEXITED | os.WNOWAIT)
    assert start_method().get_start_method() == "forkserver"

"""Makes a run, and forks the installed command, or another program, from there: see :mod:`warm_command`.

It has one thread, so that a fork of it is a whole process. It reads a request a message; the three standard streams
come with it. Its only argument is the descriptor of the socket.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import runpy
import signal
import socket
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from command_line import call, write_jsonl, write_vectors


def warm() -> None:
    """Import and compile everything, in one thread.

    A child makes the runs first, and leaves behind what a cache keeps: pyarrow, which reads the public lists, begins
    threads, and a fork of a process with threads may abort when it ends.
    """
    if (child := os.fork()) == 0:
        make_runs()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, "the first runs failed"
    make_runs()
    threads = threads_of_this_process()
    assert threads == 1, f"a process with {threads} threads cannot be forked whole"


def threads_of_this_process() -> int:
    """Count the threads, those of libraries too, where the system tells."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1


def make_runs() -> None:
    """Make one run with a guarantee and one without, and import a review."""
    for part in ("building.policies", "cli.review", "review.serving"):
        import_module(f"sfumato.{part}")
    for part in ("lifespan.off", "loops.asyncio", "protocols.http.h11_impl"):
        import_module(f"uvicorn.{part}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write_jsonl(folder / "in.jsonl", [{"text": "cat"}])
        law = ("-m", "santext", "-e", 4, "--set", f"vocabulary={write_vectors(folder)}")
        for number, method in enumerate((law, ("-m", "redaction", "--detect", "words"))):
            ran = call("sanitize", source, "-o", folder / f"{number}.jsonl", *method)
            assert ran.code == 0, ran.err


def reaped(pid: int) -> tuple[int, float] | None:
    """How a process ended, and the processor seconds that it took; nothing while it runs."""
    ended, status, usage = os.wait4(pid, os.WNOHANG)
    return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime) if ended else None


def printing() -> None:
    """Begin the three streams of Python, as an interpreter does; they stay open as long as the process."""
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115


def become(request: dict[str, Any], streams: list[int]) -> str:
    """Let this process, just forked, look like one that was started with these streams; returns its program."""
    if request["new_session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    printing()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None  # which the environment names
    if request["file_size"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"], request["file_size"]))
    program: str = request["program"]
    sys.argv = [program, *request["words"]]
    return program


def serve(requests: socket.socket) -> str | None:
    """Answer until nobody asks any more, or until this process is a fork: then return the program that it runs."""
    while True:
        message, streams, _, _ = socket.recv_fds(requests, 1 << 20, 3)
        if not message:
            return None
        request = json.loads(message)
        if "ended" in request:
            requests.send(json.dumps(reaped(request["ended"])).encode())
            continue
        pid = os.fork()
        if pid == 0:
            requests.close()
            return become(request, streams)
        for stream in streams:
            os.close(stream)
        requests.send(json.dumps(pid).encode())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asked = socket.socket(fileno=int(sys.argv[1]))
    warm()
    gc.collect()
    gc.freeze()  # a fork that does not go through everything again copies less of it
    if (given := serve(asked)) is not None:
        runpy.run_path(given, run_name="__main__")

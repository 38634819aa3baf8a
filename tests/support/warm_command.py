"""The installed command as :mod:`command_line` starts it, forked from a process that has made a run already.

A run is a process of its own, with its own streams, signals, folder, environment and end, but begins a second or two
sooner. It shares with other runs what an interpreter does before ``main``: the imports, and the seed of its hashes. A
test of these, or of two processes that must agree, takes ``command_line``.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

from command_line import SFUMATO, Ran

SERVER = Path(__file__).with_name("warm_server.py")


class _Server:
    """The process that the others are forked from; it ends with this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with theirs:
            words = [sys.executable, str(SERVER), str(theirs.fileno())]
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # a process with threads cannot be forked whole
            self._process = subprocess.Popen(
                words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=environment
            )
        atexit.register(self.close)

    def ask(self, streams: list[int], **request: Any) -> Any:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], streams)
            answer = self._socket.recv(1 << 16)
        assert answer, "the process that the others are forked from has ended"
        return json.loads(answer)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(timeout=60)


_starting = threading.Lock()
"""Two threads that ask at once get one server."""


def _server() -> _Server:
    with _starting:
        return _started_server()


@cache
def _started_server() -> _Server:
    return _Server()


class Process:
    """A run that was started: what ``subprocess.Popen`` offers, as far as tests need it."""

    def __init__(self, pid: int, stdin: Any, stdout: Any, stderr: Any) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self.seconds = 0.0  # of a processor, when it has ended

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.wait()

    def poll(self) -> int | None:
        if self.returncode is None and (ended := _server().ask([], ended=self.pid)) is not None:
            self.returncode, self.seconds = ended
        return self.returncode

    def wait(self, timeout: float = 120.0) -> int:
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("sfumato", timeout)
            time.sleep(0.005)
        return code

    def communicate(self, given: Any = None, timeout: float = 120.0) -> tuple[Any, Any]:
        """Give it all its standard input, and return everything it prints."""
        told: dict[str, Any] = {"out": None, "err": None}

        def read(name: str, stream: Any) -> None:
            with stream:
                told[name] = stream.read()

        printed = {"out": self.stdout, "err": self.stderr}
        streams = [(name, stream) for name, stream in printed.items() if stream and not stream.closed]
        readers = [threading.Thread(target=read, args=entry, daemon=True) for entry in streams]
        for reader in readers:
            reader.start()
        if self.stdin is not None:
            with contextlib.suppress(BrokenPipeError), self.stdin:
                if given is not None:
                    self.stdin.write(given)
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
            assert not reader.is_alive(), "a process that it started holds its streams open"
        return told["out"], told["err"]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    *arguments: object,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: Any = None,
    stdout: Any = subprocess.PIPE,
    text: bool = True,
    start_new_session: bool = False,
    file_size: int | None = None,
    program: str | Path = SFUMATO,
) -> Process:
    """The installed command, or another program of Python, in a process of its own.

    ``file_size`` limits what it may write to a file.
    """
    mine: list[Any] = []
    with contextlib.ExitStack() as theirs:
        streams = []
        for number, asked in enumerate((stdin, stdout, subprocess.PIPE)):
            mode = ("r" if number == 0 else "w") + ("" if text else "b")
            other = ("w" if number == 0 else "r") + ("" if text else "b")
            if asked == subprocess.PIPE:
                ends = os.pipe()
                stream = theirs.enter_context(open(ends[number > 0], mode))
                mine.append(open(ends[number == 0], other))  # noqa: SIM115
            else:
                stream = theirs.enter_context(open(os.devnull, mode)) if asked is None else asked
                mine.append(None)
            streams.append(stream.fileno())
        pid = _server().ask(
            streams,
            program=str(program),
            words=[*map(str, arguments)],
            folder=str(cwd or Path.cwd()),
            environment={**os.environ, **(env or {})},
            new_session=start_new_session,
            file_size=file_size,
        )
    return Process(pid, *mine)


def finish(process: Process, timeout: float = 120.0) -> Ran:
    """Wait for a process of :func:`start`."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode is not None
    return Ran(process.returncode, out, err)


def run(*arguments: object, given: Any = None, timeout: float = 120.0, **options: Any) -> Ran:
    """Run the installed command in a process of its own, with ``given`` on its standard input."""
    process = start(*arguments, **options, **({} if given is None else {"stdin": subprocess.PIPE}))
    out, err = process.communicate(given, timeout)
    assert process.returncode is not None
    return Ran(process.returncode, out, err)

"""Commands in processes of their own that start at once: forks of one process that has imported the package.

``Warm.start`` is ``start`` of :mod:`command_line`. A command has its own streams, environment and folder, and can be
interrupted and killed. Its imports are not its own: a test of those takes ``start``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TextIO

_LONGEST = 1 << 16


@dataclass
class Forked:
    """A command that runs."""

    pid: int
    stdout: TextIO
    stderr: TextIO
    _warm: Warm
    returncode: int | None = None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)  # its number is no other's before it was waited for

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = 60.0) -> tuple[str, str]:
        """Return what is left of its output, when it has ended."""
        if self.returncode is None:
            self.returncode = self._warm.ended(self.pid, timeout)
        told = [("" if stream.closed else stream.read()) for stream in (self.stdout, self.stderr)]
        for stream in (self.stdout, self.stderr):
            stream.close()
        return told[0], told[1]


class Warm:
    """The process that has imported everything, and the commands that it forks."""

    def __init__(self, ours: socket.socket) -> None:
        self._ours = ours

    def start(self, *arguments: object) -> Forked:
        """Run the command with ``arguments`` in a new process."""
        asked = {"argv": ["sfumato", *map(str, arguments)], "folder": os.getcwd(), "environment": dict(os.environ)}
        ends = [os.pipe() for _ in range(2)]
        self._ours.settimeout(60.0)
        socket.send_fds(self._ours, [json.dumps(asked).encode()], [write for _, write in ends])
        pid = json.loads(self._ours.recv(_LONGEST))
        for _, write in ends:
            os.close(write)
        out, err = (os.fdopen(read, encoding="utf-8") for read, _ in ends)
        return Forked(pid, out, err, self)

    def ended(self, pid: int, timeout: float) -> int:
        """Return the exit status of a command at its end, or minus the signal; one that takes longer is killed."""
        self._ours.settimeout(timeout)
        self._ours.send(json.dumps({"pid": pid}).encode())
        try:
            return int(json.loads(self._ours.recv(_LONGEST)))
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._ours.settimeout(60.0)
            return int(json.loads(self._ours.recv(_LONGEST)))


@contextmanager
def warm() -> Iterator[Warm]:
    """Start the process, and end it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        run = subprocess.Popen([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        theirs.close()
        try:
            yield Warm(ours)
        finally:
            ours.close()
            run.wait(60)


def _serve(connection: socket.socket) -> None:
    """Fork what is asked for until nobody asks any more."""
    while True:
        message, streams, _, _ = socket.recv_fds(connection, _LONGEST, 2)
        if not message:
            return
        asked: dict[str, Any] = json.loads(message)
        if "pid" in asked:
            answer = os.waitstatus_to_exitcode(os.waitpid(asked["pid"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                connection.close()
                _run(asked, streams)
        for stream in streams:
            os.close(stream)
        connection.send(json.dumps(answer).encode())


def _run(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be the command."""
    from sfumato.cli import main

    code = 1
    try:
        for number, stream in enumerate(streams, 1):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv[:] = asked["argv"]
        main()
        code = 0
    except SystemExit as left:
        code = int(left.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _import() -> None:
    """Import what the commands of the tests import, but no network."""
    import uvicorn.lifespan.off
    import uvicorn.loops.asyncio
    import uvicorn.protocols.http.h11_impl  # noqa: F401

    import sfumato.building.policies
    import sfumato.cli.review
    import sfumato.review.serving  # noqa: F401


if __name__ == "__main__":
    _import()
    with socket.socket(fileno=int(sys.argv[1])) as open_connection:
        _serve(open_connection)

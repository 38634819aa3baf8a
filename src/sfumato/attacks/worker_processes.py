"""Work spread over several processes, for a parse that is slow on one core.

The other processes are plain commands that read and answer lines of JSON. So they need no guard in the caller's main
module (as "spawn" does), copy no threads (as "fork" does) and see the texts through a pipe only. This process does
the work that one of them does not answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from sfumato.types import Progress

_MOST = 3  # other processes: each holds a model
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def spare_cores() -> int:
    """Return how many cores this process may use beside the one it runs on, at most three."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST, usable - 1)


def spread(
    pieces: Sequence[Any], here: Callable[[Any], Any], module: str, setting: Sequence[str], others: int,
    progress: Progress | None = None,
) -> list[Any]:  # fmt: skip
    """Return ``here`` of every piece, in order, many of them answered by ``others`` processes of ``module``.

    A process receives ``setting`` as its first line, then a piece a line, and answers each with a line. ``progress``
    receives the finished share.
    """
    answers: dict[int, Any] = {}
    waiting = deque(enumerate(pieces))
    workers = [process for _ in range(others) if (process := _begun(module)) is not None]
    threads = [Thread(target=_asked, args=(process, setting, waiting, answers), daemon=True) for process in workers]
    try:
        for thread in threads:
            thread.start()
        while len(answers) < len(pieces):
            try:
                number, piece = waiting.popleft()
            except IndexError:  # every piece has a process; one without an answer returns to the queue
                for thread in threads:
                    thread.join()
                if not waiting and len(answers) < len(pieces):
                    raise RuntimeError("A piece of work was lost.") from None
                continue
            answers[number] = here(piece)
            if progress is not None:
                progress(len(answers) / len(pieces))
    finally:
        for process in workers:
            process.kill()
            process.communicate()
    return [answers[number] for number in range(len(pieces))]


def _begun(module: str) -> subprocess.Popen[str] | None:
    command = [sys.executable or "python", "-P", "-m", module]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, encoding="ascii",
            env={**os.environ, **_ONE_THREAD}, start_new_session=True,
        )  # fmt: skip
    except OSError:
        return None


def _asked(
    process: subprocess.Popen[str], setting: Sequence[str], waiting: deque[tuple[int, Any]], answers: dict[int, Any]
) -> None:
    """Send pieces to ``process`` until there are no more. A piece without an answer returns to the queue."""
    assert process.stdin is not None
    assert process.stdout is not None
    task: tuple[int, Any] | None = None
    try:
        process.stdin.write(json.dumps(list(setting)) + "\n")
        process.stdin.flush()
        if json.loads(process.stdout.readline()) != "ready":
            return
        while True:
            task = waiting.popleft()
            process.stdin.write(json.dumps(task[1]) + "\n")
            process.stdin.flush()
            answers[task[0]] = json.loads(process.stdout.readline())
            task = None
    except IndexError:  # no piece is left
        return
    except (OSError, ValueError):
        if task is not None:
            waiting.append(task)

"""Work spread over processes of its own, for a parse that one core does slowly.

The other processes are plain commands that read and answer lines of JSON. So they need no guard in the caller's main
module (as "spawn" does), copy no threads (as "fork" does) and see the texts through a pipe only. Whatever one of them
does not answer is done here.
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
    """Cores that this process may use beside the one it runs on, at most three."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST, usable - 1)


def spread(
    pieces: Sequence[Any], here: Callable[[Any], Any], module: str, setting: Sequence[str], others: int,
    progress: Progress | None = None,
) -> list[Any]:  # fmt: skip
    """``here`` of every piece, in order, many of them answered by ``others`` processes of ``module``.

    A process is given ``setting`` as its first line, then a piece a line, and answers each with a line.
    """
    found: dict[int, Any] = {}
    waiting = deque(enumerate(pieces))
    begun = [one for _ in range(others) if (one := _begun(module)) is not None]
    threads = [Thread(target=_asked, args=(one, setting, waiting, found), daemon=True) for one in begun]
    try:
        for thread in threads:
            thread.start()
        while len(found) < len(pieces):
            try:
                number, piece = waiting.popleft()
            except IndexError:  # all given out; what is not answered comes back
                for thread in threads:
                    thread.join()
                if not waiting and len(found) < len(pieces):
                    raise RuntimeError("A piece of work was lost.") from None
                continue
            found[number] = here(piece)
            if progress is not None:
                progress(len(found) / len(pieces))
    finally:
        for one in begun:
            one.kill()
            one.communicate()
    return [found[number] for number in range(len(pieces))]


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
    process: subprocess.Popen[str], setting: Sequence[str], waiting: deque[tuple[int, Any]], found: dict[int, Any]
) -> None:
    """Give ``process`` pieces until there are no more; one that it does not answer goes back."""
    assert process.stdin is not None
    assert process.stdout is not None
    held: tuple[int, Any] | None = None
    try:
        process.stdin.write(json.dumps(list(setting)) + "\n")
        process.stdin.flush()
        if json.loads(process.stdout.readline()) != "ready":
            return
        while True:
            held = waiting.popleft()
            process.stdin.write(json.dumps(held[1]) + "\n")
            process.stdin.flush()
            found[held[0]] = json.loads(process.stdout.readline())
            held = None
    except IndexError:  # nothing is left
        return
    except (OSError, ValueError):
        if held is not None:
            waiting.append(held)

"""How a process runs: its search for cycles, signals that wait, threads that share loops, and helping processes.

Every object with references counts towards the next search for cycles, and a full search reads every object of the
process: with the vocabulary and the libraries that is a tenth of a second, more than the draws of 60,000 texts take.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from sfumato.types import Progress

_SELDOM = (300_000, 20, 10)
_STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
T = TypeVar("T")
R = TypeVar("R")
_MOST = 3  # other processes: each holds a model
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@contextmanager
def search_paused() -> Iterator[None]:
    """Search for no cycles meanwhile. Threads that pause at once leave the search on, as each found it."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def search_seldom_from_now() -> None:
    """Do what :func:`search_seldom` does, until the process ends."""
    gc.set_threshold(*_SELDOM)


def forget_cycles() -> None:
    """Free what was made lately and holds itself: a few objects of a library may keep a tree of megabytes alive."""
    gc.collect(1)


def end_without_search() -> None:
    """Let this process end without the last search for cycles, which takes a third of a second.

    For a process of our own: what is to be written or removed at the end must not wait for a cycle to be found.
    """
    atexit.unregister(_stay)  # it need not run twice
    atexit.register(_stay)


def _stay() -> None:
    gc.disable()
    gc.freeze()


@contextmanager
def search_seldom() -> Iterator[None]:
    """Search after 300,000 new objects meanwhile, instead of 700. For a process of our own, not for a library."""
    before = gc.get_threshold()
    search_seldom_from_now()
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold signals back that a Python function handles, until the block ends; a signal without one acts at once.

    A mask would not do: another thread could receive the signal, and its handler would run in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():  # no handler runs in another thread
        yield
        return
    received: list[int] = []
    before = {number: handler for number in _STOPPING if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda number, _: received.append(number))
        yield
    finally:
        for number in reversed(before):  # SIGINT last: a run that catches it must find the others back
            signal.signal(number, before[number])
        if received:
            signal.raise_signal(received[0])


def processors() -> int:
    """Return how many processors this process may use: those it may run on, or its share of them.

    The share is OMP_NUM_THREADS, by which a process with several workers, and Ray, say what one of them has.
    """
    share = os.environ.get("OMP_NUM_THREADS", "")
    return min(_usable(), max(1, int(share))) if share.isdecimal() else _usable()


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_threads(
    work: Callable[[T], R], items: Sequence[T], done: Callable[[float], None] | None = None
) -> Iterable[R]:
    """Yield the results of ``work`` over ``items``, in their order, from as many threads as processors.

    Meanwhile a matrix product uses one thread: threads of threads wait for each other (half the speed on two cores).
    ``done`` receives the share of finished items, from 0 to 1. A single item or processor needs no thread.
    """
    threads = processors()
    if len(items) == 1 or threads == 1:
        yield from _told(map(work, items), len(items), done)
        return
    with _libraries().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        yield from _told(pool.map(work, items), len(items), done)


def _told(results: Iterable[R], items: int, done: Callable[[float], None] | None) -> Iterable[R]:
    for number, result in enumerate(results):
        if done is not None:
            done((number + 1) / items)
        yield result


def slices(length: int, size: int) -> list[slice]:
    """Cut ``range(length)`` into slices of at most ``size``."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def spare_cores() -> int:
    """Return how many cores this process may use beside the one it runs on, at most three."""
    return min(_MOST, _usable() - 1)


def _usable() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(
    pieces: Sequence[Any], here: Callable[[Any], Any], module: str, setting: Sequence[str], others: int,
    progress: Progress | None = None,
) -> list[Any]:  # fmt: skip
    """Return ``here`` of every piece, in order, many of them answered by ``others`` processes of ``module``.

    The others are plain commands that read and answer lines of JSON. So they need no guard in the caller's main
    module (as "spawn" does), copy no threads (as "fork" does) and see the texts through a pipe only. This process
    does the work that one of them does not answer.

    A process receives ``setting`` as its first line, then a piece a line, and answers each with a line. ``progress``
    receives the finished share.
    """
    answers: dict[int, Any] = {}
    waiting = deque(enumerate(pieces))
    workers = [process for _ in range(others) if (process := _begun(module)) is not None]
    threads = [
        threading.Thread(target=_asked, args=(process, setting, waiting, answers), daemon=True) for process in workers
    ]
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

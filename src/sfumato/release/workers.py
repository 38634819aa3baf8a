"""The chunks or shards of a run, finished here or by processes that start with what they need, and no more."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import BaseContext
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sfumato.errors import OutputError
from sfumato.files import Counts
from sfumato.release.plans import Planning
from sfumato.release.work import Task, Work
from sfumato.runtime import interrupts_held, processors, search_seldom_from_now

_AHEAD = 2  # chunks waiting beside those being worked on

Known = tuple[Task, Counts | None]
"""A task, and its counts if an earlier try of the run finished it."""


def finished(work: Work | Planning, tasks: Iterable[Known], workers: int) -> Iterator[tuple[int, Counts]]:
    """Yield the bytes read and the counts of every task, in order."""
    if workers > 1:
        # Processes take half a second to start, for which one unfinished chunk gives no reason.
        tasks = iter(tasks)
        first = list(islice(tasks, 2))
        tasks = chain(first, tasks)
        if len(first) > 1:
            yield from _by_processes(work, tasks, workers)
            return
    for task, counts in tasks:
        yield task.done, work.finish(task) if counts is None else counts


def _by_processes(work: Work | Planning, tasks: Iterable[Known], workers: int) -> Iterator[tuple[int, Counts]]:
    waiting: deque[tuple[int, Counts | Future[Counts]]] = deque()
    threads = max(1, processors() // workers)
    usual, threading.excepthook = threading.excepthook, _quiet_for_pools
    pool = ProcessPoolExecutor(workers, start_method(), _begin, (pickle.dumps(work), Surroundings.here(), threads))
    try:
        for task, counts in tasks:
            with whole_start():  # the first task starts the processes
                waiting.append((task.done, _submitted(pool, task) if counts is None else counts))
            if len(waiting) >= workers + _AHEAD:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    except BrokenProcessPool:
        _end(pool)
        raise OutputError(
            f"{work.parts.output}: a worker process ended unexpectedly, for example for lack of memory; run "
            "again with --resume and fewer --workers."
        ) from None
    except Exception:
        raise
    except BaseException:  # interrupted
        _end(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        threading.excepthook = usual


def _end(pool: ProcessPoolExecutor) -> None:
    """End all processes now: Python 3.11 waits without end for one that started while the others were killed."""
    for process in list((pool._processes or {}).values()):
        process.terminate()


def _quiet_for_pools(failed: threading.ExceptHookArgs) -> None:
    """Say nothing of a thread that manages processes and trips over their list.

    Python 3.11's does so if they are killed while another one starts; the run is stopped then, and says so itself.
    """
    if type(failed.thread).__name__ != "_ExecutorManagerThread":
        threading.__excepthook__(failed)


def _submitted(pool: ProcessPoolExecutor, task: Task) -> Future[Counts]:
    """Hand a task to the processes; raise BrokenProcessPool also where none can be started."""
    try:
        return pool.submit(_finish, task)
    except (EOFError, OSError):
        raise BrokenProcessPool from None


def _result(done: int, counts: Counts | Future[Counts]) -> tuple[int, Counts]:
    return done, counts if isinstance(counts, Counts) else counts.result()


# A pool hands its functions no state; this is the one value that a worker process keeps, set once when it
# begins.
_WORK: list[Work | Planning] = []


def _begin(work: bytes, surroundings: Surroundings, threads: int) -> None:
    search_seldom_from_now()
    begin(surroundings, threads)
    _WORK[:] = [pickle.loads(work)]  # now, because what it imports may read the environment
    threading.Thread(target=end_with_parent, daemon=True).start()


def _finish(task: Task) -> Counts:
    return _WORK[0].finish(task)


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def start_method() -> BaseContext:
    """Return the way in which processes start here.

    A fork of this process would copy the state of random generators and of threads, and what it read. A fresh process
    ("spawn") copies nothing and imports everything. On Linux a server imports the modules once; its forks share them,
    and the server stays for the next run of this process. Elsewhere libraries of the system do not survive a fork.
    Before Python 3.11.1 other users could reach the server (CVE-2022-42919).
    """
    served = sys.platform == "linux" and sys.version_info >= (3, 11, 1) and not sys.flags.ignore_environment
    return (_served() if served else None) or get_context("spawn")


def _served() -> BaseContext | None:
    """Start the server, where none runs; return None where it has no folder for its socket, or lost it."""
    from multiprocessing import forkserver, resource_tracker

    context = get_context("forkserver")
    context.set_forkserver_preload(["sfumato.release.workers"])
    try:
        with interrupts_held(), _silent_tracker():
            resource_tracker.ensure_running()  # not within what follows: its start lets all signals through
        with whole_start(), _path_of_this_process():
            forkserver.ensure_running()
    except OSError:
        return None
    address: Any = forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]
    return context if os.path.exists(address) else None


@contextmanager
def _silent_tracker() -> Iterator[None]:
    """Let the process that clears up after a killed run do so without a warning, which would tell nobody anything."""
    option = "ignore:resource_tracker:UserWarning"  # which a process that starts here takes over
    sys.warnoptions.append(option)
    try:
        yield
    finally:
        sys.warnoptions.remove(option)


@contextmanager
def _path_of_this_process() -> Iterator[None]:
    """Let a process that starts here look for modules where this one does, and not in the working folder first."""
    names = ("PYTHONPATH", "PYTHONSAFEPATH")
    before = {name: os.environ[name] for name in names if name in os.environ}
    os.environ.update(PYTHONPATH=os.pathsep.join(place or os.getcwd() for place in sys.path), PYTHONSAFEPATH="1")
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def whole_start() -> Iterator[None]:
    """Hold signals back here until the processes that start are in the pool, which could not end them otherwise.

    A process inherits the mask: it never sees Ctrl-C before :func:`begin` ignores it.
    """
    with interrupts_held():
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True)
class Surroundings:
    """What a process takes from the one that runs it. The server's are those of an earlier time."""

    environment: Mapping[str, str] = field(repr=False)
    umask: int

    @classmethod
    def here(cls) -> Surroundings:
        """Return those of this process."""
        umask = os.umask(0o077)
        os.umask(umask)
        return cls(dict(os.environ), umask)

    def take(self) -> None:
        """Make them those of this process."""
        os.environ.clear()
        os.environ.update(self.environment)
        os.umask(self.umask)


def begin(surroundings: Surroundings, threads: int) -> None:
    """Make this process a worker with ``threads`` threads, in the ``surroundings`` of the process that runs it."""
    surroundings.take()
    logging.getLogger().addHandler(logging.NullHandler())  # a library's warning may quote a text
    # Every process would otherwise multiply matrices with as many threads as there are cores, and they would wait for
    # each other. The names are for what is loaded later, the limits for what is there.
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    threadpool_limits(threads)
    np.random.seed()  # noqa: NPY002 - one state for all forks, which methods of others may draw from
    # Ctrl-C reaches every process of the terminal; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent() -> None:
    """Wait until the process that runs this one is gone, and end: it would otherwise wait for chunks forever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)

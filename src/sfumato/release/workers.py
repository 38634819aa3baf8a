"""The chunks or shards of a run, finished here or by several processes."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice

from sfumato.errors import OutputError
from sfumato.files import Counts
from sfumato.release.plans import Planning
from sfumato.release.processes import Surroundings, begin, end_with_parent, start_method, whole_start
from sfumato.release.work import Task, Work
from sfumato.runtime import processors, search_seldom_from_now

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

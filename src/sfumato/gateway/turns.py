"""Turns: one thread works for several clients, a step for each of them after the other.

Work of one client is done in the order in which it came. Work in steps pauses after each of them, so that a long
request of one client holds up no short one of another. Work that nobody waits for any more is not begun, or it ends
after its step.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work in steps, with its result at the end."""
Work = Callable[[], Steps[T]]
"""What begins work. If it returns no steps, it was all of the work, and what it returns is the result."""


def finished(steps: Steps[T]) -> T:
    """Return the result of ``steps``, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


@dataclass(eq=False)
class Job:
    """Work of a client: ``told`` has its result, unless it was cancelled before."""

    work: Work[Any] = field(repr=False)
    told: Future[Any] = field(default_factory=Future, repr=False)
    is_begun: bool = False
    steps: Steps[Any] | None = field(default=None, repr=False)

    def go(self) -> bool:
        """Take a step, unless nobody waits for the result; return whether that was the last one."""
        if self.told.cancelled():
            if self.steps is not None:
                self.steps.close()
            return True
        try:
            if self.steps is None:
                made = self.work()
                if not isinstance(made, Generator):
                    self._tell(lambda: self.told.set_result(made))
                    return True
                self.steps = made
            next(self.steps)
        except StopIteration as end:
            result = end.value
            self._tell(lambda: self.told.set_result(result))
        except BaseException as error:
            failure = error
            self._tell(lambda: self.told.set_exception(failure))
        else:
            return False
        return True

    def _tell(self, tell: Callable[[], None]) -> None:
        if self.told.set_running_or_notify_cancel():
            tell()


class Turns:
    """The thread, and a line of jobs for each client."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sfumato")
        self._lock = threading.Lock()
        self._lines: OrderedDict[str, deque[Job]] = OrderedDict()

    def begin(self, client: str, work: Work[Any]) -> Job:
        """Put ``work`` at the end of the line of ``client``. Raise RuntimeError if the thread has ended."""
        job = Job(work)
        with self._lock:
            self._thread.submit(self._turn)  # as many turns wait as jobs, so that no job is forgotten
            self._lines.setdefault(client, deque()).append(job)
        return job

    def drop(self, job: Job) -> bool:
        """Cancel ``job`` if it was not begun; return whether it was not."""
        with self._lock:
            return not job.is_begun and job.told.cancel()

    def close(self, last: Callable[[], None]) -> None:
        """Drop what nobody can wait for now, do the ``last`` work, and end the thread."""
        with self._lock:
            for job in (job for line in self._lines.values() for job in line):
                job.told.cancel()
        self._thread.submit(last).result()
        self._thread.shutdown()

    def _turn(self) -> None:
        """Take a step for the client that has waited longest."""
        with self._lock:
            client, line = next(iter(self._lines.items()))
            self._lines.move_to_end(client)
            job = line[0]
            job.is_begun = job.is_begun or not job.told.cancelled()
        is_over = job.go()
        with self._lock:
            if is_over:
                line.popleft()
                if not line:
                    del self._lines[client]
                return
            with suppress(RuntimeError):  # the program ends
                self._thread.submit(self._turn)

"""One typed door to numba: compiled loops that release the GIL, and threads that share the work.

Kernels are compiled without numba's own threads, so any number of Python threads may call them. The machine code is
cached beside the package. A kernel calls only kernels of its own file: numba's cache checks the age of one file only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from threading import current_thread, main_thread
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from sfumato.privacy.interrupts import interrupts_held

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
R = TypeVar("R")


def compiled(function: F) -> F:
    """Compile ``function`` to machine code that runs without the GIL.

    Sums may be reordered (so that they use vector instructions); NaN and infinity keep their meaning.
    """
    options = {"reassoc", "contract"}
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=options)(function))


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def in_threads(
    work: Callable[[T], R], items: Sequence[T], done: Callable[[float], None] | None = None
) -> Iterable[R]:
    """Yield the results of ``work`` over ``items``, in their order, from as many threads as processors.

    Meanwhile a matrix product uses one thread: threads of threads wait for each other (half the speed on two cores).
    ``done`` receives the share of finished items, from 0 to 1. A single item needs no thread.
    """
    if len(items) == 1:
        yield work(items[0])
        if done is not None:
            done(1.0)
        return
    with _libraries().limit(limits=1, user_api="blas"), ThreadPoolExecutor(processors()) as pool:
        for number, result in enumerate(pool.map(work, items)):
            if done is not None:
                done((number + 1) / len(items))
            yield result


@compiled
def order_by(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the places of ``values`` (n,), whole numbers below ``most``, in their ascending order, shape (n,).

    Places of equal values stay in order. It takes a tenth of the time of a sort.
    """
    ends = np.zeros(most + 1, dtype=np.int64)
    for value in values:
        ends[value + 1] += 1
    for value in range(most):
        ends[value + 1] += ends[value]
    places = np.empty(len(values), dtype=np.int64)
    for i in range(len(values)):
        places[ends[values[i]]] = i
        ends[values[i]] += 1
    return places


def slices(length: int, size: int) -> list[slice]:
    """Cut ``range(length)`` into slices of at most ``size``."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


class _WholeCompilation(event.Listener):
    """Holds signals back while numba compiles: an exception that leaves LLVM halfway crashes the process later."""

    def __init__(self) -> None:
        self._held: list[ExitStack] = []

    def on_start(self, event: event.Event) -> None:
        """Hold them, where the main thread compiles: it alone runs handlers."""
        if current_thread() is main_thread():
            self._held.append(ExitStack())
            self._held[-1].enter_context(interrupts_held())

    def on_end(self, event: event.Event) -> None:
        """Let them act once more."""
        if current_thread() is main_thread():
            self._held.pop().close()


event.register("numba:compiler_lock", _WholeCompilation())  # type: ignore[no-untyped-call]

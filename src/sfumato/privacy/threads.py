"""Threads that share the work of compiled loops, as many as this process has processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


def processors() -> int:
    """Return how many processors this process may use: those it may run on, or its share of them.

    The share is OMP_NUM_THREADS, by which a process with several workers, and Ray, say what one of them has.
    """
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    share = os.environ.get("OMP_NUM_THREADS", "")
    return min(here, max(1, int(share))) if share.isdecimal() else here


@cache
def _libraries() -> ThreadpoolController:
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

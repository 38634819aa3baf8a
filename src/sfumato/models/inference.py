"""The number of threads for one answer of a network: one rule for encoders, masked, causal and entailment models.

A small product takes less time than two threads need to synchronise. On an idle machine a second thread wastes
processor time. If another program uses one of the cores, the threads wait for each other in every layer. So an answer
that one thread computes within about a tenth of a second gets one thread. docs/benchmarks.md holds the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SMALL = 5e9
"""The most weights times pieces that one thread computes."""

_LEAST = 16
"""So many pieces take as long as one: the time goes into reading the weights from memory."""


def is_small(weights: int, pieces: int) -> bool:
    """Return whether one thread is enough for so many ``pieces`` and a network with so many ``weights``."""
    return weights * max(pieces, _LEAST) <= SMALL


@contextmanager
def inference(network: Any, pieces: int) -> Iterator[None]:
    """Compute answers of ``network`` for so many ``pieces``, padding included, with only as many threads as help.

    torch keeps the number of threads for each Python thread, so threads that compute at once do not disturb each
    other.
    """
    import torch

    before = torch.get_num_threads()
    small = before > 1 and is_small(sum(weight.numel() for weight in network.parameters()), pieces)
    if small:
        torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        if small:
            torch.set_num_threads(before)

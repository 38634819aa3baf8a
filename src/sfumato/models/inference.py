"""How many threads a network gets for one answer: one rule for encoders, masked, causal and entailment models.

A small product that two threads share is over before they have found each other. On an idle machine that wastes
processor time; where another program has one of the cores, the threads wait for each other in every layer. So what
one thread answers within about a tenth of a second gets one thread; docs/benchmarks.md holds the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SMALL = 5e9
"""Weights times pieces, up to which one thread answers."""

_LEAST = 16
"""Pieces that take as long as one does: so few wait for the weights to come from memory."""


def is_small(weights: int, pieces: int) -> bool:
    """Say whether one thread answers, given how many numbers a network has and how many pieces it is asked about."""
    return weights * max(pieces, _LEAST) <= SMALL


@contextmanager
def inference(network: Any, pieces: int) -> Iterator[None]:
    """Compute answers of ``network`` for so many pieces, padding counted, with no more threads than that is worth.

    torch keeps the number of threads for each Python thread, so threads that compute at once do not meet here.
    """
    import torch

    before = torch.get_num_threads()
    small = before > 1 and is_small(sum(one.numel() for one in network.parameters()), pieces)
    if small:
        torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        if small:
            torch.set_num_threads(before)

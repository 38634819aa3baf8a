"""What a network computes on: a device, the processor's instructions, and the number of threads for one answer.

One rule for threads holds for encoders, masked, causal and entailment models. A small product takes less time than
two threads need to synchronise. On an idle machine a second thread wastes processor time. If another program uses one
of the cores, the threads wait for each other in every layer. So an answer that one thread computes within about a
tenth of a second gets one thread. docs/benchmarks.md holds the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL_TORCH

_DRIVERS = tuple(Path(f"/dev/{name}") for name in ("nvidiactl", "dxg", "kfd"))
"""Where a GPU's driver shows on Linux."""
SMALL = 5e9
"""The most weights times pieces that one thread computes."""

_LEAST = 16
"""So many pieces take as long as one: the time goes into reading the weights from memory."""
_LISTED_FEATURES = Path("/proc/cpuinfo")


_EXACT_BYTES = frozenset({"avx512_vnni", "avx_vnni"})


def on_processor(asked: str | None) -> bool:
    """Return whether a network is to compute on the processor. torch is asked only where there may be a GPU."""
    if asked is not None:
        return asked == "cpu"
    possible = sys.platform == "win32" or any(driver.exists() for driver in _DRIVERS)
    return not possible or find_spec("torch") is None or usable_device(None) == "cpu"


def check_device(asked: str | None) -> None:
    """Raise what :func:`usable_device` raises for a device that somebody named, before minutes of loading."""
    if asked is not None:
        usable_device(asked)


def usable_device(asked: str | None) -> str:
    """Return the device ``asked``; for None a GPU if there is one, else the CPU.

    Raise ConfigurationError if the device cannot be used on this machine, and MissingExtraError without torch.
    """
    if asked == "cpu":
        return asked
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"This model needs torch; {INSTALL_TORCH}") from None
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=asked)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError, ValueError):
        raise ConfigurationError(
            f"The device {asked!r} cannot be used on this machine; leave out device, or use --set device=cpu."
        ) from None
    return asked


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


@lru_cache(maxsize=1)
def processor_features() -> frozenset[str]:
    """Return the names of the processor's additional instructions; none where the system does not list them."""
    try:
        lines = _LISTED_FEATURES.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for name, _, value in (line.partition(":") for line in lines):
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()


def exact_bytes() -> bool:
    """Return whether the processor adds up products of bytes in 32 bits, which is exact and quicker than float32."""
    return bool(_EXACT_BYTES & processor_features())

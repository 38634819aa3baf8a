"""The device that a network computes on."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL_TORCH

_DRIVERS = tuple(Path(f"/dev/{name}") for name in ("nvidiactl", "dxg", "kfd"))
"""Where a GPU's driver shows on Linux."""


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
            f"The device {asked!r} cannot be used on this machine; leave out --device, or use --device cpu."
        ) from None
    return asked

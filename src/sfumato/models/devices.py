"""The device that a network computes on."""

from __future__ import annotations

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL


def usable_device(asked: str | None) -> str:
    """Return the device ``asked``; for None a GPU if there is one, else the CPU.

    Raise ConfigurationError if the device cannot be used on this machine, and MissingExtraError without torch.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"Models need the models extra; {INSTALL}") from None
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=asked)
    except (RuntimeError, AssertionError, NotImplementedError, ValueError):
        raise ConfigurationError(
            f"The device {asked!r} cannot be used on this machine; leave out --device, or use --device cpu."
        ) from None
    return asked

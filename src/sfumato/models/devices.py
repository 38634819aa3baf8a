"""Which device a network computes on."""

from __future__ import annotations

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL


def usable_device(asked: str | None) -> str:
    """The device ``asked`` for, None: a GPU where there is one. Raises ConfigurationError where it is not here."""
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
            f"The device {asked!r} cannot be used on this machine; leave out --device, or say cpu."
        ) from None
    return asked

"""What is said where a run is interrupted: what of it is kept, and how to go on."""

from __future__ import annotations

from contextvars import ContextVar

_KEPT = "what was finished is kept: type the same again, for sanitize with --resume."
_GONE = (
    "nothing of this run can be resumed, because its draws for subjects came from a key that ended with it: type the "
    "same again, with --pin if it is to be resumed when it stops."
)
_said: ContextVar[str] = ContextVar("said", default=_KEPT)


def kept() -> str:
    """Return what to say of an interrupted run."""
    return _said.get()


def begin(resumable: bool) -> None:
    """Note that a run begins, and whether it is ``resumable`` after an interruption."""
    _said.set(_KEPT if resumable else _GONE)

"""What is said where a run is interrupted: what of it is kept, and how it resumes."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from pathlib import Path

_AGAIN = "type the same again."
_KEPT = f"what was finished is kept: {_AGAIN}"
_OF_COMMAND = {
    "sanitize": "what was finished is kept: type the same again with --resume.",
    "evaluate": _KEPT,
    "compare": _KEPT,
    "review": _KEPT,
}
_GONE = (
    "nothing of this run can be resumed, because its draws for subjects came from a key that ended with it: type the "
    "same again, with --pin if it is to be resumed when it stops."
)
_PAID = "what it has paid for is kept: type the same again with --resume, which pays nothing again."
_said: ContextVar[Callable[[], str]] = ContextVar("said")


def kept() -> str:
    """Return what to say of an interrupted run."""
    return _said.get()()


def begin(command: str | None) -> None:
    """Note that ``command`` begins; an interruption then advises what suits it."""
    _said.set(lambda: _OF_COMMAND.get(command or "", _AGAIN))


def never_resumes() -> None:
    """Note that the run that begins here cannot be resumed."""
    _said.set(lambda: _GONE)


def paid_in(folder: Path) -> None:
    """Note that the run that begins here keeps what it pays for in ``folder``, from when it has paid."""
    _said.set(partial(_of_paid, folder))


def _of_paid(folder: Path) -> str:
    return _PAID if folder.exists() else f"nothing of it is kept: {_AGAIN}"

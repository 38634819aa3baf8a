"""Any mechanism as a black box: a command, or a Python callable, that returns n outputs of one input.

A command reads the input n times, a line each, and answers with n lines; the whole line is one outcome. A callable
``function(text, n)`` answers with n outputs. It runs in a separate process, so that it can be stopped too. Only a
digest of every output is kept: memory stays constant, and nothing of an output can be shown. Standard error is
discarded. Input goes in by a pipe, never by the command line or a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from typing import IO, Any

from sfumato.errors import ConfigurationError

_MOST_BYTES = 1 << 30
_PIECE = 1 << 16
_LINES_AT_ONCE = 1024

_WRONG = {
    91: "module:function names no module that can be imported here",
    92: "module:function names no function of that module",
    93: "the function raised an exception",
    94: "the function did not answer with a list of as many outputs as requested",
    95: "an output is neither text nor a number, nor a tuple of those",
}
"""Exit codes of the process that a callable runs in."""


@dataclass(frozen=True)
class CommandSampler:
    """``n`` outcomes of ``command`` for ``text``: digests of the lines of its answer.

    ``timeout`` (seconds) is for all n. Raises ConfigurationError if the command cannot be started, fails, is too
    slow, or does not answer with n lines. The error is one sentence that holds nothing of input or output.
    """

    command: Sequence[str]
    text: str
    timeout: float = 600.0

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigurationError("The command is empty; give the program and its arguments.")
        _check_timeout(self.timeout)
        if len(self.text.splitlines()) > 1 or self.text.endswith(("\n", "\r")):
            raise ConfigurationError("The input of a command holds a line break; give one line.")

    def __call__(self, n: int) -> list[bytes]:
        """Return the digests of ``n`` outcomes."""
        line = self.text.encode("utf-8", "surrogatepass") + b"\n"
        parts = [line * min(_LINES_AT_ONCE, n - first) for first in range(0, n, _LINES_AT_ONCE)]
        code, outcomes = _answered(self.command, parts, n, self.timeout)
        if code:
            raise ConfigurationError(f"The command ended with exit code {code}; run it by hand to see its messages.")
        if len(outcomes) < n:
            raise ConfigurationError(
                f"The command answered with {len(outcomes):,} lines to {n:,}; it must write one line for each line "
                "that it reads."
            )
        return outcomes


@dataclass(frozen=True)
class CallableSampler:
    """``n`` outcomes of the Python callable ``place`` ("module:function") for ``text``, in a separate process.

    ``timeout`` (seconds) is for all n. Raises ConfigurationError as :class:`CommandSampler` does.
    """

    place: str
    text: str
    timeout: float = 600.0

    def __post_init__(self) -> None:
        _check_timeout(self.timeout)
        module, colon, function = self.place.partition(":")
        if not (module and colon and function):
            raise ConfigurationError("A Python callable must be given as module:function.")

    def __call__(self, n: int) -> list[bytes]:
        """Return the digests of ``n`` outcomes."""
        request = json.dumps({"place": self.place, "text": self.text, "n": n}).encode()
        code, outcomes = _answered([sys.executable, "-m", __name__], [request], n, self.timeout)
        if code:
            raise ConfigurationError(f"{_WRONG.get(code, f'The function ended its process with exit code {code}')}.")
        return outcomes


@dataclass(frozen=True)
class HereSampler:
    """``n`` outcomes of ``function(text, n)`` for ``text``, in this process. Nothing stops it."""

    function: Callable[[str, int], Sequence[Any]]
    text: str

    def __call__(self, n: int) -> list[bytes]:
        """Return the digests of ``n`` outcomes.

        Raise ConfigurationError in one sentence that holds nothing of input or output.
        """
        try:
            code, outcomes = 0, _called(self.function, self.text, n)
        except _WrongError as error:
            code, outcomes = error.code, []
        if code:  # raised outside the except block, so that no context drags a private message along
            raise ConfigurationError(f"{_WRONG[code]}.")
        return outcomes


class _WrongError(Exception):
    """A fault of a callable, by its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _called(function: Callable[[str, int], Any], text: str, n: int) -> list[bytes]:
    """Return digests of ``n`` outputs of ``function``. Raise _WrongError."""
    try:
        outputs = function(text, n)
    except Exception:
        raise _WrongError(93) from None
    if isinstance(outputs, str | bytes) or not hasattr(outputs, "__len__") or len(outputs) != n:
        raise _WrongError(94)
    try:
        return [_digest(output) for output in outputs]
    except TypeError:
        raise _WrongError(95) from None


def _check_timeout(timeout: float) -> None:
    if not 0.0 < timeout < float("inf"):
        raise ConfigurationError("A time limit must be a number of seconds above 0.")


def _answered(command: Sequence[str], parts: Iterable[bytes], n: int, timeout: float) -> tuple[int, list[bytes]]:
    """Return the exit code, and the digests of the lines that ``command`` wrote (at most ``n``)."""
    ends = time.monotonic() + timeout
    try:
        process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, bufsize=0,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ConfigurationError(f"The command cannot be started ({reason}); check the program's name.") from None
    assert process.stdin is not None
    assert process.stdout is not None
    feeding = Thread(target=_feed, args=(process.stdin, parts), daemon=True)
    try:
        feeding.start()
        outcomes = _outcomes(process.stdout, n, ends)
        return process.wait(max(0.0, ends - time.monotonic())), outcomes
    except subprocess.TimeoutExpired:
        raise ConfigurationError(
            f"No answer within {timeout:g} seconds; allow more with --timeout, or ask for fewer --samples."
        ) from None
    finally:
        _end(process)
        feeding.join(5.0)
        process.stdout.close()


def _feed(stream: IO[bytes], parts: Iterable[bytes]) -> None:
    """Write ``parts`` and close. A command that stops reading fails by its answer, not here."""
    try:
        for part in parts:
            left = memoryview(part)
            while left:
                left = left[os.write(stream.fileno(), left) :]
    except OSError:
        pass
    finally:
        stream.close()


def _outcomes(stream: IO[bytes], n: int, ends: float) -> list[bytes]:
    """Return a digest for each line until the stream ends.

    Raise TimeoutExpired, or ConfigurationError for too much.
    """
    digests: list[bytes] = []
    line, begun, size = hashlib.blake2b(digest_size=16), False, 0
    with DefaultSelector() as ready:
        ready.register(stream, EVENT_READ)
        while True:
            if not ready.select(max(0.0, ends - time.monotonic())) or time.monotonic() > ends:
                raise subprocess.TimeoutExpired("", 0.0)
            piece = os.read(stream.fileno(), _PIECE)
            size += len(piece)
            *whole, rest = piece.split(b"\n")
            for part in whole:
                line.update(part)
                digests.append(line.digest())
                line, begun = hashlib.blake2b(digest_size=16), False
            line.update(rest)
            begun = begun or bool(rest)
            if not piece and begun:
                digests.append(line.digest())
            if len(digests) > n or size > _MOST_BYTES:
                what = f"more than the {n:,} lines it was sent" if len(digests) > n else "more than 1 GiB"
                raise ConfigurationError(f"The command answered with {what}; it must write one line for each.")
            if not piece:
                return digests


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and every process that it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _serve() -> int:
    """Run a callable in its process: read the request from standard input, write digests to standard output."""
    request = json.loads(sys.stdin.buffer.read())
    answer = os.dup(1)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # discards everything that the function prints
    module, _, name = request["place"].partition(":")
    try:
        function: Any = importlib.import_module(module)
    except Exception:
        return 91
    for part in name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        return 92
    try:
        lines = b"".join(digest + b"\n" for digest in _called(function, request["text"], request["n"]))
    except _WrongError as error:
        return error.code
    with os.fdopen(answer, "wb") as stream:
        stream.write(lines)
    return 0


def _digest(output: Any) -> bytes:
    """Return a line for an output. Raise TypeError for an output whose text may differ from time to time."""
    spelled = repr(_simple(output)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(spelled, digest_size=16).hexdigest().encode()


def _simple(output: Any) -> Any:
    listed = output.tolist() if hasattr(output, "tolist") else output
    if isinstance(listed, tuple | list):
        return tuple(_simple(item) for item in listed)
    if listed is None or isinstance(listed, str | bytes | int | float):
        return listed
    raise TypeError


if __name__ == "__main__":
    os._exit(_serve())  # at once: nothing that the function left running is waited for

"""Code that an exception must not leave halfway runs to its end, and the signal acts afterwards."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numba
import pytest
from numba.core import event

from sfumato.privacy import kernels
from sfumato.runtime import interrupts_held


def test_a_signal_acts_when_the_block_ends() -> None:
    before, steps = signal.getsignal(signal.SIGINT), list[str]()

    def work() -> None:
        with interrupts_held(), interrupts_held():
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)
            steps.append("ended")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["ended"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_another_thread_receives_waits_too() -> None:
    """A mask of the main thread does not hold it."""
    steps = []

    def work() -> None:
        with interrupts_held():
            thread = threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,))
            thread.start()
            thread.join()
            steps.append("ended")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["ended"]


def test_a_thread_changes_no_handler() -> None:
    before, seen = signal.getsignal(signal.SIGINT), list[Any]()

    def work() -> None:
        with interrupts_held():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


class _Interrupting(event.Listener):
    """Interrupts each compilation when it begins."""

    def on_start(self, event: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    def on_end(self, event: Any) -> None:
        pass


def test_a_kernel_is_compiled_before_an_interrupt_acts() -> None:
    """LLVM that is left halfway crashes the process: at once, or when its objects are removed."""
    assert callable(kernels.compiled)  # the module, which listens to numba, is loaded
    function = numba.njit(lambda number: number + 1)
    with event.install_listener("numba:compile", _Interrupting()), pytest.raises(KeyboardInterrupt):
        function(1)
    assert len(function.signatures) == 1
    assert function(1) == 2

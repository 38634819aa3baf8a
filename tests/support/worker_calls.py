"""What the tests call in a process of its own, which must be able to import it."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.batch import Sanitize
from sfumato.privacy.randomness import SystemRandomness
from sfumato.release.workers import Surroundings


def called_in_a_worker(options: Mapping[str, Any], table: Any) -> Any:
    """Make a callable where an engine would have sent it, without having been pickled, and call it."""
    return Sanitize("santext", 4.0, **options)(table)


def told_by_a_worker(folder: str, processes: int) -> dict[str, Any]:
    """Return what the process is and draws, when so many have met in ``folder``: one alone would answer for all."""
    Path(folder, str(os.getpid())).touch()
    until = time.monotonic() + 60
    while len(os.listdir(folder)) < processes and time.monotonic() < until:
        time.sleep(0.002)
    return {
        "process": os.getpid(),
        "variable": os.environ.get("SFUMATO_TEST"),
        "threads": os.environ["OMP_NUM_THREADS"],
        "global": float(np.random.random()),
        "random": random.random(),
        "system": float(SystemRandomness().uniforms(1, 1)[0, 0]),
        "umask": Surroundings.here().umask,
        "interrupts": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    }

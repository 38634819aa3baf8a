"""Runs of sanitize with a ledger, for the tests: a small vocabulary, and steps at which a process ends itself."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_line import WORDS, write_vectors
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.files import FileOptions, Parts
from sfumato.ledger import Budget, Ledger, made_key
from sfumato.privacy.randomness import PinnedRandomness, Randomness
from sfumato.release import account
from sfumato.release.files import Released
from sfumato.release.job import RunOptions
from sfumato.run.execute import execute
from sfumato.run.request import Request

FILES = FileOptions(fields=("text",), id_field="id", subject_field="who", chunk_records=2)
PIN = PinnedRandomness(bytes(range(1, 33)))
NAME = "metric-LDP by Euclidean"


def write_records(path: Path, texts: list[str], people: int = 2) -> Path:
    """Write ``texts`` as records r0, r1, ... of the people p0, p1, ..., whose turns come round."""
    rows = [{"id": f"r{n}", "who": f"p{n % people}", "text": text} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sanitizer(folder: Path, epsilon: float = 1.0, **options: Any) -> Sanitizer:
    """Return santext over a few words; it draws once for each word of a text."""
    return build("santext", epsilon, vocabulary=str(write_vectors(folder, WORDS)), detect="words", **options)


def begin(folder: Path, **caps: dict[str, Any]) -> Ledger:
    """Begin a ledger in ``folder``."""
    made_key(folder / "key")
    return Ledger.begin(str(folder / "ledger"), folder / "key", Budget.of("notes", caps or {"subject": {"*": 100}}))


def release(
    folder: Path, ledger: Ledger | None, output: str = "out.jsonl", randomness: Randomness | None = None,
    method: Sanitizer | None = None, resume: bool = False, workers: int = 1, files: FileOptions = FILES,
    overwrite: bool = False,
) -> Released:  # fmt: skip
    """Release in.jsonl of ``folder``."""
    options = RunOptions(files, workers, overwrite, resume)
    made = method or sanitizer(folder)
    return execute(Request(made, folder / "in.jsonl", folder / output, options, randomness, ledger=ledger))


def _ends_before(kept: Callable[..., Any]) -> Callable[..., Any]:
    def ends(*arguments: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    return ends


def _ends_after(kept: Callable[..., Any]) -> Callable[..., Any]:
    def ends(*arguments: Any, **options: Any) -> Any:
        kept(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    return ends


STEPS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "before the claim": (account.Account, "reserve", _ends_before),
    "before the reservation": (Ledger, "reserve", _ends_before),
    "after the reservation": (Ledger, "reserve", _ends_after),
    "before the first draw": (Parts, "add", _ends_before),
    "after the first part": (Parts, "add", _ends_after),
    "after the last draw": (Parts, "assemble", _ends_before),
    "after the assembly": (Parts, "assemble", _ends_after),
    "before the names": (Parts, "publish", _ends_before),
    "after the names": (Parts, "publish", _ends_after),
    "before it is published": (Ledger, "publish", _ends_before),
    "after it is published": (Ledger, "publish", _ends_after),
    "before the parts are removed": (Parts, "clear", _ends_before),
}


def main(folder: Path, step: str) -> None:
    """Release in.jsonl, and end this process at ``step``."""
    owner, name, ends = STEPS[step]
    setattr(owner, name, ends(getattr(owner, name)))
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        release(folder, ledger)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

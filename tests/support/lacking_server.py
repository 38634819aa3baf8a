"""Runs the command as if a package were not installed, in forks of a process that has imported none of the late ones.

It reads a request a line: the package, the folder and the words. It answers with the exit status, or with nothing if
the package is imported already: then the run needs a new interpreter. What is printed lies in ``out`` and ``err``.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path

from sfumato.cli import main

EARLY = (
    "cli.app",
    "cli.sanitize",
    "cli.review",
    "building.policies",
    "files.jsonlines",
    "mechanisms.dp_mlm",
    "detectors.identifiers",
)


def lacking(package: str, folder: str, words: list[str]) -> int | None:
    """Return how the run ended, or None where ``package`` is imported already."""
    if package in sys.modules:
        return None
    if (child := os.fork()) == 0:
        os.chdir(folder)
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(Path(folder).with_name(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        sys.modules[package] = None  # type: ignore[assignment]
        sys.argv = ["sfumato", *words]
        main()
        sys.exit()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for part in EARLY:
        import_module(f"sfumato.{part}")
    gc.collect()
    gc.freeze()  # a fork that does not go through everything again copies less of it
    for line in sys.stdin:
        sys.stdout.write(json.dumps(lacking(*json.loads(line))) + "\n")
        sys.stdout.flush()

"""Runs over files for the tests: by a built sanitizer, or by a scripted one that has no statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.privacy.randomness import Randomness
from sfumato.release.files import Released
from sfumato.release.job import Companion, FileProgress, RunOptions, RunSummary, opened
from sfumato.release.run import fingerprint_of, sanitize_job
from sfumato.run.execute import ready
from sfumato.run.request import Request


def release_file(
    sanitizer: Sanitizer, input: Path | str, output: Path | str, options: RunOptions | None = None,
    randomness: Randomness | None = None, progress: FileProgress | None = None, companions: Sequence[Companion] = (),
) -> Released:  # fmt: skip
    """Sanitize ``input`` into ``output``, which appears together with its statement and ``companions``."""
    request = Request(sanitizer, Path(input), Path(output), options or RunOptions(), randomness)
    with ready(request) as made:
        return replace(made, companions=companions).release(progress)


def sanitize_file(
    sanitizer: Any, input: Path, output: Path, options: RunOptions, randomness: Any,
    progress: FileProgress | None = None, companions: Sequence[Companion] = (),
) -> RunSummary:  # fmt: skip
    """Do the same by anything with a ``sanitize_batch``, without a statement; return what was done."""
    with opened(input, output, options) as job:
        run = fingerprint_of(job, sanitizer, randomness)
        return sanitize_job(job, run, sanitizer, randomness, progress, companions)

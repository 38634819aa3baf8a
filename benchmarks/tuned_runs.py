"""A benchmark that tunes a model at several budgets in a private folder: its command line, and a timed training."""

from __future__ import annotations

import argparse
import json
import os
import resource
from collections.abc import Callable, Iterable
from pathlib import Path

from recording import SFUMATO, run


def name_of(epsilon: float | None) -> str:
    """Return what the files of a run are called."""
    return "none" if epsilon is None else f"{epsilon:g}"


def kept(path: Path, rows: Iterable[dict[str, str]]) -> None:
    """Write a private file of records."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def synthesized(
    folder: Path, records: str, units: int, epsilon: float | None, resume: bool, *more: str | Path
) -> None:
    """Tune a model on the file ``records``, write synthetic records with it, and keep the processor time of both."""
    name = name_of(epsilon)
    run(
        SFUMATO, "synthesize", folder / records, "-o", folder / f"synthetic-{name}.jsonl", "-m", "finetune", "-q",
        "--units", str(units), "--set", "number_format=bfloat16", *more,
        *(("--no-guarantee",) if epsilon is None else ("-e", f"{epsilon:g}")), *(("--resume",) if resume else ()),
    )  # fmt: skip
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (folder / f"train-{name}.json").write_text(json.dumps({"cpu_seconds": used.ru_utime + used.ru_stime}))


def steps(
    about: str | None,
    prepare: Callable[[Path], None],
    train: Callable[[Path, float | None, bool], None],
    attack: Callable[[Path, float | None], None],
    record: Callable[[Path], None],
) -> None:
    """Take the command line, whose help is ``about``, and do the step that it names."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["prepare", "train", "attack", "record"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--resume", action="store_true", help="a training that was stopped")
    given = parser.parse_args()
    given.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if given.what == "prepare":
        prepare(given.folder)
    elif given.what == "record":
        record(given.folder)
    elif given.what == "train":
        train(given.folder, given.epsilon, given.resume)
    else:
        attack(given.folder, given.epsilon)

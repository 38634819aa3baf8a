"""Synthesis of patient profiles at several budgets: Table 2 of A False Sense of Privacy (MedQA) beside ours.

    python benchmarks/reproduction_synthesis.py prepare FOLDER
    python benchmarks/reproduction_synthesis.py train FOLDER --epsilon 3     (64, 1024, and without --epsilon)
    python benchmarks/reproduction_synthesis.py attack FOLDER --epsilon 3    (and so on)
    python benchmarks/reproduction_synthesis.py record FOLDER

As in the paper, question and answer are public and stand before each record (`--public-field`), and a record is
written for each of the first questions. `attack` runs `sfumato evaluate`: the records belong together by their order.
FOLDER is private: it holds profiles, models and synthetic records.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
from pathlib import Path

from recording import DATA, SFUMATO, run

from sfumato.attacks.linkage import sentences

LENGTH = 96
EPOCHS = 1
BATCH = 40
WRITTEN = 250  # records; the model is tuned on all of them


def prepare(folder: Path) -> None:
    """Write the profile, the question itself and the right answer of each record."""
    rows = []
    for number, line in enumerate((DATA / "medqa" / "test.jsonl").read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        parts = sentences(entry["question"])
        if len(parts) > 1:  # else the public question would be the private record
            row = {"id": f"medqa-{number}", "question": parts[-1], "answer": entry["answer"]}
            rows.append({**row, "text": " ".join(parts[:-1])})
    for path, own in ((folder / "medqa.jsonl", rows), (folder / "asked.jsonl", rows[:WRITTEN])):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
    print(f"{len(rows)} records")


def name_of(epsilon: float | None) -> str:
    """Return what the files of a run are called."""
    return "none" if epsilon is None else f"{epsilon:g}"


def train(folder: Path, epsilon: float | None, resume: bool) -> None:
    """Tune the model on the profiles, and write one for each question."""
    units = len((folder / "medqa.jsonl").read_text(encoding="utf-8").splitlines())
    name = name_of(epsilon)
    run(
        SFUMATO, "synthesize", folder / "medqa.jsonl", "-o", folder / f"synthetic-{name}.jsonl", "-m", "finetune",
        "--units", str(units), "--records", str(WRITTEN), "--public-field", "question", "--public-field", "answer",
        "-q", "--number-format", "bfloat16", "--option", f"length={LENGTH}", "--option", f"epochs={EPOCHS}",
        "--option", f"batch={BATCH}", *(("--no-guarantee",) if epsilon is None else ("-e", f"{epsilon:g}")),
        *(("--resume",) if resume else ()),
    )  # fmt: skip
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (folder / f"train-{name}.json").write_text(json.dumps({"cpu_seconds": used.ru_utime + used.ru_stime}))


def attack(folder: Path, epsilon: float | None) -> None:
    """Run linkage and utility."""
    name = name_of(epsilon)
    run(
        SFUMATO, "evaluate", folder / "asked.jsonl", folder / f"synthetic-{name}.jsonl", "-o",
        folder / f"report-{name}", "--attacks", "linkage", "--metrics", "utility", "--sample", "250", "-q",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["prepare", "train", "attack", "record"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--resume", action="store_true", help="a training that was stopped")
    given = parser.parse_args()
    given.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if given.what == "prepare":
        prepare(given.folder)
    elif given.what == "record":
        from reproduction_synthesis_table import recorded

        recorded(given.folder)
    elif given.what == "train":
        train(given.folder, given.epsilon, given.resume)
    else:
        attack(given.folder, given.epsilon)


if __name__ == "__main__":
    main()

"""Synthesis of patient profiles at several budgets: Table 2 of A False Sense of Privacy (MedQA) beside ours.

Usage: reproduction_synthesis.py FOLDER [--record]

As in the paper, question and answer are public and stand before each record (`--public-field`), and a record is
written for each of the first questions. `sfumato evaluate` attacks: the records belong together by their order. In a
second run SmolLM2 answers the first questions beside the synthetic profiles. FOLDER is private: it keeps profiles,
models and synthetic records, so that a stopped run resumes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from recording import DATA, SFUMATO, run
from tuned_runs import kept, name_of, synthesized

from sfumato.attacks.linkage import sentences

LENGTH = 96
EPOCHS = 1
BATCH = 40
WRITTEN = 250  # records; the model is tuned on all of them
ANSWERED = 50  # of their questions
BUDGETS = (3.0, 64.0, 1024.0, None)


def prepare(folder: Path) -> None:
    """Write the profile, the question itself, its options and the right one of each record."""
    rows = []
    for number, line in enumerate((DATA / "medqa" / "test.jsonl").read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        parts = sentences(entry["question"])
        if len(parts) > 1:  # else the public question would be the private record
            row = {"id": f"medqa-{number}", "question": parts[-1], "answer": entry["answer"]}
            rows.append({**row, "options": entry["options"], "text": " ".join(parts[:-1])})
    for path, own in ((folder / "medqa.jsonl", rows), (folder / "asked.jsonl", rows[:WRITTEN])):
        kept(path, own)
    print(f"{len(rows)} records")


def train(folder: Path, epsilon: float | None, resume: bool) -> None:
    """Tune the model on the profiles, and write one for each question."""
    units = len((folder / "medqa.jsonl").read_text(encoding="utf-8").splitlines())
    options = (f"length={LENGTH}", f"epochs={EPOCHS}", f"batch={BATCH}")
    synthesized(
        folder, "medqa.jsonl", units, epsilon, resume, "--records", str(WRITTEN),
        "--public-field", "question", "--public-field", "answer",
        *(part for option in options for part in ("--set", option)),
    )  # fmt: skip


def attack(folder: Path, epsilon: float | None) -> None:
    """Run linkage and utility, and have questions answered."""
    name = name_of(epsilon)
    files = (folder / "asked.jsonl", folder / f"synthetic-{name}.jsonl")
    measured = {
        f"report-{name}": ("--attacks", "linkage", "--metrics", "utility", "--sample", str(WRITTEN)),
        f"answers-{name}": ("--attacks", "", "--metrics", "answers", "--sample", str(ANSWERED)),
    }
    for place, options in measured.items():
        run(SFUMATO, "evaluate", *files, "-o", folder / place, *options, "-q")


def main() -> None:
    from reproduction_synthesis_table import tabled

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where everything is kept, so that a stopped run resumes; private")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    place = given.folder / "synthesis"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    prepare(place)
    for epsilon in BUDGETS:
        name = name_of(epsilon)
        started = place / f"started-{name}"
        if not (place / f"train-{name}.json").exists():
            resumed = started.exists()
            started.touch()
            train(place, epsilon, resumed)
        attack(place, epsilon)
    tabled(place, given.record)


if __name__ == "__main__":
    main()

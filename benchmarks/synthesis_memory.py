"""What a model that was tuned on reviews remembers of them, with ε = 8 and without a guarantee.

    python benchmarks/synthesis_memory.py prepare FOLDER
    python benchmarks/synthesis_memory.py train FOLDER --epsilon 8      (and again without --epsilon)
    python benchmarks/synthesis_memory.py attack FOLDER --epsilon 8     (and again without --epsilon)
    python benchmarks/synthesis_memory.py record FOLDER

Short Trustpilot reviews are split into members and people held out. Canaries are planted among the members. `train`
runs `sfumato synthesize`, `attack` runs `sfumato evaluate --synthetic --held-out --trained` on the members without a
canary, and ranks the canaries. FOLDER is private: it holds reviews, models and synthetic records.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from recording import DATA, SFUMATO, run
from synthesis_memory_canaries import exposed, kinds

from sfumato.attacks.canary_files import planted

LEAST, MOST = 8, 25  # words of a review
EPOCHS_WITHOUT, BATCH_WITHOUT = 6, 16  # with a guarantee: the defaults
RECORDS = 1000
LENGTH = 64
SEED = 15


def reviews() -> list[str]:
    """Return the short reviews of both parts, each once, in an order drawn from a public seed."""
    found: dict[str, None] = {}
    for part in ("train", "test"):
        with (DATA / "trustpilot" / f"english_{part}.csv").open(encoding="utf-8", newline="") as file:
            found |= dict.fromkeys(row["text"] for row in csv.DictReader(file))
    short = [text for text in found if LEAST <= len(text.split()) <= MOST]
    return [short[index] for index in np.random.default_rng(SEED).permutation(len(short))]


def kept(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Write a private file of records."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n" for name, text in rows)


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def prepare(folder: Path) -> None:
    """Write the members with canaries among them, those without one, and the people held out."""
    texts = reviews()
    half = len(texts) // 2
    members = [(f"m{number}", text) for number, text in enumerate(texts[:half])]
    others = [(f"h{number}", text) for number, text in enumerate(texts[half : 2 * half])]
    plain, output = folder / "plain.jsonl", folder / "members.jsonl"
    kept(plain, members)
    kept(folder / "held-out.jsonl", others)
    output.unlink(missing_ok=True)
    hosts = set(planted(plain, output, [each for kind in kinds() for each in kind.canaries], seed=SEED))
    kept(folder / "unmarked.jsonl", [row for number, row in enumerate(members) if number not in hosts])
    facts = {"members": half, "held out": half, "hosts": len(hosts)}
    (folder / "facts.json").write_text(json.dumps(facts))
    print(facts)


def name_of(epsilon: float | None) -> str:
    """Return what the files of a run are called."""
    return "none" if epsilon is None else f"{epsilon:g}"


def train(folder: Path, epsilon: float | None, resume: bool) -> None:
    """Tune the model on the members, write records with it, and keep it."""
    name, units = name_of(epsilon), json.loads((folder / "facts.json").read_text())["members"]
    command: list[str | Path] = [
        SFUMATO, "synthesize", folder / "members.jsonl", "-o", folder / f"synthetic-{name}.jsonl", "-m", "finetune",
        "--units", str(units), "--records", str(RECORDS), "--save-model", folder / f"model-{name}", "-q",
        "--number-format", "bfloat16", "--option", f"length={LENGTH}", "--option", "checkpoint-every=5",
    ]  # fmt: skip
    if epsilon is None:
        command += ["--no-guarantee", "--option", f"epochs={EPOCHS_WITHOUT}", "--option", f"batch={BATCH_WITHOUT}"]
    else:
        command += ["-e", f"{epsilon:g}"]
    command += ["--resume"] if resume else []
    run(*command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (folder / f"train-{name}.json").write_text(json.dumps({"cpu_seconds": used.ru_utime + used.ru_stime}))


def attack(folder: Path, epsilon: float | None) -> None:
    """Run the studies of copies and membership, and rank the canaries."""
    name = name_of(epsilon)
    released = folder / f"synthetic-{name}.jsonl"
    run(
        SFUMATO, "evaluate", folder / "unmarked.jsonl", released, "-o", folder / f"report-{name}", "--synthetic",
        "--held-out", folder / "held-out.jsonl", "--trained", folder / f"model-{name}", "--causal", "smollm2",
        "--attacks", "copies,membership", "--metrics", "", "--sample", "1000", "-q",
    )  # fmt: skip
    facts = exposed(folder / f"model-{name}", [row["text"] for row in lines(released)])
    (folder / f"canaries-{name}.json").write_text(json.dumps(facts, indent=1))


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
        from synthesis_memory_table import recorded

        recorded(given.folder)
    elif given.what == "train":
        train(given.folder, given.epsilon, given.resume)
    else:
        attack(given.folder, given.epsilon)


if __name__ == "__main__":
    main()

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

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from recording import DATA, SFUMATO, run
from synthesis_memory_canaries import exposed, kinds
from tuned_runs import kept, name_of, steps, synthesized

from sfumato.attacks.canary_planting import planted

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


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def prepare(folder: Path) -> None:
    """Write the members with canaries among them, those without one, and the people held out."""
    texts = reviews()
    half = len(texts) // 2
    members = [{"id": f"m{number}", "text": text} for number, text in enumerate(texts[:half])]
    others = [{"id": f"h{number}", "text": text} for number, text in enumerate(texts[half : 2 * half])]
    plain, output = folder / "plain.jsonl", folder / "members.jsonl"
    kept(plain, members)
    kept(folder / "held-out.jsonl", others)
    output.unlink(missing_ok=True)
    hosts = set(planted(plain, output, [each for kind in kinds() for each in kind.canaries], seed=SEED))
    kept(folder / "unmarked.jsonl", [row for number, row in enumerate(members) if number not in hosts])
    facts = {"members": half, "held out": half, "hosts": len(hosts)}
    (folder / "facts.json").write_text(json.dumps(facts))
    print(facts)


def train(folder: Path, epsilon: float | None, resume: bool) -> None:
    """Tune the model on the members, write records with it, and keep it."""
    units = json.loads((folder / "facts.json").read_text())["members"]
    more = [f"epochs={EPOCHS_WITHOUT}", f"batch={BATCH_WITHOUT}"] if epsilon is None else []
    synthesized(
        folder, "members.jsonl", units, epsilon, resume, "--records", str(RECORDS),
        "--save-model", folder / f"model-{name_of(epsilon)}",
        *(part for option in (f"length={LENGTH}", "checkpoint-every=5", *more) for part in ("--set", option)),
    )  # fmt: skip


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


def record(folder: Path) -> None:
    """Put the figures into the page."""
    from synthesis_memory_table import recorded

    recorded(folder)


if __name__ == "__main__":
    steps(__doc__, prepare, train, attack, record)

"""How long Neighboring Distribution Divergence takes, and whether more words in a pass choose another candidate.

Usage: ndd_speed.py FOLDER [--sentences N] [--record]

The sentences are stretches of the public ones that ship with sfumato, each from another word on; each has eight
surnames as candidates for one word, as near to one another as the candidates of a distortion are. FOLDER keeps
figures, so that a stopped run resumes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from recording import Cells, models, table, written

from sfumato.kinds.people.names import names_of
from sfumato.metrics.divergence import Edit, NeighboringDivergence
from sfumato.metrics.estimates import share
from sfumato.models.calibration import PublicText
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.windows import units

WORDS, CANDIDATES, BLOCKS = 25, 8, (1, 2, 4, 6, 8, 12)


def edits(sentences: int, words: Sequence[str], seed: int = 0) -> list[Edit]:
    """Return eight edits of each sentence: the word in the middle becomes another one."""
    draw = np.random.default_rng(seed)
    every = [unit for sentence in PublicText.shipped().sentences for unit in units(f" {sentence}")]
    step = (len(every) - WORDS) // sentences
    if step < 1:
        raise SystemExit(f"The public text has too few words for {sentences} sentences.")
    made = []
    for first in range(0, sentences * step, step):
        old = every[first : first + WORDS]
        for new in draw.choice(list(words), CANDIDATES, replace=False):
            after = [*old[: WORDS // 2], f" {new}", *old[WORDS // 2 + 1 :]]
            made.append(Edit("".join(old).strip(), "".join(after).strip()))
    return made


def measured(some: Sequence[Edit], block: int) -> dict[str, Any]:
    """Return the CPU seconds and the divergences of the edits."""
    measure = NeighboringDivergence(embedded_masked(), block=block)
    measure.of(some[:2])  # loaded before the clock runs
    started = time.process_time()
    moved = measure.of(some)
    return {"cpu": time.process_time() - started, "moved": [float(value) for value in moved]}


def same_choice(exact: Sequence[float], other: Sequence[float]) -> tuple[int, int]:
    """Return of how many sentences both keep the same of the eight candidates, and how many sentences there are."""
    best = [np.reshape(moved, (-1, CANDIDATES)).argmin(axis=1) for moved in (exact, other)]
    return int((best[0] == best[1]).sum()), len(best[0])


def lost(exact: Sequence[float], other: Sequence[float]) -> float:
    """Return how much larger the divergence of the candidate that ``other`` keeps is than the least, on average.

    The unit is the mean distance between the least divergence and that of a candidate kept at random.
    """
    rows = np.reshape(exact, (-1, CANDIDATES))
    kept = np.take_along_axis(rows, np.reshape(other, (-1, CANDIDATES)).argmin(axis=1)[:, None], axis=1)[:, 0]
    least = rows.min(axis=1)
    return float((kept - least).mean() / (rows.mean(axis=1) - least).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where figures are kept, so that a stopped run resumes")
    parser.add_argument("--sentences", type=int, default=30)
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    cells = Cells(given.folder, "ndd-speed", models("masked"))
    some = edits(given.sentences, list(names_of("en_US")[1]))
    cells_of = {
        block: cells.get(lambda block=block: measured(some, block), block=block, sentences=given.sentences)
        for block in BLOCKS
    }
    exact, rows = cells_of[1]["moved"], list[list[object]]()
    for block, cell in cells_of.items():
        same = share(*same_choice(exact, cell["moved"]))
        rows.append([
            block,
            f"{cell['cpu'] * 1000 / len(some):.0f}",
            f"{np.corrcoef(exact, cell['moved'])[0, 1]:.3f}",
            f"{same.value:.0%} ({same.low:.0%} to {same.high:.0%})",
            f"{lost(exact, cell['moved']):.0%}",
        ])  # fmt: skip
    header = [
        "words masked in one pass", "CPU seconds for 1,000 edits", "correlation with one word a pass",
        "same candidate kept", "of a random choice's loss",
    ]  # fmt: skip
    text = (
        f"{table(header, rows)}\n\n"
        f"{CANDIDATES} candidate edits of each of {given.sentences} stretches of {WORDS} words; the interval is "
        "Clopper and Pearson's at 95 %, over stretches. The last column: how much larger the divergence of the kept "
        "candidate is than the least one, where keeping a candidate at random is 100 %. Distortion masks one word in "
        f"one pass, unless it is told otherwise. {cells.described}"
    )
    written("ndd-speed", text, given.record)


if __name__ == "__main__":
    main()

"""How long Neighboring Distribution Divergence takes: candidate edits of sentences of 25 words, on this machine.

Usage: ndd_speed.py [--edits N] [--record]

The sentences are stretches of the public ones that ship with sfumato, each from another word on; each has eight
surnames as candidates for one word, as near to one another as the candidates of a distortion are. Target: 1,000 edits
in under 60 s with the embedded model.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from recording import table, written

from sfumato.kinds.people.names import names_of
from sfumato.metrics.divergence import Edit, NeighboringDivergence
from sfumato.models.calibration import PublicText
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.windows import units

WORDS, CANDIDATES, ASKED = 25, 8, 60.0


def edits(count: int, words: list[str], seed: int = 0) -> list[Edit]:
    """``count`` edits, eight of each sentence: the word in the middle becomes another one."""
    draw = np.random.default_rng(seed)
    every = [unit for sentence in PublicText.shipped().sentences for unit in units(f" {sentence}")]
    stretches = -(-count // CANDIDATES)
    step = (len(every) - WORDS) // stretches
    if step < 1:
        raise SystemExit(f"The public text has too few words for {count} edits.")
    found = []
    for first in range(0, stretches * step, step):
        old = every[first : first + WORDS]
        for new in draw.choice(words, CANDIDATES, replace=False):
            after = [*old[: WORDS // 2], f" {new}", *old[WORDS // 2 + 1 :]]
            found.append(Edit("".join(old).strip(), "".join(after).strip()))
    return found[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    model = embedded_masked()
    some = edits(given.edits, list(names_of("en_US")[1]))
    exact = NeighboringDivergence(model)
    exact.of(some[:2])  # loaded before the clock runs
    few = some[: max(CANDIDATES, given.edits // 10)]
    alone, rows = exact.of(few), []
    for block in (1, 2, 4, 6, 8):
        used = few if block == 1 else some
        started = time.perf_counter()
        found = NeighboringDivergence(model, block=block).of(used)
        seconds = (time.perf_counter() - started) * len(some) / len(used)
        told = f"{seconds:.1f}{' (from a tenth of them)' if block == 1 else ''}"
        kept = same_choice(alone, found[: len(few)])
        rows.append([block, told, f"{np.corrcoef(alone, found[: len(few)])[0, 1]:.3f}", f"{kept:.0%}"])
        print(*rows[-1], flush=True)
    header = [
        "words masked in one pass",
        f"seconds for {len(some):,} edits",
        "correlation with one word a pass",
        "same candidate kept",
    ]
    text = (
        f"{table(header, rows)}\n\n"
        f"{len(some):,} candidate edits of {len(some) // CANDIDATES:,} stretches of {WORDS} words, {CANDIDATES} of "
        f"each, with the model {model.id}. Target: 1,000 in under {ASKED:.0f} s. Distortion masks one word in "
        "one pass, unless it is told otherwise. Correlation and choice are over a tenth of the edits."
    )
    written("ndd-speed", text, given.record)


def same_choice(one: np.ndarray, other: np.ndarray) -> float:
    """Of how many sentences both would keep the same of the eight candidates."""
    whole = len(one) // CANDIDATES * CANDIDATES
    best = [found[:whole].reshape(-1, CANDIDATES).argmin(axis=1) for found in (one, other)]
    return float((best[0] == best[1]).mean())


if __name__ == "__main__":
    main()

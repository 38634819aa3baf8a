"""How many drugs, doses and laboratory values are the same before and after, in made letters.

Usage: doses.py [--letters 500] [--record]

A seed makes the letters. Each has a drug with its dose, and a laboratory
value with its unit, among a name, an age, dates and a place that the detector marks. In every tenth letter the age is
the figure of the dose. Detector and policies are those that ship. A value counts as the same if the release has the
whole phrase, letter by letter.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

from recording import table, written

from sfumato.building.policies import build_policy
from sfumato.language.lists import lists_of, words_of
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

DRUGS = words_of(lists_of("en", "health")["drugs"])
LABS = {
    "Hb": ("g/dL", 6, 18), "CRP": ("mg/L", 1, 300), "sodium": ("mmol/L", 118, 155), "creatinine": ("µmol/L", 40, 600),
    "ferritin": ("µg/L", 5, 900), "WBC": ("x10^9/L", 2, 30), "HbA1c": ("mmol/mol", 35, 120), "BP": ("mmHg", 90, 200),
    "TSH": ("mU/L", 0, 20), "eGFR": ("mL/min", 8, 100), "potassium": ("mmol/L", 2, 7), "lactate": ("mmol/L", 1, 9),
}  # fmt: skip
UNITS, OFTEN = ("mg", "micrograms", "mg/24 h", "g", "mL", "units"), ("od", "bd", "tds", "nocte", "once daily")
NAMES = ("Ruth Broad", "Owen Price", "Elena Moss", "Sam Lowe", "Amy Stone", "Mark Hall")
PLACES = ("Leeds", "Norwich", "Vienna", "Oslo")


@dataclass(frozen=True)
class Letter:
    """A made letter, and the two phrases of it that should stay."""

    document: Document
    dose: str
    value: str


def letter(seed: int) -> Letter:
    """Return the letter of ``seed``."""
    rng = random.Random(seed)
    figure = rng.choice((5, 10, 20, 25, 40, 50, 75, 80, 100, 250, 500, 2.5, 7.5))
    dose = f"{rng.choice(DRUGS)} {figure:g} {rng.choice(UNITS)} {rng.choice(OFTEN)}"
    name = rng.choice(list(LABS))
    unit, low, high = LABS[name]
    measured = f"{rng.randint(low, high)}" if high > 30 else f"{rng.uniform(low, high):.1f}"
    value = f"{name} {measured}/{rng.randint(50, 110)} {unit}" if name == "BP" else f"{name} {measured} {unit}"
    age = int(figure) if seed % 10 == 0 and 18 <= figure <= 99 else rng.randint(18, 95)
    day = f"{rng.randint(1, 28)}/{rng.randint(1, 12):02d}/20{rng.randint(12, 23)}"
    text = (
        f"Seen on {day} in {rng.choice(PLACES)}: {rng.choice(NAMES)}, {age} years old. Treated with {dose}. "
        f"Bloods: {value}. Review in two weeks."
    )
    return Letter(Document(text, str(seed)), dose, value)


def same(letters: Sequence[Letter], policy: str) -> list[str]:
    """Return how many doses, with their drugs, and how many laboratory values stay as they are."""
    made = build_policy(policy)
    releases = made.sanitize_batch([own.document for own in letters], SeededRandomness(1))
    rows = list(zip(letters, releases, strict=True))
    for kind in ("dose", "value"):
        lost = [(getattr(own, kind), release.text) for own, release in rows if getattr(own, kind) not in release.text]
        for phrase, text in lost[:5]:
            print(policy, kind, phrase, "->", text)
    doses = sum(own.dose in release.text for own, release in rows)
    values = sum(own.value in release.text for own, release in rows)
    return [f"`{policy}`", *(f"{count:,} of {len(letters):,}" for count in (doses, values))]


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, default=500)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    letters = [letter(seed) for seed in range(given.letters)]
    rows: list[list[object]] = [[*same(letters, policy)] for policy in ("clinical", "court")]
    heads = ["policy", "drugs with their doses, the same", "laboratory values, the same"]
    written("doses", table(heads, rows), given.record)


if __name__ == "__main__":
    main()

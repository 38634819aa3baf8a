"""How near the noisy shares of public topics are to the exact ones: `python benchmarks/synthesis_topics.py --record`.

The texts are Trustpilot reviews, of which no field is used. Distances are total variations between shares of topics,
as means over draws of the noise: 0 is the same, 1 has nothing in common.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
from recording import DATA, table, written

from sfumato.abstract.synthesizer import Schedule, Unit, Workspace
from sfumato.privacy.randomness import SystemRandomness
from sfumato.synthesis.codes import counts_of, noisy_shares
from sfumato.synthesis.request import Request, planned
from sfumato.synthesis.topics import TextVectors, Topics, kept

DRAWS, FEW_DRAWS = 100, 5


class Nothing:
    """A method that costs nothing beside the topics."""

    takes_public_fields = False

    def schedule(self, order: Any) -> Any:
        return Schedule(())


def reviews(part: str) -> list[str]:
    with (DATA / "trustpilot" / f"english_{part}.csv").open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def units_of(vectors: TextVectors, chosen: list[int]) -> list[Unit]:
    """Return the units with the place of each text's topic among the ``chosen``."""
    places = {vectors.topics.phrases[index]: place for place, index in enumerate(chosen)}
    return [Unit(("",), (places.get(topic, len(chosen)),)) for (topic,) in vectors.named(chosen)]


def apart(first: Any, second: Any) -> float:
    return float(0.5 * np.abs(first - second).sum())


def distances(private: TextVectors, others: TextVectors, chosen: list[int], sigma: float) -> tuple[float, ...]:
    """Return how far noisy shares are from exact ones and from those of held-out texts, and the latter two apart."""
    codes = len(chosen) + 1
    units, held_out = units_of(private, chosen), units_of(others, chosen)
    noisy = noisy_shares(units, codes, sigma, Workspace(Path(), SystemRandomness()))
    exact, beside = (counts_of(given, codes) / len(given) for given in (units, held_out))
    return apart(noisy, exact), apart(noisy, beside), apart(exact, beside)


def row_of(private: TextVectors, others: TextVectors, epsilon: float) -> list[object]:
    """Return what a run with this ε keeps, and how good its shares are."""
    topics, exact = private.topics, private.counts
    plan: Any = planned(Nothing(), Request(100, len(private.units), epsilon, topics=topics.most))  # type: ignore
    sigma, limit, seen, far = (
        plan.noise,
        topics.limit(plan.noise),
        list[tuple[float, ...]](),
        list[tuple[float, ...]](),
    )
    for draw in range(DRAWS):
        counts = exact + sigma * np.random.default_rng(draw).standard_normal(len(exact))
        chosen, loose = kept(counts, topics.most, limit), kept(counts, len(exact), 0.0)
        empty = counts[loose][exact[loose] == 0.0].sum() / counts[loose].sum()
        seen.append((len(chosen), float(exact[chosen].sum() / exact.sum()), float(empty)))
        if draw < FEW_DRAWS:
            far.append(distances(private, others, chosen, sigma))
    many, covered, empty = np.array(seen).mean(axis=0)
    shown = [f"{distance:.3f}" for distance in np.array(far).mean(axis=0)]
    return [f"{epsilon:g}", f"{sigma:.1f}", f"{limit:.0f}", f"{many:.0f}", f"{covered:.0%}", f"{empty:.0%}", *shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=32)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    topics = Topics.shipped(asked.topics)
    private, others = (TextVectors.of(topics, [[text] for text in reviews(part)]) for part in ("train", "test"))
    header = ["ε of the run", "σ", "limit, units", "topics kept", "texts whose topic is kept"]
    header += ["mass of empty topics if there were no limit", "noisy from exact shares", "noisy from held-out shares"]
    header += ["exact from held-out shares"]
    text = table(header, [row_of(private, others, epsilon) for epsilon in (1.0, 2.0, 4.0, 8.0)])
    text += (
        f"\n\n{len(private.units):,} reviews and {len(others.units):,} held out, {len(topics.phrases)} public topics "
        f"of which {asked.topics} are kept at most. Means over {DRAWS} draws of noise, distances over {FEW_DRAWS}."
    )
    written("synthesis-topics", text, asked.record)


if __name__ == "__main__":
    main()

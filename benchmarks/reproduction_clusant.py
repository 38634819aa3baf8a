"""CluSanT's gain over SanText on court cases, by k and by the number of clusters: the heat maps of its paper.

Usage: reproduction_clusant.py [--record] [--paragraphs 80] [--seeds 3]

One vocabulary of the public place and organisation phrases (as the paper's, without the corpus's own spans, which
are private); gold LOC and ORG spans of the Text Anonymization Benchmark; one draw for each phrase of a paragraph. A
phrase that the vocabulary lacks starts from the nearest one. Scales are the paper's: ε/4 for the cluster,
ε/(4 · largest distance) for the token (at k = ∞ too), ε/2 for SanText. Laws are computed directly and not certified,
which over all these phrases would take many minutes for each of the settings. Gain: mean similarity after CluSanT
over that after SanText, less one. All settings share their uniform numbers; intervals resample paragraphs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from numpy.typing import NDArray
from recording import DATA, DOCS, table, written

from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.distances import Distance
from sfumato.types import FloatArray, IntArray
from sfumato.vocabularies import partition
from sfumato.vocabularies.load import embed

matplotlib.use("svg")
EPSILONS = (1.0, 8.0)
KS = (1.0, 8.0, 16.0, 32.0, 64.0, 128.0, math.inf)
CLUSTERS = (40, 180, 360, 720)
LONGEST = 600
RESAMPLES = 2000

Setting = tuple[float, int, float]
"""ε, number of clusters (0: SanText), k."""


@dataclass(frozen=True)
class Paragraph:
    """Text with the places of its gold spans; ``tokens`` are their phrases' numbers in the vocabulary."""

    text: str
    spans: tuple[tuple[int, int], ...]
    tokens: tuple[int, ...] = ()

    def phrases(self) -> list[str]:
        return [" ".join(self.text[a:b].lower().split()) for a, b in self.spans]

    def filled(self, names: Sequence[str]) -> str:
        """The text with ``names`` in place of its spans."""
        parts, end = [], 0
        for (a, b), name in zip(self.spans, names, strict=True):
            parts += [self.text[end:a], name]
            end = b
        return "".join([*parts, self.text[end:]])


def vocabulary() -> tuple[str, ...]:
    """The distinct phrases of both public lists, in lower case."""
    names: dict[str, None] = {}
    for name in ("LOC", "ORG"):
        groups = json.loads((DATA / "clusant" / "clusters" / "gpt-4" / f"{name}.json").read_text(encoding="utf-8"))
        names |= dict.fromkeys(" ".join(one.lower().split()) for group in groups.values() for one in group)
    return tuple(name for name in names if name)


def paragraphs(number: int) -> list[Paragraph]:
    """One paragraph with spans and of at most LONGEST characters from each of so many documents, by a fixed seed."""
    lines = (DATA / "tab" / "annotated.jsonl").read_text(encoding="utf-8").splitlines()
    draw, found = random.Random(0), []
    for document in draw.sample([json.loads(line) for line in lines], len(lines)):
        good, start = [], 0
        for text in document["text"].split("\n\n"):
            spans = _spans(document["entities"], start, start + len(text))
            if spans and len(text) <= LONGEST:
                good.append(Paragraph(text, spans))
            start += len(text) + 2
        if good:
            found.append(draw.choice(good))
    return found[:number]


def _spans(entities: list[dict[str, object]], first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Place and organisation spans between ``first`` and ``last``, from ``first`` on; never two that overlap."""
    kept: list[tuple[int, int]] = []
    for a, b in sorted(
        (int(str(one["start_offset"])), int(str(one["end_offset"])))
        for one in entities
        if one["entity_type"] in ("LOC", "ORG")
    ):
        if first <= a and b <= last and (not kept or a - first >= kept[-1][1]):
            kept.append((a - first, b - first))
    return tuple(kept)


class Laws:
    """The laws of both mechanisms at the paper's scales."""

    def __init__(self, vectors: FloatArray) -> None:
        self._vectors = vectors
        small = vectors.astype(np.float32)
        least = min(float((small[a : a + 2048] @ small.T).min()) for a in range(0, len(small), 2048))
        self.farthest = math.sqrt(2.0 - 2.0 * least)  # of unit vectors
        self._sets = {
            number: partition.flatten(partition.greedy(vectors, partition.sizes_for(len(vectors), number)))
            for number in CLUSTERS
        }
        self._centres = {}
        for number, (members, starts, _) in self._sets.items():
            means = np.add.reduceat(vectors[members], starts[:-1], axis=0) / np.diff(starts)[:, None]
            self._centres[number] = Distance().block(means, means)

    def draw(self, token: int, uniforms: FloatArray, settings: Sequence[Setting]) -> list[int]:
        """One draw for ``token`` at each setting, all from the same two ``uniforms``."""
        apart = Distance().block(self._vectors[[token]], self._vectors)[0]
        return [self._one(token, apart, uniforms, *setting) for setting in settings]

    def _one(self, token: int, apart: FloatArray, uniforms: FloatArray, epsilon: float, number: int, k: float) -> int:
        if not number:
            return _pick(-0.5 * epsilon * apart, uniforms[1])
        members, starts, cluster_of = self._sets[number]
        cluster = int(cluster_of[token])
        if math.isfinite(k):  # at infinity no cluster is ever left
            cluster = _pick(-0.25 * epsilon * k * self._centres[number][cluster], uniforms[0])
        inside: IntArray = members[starts[cluster] : starts[cluster + 1]]
        return int(inside[_pick(-0.25 * epsilon / max(1.0, self.farthest) * apart[inside], uniforms[1])])


def _pick(scores: FloatArray, uniform: float) -> int:
    """The place that ``uniform`` falls on under exp(``scores``)."""
    total = np.cumsum(np.exp(scores - scores.max()))
    return min(int(np.searchsorted(total, uniform * total[-1], side="right")), len(scores) - 1)


def similarities(
    given: Sequence[Paragraph], names: Sequence[str], laws: Laws, settings: Sequence[Setting], seeds: int
) -> FloatArray:
    """Cosine of original and sanitized paragraph, shape (settings, paragraphs), mean over ``seeds``."""
    encoder = SentenceEncoder()
    places: dict[str, int] = {}
    wanted: NDArray[np.int64] = np.empty((seeds, len(settings), len(given)), dtype=np.int64)
    for seed in range(seeds):
        draw = np.random.default_rng(seed)
        for number, one in enumerate(given):
            drawn = {token: laws.draw(token, draw.random(2), settings) for token in dict.fromkeys(one.tokens)}
            for row in range(len(settings)):
                text = one.filled([names[drawn[token][row]] for token in one.tokens])
                wanted[seed, row, number] = places.setdefault(text, len(places))
    print(f"{len(places):,} different texts to embed", flush=True)
    vectors, originals = encoder.encode(list(places)), encoder.encode([one.text for one in given])
    return np.asarray(np.einsum("srpd,pd->srp", vectors[wanted], originals).mean(axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paragraphs", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md, and the picture")
    asked = parser.parse_args()
    names, encoder = vocabulary(), SentenceEncoder()
    vectors = np.asarray(embed(names, encoder))
    laws = Laws(vectors)
    given, known = with_tokens(paragraphs(asked.paragraphs), names, vectors, encoder)
    settings = [(epsilon, 0, 1.0) for epsilon in EPSILONS]
    settings += [(epsilon, number, k) for epsilon in EPSILONS for number in CLUSTERS for k in KS]
    found = similarities(given, names, laws, settings, asked.seeds)
    rows = dict(zip(settings, found, strict=True))
    picked = np.random.default_rng(0).integers(0, len(given), (RESAMPLES, len(given)))
    gains = {one: gain(rows[one], rows[one[0], 0, 1.0], picked) for one in settings if one[1]}
    if asked.record:
        heat_maps(gains)
    spans = sum(len(one.tokens) for one in given)
    text = report(gains, rows, f"{len(given)} paragraphs with {spans} spans, {asked.seeds} seeds", known, len(names))
    written("clusant", text, asked.record, page="reproduction.md")


def with_tokens(
    given: Sequence[Paragraph], names: Sequence[str], vectors: FloatArray, encoder: SentenceEncoder
) -> tuple[list[Paragraph], float]:
    """The paragraphs with the vocabulary's number for each span, and the share of spans it holds literally."""
    phrases = sorted({phrase for one in given for phrase in one.phrases()})
    nearest = np.argmin(Distance().block(encoder.encode(phrases), vectors), axis=1)
    place = {name: number for number, name in enumerate(names)}
    token = {phrase: place.get(phrase, int(near)) for phrase, near in zip(phrases, nearest, strict=True)}
    marked = [phrase for one in given for phrase in one.phrases()]
    share = sum(phrase in place for phrase in marked) / len(marked)
    return [Paragraph(one.text, one.spans, tuple(token[name] for name in one.phrases())) for one in given], share


def gain(ours: FloatArray, base: FloatArray, picked: IntArray) -> tuple[float, float, float]:
    """Gain in percent over ``base``, and its 95 % interval."""
    many = 100.0 * (ours[picked].mean(axis=1) / base[picked].mean(axis=1) - 1.0)
    low, high = np.quantile(many, [0.025, 0.975])
    return 100.0 * (float(ours.mean() / base.mean()) - 1.0), float(low), float(high)


def rising(gains: dict[Setting, tuple[float, float, float]], epsilon: float, slack: float = 0.25) -> tuple[str, str]:
    """In how many steps the gain rises, or falls by at most ``slack`` points: to the next k, and to more clusters."""

    def count(steps: list[tuple[Setting, Setting]]) -> str:
        good = sum(gains[after][0] >= gains[before][0] - slack for before, after in steps)
        return f"{good} of {len(steps)}"

    by_k = [((epsilon, n, a), (epsilon, n, b)) for n in CLUSTERS for a, b in itertools.pairwise(KS)]
    by_n = [((epsilon, a, k), (epsilon, b, k)) for k in KS for a, b in itertools.pairwise(CLUSTERS)]
    return count(by_k), count(by_n)


def means(gains: dict[Setting, tuple[float, float, float]], epsilon: float) -> str:
    """The mean gain by k, over all numbers of clusters, and by number of clusters, over all k."""
    by_k = ", ".join(f"{np.mean([gains[epsilon, n, k][0] for n in CLUSTERS]):+.1f}" for k in KS)
    by_n = ", ".join(f"{np.mean([gains[epsilon, n, k][0] for k in KS]):+.1f}" for n in CLUSTERS)
    return f"Means by k, left to right: {by_k}; by clusters, top to bottom: {by_n}."


def named(k: float) -> str:
    return "∞" if math.isinf(k) else f"{k:g}"


def report(
    gains: dict[Setting, tuple[float, float, float]],
    rows: dict[Setting, FloatArray],
    sample: str,
    known: float,
    phrases: int,
) -> str:
    """Tables, picture and what they say."""
    parts = [
        f"`python benchmarks/reproduction_clusant.py`. {sample}; {phrases:,} phrases, which hold {known:.0%} of the "
        "spans literally. Gain in mean similarity over SanText in percent, with its 95 % interval.",
        "![Gain in similarity over SanText by k and number of clusters](images/clusant-gain.svg)",
    ]
    for epsilon in EPSILONS:
        lines: list[list[object]] = [
            [n, *("{:+.1f} [{:+.1f}, {:+.1f}]".format(*gains[epsilon, n, k]) for k in KS)] for n in CLUSTERS
        ]
        base, (by_k, by_n) = float(rows[epsilon, 0, 1.0].mean()), rising(gains, epsilon)
        parts += [
            f"ε = {epsilon:g} (SanText's mean similarity {base:.3f}):",
            table(["clusters", *(f"k = {named(k)}" for k in KS)], lines),
            f"The gain rises, or falls by at most a quarter of a point, in {by_k} steps to the next k and in {by_n} "
            f"steps to more clusters. {means(gains, epsilon)}",
        ]
    best = max(gains, key=lambda one: gains[one][0])
    top = f"{gains[best][0]:+.1f} %, at ε = {best[0]:g}, {best[1]} clusters and k = {named(best[2])}"
    return "\n\n".join([*parts, WHY.format(top=top)])


WHY = """**The paper** shows its figures as pictures. Its text states the trend: similarity rises with k and with
the number of
clusters at every ε, and gains most over SanText at ε = 8 with 720 clusters. **Our** largest gain is
{top}. What differs:

- **Scales.** Ours are those of the paper's text: half the budget for the cluster, half for the token. Its published
  program spends the whole ε on each, so its k of 16 is our k of 32, and it stretches distances in a cluster. Our law
  is nearly uniform inside a cluster. So once k keeps a draw in its cluster, only smaller clusters bring it closer, at
  any ε. At ε = 8 that happens from k = 16 on, so those columns do not change; at ε = 1 it takes a k of about 64.
- **Vocabulary.** The paper adds the corpus's own spans to it. Those are the private text, so they are left out here.
  A span that the lists lack starts from the nearest phrase, which costs all mechanisms alike.
- **Text.** These are paragraphs with a span, not whole documents, in which few words in a hundred change.
- **Chance.** A gain rests on a few hundred draws; the intervals say whether neighbouring cells differ.
- **k = ∞** is the CusText extreme: it never leaves the cluster, and protects inside the cluster only. A larger k pays
  for similarity in the same way: ε holds per unit of a distance that k stretches. Nothing here is certified."""


def heat_maps(gains: dict[Setting, tuple[float, float, float]]) -> None:
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "clusant"
    figure, both = plt.subplots(1, len(EPSILONS), figsize=(11, 3.4), layout="constrained")
    values = {e: np.array([[gains[e, n, k][0] for k in KS] for n in CLUSTERS]) for e in EPSILONS}
    for axes, epsilon in zip(both, EPSILONS, strict=True):
        shown = values[epsilon]
        image = axes.imshow(shown, cmap="viridis", aspect="auto")
        middle = 0.5 * (shown.min() + shown.max())
        for (row, column), one in np.ndenumerate(shown):
            dark = "white" if one < middle else "black"
            axes.text(column, row, f"{one:+.1f}", ha="center", va="center", color=dark, fontsize=9)
        axes.set(xticks=range(len(KS)), yticks=range(len(CLUSTERS)), xlabel="k", ylabel="clusters")
        axes.set_xticklabels([named(k) for k in KS])
        axes.set_yticklabels([str(number) for number in CLUSTERS])
        axes.set_title(f"ε = {epsilon:g}: gain in similarity over SanText, percent", fontsize=10)
        figure.colorbar(image, ax=axes)
    (DOCS / "images").mkdir(exist_ok=True)
    figure.savefig(DOCS / "images" / "clusant-gain.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

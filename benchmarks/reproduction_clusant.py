"""CluSanT's gain over SanText on court cases, by k and by the number of clusters: the heat maps of its paper.

Usage: reproduction_clusant.py FOLDER [--record] [--paragraphs 40] [--seeds 3]

Three families of laws, all drawn by the shipped classes: CluSanT at the scales of the paper's text; CluSanT at those
of the published program (the whole ε in each step, distances stretched inside the chosen cluster), which is
token_distance stretched at 2ε; and CusText at ε, the paper's k = ∞. Gain: mean similarity over that of SanText at
ε, less one. All draws share their uniform numbers; intervals resample paragraphs. A certificate over all phrases
would take minutes for each of some 200 laws, so the grid takes the scales of paper calibration without one, and what
the two families spend is certified on fewer phrases.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from clusant_cases import Paragraph, paragraphs, vocabulary, with_tokens
from clusant_report import report
from numpy.typing import NDArray
from recording import Cells, models, written

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.mechanisms._clusant_geometry import Conditions, TokenDistance
from sfumato.mechanisms.clusant import CluSanT
from sfumato.mechanisms.custext import CusText
from sfumato.mechanisms.santext import SanText
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.types import FloatArray
from sfumato.vocabularies.load import embed

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
KS = (1.0, 16.0, 64.0, math.inf)
CLUSTERS = (40, 180, 360, 720)
CERTIFIED, IN_A_CLUSTER = 2000, 52  # phrases of the certificates, and how many a cluster has (those of 720 clusters)


class AtItsScale(SanText):
    """SanText at the paper's scale, without the certificate."""

    @cached_property
    def scale(self) -> float:
        return 0.5 * self.epsilon


@dataclass(frozen=True, eq=False)
class AtItsScales(CluSanT):
    """CluSanT at the scales of paper calibration, without the certificate; ``farthest`` is the largest distance."""

    farthest: float = 2.0

    @cached_property
    def scales(self) -> tuple[float, float]:
        vars(self._scaling)["conditions"] = Conditions(False, False, self.farthest, math.nan)
        return self._scaling.paper


@dataclass(frozen=True)
class Shared:
    """The random numbers of n draws, the same for every law."""

    fractions: FloatArray
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, seed: int, draws: int) -> Shared:
        source = np.random.default_rng(seed)
        return cls(1.0 - source.random((draws, 2)), source.integers(0, 2**64, (draws, 2), dtype=np.uint64))

    def __call__(self, width: int) -> FloatArray:
        return self.fractions[:, :width]

    def words(self, width: int) -> NDArray[np.uint64]:
        return self.bits[:, :width]


@dataclass
class Texts:
    """Sanitized paragraphs and how similar they are to the originals; a text is embedded once."""

    given: Sequence[Paragraph]
    names: Sequence[str]
    seeds: int
    encoder: SentenceEncoder = field(default_factory=SentenceEncoder)
    vectors: dict[str, FloatArray] = field(default_factory=dict)

    @cached_property
    def originals(self) -> FloatArray:
        return np.asarray(self.encoder.encode([paragraph.text for paragraph in self.given]))

    def sanitized(self, law: Mechanism) -> list[list[str]]:
        """Return every paragraph by ``law``, for every seed; equal phrases of a paragraph share a draw."""
        tokens = [tuple(dict.fromkeys(paragraph.tokens)) for paragraph in self.given]
        flat = np.array(list(itertools.chain(*tokens)), dtype=np.int64)
        texts = []
        for seed in range(self.seeds):
            drawn = iter(law.draw(flat, Shared.of(seed, len(flat))).tolist())
            maps = [{token: self.names[next(drawn)] for token in each} for each in tokens]
            pairs = zip(self.given, maps, strict=True)
            texts.append([paragraph.filled([to[token] for token in paragraph.tokens]) for paragraph, to in pairs])
        return texts

    def similarities(self, law: Mechanism) -> list[float]:
        """Return the cosine of each paragraph and its sanitized text, the mean over seeds."""
        texts = self.sanitized(law)
        new = [text for text in dict.fromkeys(itertools.chain(*texts)) if text not in self.vectors]
        self.vectors.update(zip(new, np.asarray(self.encoder.encode(new)), strict=True) if new else ())
        rows = [[self.vectors[text] @ original for text, original in zip(each, self.originals, strict=True)]
                for each in texts]  # fmt: skip
        return [round(float(mean), 6) for mean in np.mean(rows, axis=0)]


def cells_of(numbers: Sequence[int]) -> Iterator[tuple[str, int, float]]:
    """Yield every cell: family, number of clusters and k. The largest ``numbers`` of clusters and k come first."""
    yield "santext", 0, 0.0
    for number in sorted(numbers, reverse=True):
        yield "custext", number, math.inf
        yield from ((family, number, k) for k in KS[-2::-1] for family in ("program", "paper"))


def laws(words: Vocabulary, family: str, number: int, k: float, farthest: float) -> Iterator[tuple[float, Mechanism]]:
    """Yield the law of a cell at every ε. All laws of a cell share what does not depend on ε."""
    whole, shared = 2.0 if family == "program" else 1.0, ("_sets", "_members", "_ranks", "_geometry")
    if family == "santext":
        first, shared = AtItsScale(words, 1.0, "paper"), ()
    elif family == "custext":
        first, shared = CusText(words, 1.0, "paper", set_size=round(len(words) / number)), ("_sets", "penalties")
    else:
        distance: TokenDistance = "stretched" if family == "program" else "plain"
        first = AtItsScales(words, 1.0, "paper", k=k, clusters=number, token_distance=distance, farthest=farthest)
    public = {name: getattr(first, name) for name in shared}
    for epsilon in EPSILONS:
        made = replace(first, epsilon=whole * epsilon)
        vars(made).update(public)
        yield epsilon, made


def farthest_of(vectors: FloatArray) -> float:
    """Return the largest distance between unit ``vectors`` (V, D)."""
    small = vectors.astype(np.float32)
    least = min(float((small[first : first + 2048] @ small.T).min()) for first in range(0, len(small), 2048))
    return math.sqrt(2.0 - 2.0 * least)


def spent(words: Vocabulary, family: str, epsilon: float, k: float) -> dict[str, object]:
    """Return the exact loss per unit of d_c of a ``family`` at ``epsilon``, on a part of the phrases."""
    program = family == "program"
    chosen = np.sort(np.random.default_rng(0).choice(len(words), CERTIFIED, replace=False))
    part = Vocabulary(tuple(words.tokens[place] for place in chosen), words.vectors[chosen], "a part of the phrases")
    made = CluSanT(
        part, epsilon * (2.0 if program else 1.0), calibration="paper", k=k, set_size=IN_A_CLUSTER,
        token_distance="stretched" if program else "plain",
    )  # fmt: skip
    worst = made._scaling.loss().worst(1.0)
    return {"loss": float(worst.loss), "exact": bool(worst.exact)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where finished cells are kept")
    parser.add_argument("--paragraphs", type=int, default=40)
    parser.add_argument("--clusters", type=int, nargs="+", default=CLUSTERS, help="how many clusters")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md, and the pictures")
    asked = parser.parse_args()
    names, encoder = vocabulary(), SentenceEncoder()
    words = Vocabulary(names, np.asarray(embed(names, encoder)), "public phrases")
    given, known = with_tokens(paragraphs(asked.paragraphs), names, words.vectors, encoder)
    texts = Texts(given, names, asked.seeds, encoder)
    cells = Cells(asked.folder, "clusant", models("encoder"))
    sizes = {"paragraphs": len(given), "seeds": asked.seeds}
    farthest = cells.get(lambda: farthest_of(words.vectors), law="farthest", phrases=len(names))
    rows: dict[tuple[str, float], dict[str, list[float]]] = {}
    for family, number, k in cells_of(asked.clusters):

        def compute(family: str = family, number: int = number, k: float = k) -> dict[str, list[float]]:
            return {
                str(epsilon): texts.similarities(law) for epsilon, law in laws(words, family, number, k, farthest)
            }

        found = cells.get(compute, family=family, clusters=number, k=str(k), **sizes)
        for epsilon in EPSILONS:
            rows.setdefault((family, epsilon), {})[f"{number} {k:g}" if number else ""] = found[str(epsilon)]
    losses = {
        (family, epsilon, k): cells.get(
            lambda family=family, epsilon=epsilon, k=k: spent(words, family, epsilon, k),
            loss=family, epsilon=epsilon, k=k, phrases=CERTIFIED,
        )
        for family, epsilon, k in itertools.product(("paper", "program"), (1.0, 8.0, 16.0), (16.0,))
    }  # fmt: skip
    spans = sum(len(paragraph.tokens) for paragraph in given)
    sample = f"{len(given)} paragraphs with {spans} spans, {asked.seeds} seeds; {len(names):,} phrases, which hold " \
             f"{known:.0%} of the spans literally"  # fmt: skip
    text = report(rows, losses, sample, farthest, CERTIFIED, asked.record)
    written("clusant", f"{text}\n\n{cells.described}", asked.record, page="reproduction.md")


if __name__ == "__main__":
    main()

"""How many queries identify a token: Table 2 of the CusText paper, for CusText (K = 20) and SanText.

Usage: reproduction_queries.py FOLDER [--glove GLOVE.txt] [--record]

CusText's sets depend on the token one starts with. The paper leaves the order open; here tokens come in the order of
their frequency in SST-2 (train and dev), the corpus of the paper's table, and then in the order of the vector file.

The paper's text divides a distance by the spread inside the whole set of K tokens. Its figures are met when each
input's distances are divided by their own spread. Both are ε-LDP at scale ε/2 (scores stay within [0, 1]); the
mechanism of this package does what the text says. Both are tabulated.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from custext_tasks import glove
from recording import DATA, models, named, table, written

from sfumato import Vocabulary
from sfumato.attacks.token_attacks import queries
from sfumato.mechanisms.custext import CusText
from sfumato.mechanisms.santext import SanText
from sfumato.privacy.distances import Distance
from sfumato.privacy.guarantee import Calibration

TOKENS = ("she", "car", "alice", "happy")
CUSTEXT = {1.0: (1000, 1220, 1190, 1490), 2.0: (200, 250, 240, 290), 3.0: (80, 90, 100, 110), 8.0: (5, 6, 6, 8)}
SANTEXT = {1.0: (2350, 1300, 1550, 3200), 2.0: (35, 14, 20, 55), 3.0: (4, 1, 3, 4)}
"""What the paper's Table 2 says, by ε, for TOKENS (GloVe vectors)."""

BAND = 1.5


def frequent(vocabulary: Vocabulary) -> list[int]:
    """The tokens of ``vocabulary`` that SST-2 holds, most frequent first."""
    counts: Counter[str] = Counter()
    for name in ("train.tsv", "dev.tsv"):
        lines = (DATA / "sst2" / name).read_text(encoding="utf-8").split("\n")[1:]
        counts.update(word for line in lines for word in line.split("\t")[0].split())
    return [index for word, _ in counts.most_common() if (index := vocabulary.find(word)) is not None]


def chosen(vocabulary: Vocabulary, order: Sequence[int], about: str) -> Vocabulary:
    """The tokens ``order`` of ``vocabulary``, in that order."""
    tokens = tuple(vocabulary.tokens[index] for index in order)
    return Vocabulary(tokens, np.array(vocabulary.vectors[list(order)]), f"{vocabulary.provenance}, {about}")


def index_of(vocabulary: Vocabulary, token: str) -> int:
    found = vocabulary.find(token)
    if found is None:
        raise SystemExit(f"The vector file lacks {token!r}.")
    return found


def custext_row(vocabulary: Vocabulary, mechanism: CusText, epsilon: float, how: Calibration | None) -> list[float]:
    """Queries for TOKENS; ``how`` None divides by each input's own spread. ``mechanism`` has the sets."""
    if how == "exact":
        mechanism = CusText(vocabulary, epsilon, how, set_size=20)
    found = []
    for token in (index_of(vocabulary, word) for word in TOKENS):
        members = mechanism.members(token)
        if how == "exact":
            weights = mechanism.law(token)[members]
        else:
            number = int(mechanism.set_of[token])
            penalties = mechanism.penalties[number][int(np.flatnonzero(members == token)[0])]
            weights = np.exp(-0.5 * epsilon * penalties / (np.ptp(penalties) if how is None else 1.0))
        found.append(queries(weights / weights.sum(), int(np.flatnonzero(members == token)[0])))
    return found


def santext_row(vocabulary: Vocabulary, epsilon: float, calibration: Calibration) -> list[float]:
    """Queries for TOKENS. At the paper's scale the law is ε/2 times the distance, which needs no certificate."""
    if calibration == "exact":
        mechanism = SanText(vocabulary, epsilon, "exact")
        return [queries(mechanism.law(index := index_of(vocabulary, word)), index) for word in TOKENS]
    found = []
    for index in (index_of(vocabulary, word) for word in TOKENS):
        weights = np.exp(-0.5 * epsilon * Distance().block(vocabulary.vectors[[index]], vocabulary.vectors)[0])
        found.append(queries(weights / weights.sum(), index))
    return found


def cells(found: Iterable[float], paper: Sequence[int]) -> list[object]:
    return [f"{number:,.0f} ({number / theirs:.2f})" for number, theirs in zip(found, paper, strict=True)]


def lines(
    name: str, paper: Mapping[float, tuple[int, ...]], ours: dict[str, dict[float, list[float]]]
) -> list[list[object]]:
    """The paper's row of every ε, then ours, each with its ratio to the paper's."""
    rows: list[list[object]] = []
    for epsilon, theirs in paper.items():
        rows.append([f"{name}, {epsilon:g}", "the paper", *(f"{number:,}" for number in theirs)])
        rows.extend(["", how, *cells(found[epsilon], theirs)] for how, found in ours.items())
    return rows


def within(ours: dict[float, list[float]], paper: Mapping[float, tuple[int, ...]]) -> str:
    """How many of the figures are within BAND of the paper's, and the smallest and largest ratio."""
    ratios = [
        one / theirs for epsilon, found in ours.items() for one, theirs in zip(found, paper[epsilon], strict=True)
    ]
    good = sum(1 / BAND <= ratio <= BAND for ratio in ratios)
    return f"{good} of {len(ratios)} within a factor of {BAND:g} (ratios {min(ratios):.2f} to {max(ratios):.2f})"


TEXT = """`python benchmarks/reproduction_queries.py FOLDER`. The table gives the smallest number of draws of one
token after which the most frequent output is the token itself, with 95 % confidence (the paper's definition).
Parentheses hold our number divided by the paper's. Numbers are simulated from the exact law, to about 5 %.

{table}

Against the paper's figures for CusText:

{sums}

and for SanText:

{more}

Why they differ:

- **Where the paper's CusText figures come from.** Its text divides distances by the spread inside the set of 20, as
  `custext` does. Its figures are reproduced when each input's distances are divided by their own spread, as in its
  published program. Then an input's farthest output always scores worst, the token itself is more prominent, and
  fewer queries are enough. Both are ε-LDP at scale ε/2; the text's version gives the attacker less at that scale.
- **Exact calibration** raises each set's scale until its loss is ε, at most to twice the paper's. The paper's scale
  uses only part of the stated ε. With the exact scale the guarantee is the same, an attacker needs fewer queries, and
  the text is closer to the original. Compare mechanisms at the same calibration only.
- **Vocabulary.** The paper uses 65,713 words of GloVe; this vector file has {words:,}. This decides which words
  share a set. The sets are built from SST-2's most frequent words on, as in the published program.
- **SanText.** The number of outputs is decisive. The paper names its 65,713 words for every mechanism, but its
  figures are near ours with the {corpus_words:,} words of SST-2 that have a vector here. With all {words:,}
  words, more outputs compete and more queries are needed, so its own list was probably short too. Exact
  calibration at most doubles the scale.

For the paper's figures to come out: CusText's do, if each input's distances are divided by their own spread, and
SanText's do with the words of SST-2 alone. Both are rows above."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where glove.txt is looked for")
    parser.add_argument("--glove", type=Path, help="word vectors; glove.txt of the folder by default")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    place, plain = glove(given.folder, given.glove)
    seen = frequent(plain)
    others = sorted(set(range(len(plain))) - set(seen))
    whole, corpus = chosen(plain, [*seen, *others], "SST-2 first"), chosen(plain, seen, "words of SST-2")
    base = CusText(whole, 1.0, "paper", set_size=20)
    custext = {
        "by each input's spread, scale ε/2": {one: custext_row(whole, base, one, None) for one in CUSTEXT},
        "by the set's spread, scale ε/2 (`paper`)": {one: custext_row(whole, base, one, "paper") for one in CUSTEXT},
        "by the set's spread, `exact`": {one: custext_row(whole, base, one, "exact") for one in CUSTEXT},
    }
    santext = {
        "SST-2's words, scale ε/2 (`paper`)": {one: santext_row(corpus, one, "paper") for one in SANTEXT},
        "all words, scale ε/2 (`paper`)": {one: santext_row(whole, one, "paper") for one in SANTEXT},
        "SST-2's words, `exact`": {one: santext_row(corpus, one, "exact") for one in SANTEXT},
    }
    rows = lines("CusText", CUSTEXT, custext) + lines("SanText", SANTEXT, santext)
    sums = [f"- {name}: {within(found, CUSTEXT)}" for name, found in custext.items()]
    more = [f"- {name}: {within(found, SANTEXT)}" for name, found in santext.items()]
    text = TEXT.format(
        table=table(["mechanism, ε", "distances divided, scale", *TOKENS], rows),
        sums="\n".join(sums), more="\n".join(more),
        words=len(plain), corpus_words=len(seen),
    )  # fmt: skip
    told = f"{text}\n\n{named(models(vectors=place))} {time.process_time() / 60:.0f} CPU minutes."
    written("queries", told, given.record, page="reproduction.md")


if __name__ == "__main__":
    main()

"""Utility of text that CusText and others sanitized: Table 1 of the CusText paper, and the accuracy of its Table 2.

Usage: reproduction_custext.py FOLDER [--glove GLOVE.txt] [--record]

Tasks, classifier and treatment of unknown words: custext_tasks.py. All laws are those of the shipped mechanisms, at
the paper's scale, and CusText's also at the exact one. The ε of a metric guarantee is divided by the largest distance
between two words of its vocabulary, as in the paper. FBDD and SanText work on the words of the tasks' texts (more
words would cost hours and say the same), CusText on all words of the vector file, in its order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from counter_fitting import counter_fitted, simlex
from custext_tasks import (
    SIZES,
    Score,
    Task,
    diameter,
    glove,
    hits,
    kept_share,
    sanitized,
    score,
    stop_words,
    task,
    words_used,
)  # fmt: skip
from recording import Cells, models, table, written

from sfumato import Vocabulary
from sfumato.abstract.mechanism import Mechanism
from sfumato.mechanisms.custext import CusText
from sfumato.mechanisms.custext_plus import CusTextPlus
from sfumato.mechanisms.fbdd import FBDD
from sfumato.mechanisms.santext import SanText
from sfumato.mechanisms.santext_plus import SanTextPlus
from sfumato.models.encoders.sentence import SentenceEncoder

EPSILONS = (1.0, 2.0, 3.0)
PAPER: Mapping[str, tuple[str, ...]] = {
    "original": (".9050", ".9096", ".7598"),
    "random": (".5014", ".5037", ".0382"),
    "fbdd": (".5022 .5041 .5032", ".5021 .5152 .5368", ".0321 .0368 .0411"),
    "santext": (".5014 .4827 .5091", ".5304 .5302 .5357", ".0850 .1673 .1124"),
    "custext": (".6985 .7172 .7029", ".6926 .6884 .7133", ".4957 .5112 .5242"),
    "santext+": (".7211 .7446 .7260", ".7607 .7636 .7493", ".4143 .4271 .5423"),
    "custext+": (".7501 .7452 .7683", ".7528 .7602 .7740", ".6172 .6316 .6213"),
}
"""The paper's Table 1: SST-2, QNLI, MedSTS, at the three ε."""
ACCURACY = {
    "santext": {1.0: 0.4959, 2.0: 0.5799, 3.0: 0.7958},
    "custext": {1.0: 0.6985, 2.0: 0.7172, 3.0: 0.7029, 8.0: 0.8155},
    "custext, counter-fitted": {1.0: 0.7117, 2.0: 0.7370, 3.0: 0.7298, 8.0: 0.7957},
}
"""The accuracy on SST-2 that the paper's Table 2 gives beside its queries; SanText's ε is per unit of distance."""

Value = dict[str, float | list[float]]


class Played:
    """Every cell of both tables, computed when first asked."""

    def __init__(self, folder: Path, place: Path, words: Vocabulary) -> None:
        self.folder, self.words = folder, words
        self.tasks = {name: task(name) for name in SIZES}
        self.used = words_used(words, list(self.tasks.values()))
        self.farthest = diameter(self.used)
        self.cells = Cells(folder, "custext", models("encoder", vectors=place))
        self.encoder = SentenceEncoder()
        self._made: tuple[str, float, Mechanism] | None = None

    def fitted(self) -> Vocabulary:
        return counter_fitted(self.words, self.folder)

    def mechanism(self, name: str, epsilon: float) -> Mechanism:
        """The mechanism of a row at the ε of its column."""
        metric = epsilon / self.farthest
        makers: Mapping[str, Callable[[], Mechanism]] = {
            "fbdd": lambda: FBDD(self.used, metric, "paper"),
            "santext": lambda: SanText(self.used, metric, "paper"),
            "santext+": lambda: SanTextPlus(self.used, metric, "paper"),
            "santext, per unit": lambda: SanText(self.used, epsilon, "paper"),
            "custext": lambda: CusText(self.words, epsilon, "paper"),
            "custext, exact": lambda: CusText(self.words, epsilon, "exact"),
            "custext+": lambda: CusTextPlus(self.words, epsilon, "paper", stop_words=stop_words()),
            "custext, counter-fitted": lambda: CusText(self.fitted(), epsilon, "paper", similarity="cosine"),
        }
        if self._made is None or self._made[:2] != (name, epsilon):  # the tasks of one cell share its sets and laws
            self._made = name, epsilon, makers[name]()
        return self._made[2]

    def score(self, name: str, epsilon: float, given: str) -> tuple[Score, float]:
        """The measure of a task, taught and tried on text sanitized by a row's mechanism; and the share it kept."""
        own = self.tasks[given]
        cell = {"task": given, "sizes": SIZES[given], "mechanism": name, "epsilon": epsilon, "seed": 1}
        value = self.cells.get(lambda: self._value(name, epsilon, own), **cell)
        return score(list(zip(value["said"], value["labels"], strict=True)), own.numeric), float(value["kept"])

    def _value(self, name: str, epsilon: float, own: Task) -> Value:
        texts = own.texts()
        released = texts if name == "original" else sanitized(self.mechanism(name, epsilon), texts, seed=1)
        said = hits(own, released, self.encoder)
        return {
            "said": [round(guess, 4) for guess, _ in said],
            "labels": [label for _, label in said],
            "kept": kept_share(texts, released),
        }

    def changed(self, cause: str, name: str) -> tuple[Score, float]:
        """SST-2's accuracy of a row at ε 3 where a supposed cause of the difference is changed, and what stayed."""
        more = cause == "records"
        own = task("SST-2", taught=MORE) if more else self.tasks["SST-2"]

        def value() -> Value:
            if name == "original" or more:
                return self._value(name, 3.0, own)
            kept = np.random.default_rng(0).random(len(self.words)) < 0.5
            places = dict(zip(self.words.tokens, kept.tolist(), strict=True))
            half = self.words.subset(lambda token: places[token])[0]
            texts = own.texts()
            released = sanitized(CusText(half, 3.0, "paper"), texts, seed=1)
            said = hits(own, released, self.encoder)
            return {
                "said": [guess for guess, _ in said],
                "labels": [label for _, label in said],
                "kept": kept_share(texts, released),
            }

        told = self.cells.get(
            value, cause=cause, mechanism=name, epsilon=3.0, taught=len(own.taught), seed=1, parts=2
        )
        return score(list(zip(told["said"], told["labels"], strict=True)), numeric=False), float(told["kept"])


MORE = 6000
"""How many records teach where their number is tested as a cause."""
ROWS = ("original", "fbdd", "santext", "custext", "custext, exact", "santext+", "custext+")


def lines(played: Played, tasks: Sequence[str]) -> list[list[object]]:
    """Table 1: the paper's figures above ours, those of the paper's tasks in the columns of their stand-ins."""
    rows: list[list[object]] = []
    for name in ROWS:
        if name in PAPER:
            theirs = dict(zip(SIZES, PAPER[name], strict=True))
            rows.append([name, "the paper", *(" / ".join(theirs[given].split()) for given in tasks), ""])
        for epsilon in EPSILONS if name != "original" else (0.0,):
            found = [played.score(name, epsilon, given) for given in tasks]
            kept = ", ".join(f"{share:.0%}" for _, share in found)
            label = f"ε {epsilon:g}" if epsilon else "ours"
            rows.append(["" if name in PAPER else name, label, *(own for own, _ in found), kept])
    return rows


def orders(played: Played, tasks: Sequence[str]) -> list[str]:
    """How often one mechanism is ahead of another, for the orders that the paper's table shows."""
    told = []
    for better, worse in (("custext", "santext"), ("custext, exact", "custext"), ("custext+", "custext"),
                          ("santext+", "santext"), ("custext+", "santext+")):  # fmt: skip
        pairs = [
            (played.score(better, epsilon, given)[0], played.score(worse, epsilon, given)[0])
            for given in tasks
            for epsilon in EPSILONS
        ]
        ahead = sum(first.low > second.high for first, second in pairs)
        behind = sum(first.high < second.low for first, second in pairs)
        mean = sum(first.value - second.value for first, second in pairs) / len(pairs)
        told.append(
            f"- {better} against {worse}: {mean:+.3f} on average; intervals apart in {ahead + behind} of "
            f"{len(pairs)} cells, {ahead} of them with {better} ahead"
        )
    return told


def accuracies(played: Played) -> list[list[object]]:
    """The last line of Table 2, paper and ours."""
    rows: list[list[object]] = []
    for name, theirs in ACCURACY.items():
        for epsilon, figure in theirs.items():
            row = "santext, per unit" if name == "santext" else name
            found, kept = played.score(row, epsilon, "SST-2")
            rows.append([row, f"{epsilon:g}", f"{figure:.3f}", found, f"{kept:.0%}"])
    return rows


TABLE_1 = """`python benchmarks/reproduction_custext.py FOLDER`. Accuracy (STS-B: Pearson's correlation), taught and
tried on sanitized text, with the 95 % interval over the records that try, and the share of words that stayed. The
paper's rows give its figures at ε 1 / 2 / 3: those of QNLI in the column RTE, of MedSTS in the column STS-B.

{table}

Records that teach and try: {sizes}. One draw a text, seed 1, so that the intervals leave out what another draw of the
text that teaches would change.

{orders}

Why they differ:

- **Classifier.** The paper tunes BERT on all its records; ours is a logistic regression (STS-B: ridge) on vectors of
  the embedded MiniLM, from a few hundred records. The rows "original" show what that costs. Tested with {more:,}
  records that teach on SST-2: the texts as they are give {plain_more}, custext at ε 3 {custext_more} (above:
  {plain} and {custext}). Not tested with BERT, which is not here.
- **Calibration.** At the paper's scale a law uses a part of the stated ε; the row "custext, exact" is the same
  guarantee without that loss.
- **Vocabulary.** {words:,} GloVe words in place of 65,713. FBDD and SanText draw among the {used:,} of them that the
  texts hold, of which the two farthest are {farthest:.1f} apart. Words without a vector stay, as in the paper. Tested
  with a random half of the words: custext at ε 3 then gives {half} on SST-2, where {half_kept:.0%} of
  the words stay, as those that this half lacks do (above: {custext_kept:.0%}).
- **SanText+** keeps frequent words by a public list; the paper's program counts them in the text itself, for which
  no guarantee holds. So it is not played.
- **Tasks.** QNLI is not here and MedSTS is not public.

**For the paper's figures to come out** a tuned BERT would have to learn from tens of thousands of records; that is
not tested here."""

TABLE_2 = """`python benchmarks/reproduction_custext.py FOLDER`. The accuracy on SST-2 that the paper's Table 2 gives
beside its queries; classifier and sizes are those of the section above.

{table}

SanText's ε is here per unit of distance, as in that table. Counter-fitted vectors are fitted from GloVe's and the
public constraints (Spearman's correlation with SimLex-999 {before:.2f} before and {after:.2f} after, of {pairs}
pairs), because the published vectors are not here; their similarity is the cosine.

**For the paper's figures to come out** see the section above: its classifier is a tuned BERT."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where results are kept, so that a stopped run resumes")
    parser.add_argument("--glove", type=Path, help="word vectors; glove.txt of the folder by default")
    parser.add_argument("--tasks", nargs="+", default=list(SIZES), choices=list(SIZES), help="all by default")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    played = Played(given.folder, *glove(given.folder, given.glove))
    custext, custext_kept = played.score("custext", 3.0, "SST-2")
    half, half_kept = played.changed("words", "custext")
    first = TABLE_1.format(
        table=table(["mechanism", "", *given.tasks, "stayed"], lines(played, given.tasks)),
        sizes="; ".join(f"{name} {taught:,} and {tried:,}" for name, (taught, tried) in SIZES.items()),
        orders="\n".join(orders(played, given.tasks)),
        words=len(played.words), used=len(played.used), farthest=played.farthest,
        more=MORE, plain_more=played.changed("records", "original")[0],
        custext_more=played.changed("records", "custext")[0],
        plain=played.score("original", 0.0, "SST-2")[0], custext=custext, custext_kept=custext_kept,
        half=half, half_kept=half_kept,
    )  # fmt: skip
    written("custext", f"{first}\n\n{played.cells.described}", given.record, page="reproduction.md")
    rows = accuracies(played)
    (before, pairs), (after, _) = simlex(played.words), simlex(played.fitted())
    second = TABLE_2.format(
        table=table(["mechanism", "ε", "the paper", "ours", "stayed"], rows), before=before, after=after, pairs=pairs
    )
    written("custext-accuracy", f"{second}\n\n{played.cells.described}", given.record, page="reproduction.md")


if __name__ == "__main__":
    main()

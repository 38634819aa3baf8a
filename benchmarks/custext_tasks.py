"""The tasks of the CusText paper's tables: sanitized text to learn from, sanitized text to be tried on.

SST-2 is the paper's. RTE stands in for QNLI and STS-B for MedSTS, which are not here. Words are replaced by draws of
the mechanisms that ship; words that the vectors lack stay, as in the paper (a product's engine never lets them
through, but then no table of the paper could be met). The paper tunes BERT; here a logistic regression (for STS-B: a
ridge regression) learns from MiniLM vectors, for two sentences from both, their differences and their products.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from recording import DATA

from sfumato import Vocabulary, load_vocabulary
from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.attribute_inference import EmbeddingClassifier
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.distances import Distance
from sfumato.privacy.randomness import RandomDraws, SeededRandomness

SIZES = {"SST-2": (1000, 600), "RTE": (300, 277), "STS-B": (300, 300)}
"""How many records teach and how many try, drawn by a fixed seed."""
RESAMPLES = 1000
_UNIT = re.compile(r"\w+|[^\w\s]")

Record = tuple[tuple[str, ...], float]
"""One text or two, in words parted by blanks, and their label."""


@dataclass(frozen=True)
class Task:
    """The records of a data set that teach, and those that try."""

    name: str
    taught: tuple[Record, ...]
    tried: tuple[Record, ...]

    @property
    def numeric(self) -> bool:
        """Whether labels are numbers, and Pearson's correlation is the measure; else classes, and accuracy."""
        return self.name == "STS-B"

    def texts(self) -> list[str]:
        """Every text, those that teach first, record by record."""
        return [text for texts, _ in (*self.taught, *self.tried) for text in texts]


class Score(NamedTuple):
    """A measure with its 95 % interval over the records that try."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}-{self.high:.3f})"


def words_of(text: str) -> str:
    """The words and signs of ``text`` in lower case, parted by blanks."""
    return " ".join(_UNIT.findall(text.lower()))


def task(name: str, taught: int | None = None) -> Task:
    """The task called ``name``, at its size in SIZES, or with ``taught`` records that teach."""
    count, tried = SIZES[name]
    return Task(name, _sample(_READERS[name]("train"), taught or count), _sample(_READERS[name]("dev"), tried))


def _sample(records: Sequence[Record], count: int) -> tuple[Record, ...]:
    order = np.random.default_rng(0).permutation(len(records))[:count]
    return tuple(records[index] for index in order)


def _sst2(part: str) -> list[Record]:
    lines = (DATA / "sst2" / f"{part}.tsv").read_text(encoding="utf-8").split("\n")[1:]
    cells = [line.split("\t") for line in lines if line]
    return [((text.strip(),), float(label)) for text, label in cells]


def _rte(part: str) -> list[Record]:
    with (DATA / "rte" / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [((words_of(row["sentence1"]), words_of(row["sentence2"])), float(row["label"] == "entailment"))
            for row in rows]  # fmt: skip


def _stsb(part: str) -> list[Record]:
    lines = (DATA / "stsb" / f"sts-{part}.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line]
    return [((words_of(cell[5]), words_of(cell[6])), float(cell[4])) for cell in cells]


_READERS: dict[str, Callable[[str], list[Record]]] = {"SST-2": _sst2, "RTE": _rte, "STS-B": _stsb}


def glove(folder: Path, path: Path | None) -> tuple[Path, Vocabulary]:
    """The word vectors in ``path``, or in glove.txt of ``folder``, which the paper takes from GloVe."""
    place = path or folder / "glove.txt"
    if not place.is_file():
        raise SystemExit(f"The GloVe vectors are looked for in {place}; give a text file of vectors by --glove.")
    return place, load_vocabulary(place)


def words_used(vocabulary: Vocabulary, tasks: Sequence[Task]) -> Vocabulary:
    """Those words of ``vocabulary`` that the tasks' texts hold, in its order."""
    used = {word for given in tasks for text in given.texts() for word in text.split()}
    return vocabulary.subset(used.__contains__)[0]


def diameter(vocabulary: Vocabulary) -> float:
    """The largest distance between two tokens, by which the paper divides the ε of a metric guarantee."""
    vectors = vocabulary.vectors
    return max(float(Distance().block(vectors[a : a + 512], vectors).max()) for a in range(0, len(vectors), 512))


def sanitized(mechanism: Mechanism, texts: Sequence[str], seed: int) -> list[str]:
    """The ``texts`` with every word that the vocabulary holds replaced by a draw of its own."""
    split = [text.split() for text in texts]
    flat = [word for words in split for word in words]
    found = np.array([-1 if (number := mechanism.vocabulary.find(word)) is None else number for word in flat])
    known = np.flatnonzero(found >= 0)
    source = SeededRandomness(seed)
    for first in range(0, len(known), 2048):
        places = known[first : first + 2048]
        contexts = [f"{seed}/{place}".encode() for place in places]
        drawn = mechanism.draw(found[places], RandomDraws(source, len(places), contexts))
        for place, token in zip(places, drawn, strict=True):
            flat[place] = mechanism.vocabulary.tokens[token]
    words = iter(flat)
    return [" ".join(next(words) for _ in own) for own in split]


def hits(given: Task, texts: Sequence[str], encoder: SentenceEncoder) -> list[tuple[float, float]]:
    """What a regression taught by ``texts`` says of each record that tries, with its label."""
    vectors = encoder.encode(list(dict.fromkeys(texts)))
    row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    rows = vectors[[row_of[text] for text in texts]]
    if given.name != "SST-2":
        first, second = rows[::2], rows[1::2]
        rows = np.hstack([first, second, np.abs(first - second), first * second])
    labels = np.array([label for _, label in (*given.taught, *given.tried)])
    count, regression = len(given.taught), EmbeddingClassifier(encoder)
    if given.numeric:
        said = regression.regressed(rows[:count], labels[:count])(rows[count:])
    else:
        said = regression.fitted(rows[:count], labels[:count].astype(np.int64))(rows[count:]).astype(np.float64)
    return list(zip(said.tolist(), labels[count:].tolist(), strict=True))


def score(pairs: Sequence[tuple[float, float]], numeric: bool) -> Score:
    """Pearson's correlation (``numeric``) or the share of right guesses, with an interval over records."""
    said = np.array(pairs, dtype=np.float64)
    picked = np.random.default_rng(0).integers(0, len(said), (RESAMPLES, len(said)))
    many = [_measure(said[rows], numeric) for rows in picked]
    low, high = np.quantile(many, [0.025, 0.975])
    return Score(_measure(said, numeric), float(low), float(high))


def _measure(said: NDArray[np.float64], numeric: bool) -> float:
    if not numeric:
        return float((said[:, 0] == said[:, 1]).mean())
    spread = said.std(axis=0)
    return float(np.asarray(np.corrcoef(said.T))[0, 1]) if (spread > 0).all() else 0.0


def kept_share(before: Sequence[str], after: Sequence[str]) -> float:
    """The share of words that stayed as they were."""
    pairs = [
        pair
        for old, new in zip(before, after, strict=True)
        for pair in zip(old.split(" "), new.split(" "), strict=True)
    ]
    return sum(old == new for old, new in pairs) / len(pairs)


def stop_words() -> frozenset[str]:
    """The stop words of the paper: NLTK's English list."""
    return frozenset((DATA / "stopwords" / "english.txt").read_text(encoding="utf-8").split())

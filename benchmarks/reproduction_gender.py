"""Gender from reviews: Tables 3 and 4 of the DP-MLM paper (Trustpilot), with the generative baseline that runs here.

Usage: reproduction_gender.py FOLDER [--reviews N] [--prompted N] [--only dp-mlm,...] [--record]

N reviews (half of them by women) of 10 to 40 words out of ../shared/data/trustpilot. The file has no ratings, so
that the task is the sentiment that a classifier trained on SST-2 reads in the originals, instead of the paper's
stars. Attackers are those of `sfumato evaluate --label gender`. F1 is macro F1 over both labels, by
cross-validation. dp-prompt rewrites the first reviews only. FOLDER keeps figures, so that a stopped run resumes.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gender_page import page
from recording import DATA, Cells, models, written
from reproduction_dpmlm import EPSILONS, NotYetError, missing, paper_options

from sfumato import build
from sfumato.attacks.attribute_inference import ADAPTIVE, STATIC, EmbeddingClassifier, WordClassifier
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.attributes import ADVANTAGE, F1, GAIN, AttributeStudy
from sfumato.evaluation.studies.files import Memory, RememberingEncoder
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

TAUGHT, TRIED = 2000, 1000  # sentences of SST-2
MASKED = {"detect": "content-words", "block": 4}


class Arm(NamedTuple):
    """A row of the table: what it is called, the mechanism, ε, its options, whether the law is the paper's."""

    name: str
    mechanism: str
    epsilon: float
    options: dict[str, Any]
    paper: bool = False


def arms() -> Iterator[Arm]:
    """Yield every row after the originals, the most important ones first."""
    for epsilon in EPSILONS:
        yield Arm("dp-mlm", "dp-mlm", epsilon, MASKED, paper=True)
    for epsilon in (25.0, 50.0, 100.0):
        for addition in (0.1, 0.25):
            edits = {**MASKED, "addition": addition, "deletion": 0.05}
            yield Arm(f"dp-mlm, additions {addition}", "dp-mlm", epsilon, edits, paper=True)
    for mechanism in ("santext", "custext"):
        for epsilon in (4.0, 16.0):
            yield Arm(mechanism, mechanism, epsilon, {})
    for epsilon in EPSILONS:
        yield Arm("dp-mlm, by rank", "dp-mlm", epsilon, MASKED)
    for epsilon in EPSILONS:
        yield Arm("dp-prompt", "dp-prompt", epsilon, {}, paper=True)


def reviews(count: int, root: Path = DATA) -> list[dict[str, str]]:
    """``count`` reviews, by women and men in turns, drawn at random. Raise SystemExit without its fields."""
    with (root / "trustpilot" / "english_train.csv").open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    if not every or not {"text", "gender"} <= set(every[0]):
        raise SystemExit("The file of reviews has no fields text and gender; give the file of Trustpilot.")
    fitting = [row for row in every if 10 <= len(row["text"].split()) <= 40]
    order = np.random.default_rng(0).permutation(len(fitting))
    women, men = ([fitting[index] for index in order if fitting[index]["gender"] == gender] for gender in "FM")
    pairs = zip(women[: count // 2], men[: count // 2], strict=True)
    return [{"gender": row["gender"], "text": row["text"]} for pair in pairs for row in pair]


def sst2(name: str, most: int) -> tuple[list[str], np.ndarray]:
    """Sentences and labels, only such as have ten words or more."""
    lines = (DATA / "sst2" / name).read_text(encoding="utf-8").split("\n")[1:]
    cells = [cell for line in lines if line and len((cell := line.split("\t"))[0].split()) >= 10]
    cells = [cells[index] for index in np.random.default_rng(1).permutation(len(cells))[:most]]
    return [text.strip() for text, _ in cells], np.array([int(label) for _, label in cells])


def sentiment(encoder: RememberingEncoder, texts: Sequence[str]) -> dict[str, Any]:
    """The sentiment of each text, and the share that the same classifier gets right on SST-2's development set."""
    classifier = EmbeddingClassifier(encoder)
    taught, labels = sst2("train.tsv", TAUGHT)
    tried, truth = sst2("dev.tsv", TRIED)
    guess = classifier.fitted(encoder.encode(taught), labels)
    right = float((guess(encoder.encode(tried)) == truth).mean())
    return {"labels": [("negative", "positive")[label] for label in guess(encoder.encode(texts))], "right": right}


def figures(study: Study, classifier: str) -> dict[str, list[float]]:
    """What the study says by a classifier, each figure with its interval."""

    def of(name: str, **setting: str) -> list[float]:
        figure = study.figure(name, classifier=classifier, **setting)
        nothing = float("nan")
        return [nothing] * 3 if figure is None else [figure.estimate.value, figure.estimate.low, figure.estimate.high]

    return {
        "use": of(F1, field="sentiment", attacker=ADAPTIVE),
        "above": of(ADVANTAGE, field="sentiment", attacker=ADAPTIVE),
        "static": of(F1, field="gender", attacker=STATIC),
        "adaptive": of(F1, field="gender", attacker=ADAPTIVE),
        "gain static": of(GAIN, attacker=STATIC),
        "gain adaptive": of(GAIN, attacker=ADAPTIVE),
    }


class Reading:
    """Rewrites reviews and lets attackers read them."""

    def __init__(self, people: Sequence[dict[str, str]]) -> None:
        self.texts, self._people = [person["text"] for person in people], people
        self.encoder = RememberingEncoder(SentenceEncoder(), Memory(50_000))
        self._classifiers = (WordClassifier(), EmbeddingClassifier(self.encoder))

    def of(self, arm: Arm | None, moods: Sequence[str], most: int) -> dict[str, Any]:
        """The figures of one row over the first ``most`` reviews; of the originals without an ``arm``."""
        texts = self.texts[:most]
        documents = [Document(text, str(number)) for number, text in enumerate(texts)]
        released, draws = texts, 0
        if arm is not None:
            options = {**arm.options, **(paper_options(arm.mechanism) if arm.paper else {})}
            made = build(arm.mechanism, arm.epsilon, **options).sanitize_batch(documents, SeededRandomness(1))
            released, draws = [release.text for release in made], sum(release.draws for release in made)
        fields = [
            {"gender": person["gender"], "sentiment": mood}
            for person, mood in zip(self._people[:most], moods[:most], strict=True)
        ]
        study = AttributeStudy(self._classifiers, ["gender"], ["sentiment"], sampled=most)
        read = study.run(Pairs([document.id for document in documents], texts, released, (), fields, fields))
        cosine = float((self.encoder.encode(texts) * self.encoder.encode(released)).sum(axis=1).mean())
        by = {classifier.name: figures(read, classifier.name) for classifier in self._classifiers}
        return {"cosine": cosine, "draws": draws, **by}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where figures are kept, so that a stopped run resumes")
    parser.add_argument("--reviews", type=int, default=300)
    parser.add_argument("--prompted", type=int, default=40, help="reviews that dp-prompt rewrites")
    parser.add_argument("--only", default="dp-mlm,santext,custext,dp-prompt", help="mechanisms")
    parser.add_argument("--so-far", action="store_true", help="compute nothing: the rows that are there")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    only = given.only.split(",")
    reading = Reading(reviews(given.reviews))
    used = Cells(given.folder, "gender", models("masked", "encoder", "causal"))
    mood = used.get(lambda: sentiment(reading.encoder, reading.texts), cell="sentiment", reviews=given.reviews)
    rows: list[tuple[str, float, dict[str, Any]]] = []

    def add(arm: Arm | None, most: int) -> None:
        cell = {"cell": arm._asdict() if arm else "none", "reviews": most, "of": given.reviews}
        try:
            value = used.get(missing if given.so_far else lambda: reading.of(arm, mood["labels"], most), **cell)
        except NotYetError:
            return
        rows.append((arm.name if arm else "originals", arm.epsilon if arm else 0.0, value))

    add(None, given.reviews)
    for arm in arms():
        if arm.mechanism in only:
            add(arm, given.prompted if arm.mechanism == "dp-prompt" else given.reviews)
    sizes = {"reviews": given.reviews, "prompted": given.prompted, "taught": TAUGHT, "right": mood["right"]}
    positive = mood["labels"].count("positive") / len(mood["labels"])
    written("gender", f"{page(rows, sizes | {'positive': positive})} {used.described}", given.record,
            page="reproduction.md")  # fmt: skip


if __name__ == "__main__":
    main()

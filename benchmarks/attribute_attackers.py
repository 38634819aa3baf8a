"""What do classifiers and a chat model infer about authors from releases? On SynthPAI and llmprivacy.

    python benchmarks/attribute_attackers.py FOLDER [--asked N] [--chat-model NAME] [--record]

SynthPAI: 300 made-up authors, all comments of one are a record. llmprivacy: 525 answers of 40 made-up people. Folds
and intervals are by person: an attacker never learns from the person whom it guesses about. The attackers: TF-IDF
and sentence embeddings with logistic regression that learned from originals (`static`) or from the release
(`adaptive`), and a chat model that learned from nobody and reads N records drawn at random. The floor always says the
most common label of those it learned from; the ceiling reads originals. FOLDER keeps figures, so that a stopped run
resumes. No record is shown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from linkage_measured import estimate
from recording import DATA, Cells, models, table, written

import sfumato
from sfumato.attacks.attribute_inference import Classifier, EmbeddingClassifier, WordClassifier
from sfumato.attacks.attribute_questions import asked_for
from sfumato.building.chat import ChatChoice
from sfumato.evaluation.pairs import drawn
from sfumato.evaluation.studies.files import Memory, RememberingEncoder
from sfumato.metrics.estimates import share_by_record
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.types import IntArray

SEED, FOLDS = 0, 5
SYNTHPAI, LLMPRIVACY = "SynthPAI", "llmprivacy"
NONE, REDACTED, POLICY, STRONG, WEAK = (
    "no sanitization", "redaction, labels", "policy `clinical`", "CusText, ε 1", "CusText, ε 10",
)  # fmt: skip
RELEASES = (NONE, REDACTED, POLICY, STRONG, WEAK)
ASKED_OF = (NONE, REDACTED, STRONG)
ATTRIBUTES = ("sex", "age", "relationship", "income")
ASKED_FOR = ("sex",)
FLOOR, CHAT = "most common label", "chat model"
_BANDS = ((30, "under 30"), (45, "30 to 44"), (60, "45 to 59"), (200, "60 and over"))


@dataclass(frozen=True, eq=False)
class Authors:
    """The texts of a data set, who wrote each (a number), and their labels by attribute."""

    name: str
    texts: list[str]
    people: IntArray
    labels: dict[str, list[str]]

    @classmethod
    def of(cls, name: str) -> Authors:
        """Return a data set by its name."""
        file = {
            SYNTHPAI: DATA / "synthpai" / "synthpai_merged.jsonl",
            LLMPRIVACY: DATA / "llmprivacy" / "llmprivacy_synthetic_dataset.jsonl",
        }[name]
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        profiles = [row["profile"] if "profile" in row else row["personality"] for row in rows]
        known = {key: number for number, key in enumerate(dict.fromkeys(map(repr, profiles)))}
        texts = ["\n".join(row["comments"]) if "comments" in row else row["response"] for row in rows]
        labels = {
            "sex": [profile["sex"] for profile in profiles],
            "age": [next(band for end, band in _BANDS if int(profile["age"]) < end) for profile in profiles],
            "relationship": [profile["relationship_status"].lower() for profile in profiles],
            "income": [profile["income_level"] for profile in profiles],
        }
        return cls(name, texts, np.array([known[repr(profile)] for profile in profiles]), labels)

    @cached_property
    def folds(self) -> list[tuple[IntArray, IntArray]]:
        """Return the records learned from and guessed about, fold by fold; no person is in both."""
        order = np.random.default_rng([SEED, 61]).permutation(self.people.max() + 1)
        fold = order[self.people] % FOLDS
        return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(FOLDS)]


def released(authors: Authors, release: str) -> list[str]:
    """Return the released texts, with a seed."""
    build: dict[str, Callable[[], Any]] = {
        REDACTED: lambda: sfumato.build("redaction", operator="label"),
        POLICY: lambda: sfumato.build_policy(Policy.load("clinical")),
        STRONG: lambda: sfumato.build("custext", 1.0),
        WEAK: lambda: sfumato.build("custext", 10.0),
    }
    if release == NONE:
        return authors.texts
    method, randomness = build[release](), SeededRandomness(SEED)
    return [method.sanitize(text, randomness).text for text in authors.texts]


def numbered(labels: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the names of labels, and the number of each record's."""
    names = sorted(set(labels))
    return names, np.array([names.index(label) for label in labels], dtype=np.int64)


def guessed(authors: Authors, classifier: Classifier, before: Any, after: Any, truth: IntArray) -> dict[str, Any]:
    """Return how often the static and the adaptive attacker are right about the rows ``after``."""
    static, adaptive = np.empty_like(truth), np.empty_like(truth)
    for train, test in authors.folds:
        static[test] = classifier.fitted(before[train], truth[train])(after[test])
        adaptive[test] = classifier.fitted(after[train], truth[train])(after[test])
    return {
        f"{classifier.name}, static": rated(static == truth, authors.people),
        f"{classifier.name}, adaptive": rated(adaptive == truth, authors.people),
    }


def rated(right: Any, people: IntArray) -> dict[str, Any]:
    """Return the share of right guesses, with its interval over people."""
    return share_by_record(right.astype(float), people.tolist(), SEED, "records").as_json()


def floor(authors: Authors, truth: IntArray) -> dict[str, Any]:
    """Return how often the most common label of the other people is right."""
    guesses = np.empty_like(truth)
    for train, test in authors.folds:
        guesses[test] = np.bincount(truth[train]).argmax()
    return rated(guesses == truth, authors.people)


def classified(authors: Authors, release: str, encoder: Any) -> dict[str, dict[str, Any]]:
    """Return the accuracy of every classifier for every attribute."""
    texts = released(authors, release)
    figures: dict[str, dict[str, Any]] = {}
    for attribute, labels in authors.labels.items():
        figures[attribute] = {FLOOR: floor(authors, numbered(labels)[1])}
    for classifier in (WordClassifier(), EmbeddingClassifier(encoder)):
        before, after = classifier.prepare(authors.texts), classifier.prepare(texts)
        for attribute, labels in authors.labels.items():
            figures[attribute] |= guessed(authors, classifier, before, after, numbered(labels)[1])
    return figures


def questioned(authors: Authors, release: str, attribute: str, most: int, chat: ChatChoice) -> dict[str, Any]:
    """Return how often the chat model is right about ``most`` records, and how many answers could be read."""
    chosen = drawn(len(authors.texts), most, SEED, 67)
    texts, (names, truth) = released(authors, release), numbered(authors.labels[attribute])
    model = chat.made(Path(), ready=False)
    guesses = asked_for(model, [texts[number] for number in chosen], attribute, names)
    right = np.array([guess == truth[number] for guess, number in zip(guesses, chosen, strict=True)])
    floor = max(np.bincount(truth[chosen])) / len(chosen)
    answered = len(guesses) - guesses.count(None)
    return {"right": rated(right, authors.people[chosen]), "read": answered, "floor": float(floor)}


def main() -> None:
    """Show the tables, or record them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--asked", type=int, default=30)
    parser.add_argument("--chat-model", default="local:smollm2")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    for name in ("synthpai", "llmprivacy"):
        if not (DATA / name).is_dir():
            raise SystemExit(f"The tables need the data set {name}, which is looked for in {DATA}.")
    cells = Cells(given.folder, "attribute-attackers", models("encoder", "detector", "causal"))
    encoder = RememberingEncoder(SentenceEncoder(), Memory(20_000))
    chat = ChatChoice(given.chat_model, keep=False)
    rows, asked = [], []
    for name in (SYNTHPAI, LLMPRIVACY):
        authors = Authors.of(name)
        for release in RELEASES:
            figures = cells.get(partial(classified, authors, release, encoder), data=name, release=release)
            for attribute in ATTRIBUTES:
                own = {attacker: estimate(kept) for attacker, kept in figures[attribute].items()}
                rows.append([name, release, attribute, *(_told(one) for one in own.values())])
    header = ["data", "release", "attribute", *figures[attribute]]
    authors = Authors.of(LLMPRIVACY)
    for release in ASKED_OF:
        for attribute in ASKED_FOR:
            compute = partial(questioned, authors, release, attribute, given.asked, chat)
            cell = cells.get(compute, release=release, attribute=attribute, asked=given.asked, chat=given.chat_model)
            right = _told(estimate(cell["right"]))
            asked.append([release, attribute, f"{cell['floor']:.3f}", right, f"{cell['read']} of {given.asked}"])
    text = (
        f"{table(header, rows)}\n\nShare of records whose label is named, with its 95 % interval over people.\n\n"
        f"The chat model {chat.setting['chat_model']} about {given.asked} records of {LLMPRIVACY}; an answer that "
        f"cannot be read counts as wrong:\n\n"
        f"{table(['release', 'attribute', FLOOR, CHAT, 'answers read'], asked)}\n\n{cells.described}"
    )
    written("attribute-attackers", text, given.record)


def _told(one: Any) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


if __name__ == "__main__":
    main()

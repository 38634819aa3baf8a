"""Sentences whose words have tags, as files of entity recognition hold them, and their distorted copies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.heuristics.distortion import Distortion
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document


class Sentence(NamedTuple):
    """Words and their tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class Entity(NamedTuple):
    """Half-open places of words, and a label."""

    start: int
    end: int
    label: str


class Collected:
    """What was marked in public sentences, by label: a store of phrases for the substitutive way."""

    sources = ()

    def __init__(self, sentences: Sequence[Sentence], described: str) -> None:
        phrases: dict[str, dict[str, str]] = {}
        for sentence in sentences:
            for entity in entities(sentence.tags):
                text = " ".join(sentence.words[entity.start : entity.end])
                phrases.setdefault(entity.label, {}).setdefault(text.casefold(), text)
        self._phrases = {label: tuple(own.values()) for label, own in phrases.items()}
        self.described = described

    def load(self) -> None:
        """Nothing is left to read."""

    def of(self, label: str) -> Sequence[str]:
        """Return the phrases that were marked with ``label``."""
        return self._phrases.get(label, ())


def read(path: Path) -> list[Sentence]:
    """Return the sentences of a file: a word and its tag on a line, an empty line after each sentence."""
    lines = path.read_text(encoding="utf-8").splitlines()
    sentences = []
    for empty, group in groupby(lines, key=lambda line: not line.strip()):
        columns = [line.split("\t") for line in group]
        if not empty:
            words = tuple(column[0].strip() for column in columns)
            sentences.append(Sentence(words, tuple(column[-1].strip() for column in columns)))
    return sentences


def shuffled(sentences: Sequence[Sentence], seed: int) -> list[Sentence]:
    """Return the sentences in random order."""
    return [sentences[index] for index in np.random.default_rng(seed).permutation(len(sentences))]


def entities(tags: Sequence[str]) -> list[Entity]:
    """Return the entities that ``tags`` mark; one that begins with I begins there."""
    spans: list[Entity] = []
    for index, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        if prefix == "I" and spans and spans[-1].end == index and spans[-1].label == label:
            spans[-1] = spans[-1]._replace(end=index + 1)
        elif prefix != "O":
            spans.append(Entity(index, index + 1, label))
    return spans


def marked(sentences: Sequence[Sentence]) -> list[str]:
    """Return the texts of all entities, in order, in lower case."""
    return [
        " ".join(sentence.words[entity.start : entity.end]).casefold()
        for sentence in sentences
        for entity in entities(sentence.tags)
    ]


def distorted(sentences: Sequence[Sentence], method: Distortion, seed: int) -> list[Sentence]:
    """Return the sentences with every entity distorted."""
    editor = Engine(Given(), Replaced(method), everywhere=False)
    documents = [document(number, sentence) for number, sentence in enumerate(sentences)]
    released, randomness = [], SeededRandomness(seed)
    for first in range(0, len(documents), method.batch_size):
        for release in editor.sanitize_batch(documents[first : first + method.batch_size], randomness):
            words, tags = list[str](), list[str]()
            for place, part in enumerate(release.parts):
                label = release.labels[place // 2] if place % 2 else ""
                own = part.split()
                words += own
                tags += [f"{'I' if index else 'B'}-{label}" if label else "O" for index in range(len(own))]
            released.append(Sentence(tuple(words), tuple(tags)))
    return released


def document(number: int, sentence: Sentence) -> Document:
    """Return the sentence as a text with its entities given."""
    starts = np.cumsum([0, *(len(word) + 1 for word in sentence.words)])
    spans = [
        [int(starts[entity.start]), int(starts[entity.end]) - 1, entity.label] for entity in entities(sentence.tags)
    ]
    return Document(" ".join(sentence.words), str(number), {"spans": spans})

"""Court cases for CluSanT's tables: a public vocabulary of phrases, and paragraphs with gold spans.

The vocabulary holds the public place and organisation phrases, as the paper's does, without the corpus's own spans,
which are private. Spans are the gold LOC and ORG spans of the Text Anonymization Benchmark. A phrase that the
vocabulary lacks starts from the nearest one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from recording import DATA

from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.distances import Distance
from sfumato.types import FloatArray

LONGEST = 600
"""The most characters of a paragraph."""


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

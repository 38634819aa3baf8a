"""What the tables of A False Sense of Privacy are played on: profiles and chats, releases of them, and rewordings."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from recording import DATA

import sfumato
from sfumato.attacks.claims import DEFAULT_PIPELINE
from sfumato.attacks.linkage import sentences
from sfumato.attacks.linkers import _stem
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.privacy.randomness import SeededRandomness

MEDQA, CHATS = "MedQA", "chats"
NONE, LABELS, DETECTOR, MASKED, CUSTEXT = (
    "no sanitization", "spaCy's entities as labels", "sfumato's detector, labels", "details masked by people",
    "CusText, ε 1",
)  # fmt: skip
RELEASES = {MEDQA: (NONE, LABELS, DETECTOR, CUSTEXT), CHATS: (NONE, MASKED, CUSTEXT)}
_REDACTED = "[REDACTED]"
_WORD = re.compile(r"[A-Za-z]+")


def profiles() -> list[str]:
    """MedQA's patient profiles: what comes before the question itself."""
    texts = []
    for line in (DATA / "medqa" / "test.jsonl").read_text(encoding="utf-8").splitlines():
        parts = sentences(json.loads(line)["question"])
        texts.append(" ".join(parts[:-1] if len(parts) > 1 else parts))
    return texts


def chats() -> dict[str, str]:
    """PUPA's turns of 15 to 300 words, each once, and their forms with the marked details masked."""
    csv.field_size_limit(1 << 24)
    turns: dict[str, str] = {}
    for name in ("PUPA_New.csv", "PUPA_TNB.csv"):
        with (DATA / "pupa" / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if _REDACTED in row["redacted_query"] and 15 <= len(row["user_query"].split()) <= 300:
                    turns.setdefault(row["user_query"], row["redacted_query"])
    return turns


def labelled(texts: Sequence[str]) -> list[str]:
    """Every entity that spaCy finds replaced by its label."""
    releases = []
    for text, parsed in zip(texts, load_pipeline(DEFAULT_PIPELINE).pipe(texts, batch_size=64), strict=True):
        for entity in reversed(parsed.ents):
            text = f"{text[: entity.start_char]}[{entity.label_}]{text[entity.end_char :]}"
        releases.append(text)
    return releases


@cache
def _built(method: str, epsilon: float | None) -> Any:
    return sfumato.build(method, epsilon, **({"operator": "label"} if method == "redaction" else {}))


@dataclass(frozen=True, eq=False)
class Case:
    """A data set, its ``most`` first records, and one release of them; draws are seeded by ``seed``."""

    data: str
    release: str
    most: int
    seed: int = 0
    _texts: dict[str, list[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def before(self) -> list[str]:
        """The originals."""
        return (profiles() if self.data == MEDQA else list(chats()))[: self.most]

    @cached_property
    def after(self) -> list[str]:
        """The released records, in the same order."""
        if self.release == NONE:
            return self.before
        if self.release == MASKED:
            return list(chats().values())[: self.most]
        if self.release == LABELS:
            return labelled(self.before)
        method = _built("redaction", None) if self.release == DETECTOR else _built("custext", 1.0)
        randomness = SeededRandomness(self.seed)
        return [method.sanitize(text, randomness).text for text in self.before]


@cache
def synonyms() -> dict[str, list[str]]:
    """Words and the synonyms of PPDB that are not of the same stem."""
    known: dict[str, list[str]] = {}
    for line in (DATA / "counter_fitting" / "ppdb_synonyms.txt").read_text(encoding="utf-8").splitlines():
        word, other = line.split()
        if _stem(word) != _stem(other):
            known.setdefault(word, []).append(other)
    return {word: sorted(others) for word, others in known.items()}


def reworded(claims: Sequence[str]) -> list[str | None]:
    """Each claim with a drawn synonym for every word that has one; a stand-in for a language model's paraphrase."""
    draw, known = np.random.default_rng(0), synonyms()

    def other(match: re.Match[str]) -> str:
        choice = known.get(match[0].lower())
        return match[0] if choice is None else choice[int(draw.integers(len(choice)))]

    return [_WORD.sub(other, claim) for claim in claims]

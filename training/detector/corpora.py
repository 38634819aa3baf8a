"""Labelled text in pieces: what each corpus teaches, and what it leaves open.

A corpus marks some kinds without gaps; only of these does an unmarked word say that it is not of the kind
(``about.json`` beside each corpus, ``exhaustive``). Marks outside the kinds are left out of the loss.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from sfumato.models.token_classifier.labels import CLASSES, KINDS
from sfumato.models.token_classifier.pieces import Pieces, pieces_of

UNKNOWN = -1  # of a class or of telling: left out of the loss
MADE = "made"
TELLING = {"en_asq_phi", "en_presidio_synth", "en_pii_nano", "es_meddocan"}
"""Corpora of identifiers alone: all that they mark tells."""
MISCELLANEOUS = {"en_tab"}
"""Corpora whose other marks are of the kind MISC, without gaps: works, laws, events and whatever else tells."""
REPEATS = {
    "en_tab": 8.0, "en_gum": 3.0, "en_gum_sa": 4.0, "en_wikigold": 1.5, "en_litbank": 0.4, "en_asq_phi": 1.5,
    "en_presidio_synth": 1.5, "en_re3d": 1.5, "en_quantities": 0.4, "en_legal_india": 1.2, "en_crossner": 1.2,
    "en_redocred": 1.5, "es_meddocan": 0.7, "fr_europeana": 0.5, "nl_europeana": 0.7, "fi_turku": 0.5, "de_ler": 0.6,
    "sv_klintan": 0.5,
}  # fmt: skip
"""How often a corpus is read in one round; once unless it stands here."""


@dataclass(frozen=True)
class Record:
    """One text: its pieces, the class of each and whether it tells (n,), and the classes left open (CLASSES,)."""

    text: str
    pieces: Pieces
    classes: NDArray[np.int8]
    telling: NDArray[np.int8]
    open: NDArray[np.bool_]
    entities: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True)
class Corpus:
    """A corpus as it lies on the disk."""

    name: str
    path: Path
    exhaustive: frozenset[str]
    language: str
    licence: str

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def records(self, tokenizer: Tokenizer, limit: int | None = None) -> list[Record]:
        """Return the first ``limit`` records in pieces; all without it."""
        with self.path.open(encoding="utf-8") as lines:
            given = [json.loads(line) for line in lines][:limit]
        every = pieces_of(tokenizer, [entry["text"] for entry in given])
        return [self._record(entry, pieces) for entry, pieces in zip(given, every, strict=True)]

    def _record(self, entry: dict[str, Any], pieces: Pieces) -> Record:
        classes = np.zeros(len(pieces), dtype=np.int8)
        telling = np.full(len(pieces), UNKNOWN, dtype=np.int8)
        entities = entry["entities"]
        for entity in sorted(entities, key=lambda entity: entity["start"] - entity["end"])[::-1]:
            within = slice(
                int(np.searchsorted(pieces.ends, entity["start"], "right")),
                int(np.searchsorted(pieces.starts, entity["end"], "left")),
            )
            if within.start >= within.stop:
                continue
            label = self._label(entity)
            if label in KINDS:
                kind = KINDS.index(label)
                classes[within] = 2 + 2 * kind
                classes[within.start] = 1 + 2 * kind
                telling[within] = self._tells(entity)
            else:
                classes[within] = UNKNOWN
        exhaustive = set(self.exhaustive) | ({"MISC"} if self.name in MISCELLANEOUS else set())
        if self.name == "de_ler" and not entry.get("dates"):
            exhaustive.discard("DATE")
        exhaustive |= without_form(entry["text"])
        exhaustive -= set(entry.get("unsure", ()))
        bounds = tuple((entity["start"], entity["end"], self._label(entity)) for entity in entities)
        return Record(entry["text"], pieces, classes, telling, left_open(frozenset(exhaustive)), bounds)

    def _label(self, entity: dict[str, Any]) -> str:
        return "MISC" if entity["label"] == "OTHER" and self.name in MISCELLANEOUS else str(entity["label"])

    def _tells(self, entity: dict[str, Any]) -> int:
        if "identifier_type" in entity:
            return int(entity["identifier_type"] != "NO_MASK")
        if "telling" in entity:
            return int(entity["telling"])
        return 1 if self.name in TELLING else UNKNOWN


_DIGIT, _ADDRESS = re.compile(r"\d"), re.compile(r"https?:|www\.|\w\.[a-z]{2,3}\b")
_NUMBER = re.compile(r"(?:\d[\s().+/-]*){7}")


def without_form(text: str) -> frozenset[str]:
    """Return kinds of which ``text`` can hold none, because it lacks the characters that they are made of.

    Without this the network learns to call a word that nobody marked a user name: no corpus says that it is none.
    """
    kinds = set[str]()
    if "@" not in text:
        kinds |= {"EMAIL", "USERNAME"}
    if not _ADDRESS.search(text):
        kinds.add("URL")
    if not _NUMBER.search(text):
        kinds |= {"PHONE", "IP"}
    if not _DIGIT.search(text):
        kinds |= {"CODE", "AGE", "MONEY"}
    return frozenset(kinds)


def left_open(exhaustive: frozenset[str]) -> NDArray[np.bool_]:
    """Return the classes that an unmarked word may have."""
    allowed = np.zeros(CLASSES, dtype=bool)
    allowed[0] = True
    for number, kind in enumerate(KINDS):
        allowed[1 + 2 * number : 3 + 2 * number] = kind not in exhaustive
    return allowed


def corpora(folder: Path, part: str, left_out: Iterable[str] = ()) -> list[Corpus]:
    """Return the corpora below ``folder`` that have a ``part``, train or dev, in order of name."""
    found: list[Corpus] = []
    for about in sorted(folder.glob("*/about.json")):
        path = about.with_name(f"{part}.jsonl")
        if path.exists() and about.parent.name not in left_out:
            told = json.loads(about.read_text(encoding="utf-8"))
            found.append(Corpus(told["name"], path, frozenset(told["exhaustive"]), told["language"], told["licence"]))
    return found


def made(path: Path, name: str = MADE) -> Corpus:
    """Return made text as a corpus: every kind is marked without gaps."""
    return Corpus(name, path, frozenset(KINDS), "en", "Apache-2.0")


def windows(records: Sequence[Record], length: int, draw: np.random.Generator) -> list[tuple[Record, int, int]]:
    """Cut records into windows of at most ``length`` pieces, the first of each record at a random place."""
    cut: list[tuple[Record, int, int]] = []
    for record in records:
        count = len(record.pieces)
        start = 0
        while start < count:
            stop = start + (length if start else int(draw.integers(length // 2, length + 1)))
            cut.append((record, start, min(stop, count)))
            start = stop
    return cut

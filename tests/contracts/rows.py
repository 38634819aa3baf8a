"""A row for each method, detector and study: how the contract tests make one that needs no model of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from command_line import write_jsonl
from scripted_models import ScriptedCausal, ScriptedMasked
from sfumato import Vocabulary
from sfumato.abstract.chat import ScriptedChat
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.method import Answering
from sfumato.attacks.canary_planting import new_key

WORDS = Vocabulary(
    ("one", "two", "elm", "oak", "ash", "fell", "stood", "grew"),
    [[0.1 * place, 0.3 + 0.2 * (place % 3)] for place in range(8)],
    "a toy made by the tests",
)
CANARY = "Zaphodbeeble"
TEXTS = (f"One elm fell near {CANARY}.", "Two oaks stood.", f"{CANARY} grew an ash, and an oak.")


def answering(*kinds: type[Answering]) -> ChatUse:
    """A language model that answers as a dry run does: every question of these classes can be read."""

    def script(question: Any) -> str | None:
        return next((answer for kind in kinds if (answer := kind.dry_run_answer(question)) is not None), None)

    return ChatUse(ScriptedChat(script), "this machine")


@dataclass(frozen=True)
class Row:
    """Options with which a method is built. ``asks`` says that it takes a language model that is asked in words."""

    options: Mapping[str, Any] = field(default_factory=dict)
    epsilon: float | None = None
    asks: bool = False


_TOKENS = {"vocabulary": WORDS}
_LISTED = {"detect": "list:{names}"}
METHODS: Mapping[str, Row] = {
    "santext": Row(_TOKENS, 2.0),
    "santext+": Row(_TOKENS, 2.0),
    "custext": Row({**_TOKENS, "set_size": 4}, 2.0),
    "custext+": Row({**_TOKENS, "set_size": 4}, 2.0),
    "clusant": Row({**_TOKENS, "set_size": 4}, 2.0),
    "fbdd": Row(_TOKENS, 2.0),
    "mahalanobis": Row(_TOKENS, 2.0),
    "vickrey": Row(_TOKENS, 2.0),
    "tem": Row(_TOKENS, 2.0),
    "dp-mlm": Row({"model": ScriptedMasked(), "clip": (-5.0, 0.0)}, 8.0),
    "dp-prompt": Row({"model": ScriptedCausal(), "clip": (-5.0, 0.0), "tokens": 4}, 8.0),
    "dp-paraphrase": Row({"model": ScriptedCausal(), "clip": (-5.0, 0.0), "tokens": 4}, 8.0),
    "redaction": Row({**_LISTED, "operator": "surrogate"}),
    "distortion": Row({**_LISTED, "model": ScriptedMasked(), "way": "generative"}),
    "abstraction": Row(_LISTED, asks=True),
    "iterative": Row(_LISTED, asks=True),
    "paraphrase": Row(_LISTED, asks=True),
}
"""Every method of the registry."""


def names_file(folder: Path) -> Path:
    """A list of what is private in :data:`TEXTS`."""
    path = folder / "names.txt"
    path.write_text(f"{CANARY}\noak\n", encoding="utf-8")
    return path


def found_file(folder: Path) -> Path:
    """A file of `sfumato find` about :data:`TEXTS`."""
    lines = [{"id": str(number), "spans": [{"start": 0, "end": 3}]} for number in range(len(TEXTS))]
    return write_jsonl(folder / "found.jsonl", lines)


DETECTORS: Mapping[str, Callable[[Path], tuple[str, Mapping[str, Any]]]] = {
    "words": lambda _: ("words", {}),
    "content-words": lambda _: ("content-words", {}),
    "entities": lambda _: ("entities", {"labels": ("PERSON",)}),
    "identifiers": lambda _: ("identifiers", {"strict": "high"}),
    "presidio": lambda _: ("presidio", {"threshold": 0.6}),
    "noun-phrases": lambda _: ("noun-phrases", {}),
    "list:FILE": lambda folder: (f"list:{names_file(folder)}", {"timeout": 2.0}),
    "given": lambda _: ("given", {"label": "MARKED"}),
    "given:FILE": lambda folder: (f"given:{found_file(folder)}", {}),
    "disclosures": lambda _: ("disclosures", {"kinds": ("name", "place")}),
}
"""Every detector of the registry: how it is named, and options that it has."""

NEED_MODELS = frozenset({"entities", "presidio", "noun-phrases"})
"""Detectors that read a pipeline."""

STUDIES = {
    "linkage": {}, "tokens": {}, "guarantee": {}, "reconstruction": {},
    "attributes": {"labels": ("job",)},
    "rounds": {"rounds": "rounds.jsonl"}, "surface": {}, "utility": {"tasks": ("job",)}, "divergence": {},
    "quality": {}, "answers": {}, "purposes": {}, "copies": {"one_to_one": False},
    "membership": {"one_to_one": False}, "canaries": {"one_to_one": False, "canaries": "key.json"},
    "population": {"population": "shipped:places"},
}  # fmt: skip
"""Every study of the registry, with what its plan names."""


def canary_key(folder: Path) -> Path:
    """A key as `sfumato canaries` writes it."""
    path = folder / "key.json"
    new_key("phone", 2).save(path)
    return path


def rounds_file(folder: Path) -> Path:
    """Rounds as `-m iterative` notes them."""
    line = {"id": "0", "by": "iterative", "rounds": [{"found": {"age": 3}, "refused": 0, "rewritten": False}]}
    path = folder / "rounds.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path

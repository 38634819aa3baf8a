"""Kinds of claims about people: the paper's 24 of patients and 16 of chats, and a rough way to sort claims into them.

Paper: A False Sense of Privacy (Appendix D.2, Table 7), whose names are kept and which asks a language model. Here a
claim goes to the kind whose descriptions are nearest by sentence embedding. That is rough: a claim has at most one
kind, and a claim that is near in topic is not always of the kind.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Protocol

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError
from sfumato.types import Progress

Kinds = Sequence[tuple[str, str]]
"""The name of each kind and a description of what belongs to it."""

SETS = ("clinical", "chat")
NEAR = 0.28
"""The threshold of a kind: the mean of a claim's best and mean cosine (all-MiniLM-L6-v2)."""


def kinds(name: str) -> list[tuple[str, str]]:
    """Return the ``clinical`` or ``chat`` kinds. Raise ConfigurationError for another name."""
    if name not in SETS:
        raise ConfigurationError(f"There are no kinds {name!r}; choose from {', '.join(SETS)}.")
    text = (resources.files("sfumato") / "data" / f"kinds_{name}.json").read_text(encoding="utf-8")
    return [(kind, about) for kind, about in json.loads(text)]


class Sorter(Protocol):
    """Sorts claims into kinds."""

    def of(self, claims: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...] | None]:
        """Return the kinds of each claim; None if there is no answer."""


@dataclass(frozen=True, eq=False)
class EmbeddedSorter:
    """The kind that is nearest by ``encoder``, if it is at least as near as ``near``; a rough answer."""

    encoder: Encoder
    kinds: Kinds
    near: float = NEAR

    def of(self, claims: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...] | None]:
        """Return one kind or none for each claim."""
        names = [name for name, _ in self.kinds]
        if not claims or not names:
            return [() for _ in claims]
        phrases = [_phrases(kind) for kind in self.kinds]
        described = self.encoder.encode([phrase for own in phrases for phrase in own])
        cosines = self.encoder.encode(claims, progress) @ described.T
        cuts = np.cumsum([len(own) for own in phrases])[:-1]
        by_kind = np.stack([(own.max(axis=1) + own.mean(axis=1)) / 2 for own in np.split(cosines, cuts, axis=1)], 1)
        best = by_kind.argmax(axis=1)
        return [(names[kind],) if row[kind] >= self.near else () for row, kind in zip(by_kind, best, strict=True)]


def _phrases(kind: tuple[str, str]) -> list[str]:
    """Return the phrases of a kind: its name, its description, and each thing that the description lists."""
    name, about = kind
    listed = [part.strip() for part in about.replace(":", ",").split(",")]
    return list(dict.fromkeys([name.replace("_", " ").lower(), about, *(part for part in listed if part)]))

"""What people are told in place of a detector's label: a kind of value, as policies name it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sfumato.kinds.labels import candidates, is_listed
from sfumato.kinds.registry import KINDS

_ANYTHING = candidates("MISC")


def for_people(label: str) -> str:
    """Return the kind of most texts with ``label``.

    A label for anything, or one that no detector of the table gives, is told as it is.
    """
    if label in KINDS or not is_listed(label) or candidates(label) == _ANYTHING:
        return label
    return candidates(label)[-1]


def counts_for_people(counts: Mapping[str, int]) -> dict[str, int]:
    """Return ``counts`` of labels by what people are told in place of each."""
    told: dict[str, int] = {}
    for label, count in counts.items():
        told[for_people(label)] = told.get(for_people(label), 0) + count
    return told


def labels_of(kind: str, known: Collection[str]) -> list[str]:
    """Return which of the ``known`` labels people are told as ``kind``, if it is no label itself."""
    return [] if kind in known else [label for label in sorted(known) if for_people(label) == kind != label]

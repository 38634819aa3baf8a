"""A text in pieces, marked and unmarked, for a page that must not count characters by itself.

Offsets are those of Python, in code points. A browser counts in units of UTF-16, so it is given pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sfumato.kinds.labels import candidates
from sfumato.text.document import Release, readable

Piece = dict[str, Any]


def kind_of_label(label: str) -> str:
    """Return the kind whose colour a mark with ``label`` has."""
    return candidates(label)[-1]


def segments(text: str, marks: Iterable[tuple[int, int, str]]) -> list[Piece]:
    """Return the pieces of ``text`` in order; those that ``marks`` hold have a label and its kind."""
    shown, pieces, end_before = readable(text), list[Piece](), 0
    for start, end, label in marks:
        if end_before < start:
            pieces.append({"start": end_before, "text": shown[end_before:start]})
        pieces.append({
            "start": start, "end": end, "text": shown[start:end], "label": label, "kind": kind_of_label(label),
        })  # fmt: skip
        end_before = end
    if end_before < len(shown):
        pieces.append({"start": end_before, "text": shown[end_before:]})
    return pieces


def segments_of_release(release: Release) -> list[Piece]:
    """Return the pieces of a released text."""
    return segments(release.text, ((span.start, span.end, span.label) for span in release.replacements))

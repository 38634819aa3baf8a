"""A text in pieces, marked and unmarked, for a page that must not count characters by itself.

Offsets are those of Python, in code points. A browser counts in units of UTF-16, so it is given pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sfumato.review.treated import TreatmentOf, by_label, family_of
from sfumato.text.document import Release, readable

Piece = dict[str, Any]


def segments(
    text: str, marks: Iterable[tuple[int, int, str]], treatment_of: TreatmentOf = by_label,
    unmarked: Sequence[tuple[int, int]] = (),
) -> list[Piece]:  # fmt: skip
    """Return the pieces of ``text`` in order.

    Those that ``marks`` hold have a label and its treatment, as ``treatment_of`` says. The others have the bounds of
    the ``unmarked`` words in them that could be misses; none of these overlaps a mark.
    """
    shown, pieces, end_before = readable(text), list[Piece](), 0

    def put(start: int, end: int) -> None:
        if start < end:
            own = [[first, last] for first, last in unmarked if start <= first and last <= end]
            pieces.append({"start": start, "text": shown[start:end], **({"unmarked": own} if own else {})})

    for start, end, label in marks:
        put(end_before, start)
        treated = treatment_of(label, text[start:end])
        pieces.append({
            "start": start, "end": end, "text": shown[start:end], "label": label, **treated._asdict(),
            "stays": treated.stays, "family": family_of(treated.kind),
        })  # fmt: skip
        end_before = end
    put(end_before, len(shown))
    return pieces


def segments_of_release(release: Release) -> list[Piece]:
    """Return the pieces of a released text."""
    return segments(release.text, ((span.start, span.end, span.label) for span in release.replacements))

"""A text in pieces: what a person reads of each, and how its file writes it. What is not edited stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sfumato.documents.slot import Edit, spread


@dataclass(slots=True)
class Sourced:
    """A text that is read piece by piece. PRIVATE."""

    shown: list[str] = field(default_factory=list, repr=False)
    sources: list[str] = field(default_factory=list, repr=False)

    def add(self, shown: str, source: str) -> None:
        """Add what the file writes as ``source`` and a person reads as ``shown``: a tag as "", "&amp;" as "&"."""
        self.shown.append(shown)
        self.sources.append(source)

    @property
    def text(self) -> str:
        """Return the text as a person reads it."""
        return "".join(self.shown)

    def written(self, edits: Sequence[Edit], escaped: Callable[[str], str]) -> str:
        """Return the text as the file writes it, with ``edits`` of what a person reads, ``escaped`` for the file."""
        if not edits:
            return "".join(self.sources)
        new = spread(self.shown, edits)
        return "".join(map(_piece, self.shown, self.sources, new, [escaped] * len(new)))


def _piece(shown: str, source: str, new: str, escaped: Callable[[str], str]) -> str:
    if new == shown:
        return source
    return escaped(new) if shown else source + escaped(new)

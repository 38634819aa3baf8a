"""A text in pieces: what a person reads of each, and how its file writes it. What is not edited stays as it is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sfumato.documents.slot import Edit, spread


@dataclass(slots=True)
class Sourced:
    """A text that is read piece by piece. PRIVATE."""

    shown: list[str] = field(default_factory=list, repr=False)
    sources: list[str] = field(default_factory=list, repr=False)

    stay: set[int] = field(default_factory=set, repr=False)

    def add(self, shown: str, source: str, stays: bool = False) -> None:
        """Add what the file writes as ``source`` and a person reads as ``shown``: a tag as "", "&amp;" as "&".

        What nobody reads goes with a text around it that is replaced, unless it ``stays``, as a tag does that has an
        end. Otherwise the break points of a word would tell which one it was.
        """
        if stays:
            self.stay.add(len(self.shown))
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
        starts, place, written = [edit.start for edit in edits], 0, list[str]()
        for number, (shown, source, output) in enumerate(zip(self.shown, self.sources, new, strict=True)):
            around = bisect_left(starts, place) - 1  # the last edit that begins before
            if not shown and around >= 0 and place < edits[around].end and number not in self.stay:
                written.append(escaped(output))
            else:
                written.append(source if output == shown else ("" if shown else source) + escaped(output))
            place += len(shown)
        return "".join(written)

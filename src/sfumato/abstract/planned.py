"""What a text will draw, known before it draws: what a ledger reserves."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlannedDraws:
    """The draws that one text will take of one treatment. Private: it depends on the text.

    Attributes:
        treatment: The first kind of the treatment; empty for a single method.
        count: How many draws are paid for. Under a budget of the document's own: 1 if there are any.
        source: A digest of everything that decides the draws if they are keyed, beside the key. Empty for
            draws that are paid for each time.
        shared: For draws that all records of a subject share: a digest of what decides each.
    """

    treatment: str
    count: int
    source: bytes = field(default=b"", repr=False)
    shared: tuple[bytes, ...] = field(default=(), repr=False)

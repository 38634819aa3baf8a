"""How many marks of a sample a policy replaces by a fallback: their kind in brackets, or a public surrogate.

A mark that no kind reads becomes [WORD], a date that cannot be read [DATE], and an age "40 years old" is drawn for.
Each costs use and gains nothing. Which marks these are depends on the texts, so the counts are for the owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.files import Source
from sfumato.text.document import Document


@dataclass(frozen=True, order=True)
class Fallback:
    """Marks that a policy takes for values of ``kind``.

    ``marks`` of them are replaced, ``unread`` of these by ``becomes``, whatever they say. ``drawn`` says whether a
    draw is made as if they said ``becomes``.
    """

    kind: str
    becomes: str
    drawn: bool
    unread: int
    marks: int

    @property
    def sentence(self) -> str:
        """Return the counts in words."""
        how = f"are drawn as if they said {self.becomes!r}" if self.drawn else f"become {self.becomes}"
        return f"{self.kind}: {self.unread:,} of {self.marks:,} marks {how}."


@dataclass(frozen=True)
class Sampled:
    """What was counted in a sample of so many ``records``: the replaced ``marks``, and the fallbacks among them."""

    records: int
    marks: int
    fallbacks: Sequence[Fallback]

    @property
    def unread(self) -> int:
        """Return how many marks are replaced by a fallback."""
        return sum(fallback.unread for fallback in self.fallbacks)

    def lines(self) -> Iterator[str]:
        """Yield the counts for people, the most frequent fallback first."""
        share = f" ({100 * self.unread / self.marks:.3g} %)" if self.marks else ""
        yield (
            f"In {self.records:,} records {self.marks:,} marks are replaced, {self.unread:,} of them{share} by a "
            "fallback (for you alone: counted in your records)."
        )
        yield from (fallback.sentence for fallback in self.fallbacks)

    def as_json(self) -> dict[str, object]:
        """Return the counts as JSON types."""
        rows = [vars(fallback) for fallback in self.fallbacks]
        return {"records": self.records, "marks": self.marks, "fallbacks": rows}


def sampled(sanitizer: Sanitizer, source: Source) -> Sampled:
    """Return how many marks of ``source`` have a fallback. Raise InputError, which quotes no text."""
    records, marks, unread = 0, Counter[str](), Counter[tuple[str, str]]()
    for chunk in source.chunks():
        records += len(chunk.places)
        for kind, _, becomes in replaced(sanitizer, chunk.documents):
            marks[kind] += 1
            if becomes is not None:
                unread[kind, becomes] += 1
    rows = [
        Fallback(kind, becomes, not becomes.startswith("["), count, marks[kind])
        for (kind, becomes), count in unread.items()
    ]
    return Sampled(records, marks.total(), sorted(rows, key=lambda row: (-row.unread, row)))


def replaced(sanitizer: Sanitizer, documents: Sequence[Document]) -> Iterator[tuple[str, str, str | None]]:
    """Yield kind and text of each mark that is replaced, and what replaces it unread; None where it is read."""
    for record in sanitizer.records(documents) if documents else ():
        for kind, text in zip(record.labels, record.texts, strict=True):
            yield kind, text, sanitizer.treatment_of(kind).built.fallback(kind, text)

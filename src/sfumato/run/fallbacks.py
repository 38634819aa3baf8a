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
    """Marks with a ``label`` that a policy takes for values of ``kind``.

    ``marks`` of them are replaced, ``unread`` of these by ``becomes``, whatever they say. ``drawn`` says whether a
    draw is made as if they said ``becomes``.
    """

    label: str
    kind: str
    becomes: str
    drawn: bool
    unread: int
    marks: int

    @property
    def sentence(self) -> str:
        """Return the counts in words."""
        of = self.label if self.label == self.kind else f"{self.label}, taken for {self.kind}"
        how = f"are drawn as if they said {self.becomes!r}" if self.drawn else f"become {self.becomes}"
        return f"{of}: {self.unread:,} of {self.marks:,} marks {how}."


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
    """Return how many marks of ``source`` have a fallback. Raise InputError, which quotes no text.

    Labels are shown if the detector has public ones, otherwise the kinds in their place.
    """
    records, marks, unread = 0, Counter[tuple[str, str]](), Counter[tuple[str, str, str]]()
    for chunk in source.chunks():
        records += len(chunk.places)
        for label, kind, text in _replaced(sanitizer, chunk.documents):
            shown = label if sanitizer.detector.public_labels else kind
            marks[shown, kind] += 1
            becomes = sanitizer.treatment_of(kind).built.fallback(kind, text)
            if becomes is not None:
                unread[shown, kind, becomes] += 1
    rows = [
        Fallback(label, kind, becomes, not becomes.startswith("["), count, marks[label, kind])
        for (label, kind, becomes), count in unread.items()
    ]
    return Sampled(records, marks.total(), sorted(rows, key=lambda row: (-row.unread, row)))


def _replaced(sanitizer: Sanitizer, documents: Sequence[Document]) -> Iterator[tuple[str, str, str]]:
    """Yield label, kind and text of each mark that is replaced."""
    if not documents:
        return
    detected = sanitizer.detector.detect(documents)
    for document, spans, staying in zip(documents, detected, sanitizer.staying(documents, detected), strict=True):
        for span, stays in zip(spans, staying, strict=True):
            text = document.text[span.start : span.end]
            if not stays:
                yield span.label, sanitizer.kind(span.label, text), text

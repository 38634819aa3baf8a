"""What a conversation knows already is marked wherever it appears, and what has the form of a pseudonym with care."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.abstract.detector import Around
from sfumato.kinds.labels import DIRECT
from sfumato.text.document import Document
from sfumato.text.guarding import Traces
from sfumato.text.marks import Finding, Span, Spans

_SHORT = 2
_PSEUDONYM = re.compile(rf"\b(?:{'|'.join(sorted(DIRECT))})_[0-9A-F]{{8}}\b")


def with_parts(known: Mapping[str, str]) -> dict[str, str]:
    """Return ``known`` values with their kinds, and the parts of names, which a later text may hold alone."""
    parts = {
        part: "PERSON"
        for name, kind in known.items()
        if kind == "PERSON"
        for part in name.split()
        if len(part) > _SHORT and part[0].isupper() and part.isalpha()
    }
    return {**parts, **known}


@dataclass(frozen=True)
class Knowing(Around):
    """Marks also what is known already: values of earlier texts of a conversation, wherever they appear."""

    known: Traces = field(repr=False)
    seen: dict[str, Spans] = field(repr=False)
    spared: frozenset[str] = field(default=frozenset(), repr=False)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document."""
        new = [document for document in documents if document.text not in self.seen]
        if new:
            pairs = zip((document.text for document in new), self.detector.detect(new), strict=True)
            self.seen.update((text, _around_pseudonyms(text, spans, self.spared)) for text, spans in pairs)
        return [_also(self.seen[document.text], self.known.find(document.text)) for document in documents]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings of the detector."""
        return self.detector.findings(documents)


def _around_pseudonyms(text: str, spans: Spans, spared: frozenset[str]) -> Spans:
    """Return ``spans`` where ``text`` holds what has the form of a pseudonym.

    One that was given before stays, unless a mark reaches beyond it. Any other is one value with what is marked of
    it: somebody's number may have this form.
    """
    for match in _PSEUDONYM.finditer(text) if len(spans) else ():
        first, last = match.span()
        touching = [span for span in spans if span.start < last and first < span.end]
        inside = all(first <= span.start and span.end <= last for span in touching)
        others = [span for span in spans if span not in touching]
        if touching and not (match.group() in spared and inside):
            label = "CODE" if inside else max(touching, key=lambda span: span.end - span.start).label
            start, end = min(first, *(s.start for s in touching)), max(last, *(s.end for s in touching))
            others.append(Span(start, end, label))
        spans = Spans.of(sorted(others))
    return spans


def _also(spans: Spans, known: Sequence[Span]) -> Spans:
    """Return ``spans`` with the ``known`` ones: in place of those inside them, and where they touch no other."""
    if not known:
        return spans
    own = [span for span in spans if not any(_holds(more, span) for more in known)]
    more = [span for span in known if not any(span.start < each.end and each.start < span.end for each in own)]
    return Spans.of(sorted([*own, *more]))


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and outer != inner

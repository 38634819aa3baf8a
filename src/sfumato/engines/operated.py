"""Kinds that a release does not draw for: a method without a guarantee replaces them, or they stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato import version
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.privacy.randomness import Randomness, layout_key
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.text.marked_record import MarkedRecord
from sfumato.types import Progress


@dataclass(frozen=True, eq=False)
class Operated(Treatment):
    """Kinds that a method without a guarantee replaces."""

    kinds: Sequence[str]
    method: SpanHeuristic

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return self.method.name

    def prepare(self, progress: Progress | None = None) -> None:
        """Load what the method needs."""
        self.method.prepare(progress)

    def described(self) -> Mapping[str, Any]:
        """Return the parameters of the method, for the statement."""
        return {"parameters": self.method.parameters}

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of what it put in."""
        return self.method.visible

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        return [version.origin(type(self.method)), self.method.parameters]

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes replacements from."""
        return self.method.sources

    def outputs(
        self, record: MarkedRecord, own: Sequence[bool], drawn: Sequence[str], setting: str, source: Randomness
    ) -> list[str]:
        """Return what replaces those marked texts of ``record`` that are its ``own``, in order.

        ``drawn`` holds what replaces the other marked texts. The method sees these draws and not what they replaced.
        """
        part = _part(record, own, drawn)
        rows = zip(part.documents, part.layouts, strict=True)
        seeds = [_seed(setting, document, layout, source) for document, layout in rows]
        return [output for outputs in self.method.replacements([part], seeds) for output in outputs]


@dataclass(frozen=True, eq=False)
class Kept(Treatment):
    """Kinds that stay as they are."""

    kinds: Sequence[str]

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return "keep"

    def described(self) -> Mapping[str, Any]:
        """Return nothing: there are no parameters."""
        return {}

    @property
    def visible(self) -> Sequence[str]:
        """Return that they stay."""
        return (f"every {' and '.join(self.kinds) or 'other kind'}, as it is in the original",)

    @property
    def facts(self) -> Any:
        """Return that they stay."""
        return "keep"


def _part(record: MarkedRecord, own: Sequence[bool], drawn: Sequence[str]) -> MarkedRecord:
    """Return ``record`` with those marks alone that are its ``own``, and with draws in the place of the others."""
    left = iter(zip(own, drawn, strict=True))
    documents, layouts = [], []
    for document, layout in zip(record.documents, record.layouts, strict=True):
        parts: list[str] = []
        spans, labels, end, length = [], [], 0, 0
        for (start, stop), label in zip(layout.spans, layout.labels, strict=True):
            mine, output = next(left)
            parts += [layout.text[end:start], layout.text[start:stop] if mine else output or f"[{label}]"]
            length += len(parts[-2])
            if mine:
                spans.append((length, length + stop - start))
                labels.append(label)
            length, end = length + len(parts[-1]), stop
        text = "".join([*parts, layout.text[end:]])
        documents.append(replace(document, text=text))
        layouts.append(Layout(text, spans, labels))
    return MarkedRecord(0, documents, layouts)


def _seed(setting: str, document: Document, layout: Layout, source: Randomness) -> int:
    contexts = [layout_key(setting, document, layout)] if source.keyed else None
    [[high, low]] = source.uniforms(1, 2, contexts).tolist()
    return int((int(high * 2**32) << 32 ^ int(low * 2**32)) % 2**64)

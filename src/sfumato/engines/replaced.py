"""Kinds that a release does not draw for: a method without a guarantee replaces them, or they stay.

Where a method replaces, no marked text remains in the release, nor appears across a seam: the engine sees to it.

Where a language model rewrites whole texts, this promise holds for the whole text: no text that the detector marked
in the original remains in the release, however it is spelled there (:mod:`sfumato.text.occurrences`), nor the whole
word that it was a part of. A marked text that the model repeats becomes the label. A text that is left as it was
has a label in the place of every marked span, also of signs that are no letters. A text without a usable answer has
no release: it is never released unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, count
from typing import Any, ClassVar

from sfumato import version
from sfumato.abstract.batch import Batch, Made, Outputs
from sfumato.abstract.heuristic import SpanHeuristic, TextHeuristic, TextInProgress
from sfumato.abstract.models import choice_of, repeatable
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, InputError
from sfumato.privacy.randomness import layout_key
from sfumato.text.guarding import Traces, put_in
from sfumato.text.marks import Layout, MarkedRecord, marked_records
from sfumato.text.occurrences import whole_word
from sfumato.types import IntArray, Progress


@dataclass(frozen=True, eq=False)
class Replaced(Treatment):
    """Replaces what is marked by the outputs of ``heuristic``, without a guarantee."""

    heuristic: SpanHeuristic
    kinds: Sequence[str] = ()
    in_context: ClassVar[bool] = True
    guards: ClassVar[bool] = True
    may_keep: ClassVar[bool] = True

    @property
    def method(self) -> SpanHeuristic:
        """Return the heuristic."""
        return self.heuristic

    def prepare(self, progress: Progress | None = None) -> None:
        """Load what the method needs."""
        self.heuristic.prepare(progress)

    def described(self) -> dict[str, Any]:
        """Return the parameters of the method, for the statement."""
        return {"parameters": self.heuristic.parameters, **choice_of(self.heuristic)}

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        return [version.origin(type(self.heuristic)), self.heuristic.parameters]

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes replacements from."""
        return self.heuristic.sources

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.heuristic.batch_size

    @property
    def repeatable(self) -> Replaced:
        """Return the treatment that draws by a key or a seed: with a repeatable model."""
        heuristic = repeatable(self.heuristic)
        return self if heuristic is self.heuristic else replace(self, heuristic=heuristic)

    def keeps(self, kind: str) -> bool:
        """Return whether the method leaves spans of ``kind``."""
        return self.heuristic.keeps(kind)

    def fallback(self, kind: str, text: str) -> str | None:
        """Return the kind in brackets if nothing but that stands for ``text``."""
        return f"[{kind}]" if self.heuristic.says_the_label(kind) else None

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return what the method puts in.

        It sees what was ``drawn`` for other places, and not what was there.
        """
        records = batch.records if len(places) == len(batch.owners) else _seen(batch, places, drawn)
        made = self.heuristic.replacements(records, seeds_of(batch, records))
        if [len(own) for own in made] != [len(layout.spans) for record in records for layout in record.layouts]:
            raise ConfigurationError("A method replaced more or fewer spans than were marked; report it.")
        return Made([Outputs.of(places, list(chain.from_iterable(made)))], batch.paid({}))


@dataclass(frozen=True, eq=False)
class Kept(Treatment):
    """Kinds that stay as they are."""

    kinds: Sequence[str] = ()
    may_keep: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return "keep"

    def described(self) -> dict[str, Any]:
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

    def keeps(self, kind: str) -> bool:
        """Return whether spans of ``kind`` stay: all do."""
        return True


def seeds_of(batch: Batch, records: Sequence[MarkedRecord]) -> list[int]:
    """Return 64 bits for the random choices in each document of ``records``, which depend on all of its text."""
    rows = [row for record in records for row in zip(record.documents, record.layouts, strict=True)]
    source = batch.randomness
    contexts = [layout_key(batch.setting, *row) for row in rows] if source.keyed else None
    uniforms = source.uniforms(len(rows), 2, contexts)
    return [(int(high * 2**32) << 32 ^ int(low * 2**32)) % 2**64 for high, low in uniforms.tolist()]


def _seen(batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> list[MarkedRecord]:
    """Return the records with the marks at ``places`` alone, and what was ``drawn`` in the place of the others."""
    own = set(places.tolist())
    put = {place: text for other in drawn for place, text in zip(other.places.tolist(), other.texts, strict=True)}
    numbers, records = count(), []
    for record in batch.records:
        layouts = []
        for layout in record.layouts:
            named = zip(layout.labels, numbers)  # noqa: B905 (the numbers never end)
            outputs = [None if place in own else put.get(place) or f"[{label}]" for label, place in named]
            layouts.append(_with(layout, outputs))
        pairs = zip(record.documents, layouts, strict=True)
        documents = [replace(document, text=layout.text) for document, layout in pairs]
        records.append(MarkedRecord(record.first, documents, layouts))
    return records


def _with(layout: Layout, outputs: Sequence[str | None]) -> Layout:
    """Return ``layout`` with ``outputs`` in the text, and only those spans marked that have none."""
    originals = [layout.text[start:end] for start, end in layout.spans]
    parts = layout.parts([own if output is None else output for own, output in zip(originals, outputs, strict=True)])
    edges = [0, *accumulate(map(len, parts))]
    kept = [number for number, output in enumerate(outputs) if output is None]
    spans = [(edges[2 * number + 1], edges[2 * number + 2]) for number in kept]
    return Layout("".join(parts), spans, [layout.labels[number] for number in kept])


LABEL = "TEXT"


@dataclass(frozen=True, eq=False)
class Whole(Replaced):
    """Has ``heuristic`` rewrite each text."""

    heuristic: TextHeuristic
    guards = False

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten: yes."""
        return True

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return the rewritten texts. Raise InputError for the first that has none."""
        seeds = iter(seeds_of(batch, batch.records))
        texts: list[TextInProgress] = []
        for record in batch.records:
            traces = Traces(_marked(record.layouts))
            texts += [
                TextInProgress(document, layout, traces, next(seeds), document.text)
                for document, layout in zip(record.documents, record.layouts, strict=True)
            ]
        self.heuristic.retell([text for text in texts if text.going])
        for text in texts:
            self._finish(text)
        for number, text in enumerate(texts):
            if text.lost is not None:
                raise InputError(text.lost, number)
        return Made([], batch.paid({}), [(["", text.text, ""], LABEL) for text in texts])

    def _finish(self, text: TextInProgress) -> None:
        """Ensure that nothing marked is left, also in a text that was left alone, and note what was done."""
        returned = text.tally.returned
        if text.lost is None:
            self._label(text)
        if text.lost is None:
            text.take(text.text)
            text.tally.returned = returned  # a kept text was never returned by the model
        text.tally.lost = text.lost is not None
        self.heuristic.chat.journal.note(text.document.id, self.heuristic.name, text.tally)

    def _label(self, text: TextInProgress) -> None:
        """Replace the marked spans of a text that was left unchanged: a span may be part of a word."""
        if text.text != text.document.text:
            return
        [labels] = self.heuristic.replacements(marked_records([text.document], [text.layout]), [text.seed])
        try:
            text.text = put_in(text.layout, labels, everywhere=False)
        except InputError as error:
            text.lost = error.reason


def _marked(layouts: Sequence[Layout]) -> dict[str, str]:
    """Return a label for each marked text, and for the whole word if only a part of one is marked."""
    spans = [(layout.text, *both) for layout in layouts for both in zip(layout.spans, layout.labels, strict=True)]
    labels = {text[slice(*whole_word(text, *span))]: label for text, span, label in spans}
    return labels | {text[start:end]: label for text, (start, end), label in spans}

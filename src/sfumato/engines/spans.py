"""The engine of the methods without a guarantee: detector and method joined, Document in, Release out.

Two promises are kept here with every method, unless ``everywhere`` is turned off. A marked text is marked wherever
else it appears in its record as whole words, in its other fields as well, however it is spelled
(:mod:`sfumato.text.occurrences`). No marked text remains in the release, nor appears across a seam: an output that
holds one becomes the span's label in brackets or, if that does not help, something that says nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from sfumato import version
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.models import choice_of, repeatable
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import PINS, Randomness, SystemRandomness, layout_key
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout
from sfumato.text.marked_record import MarkedRecord, marked_records
from sfumato.text.marks import Spans, checked_bounds
from sfumato.text.occurrences import whole_letters
from sfumato.types import Progress


@dataclass(frozen=True, eq=False)
class SpanSanitizer(Sanitizer):
    """Replaces each span that ``detector`` finds by an output of ``method``. Build one with :func:`sfumato.build`.

    ``everywhere`` marks a text that was found once wherever else it appears in its record. ``chat`` is the language
    model that the detector or the method asks.
    """

    detector: Detector
    method: SpanHeuristic
    everywhere: bool = True
    chat: ChatUse | None = None

    def prepare(self, progress: Progress | None = None) -> None:
        """Load what the method needs, so that nothing is read before it is there."""
        self.method.prepare(progress)

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.method.batch_size

    @property
    def implementation(self) -> type[Any]:
        """Return the class of the method."""
        return type(self.method)

    def statement_fields(self) -> dict[str, Any]:
        """Return method and parameters, for the statement."""
        language_model = {} if self.chat is None else {"language_model": self.chat.facts()}
        facts = {"mechanism": self.method.name, "parameters": self.method.parameters}
        return {**facts, **choice_of(self.method), **language_model}

    def suited_to(self, randomness: Randomness) -> SpanSanitizer:
        """Return the sanitizer that draws by ``randomness``: by a key or a seed with a repeatable model."""
        return self._repeatable if randomness.keyed else self

    @cached_property
    def _repeatable(self) -> SpanSanitizer:
        method = repeatable(self.method)
        return self if method is self.method else replace(self, method=method)

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of a release beside what every release shows."""
        return list(self.method.visible)

    @property
    def in_context(self) -> bool:
        """Return whether a replacement may depend on the whole document: yes."""
        return True

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release, for ``--resume`` and for keyed draws."""
        facts = [
            PINS,
            version.origin(type(self.method)),
            self.method.parameters,
            self.everywhere,
            self.detector.setting,
            version.VERSION,
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    def fingerprint(self) -> str:
        """Return, for ``--resume``, a hash of the setting, the prompts, and where the language model is.

        A statement names one place, so a run does not resume at another. Keyed draws depend on the setting alone.
        """
        if self.chat is None:
            return self.setting
        facts = [self.setting, self.chat.place, *self.method.prompts]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields of a record that the method reads beside the text."""
        return self.method.reads

    @property
    def makes_map(self) -> bool:
        """Return whether the method makes a map."""
        return self.method.makes_map

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether the method gives pseudonyms."""
        return self.method.gives_pseudonyms

    def pseudonyms(self, documents: Sequence[Document]) -> list[dict[str, str]]:
        """Return, for each document, the original behind each pseudonym. PRIVATE: for a sealed map alone."""
        return self.method.pseudonyms(self.records(documents))

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the method takes replacements from."""
        return list(self.method.sources)

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. Raise InputError naming the document, never its text."""
        source = randomness or SystemRandomness()
        suited = self.suited_to(source)
        if suited is not self:
            return suited.sanitize_batch(documents, source)
        source.check_names([document.names for document in documents])
        records = self.records(documents)
        layouts = [layout for record in records for layout in record.layouts]
        made = self.method.replacements(records, self._seeds(documents, layouts, source))
        if [len(outputs) for outputs in made] != [len(layout.spans) for layout in layouts]:
            raise ConfigurationError("A method replaced more or fewer spans than were marked; report it.")
        outputs = iter(made)
        return [
            release
            for record in records
            for release in record.releases(list(islice(outputs, len(record.documents))), self.everywhere)
        ]

    def records(self, documents: Sequence[Document]) -> list[MarkedRecord]:
        """Return the records of ``documents``, with what is replaced in each. Private: they hold the texts."""
        detected = self.detector.detect(documents)
        layouts = [self._layout(*row) for row in zip(range(len(documents)), documents, detected, strict=True)]
        records = marked_records(documents, layouts)
        return [record.everywhere() for record in records] if self.everywhere else records

    def layouts(self, documents: Sequence[Document]) -> list[Layout]:
        """Return what is replaced in each document. Private: it holds the texts."""
        return [layout for record in self.records(documents) for layout in record.layouts]

    def spans(self, document: Document) -> list[tuple[int, int, str]]:
        """Return what a release replaces: repeated mentions as well, except labels that the method keeps."""
        [layout] = self.layouts([document])
        return [(*span, label) for span, label in zip(layout.spans, layout.labels, strict=True)]

    def _layout(self, number: int, document: Document, spans: Spans) -> Layout:
        """Return the spans that were found, whole letters each, except those whose label the method keeps."""
        checked_bounds(spans, len(document.text), number)
        bounds = whole_letters(document.text, spans.bounds)
        pairs = zip(bounds, spans.each_label(), strict=True)
        kept = [(span, label) for span, label in pairs if not self.method.keeps(label)]
        return Layout(document.text, [span for span, _ in kept], [label for _, label in kept])

    def _seeds(self, documents: Sequence[Document], layouts: Sequence[Layout], source: Randomness) -> list[int]:
        rows = zip(documents, layouts, strict=True)
        contexts = [layout_key(self.setting, *row) for row in rows] if source.keyed else None
        uniforms = source.uniforms(len(documents), 2, contexts)
        return [(int(high * 2**32) << 32 ^ int(low * 2**32)) % 2**64 for high, low in uniforms.tolist()]

"""The engine of the methods that rewrite a whole text without a guarantee, by a language model.

The SpanSanitizer's promise about spans holds here for the whole text: no text that the detector marked in the
original remains in the release, however it is spelled there (:mod:`sfumato.text.occurrences`), nor the whole word
that it was a part of. A marked text that the model repeats becomes the label. A text that is left as it was has a
label in the place of every marked span, also of signs that are no letters. A text without a usable answer has no
release: it is never released unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.engines.spans import SpanSanitizer
from sfumato.errors import InputError
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout, Traces, joined
from sfumato.text.marked_record import marked_records
from sfumato.text.occurrences import whole_word

LABEL = "TEXT"


@dataclass(frozen=True, eq=False)
class TextSanitizer(SpanSanitizer):
    """Has ``method`` rewrite each text. Build one with :func:`sfumato.build`."""

    method: TextHeuristic

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten: yes."""
        return True

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. Raise InputError for the first that has none."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])
        records = self.records(documents)
        seeds = iter(self._seeds(documents, [layout for record in records for layout in record.layouts], source))
        texts: list[TextInProgress] = []
        for record in records:
            traces = Traces(_marked(record.layouts))
            texts += [
                TextInProgress(document, layout, traces, next(seeds), document.text)
                for document, layout in zip(record.documents, record.layouts, strict=True)
            ]
        unfinished = [text for text in texts if text.going]
        self.method.retell(unfinished)
        for text in texts:
            self._finish(text)
        for number, text in enumerate(texts):
            if text.lost is not None:
                raise InputError(text.lost, number)
        return [_release(text) for text in texts]

    def _finish(self, text: TextInProgress) -> None:
        """Ensure that nothing marked is left, also in a text that was left alone, and note what was done."""
        returned = text.tally.returned
        if text.lost is None:
            self._label(text)
        if text.lost is None:
            text.take(text.text)
            text.tally.returned = returned  # a kept text was never returned by the model
        text.tally.lost = text.lost is not None
        self.method.chat.journal.note(text.document.id, self.method.name, text.tally)

    def _label(self, text: TextInProgress) -> None:
        """Replace the marked spans of a text that was left unchanged: a span may be part of a word."""
        if text.text != text.document.text:
            return
        [labels] = self.method.replacements(marked_records([text.document], [text.layout]), [text.seed])
        try:
            text.text = joined(0, text.document, text.layout, labels, False).text
        except InputError as error:
            text.lost = error.reason


def _marked(layouts: Sequence[Layout]) -> dict[str, str]:
    """Return a label for each marked text, and for the whole word if only a part of one is marked."""
    spans = [(layout.text, *both) for layout in layouts for both in zip(layout.spans, layout.labels, strict=True)]
    labels = {text[slice(*whole_word(text, *span))]: label for text, span, label in spans}
    return labels | {text[start:end]: label for text, (start, end), label in spans}


def _release(text: TextInProgress) -> Release:
    return Release.joined(text.document.id, ["", text.text, ""], LABEL, 0)

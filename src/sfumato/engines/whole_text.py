"""Whole texts that a language model rewrites without a guarantee.

The promise of :mod:`sfumato.engines.replaced` about spans holds here for the whole text: no text that the detector
marked in the original remains in the release, however it is spelled there (:mod:`sfumato.text.occurrences`), nor the
whole word that it was a part of. A marked text that the model repeats becomes the label. A text that is left as it
was has a label in the place of every marked span, also of signs that are no letters. A text without a usable answer
has no release: it is never released unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.batch import Batch, Made, Outputs
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.engines.replaced import Replaced, seeds_of
from sfumato.errors import InputError
from sfumato.text.guarding import Traces, put_in
from sfumato.text.marks import Layout, marked_records
from sfumato.text.occurrences import whole_word
from sfumato.types import IntArray

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

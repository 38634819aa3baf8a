"""The engine of the methods that write a whole text anew without a guarantee, by a language model.

What the SpanSanitizer promises of spans is promised here of the whole: no text that the detector marked in the
original remains in the release, however it is spelled there (:mod:`sfumato.text.occurrences`), nor the whole word
that it was a part of. What the model says again becomes the label. A text that is left as it was has a label in
every marked place, of signs that are no letters as well. A text without a usable answer has no release: it is never
passed on as it stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.engines.spans import SpanSanitizer
from sfumato.errors import InputError
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout, joined
from sfumato.text.marked_record import marked_records
from sfumato.text.occurrences import whole_word
from sfumato.text.traces import Traces

LABEL = "TEXT"


@dataclass(frozen=True, eq=False)
class TextSanitizer(SpanSanitizer):
    """Has ``method`` write each text anew. Build one with :func:`sfumato.build`."""

    method: TextHeuristic

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten: yes."""
        return True

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order. Raises InputError for the first that has none."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])
        records = self.records(documents)
        seeds = iter(self._seeds(documents, [layout for record in records for layout in record.layouts], source))
        tellings: list[TextInProgress] = []
        for record in records:
            traces = Traces(_marked(record.layouts))
            tellings += [
                TextInProgress(document, layout, traces, next(seeds), document.text)
                for document, layout in zip(record.documents, record.layouts, strict=True)
            ]
        going = [one for one in tellings if one.going]
        self.method.retell(going)
        for one in tellings:
            self._finish(one)
        for number, one in enumerate(tellings):
            if one.lost is not None:
                raise InputError(one.lost, number)
        return [_release(one) for one in tellings]

    def _finish(self, one: TextInProgress) -> None:
        """See to it that nothing marked is left, also in a text that was left alone, and note what was done."""
        returned = one.tally.returned
        if one.lost is None:
            self._label(one)
        if one.lost is None:
            one.take(one.text)
            one.tally.returned = returned  # what a text that was kept held never came back
        one.tally.lost = one.lost is not None
        self.method.chat.journal.note(one.document.id, self.method.name, one.tally)

    def _label(self, one: TextInProgress) -> None:
        """Replace what is marked where it is marked, in a text that was left as it was: it may be part of a word."""
        if one.text != one.document.text:
            return
        [labels] = self.method.replacements(marked_records([one.document], [one.layout]), [one.seed])
        try:
            one.text = joined(0, one.document, one.layout, labels, False).text
        except InputError as error:
            one.lost = error.reason


def _marked(layouts: Sequence[Layout]) -> dict[str, str]:
    """A label for each marked text, and for the whole word where only a part of one is marked."""
    spans = [(one.text, *both) for one in layouts for both in zip(one.spans, one.labels, strict=True)]
    found = {text[slice(*whole_word(text, *span))]: label for text, span, label in spans}
    return found | {text[start:end]: label for text, (start, end), label in spans}


def _release(one: TextInProgress) -> Release:
    return Release.joined(one.document.id, ["", one.text, ""], LABEL, 0)

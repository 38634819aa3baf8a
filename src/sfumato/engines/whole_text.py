"""The engine of the methods that write a whole text anew without a guarantee, by a language model.

What the Editor promises of spans is promised here of the whole: no text that the detector marked in the original
stands in the release, however it is spelled there (:mod:`sfumato.text.occurrences`), nor the whole word that it was a part
of. What the model says again becomes the label. A text that is left as it was has a label in every marked place, of
signs that are no letters as well. A text without a usable answer has no release: it is never passed on as it stood.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.ideas import Editing, Layout
from sfumato.abstract.journal import Tally
from sfumato.engines.spans import Editor, joined
from sfumato.errors import InputError
from sfumato.privacy.sampling import Randomness, SystemRandomness
from sfumato.text.document import Document, Release, records
from sfumato.text.occurrences import whole_word
from sfumato.text.traces import Traces

LABEL = "TEXT"


@dataclass
class Telling:
    """A text under way: the original, what is marked in it, and how the text stands now.

    ``traces`` finds what was marked in its record, in other fields as well. ``lost`` says why there is no release.
    """

    document: Document
    layout: Layout = field(repr=False)
    traces: Traces = field(repr=False)
    seed: int = field(repr=False)
    text: str = field(repr=False)
    tally: Tally = field(default_factory=Tally)
    lost: str | None = None

    def take(self, text: str) -> None:
        """``text`` stands there from now on, without what was marked in the original.

        It gets no line and no column that the original had none of: it may stand on a line or in a row.
        """
        if "\n" not in self.document.text:
            text = re.sub(r"[ \t]*[\r\n]+[ \t]*", " ", text)
        if "\t" not in self.document.text:
            text = text.replace("\t", " ")
        try:
            self.text, returned = self.traces.cleaned(text)
            self.tally.returned += returned
        except InputError as error:
            self.lost = error.reason

    @property
    def going(self) -> bool:
        """Whether there is something to work on: text, and no reason to give it up."""
        return self.lost is None and bool(self.text.strip())


class Retelling(Editing):
    """Writes whole texts anew; whatever it answers, nothing that was marked comes back."""

    chat: ChatUse

    @property
    def together(self) -> int:
        """How many texts are worth working on at once: few, as an answer takes seconds."""
        return 8

    @abstractmethod
    def retell(self, tellings: Sequence[Telling]) -> None:
        """Write each of them anew, by :meth:`Telling.take`, or say why not in ``lost``.

        Texts without a letter are not among them. One that is left alone is released without what was marked.
        """

    def replacements(
        self, documents: Sequence[Document], layouts: Sequence[Layout], seeds: Sequence[int]
    ) -> list[list[str]]:
        """What stands for each span where the text is not written anew: its label."""
        return [[f"[{label}]" for label in layout.labels] for layout in layouts]


@dataclass(frozen=True, eq=False)
class Reteller(Editor):
    """Has ``method`` write each text anew. Build one with :func:`sfumato.build`."""

    method: Retelling

    @property
    def whole(self) -> bool:
        """Whether all of a text is written anew: yes."""
        return True

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order. Raises InputError for the first that has none."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])
        layouts = self.layouts(documents)
        seeds = self._seeds(documents, layouts, source)
        tellings: list[Telling] = []
        for record in records(documents):
            traces = Traces(_marked([layouts[number] for number in record]))
            tellings += [
                Telling(documents[number], layouts[number], traces, seeds[number], documents[number].text)
                for number in record
            ]
        going = [one for one in tellings if one.going]
        self.method.retell(going)
        for one in tellings:
            self._finish(one)
        for number, one in enumerate(tellings):
            if one.lost is not None:
                raise InputError(one.lost, number)
        return [_release(one) for one in tellings]

    def _finish(self, one: Telling) -> None:
        """See to it that nothing marked is left, also in a text that was left alone, and note what was done."""
        returned = one.tally.returned
        if one.lost is None:
            self._label(one)
        if one.lost is None:
            one.take(one.text)
            one.tally.returned = returned  # what a text that was kept held never came back
        one.tally.lost = one.lost is not None
        self.method.chat.journal.note(one.document.id, self.method.name, one.tally)

    def _label(self, one: Telling) -> None:
        """Replace what is marked where it is marked, in a text that was left as it was: it may be part of a word."""
        if one.text != one.document.text:
            return
        [labels] = self.method.replacements([one.document], [one.layout], [one.seed])
        try:
            one.text = joined(0, one.document, one.layout, labels, False).text
        except InputError as error:
            one.lost = error.reason


def _marked(layouts: Sequence[Layout]) -> dict[str, str]:
    """A label for each marked text, and for the whole word where only a part of one is marked."""
    spans = [(one.text, *both) for one in layouts for both in zip(one.spans, one.labels, strict=True)]
    found = {text[slice(*whole_word(text, *span))]: label for text, span, label in spans}
    return found | {text[start:end]: label for text, (start, end), label in spans}


def _release(one: Telling) -> Release:
    return Release.joined(one.document.id, ["", one.text, ""], LABEL, 0)

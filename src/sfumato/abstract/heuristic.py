"""The ideas of a method without a guarantee: it replaces marked spans, or rewrites whole texts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.journal import Tally
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.text.marked_record import MarkedRecord
from sfumato.text.traces import Traces
from sfumato.types import Progress


class SpanHeuristic(ABC):
    """Replaces marked spans by a rule or a model, without a guarantee: what it leaves has to be measured.

    Nothing here has an ε, and no statement of it prints one.
    """

    name: ClassVar[str]
    visible: ClassVar[tuple[str, ...]] = ()
    """What this method lets everybody see beside what every release shows, for the statement."""
    prompts: ClassVar[tuple[str, ...]] = ()
    """What it says to a language model, without text of records, for ``--resume``."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement and for ``--resume``. No key, no private text."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """The public files that it takes replacements from; a private input among them is refused."""
        return ()

    @property
    def batch_size(self) -> int:
        """How many documents are worth working on at once."""
        return 256

    @property
    def reads(self) -> tuple[str, ...]:
        """The fields of a record that it asks for beside the text."""
        return ()

    @property
    def named_labels(self) -> frozenset[str]:
        """The labels that it was told something about; a detector that has none of them was misunderstood."""
        return frozenset()

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether some of what is put in stands for one thing, so that a map can resolve it."""
        return False

    def pseudonyms(self, records: Sequence[MarkedRecord]) -> list[dict[str, str]]:
        """Return what each pseudonym of each document stands for. PRIVATE: for a sealed map alone."""
        return [{} for record in records for _ in record.documents]

    def keeps(self, label: str) -> bool:
        """Whether spans with this label are left as they stand, as if nothing had marked them: none are."""
        return False

    def prepare(self, progress: Progress | None = None) -> None:  # noqa: B027 (most need nothing)
        """Load what is needed, so that nothing is read before it is there."""

    @abstractmethod
    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return what replaces each span of each document, a list for each document of ``records``.

        ``seeds`` (64 bits each), one for each document, are fresh or keyed. An output that is, or holds, a marked
        original of its document is not used (:mod:`sfumato.engines.spans`).
        """


@dataclass
class TextInProgress:
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


class TextHeuristic(SpanHeuristic):
    """Writes whole texts anew; whatever it answers, nothing that was marked comes back."""

    chat: ChatUse

    @property
    def batch_size(self) -> int:
        """How many texts are worth working on at once: few, as an answer takes seconds."""
        return 8

    @abstractmethod
    def retell(self, tellings: Sequence[TextInProgress]) -> None:
        """Write each of them anew, by :meth:`TextInProgress.take`, or say why not in ``lost``.

        Texts without a letter are not among them. One that is left alone is released without what was marked.
        """

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return what replaces each span of a text that is not rewritten: its label."""
        return [[f"[{label}]" for label in layout.labels] for record in records for layout in record.layouts]

"""Methods without a guarantee: one replaces marked spans, the other rewrites whole texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.journal import Tally
from sfumato.abstract.method import Method
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.text.guarding import Traces
from sfumato.text.marks import Layout, MarkedRecord
from sfumato.text.sentences import laid_out_like
from sfumato.types import Progress


class SpanHeuristic(Method, ABC):
    """Replaces marked spans by a rule or a model, without a guarantee: the privacy of its output has to be measured.

    It has no ε, and no statement of it prints one.
    """

    default_detector: ClassVar[str] = "identifiers"

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter, for the statement and for ``--resume``. No key, no private text."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes replacements from; a private input among them is refused."""
        return ()

    @property
    def batch_size(self) -> int:
        """Return how many documents are worth working on at once."""
        return 256

    @property
    def named_labels(self) -> frozenset[str]:
        """Return the labels that its options name. If the detector has none of them, the options are mistaken."""
        return frozenset()

    def keeps(self, label: str) -> bool:
        """Return whether spans with this label stay unchanged, as if nothing had marked them.

        By default no label stays.
        """
        return False

    def says_the_label(self, label: str) -> bool:
        """Return whether nothing but the label stands for spans with this label. By default it does not."""
        return False

    def prepare(self, progress: Progress | None = None) -> None:
        """Load everything that is needed before anything private is read."""

    @abstractmethod
    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return the replacement of each span, as a list for each document of ``records``.

        ``seeds`` (64 bits each), one for each document, are fresh or keyed. The engine does not use an output that
        is, or holds, a marked original of its document (:mod:`sfumato.engines.engine`).
        """


@dataclass
class TextInProgress:
    """A text in progress: the original ``document``, its marks in ``layout``, and the present text.

    ``traces`` finds the marked texts of its record, those of other fields included. ``seed`` is for random choices,
    and ``tally`` counts the work. ``lost`` gives the reason if there is no release.
    """

    document: Document
    layout: Layout = field(repr=False)
    traces: Traces = field(repr=False)
    seed: int = field(repr=False)
    text: str = field(repr=False)
    tally: Tally = field(default_factory=Tally)
    lost: str | None = None

    def take(self, text: str) -> None:
        """Make ``text`` the present text, without the marked texts of the original.

        The text gets no line break and no tab if the original had none, because it may be one line or one cell of a
        file.
        """
        try:
            self.text, returned = self.traces.cleaned(laid_out_like(text, self.document.text))
            self.tally.returned += returned
        except InputError as error:
            self.lost = error.reason

    @property
    def going(self) -> bool:
        """Return whether there is something to work on: text, and no reason to give it up."""
        return self.lost is None and bool(self.text.strip())


class TextHeuristic(SpanHeuristic):
    """Rewrites whole texts. Whatever it answers, no marked text returns."""

    chat: ChatUse
    needs: ClassVar[tuple[str, ...]] = ("chat",)

    @property
    def batch_size(self) -> int:
        """Return how many texts are worth working on at once: few, because an answer takes seconds."""
        return 8

    @abstractmethod
    def retell(self, tellings: Sequence[TextInProgress]) -> None:
        """Rewrite each text with :meth:`TextInProgress.take`, or give the reason in ``lost``.

        Texts without a letter are not among them. A text that is left alone is released without its marked texts.
        """

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return, for each span, its label: the replacement if the text is not rewritten."""
        return [[f"[{label}]" for label in layout.labels] for record in records for layout in record.layouts]

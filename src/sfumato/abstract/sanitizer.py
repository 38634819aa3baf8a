"""The one face of the product: a Sanitizer takes texts, returns releases, and states its guarantee.

`sfumato.build` returns one. Files, statements, evaluations and the command line know only this class. The builder
decides which engine runs the method (`sfumato.engines`), and no other code depends on the engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from inspect import isfunction
from typing import Any

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.stream import document_of, streamed
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.files.options import FileOptions
from sfumato.options.typed import typed
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document, Preview, Release
from sfumato.types import Progress

_AT_ONCE = 64  # texts of a stream
_NONE = "This method has no formal guarantee, so there is nothing to certify; measure the release instead."


class Sanitizer(ABC):
    """Sanitizes documents. Build one with `sfumato.build`.

    Attributes:
        detector: Finds the spans to replace.
        chat: The language model that the detector or the method asks, if one does.
    """

    detector: Detector
    chat: ChatUse | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Check the arguments of this face, whichever engine is behind it."""
        super().__init_subclass__(**options)
        _check_arguments(cls)

    @abstractmethod
    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. `randomness` defaults to the operating system's.

        Raises:
            InputError: A document cannot be sanitized. The error names its index, never its text.
        """

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return, for each document, the draws that `sanitize_batch` will make and pay for. PRIVATE. Draws nothing.

        Raises:
            ConfigurationError: The method cannot say so before it draws.
            InputError: As `sanitize_batch`.
        """
        raise ConfigurationError(
            "This method cannot say what it will draw before it draws, so that no ledger can reserve its cost; leave "
            "out the ledger, or choose another method."
        )

    def sanitize(self, text: str | Document, randomness: Randomness | None = None) -> Release:
        """Return the release of one text. Raises as `sanitize_batch`."""
        return self.sanitize_batch([document_of(text)], randomness)[0]

    def sanitize_stream(
        self, texts: Iterable[str | Document], randomness: Randomness | None = None, *, batch: int | None = None
    ) -> Iterator[Release]:
        """Yield the release of each text, in order. `texts` may be a generator that never ends.

        Only one batch of texts is read ahead and kept in memory. Neighbouring documents that share one `metadata`
        mapping belong to one record and are sanitized together, so that the last batch of a record may be larger.

        Args:
            texts: Texts or documents.
            randomness: The operating system's by default. Pinned randomness needs an id for each document that no
                other document of the stream has.
            batch: How many texts are sanitized together; 64 by default, fewer for slow methods.

        Raises:
            ConfigurationError: `batch` is less than 1.
            InputError: A text cannot be sanitized. The error names its index in the stream, never its text.
        """
        size = min(_AT_ONCE, self.records_at_once or _AT_ONCE) if batch is None else batch
        if size < 1:
            raise ConfigurationError(f"batch must be 1 or more, not {size}.")
        return streamed(partial(self.sanitize_batch, randomness=randomness or SystemRandomness()), texts, size)

    def preview(self, text: str | Document, randomness: Randomness | None = None) -> Preview:
        """Return a text beside its release, which a notebook shows with the replaced spans marked.

        PRIVATE: the value holds the original. Raises as `sanitize_batch`.
        """
        document = document_of(text)
        return Preview(document, self.spans(document), self.sanitize(document, randomness))

    def spans(self, document: Document) -> list[tuple[int, int, str]]:
        """Return start, end and label of each span that a release replaces.

        PRIVATE: they disclose part of the text.
        """
        return [(span.start, span.end, span.label) for span in self.detector.detect([document])[0]]

    @abstractmethod
    def prepare(self, progress: Progress | None = None) -> None:
        """Load and certify everything, so that nothing private is read before the guarantee is certified.

        `progress` is called with the share that is done, from 0 to 1.

        Raises:
            GuaranteeError: The guarantee cannot be certified.
        """

    @property
    @abstractmethod
    def setting(self) -> str:
        """Return a hash of everything public that decides a release: keyed draws of two settings share nothing."""

    def fingerprint(self) -> str:
        """Return what a run must have in common with an interrupted one in order to resume it."""
        return self.setting

    def suited_to(self, randomness: Randomness) -> Sanitizer:
        """Return the sanitizer that draws by `randomness`.

        Draws by a key or a seed do not use a number format that was chosen for this processor alone.
        """
        return self

    @property
    def run_digest(self) -> str:
        """Return a digest of keys that this run alone has; empty without any. Pinned randomness takes their place.

        A run that draws by such keys cannot be resumed: the keys are never kept.
        """
        return ""

    # The guarantee.

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one draw, in the unit that the settings give it; None without a guarantee."""
        return None

    @property
    def treatments(self) -> Sequence[Treatment]:
        """Return the treatments of a policy, each with a guarantee of its own or none; empty for a single method."""
        return ()

    def certificate(self) -> Certificate:
        """Return the numerical check of the guarantee; if there are several, of the weakest.

        Raises:
            GuaranteeError: There is no guarantee, or it does not hold.
        """
        raise GuaranteeError(_NONE)

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of one draw: what a word becomes, and how likely each outcome is.

        Args:
            text: The word or phrase; for a mechanism that works with a language model, the document.
            position: Which marked word of the document, from 0. Only for a mechanism with a language model.
            label: The label of the span, if labels have vocabularies of their own.

        Raises:
            ConfigurationError: `position` is missing, or this method does not take it.
            GuaranteeError: The method has no guarantee, and so no law to show.
        """
        raise GuaranteeError("This method has no formal guarantee, so it has no law; measure the release instead.")

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return the total cost of a record with that many draws, in nats.

        `records` is the number of records of the release, which decides δ.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        raise GuaranteeError(_NONE)

    @property
    def spends_by_document(self) -> bool:
        """Return whether a document costs a budget of its own, however many draws it takes."""
        return False

    def cost_of_person(self, spent: int, draws: Collection[int], people: int = 1) -> Composed:
        """Return the total cost of a person, in nats.

        `spent` counts the draws of all the person's records (or, where documents have a budget, the documents that
        had any), `draws` are the numbers of draws that records of the run had, and `people` is how many people the
        run holds, which decides δ.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        return self.cost(spent, people)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that draws are made from.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        raise GuaranteeError(_NONE)

    # The statement.

    @property
    def implementation(self) -> type[Any]:
        """Return the class whose claims are stated. Whoever made it answers for its proof and its certificate."""
        return type(self)

    @abstractmethod
    def statement_fields(self) -> dict[str, Any]:
        """Return the method, its parameters and its public inputs, for the statement."""

    @property
    @abstractmethod
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of a release, beside what every release shows."""

    @property
    @abstractmethod
    def in_context(self) -> bool:
        """Return whether the replacement of a span may depend on the whole document."""

    @property
    def mends_edges(self) -> bool:
        """Return whether words that touch a replacement may be mended after the draws."""
        return False

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether the method rewrites the whole text, so that no part of it stays unchanged."""
        return False

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that the sanitizer was built from; a private input among them is refused."""
        return ()

    # Reading a file.

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields of a record that the method reads beside the text."""
        return ()

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold at most; None: as many as fit in memory.

        A slow method needs small chunks, so that little is lost when a run is interrupted.
        """
        return None

    def check_fields(self, files: FileOptions) -> None:  # noqa: B027 (most take any)
        """Raise ConfigurationError if records with the text fields of ``files`` cannot be sanitized."""

    def reporting(self, on_draws: Callable[[int], None] | None) -> Sanitizer:
        """Return a sanitizer that also calls `on_draws` with the number of draws made since the last call.

        Only a method that takes long over one record calls it.
        """
        return self

    @property
    def makes_map(self) -> bool:
        """Return whether an encrypted map back to the original may be made of its releases: with no guarantee."""
        return False

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether the replacements are pseudonyms that `pseudonyms` can resolve."""
        return False

    def pseudonyms(self, documents: Sequence[Document]) -> list[dict[str, str]]:
        """Return, for each document, the original behind each pseudonym. PRIVATE: for a sealed map alone."""
        return [{} for _ in documents]


_FACE = [name for name, method in vars(Sanitizer).items() if isfunction(method) and not name.startswith("_")]


def _check_arguments(cls: type[Any]) -> None:
    for name in _FACE:
        if name in vars(cls):
            setattr(cls, name, typed(vars(cls)[name]))


_check_arguments(Sanitizer)

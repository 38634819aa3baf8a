"""The one face of the product: a Sanitizer takes texts, returns releases, and states its guarantee.

`sfumato.build` and `sfumato.build_policy` return one. Files, statements, evaluations and the command line know only
this class. It promises what its treatments promise. :mod:`sfumato.engines.engine` runs them.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import isfunction
from typing import Any

from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.detector import Detector
from sfumato.abstract.treated import Treated
from sfumato.errors import ConfigurationError, InputError
from sfumato.files.options import FileOptions
from sfumato.options.typed import typed
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import GROUP, Document, Preview, Release, document_of
from sfumato.text.marks import MarkedRecord, Marks, Spans
from sfumato.types import Progress, part_of

_AT_ONCE = 64  # texts of a stream


class Sanitizer(Treated):
    """Sanitizes documents. Build one with `sfumato.build`, or of a policy with `sfumato.build_policy`.

    Attributes:
        detector: Finds the spans to replace.
        others: What is done with every span that no other treatment names.
        treated: What is done with some kinds of span, each kind in one treatment. A method by its name has none.
        names: Finds the names of which it is counted for the owner how many are still there, where labels name none.
    """

    names: Detector | None = None

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

    def sanitize_marked(
        self, documents: Sequence[Document], randomness: Randomness | None = None
    ) -> tuple[list[Release], Marks | None]:
        """Return what `sanitize_batch` returns, and the marks, if each of them has one replacement. PRIVATE.

        Raises:
            InputError: As `sanitize_batch`.
        """
        return self.sanitize_batch(documents, randomness), None

    @abstractmethod
    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return, for each document, the draws that `sanitize_batch` will make and pay for. PRIVATE. Draws nothing.

        The draws of a record belong to its first document.

        Raises:
            ConfigurationError: The method cannot say so before it draws.
            InputError: As `sanitize_batch`.
        """

    @abstractmethod
    def records(self, documents: Sequence[Document]) -> list[MarkedRecord]:
        """Return the records of `documents`, with what is replaced in each. PRIVATE: they hold the texts.

        Raises:
            InputError: The detector cannot read a document, or its marks do not fit.
        """

    @abstractmethod
    def staying(self, documents: Sequence[Document], detected: Sequence[Spans]) -> list[list[bool]]:
        """Return for each mark that was `detected` in `documents` whether a release shows what is there. PRIVATE."""

    @property
    @abstractmethod
    def setting(self) -> str:
        """Return a hash of everything public that decides a release: keyed draws of two settings share nothing."""

    @abstractmethod
    def suited_to(self, randomness: Randomness) -> Sanitizer:
        """Return the sanitizer that draws by `randomness`.

        Draws by a key or a seed do not use a number format that was chosen for this processor alone.
        """

    @abstractmethod
    def reporting(self, on_draws: Callable[[int], None] | None) -> Sanitizer:
        """Return a sanitizer that also calls `on_draws` with the number of draws made since the last call.

        Only a method that takes long over one record calls it.
        """

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
        """Return start, end and label (or kind) of each span that a release replaces.

        PRIVATE: they disclose part of the text.
        """
        if self.rewrites_whole_text and self.as_found:
            return [(0, len(document.text), "TEXT")]
        layouts = (layout for record in self.records([document]) for layout in record.layouts)
        return [(*span, label) for layout in layouts for span, label in zip(layout.spans, layout.labels, strict=True)]

    def prepare(self, progress: Progress | None = None) -> None:
        """Load and certify everything, so that nothing private is read before the guarantee is certified.

        `progress` is called with the share that is done, from 0 to 1.

        Raises:
            GuaranteeError: The guarantee cannot be certified.
        """
        count = len(self.every_treatment)
        for number, treatment in enumerate(self.every_treatment):
            treatment.prepare(part_of(progress, number / count, 1 / count))
            if progress is not None:
                progress((number + 1) / count)

    # A run.

    def fingerprint(self) -> str:
        """Return what a run must have in common with an interrupted one in order to resume it.

        The prompts, and where the language model is, belong to it. Keyed draws depend on the setting alone.
        """
        if self.chat is None:
            return self.setting
        prompts = [] if self._method is None else self._method.prompts
        return hashlib.sha256(json.dumps([self.setting, self.chat.place, *prompts]).encode()).hexdigest()

    @property
    def run_digest(self) -> str:
        """Return a digest of keys that this run alone has; empty without any. Pinned randomness takes their place.

        A run that draws by such keys cannot be resumed: the keys are never kept.
        """
        keys = b"".join(treatment.run_key for treatment in self.every_treatment)
        return hashlib.sha256(keys).hexdigest() if keys else ""

    # Reading a file.

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields of a record that the method reads beside the text."""
        subject = () if self.subject_field is None else (self.subject_field,)
        return subject if self._method is None else (*subject, *self._method.reads)

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold at most; None: as many as fit in memory.

        A slow method needs small chunks, so that little is lost when a run is interrupted.
        """
        counts = [treatment.records_at_once for treatment in self.every_treatment]
        return min((count for count in counts if count is not None), default=None)

    def check_fields(self, files: FileOptions) -> None:
        """Raise ConfigurationError if records with the text fields of `files` cannot be sanitized.

        A document's budget would be spent by each of several texts of a record.
        """
        if self.spends_by_document and not files.one_text:
            raise ConfigurationError(
                "A document's budget is for one text, and a record with several fields or a list of texts would "
                "spend it several times; give one field that is no list, or an epsilon for each draw."
            )

    @property
    def makes_map(self) -> bool:
        """Return whether an encrypted map back to the original may be made of its releases: with no guarantee."""
        return self._method is not None and self._method.makes_map

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether the replacements are pseudonyms that `pseudonyms` can resolve."""
        return self._method is not None and self._method.gives_pseudonyms

    def pseudonyms(self, documents: Sequence[Document]) -> list[dict[str, str]]:
        """Return, for each document, the original behind each pseudonym. PRIVATE: for a sealed map alone."""
        if self._method is None:
            return [{} for _ in documents]
        return self._method.pseudonyms(self.records(documents))


_FACE = {name for face in (Treated, Sanitizer) for name, method in vars(face).items() if isfunction(method)}

_INSIDE = {"treatment_of", "kind", "treatment_of_value"}
"""What an engine asks for each span."""


def _check_arguments(cls: type[Any]) -> None:
    for name in _FACE & vars(cls).keys():
        if not name.startswith("_") and name not in _INSIDE:
            setattr(cls, name, typed(vars(cls)[name]))


_check_arguments(Treated)
_check_arguments(Sanitizer)


def streamed(
    sanitize_batch: Callable[[Sequence[Document]], Sequence[Release]], texts: Iterable[str | Document], size: int
) -> Iterator[Release]:
    """Yield the release of each of ``texts``, in order, ``size`` of them at a time.

    Raise InputError with the index of the text in the stream.
    """
    done = 0
    for batch in _batches(texts, size):
        yield from _released(sanitize_batch, batch, done)
        done += len(batch)


def _batches(texts: Iterable[str | Document], size: int) -> Iterator[list[Document]]:
    """Yield lists of ``size`` documents. A list is longer if it would cut a record, whose texts belong together.

    Only a document with metadata can have a neighbour in its record, so plain texts need no look ahead.
    """
    batch: list[Document] = []
    for index, text in enumerate(texts):
        document = document_of(text, index)
        last: Any = batch[-1].metadata if batch else {}
        if len(batch) >= size and last and document.metadata is not last:
            yield batch
            batch = []
        batch.append(document)
        if len(batch) >= size and not document.metadata:
            yield batch
            batch = []
    if batch:
        yield batch


def _released(
    sanitize_batch: Callable[[Sequence[Document]], Sequence[Release]], batch: Sequence[Document], done: int
) -> Sequence[Release]:
    try:
        return sanitize_batch(batch)
    except InputError as error:
        index = None if error.document is None else done + error.document
        failure = InputError(error.reason, index, GROUP)
    # Raised outside the except block, so that no context drags a private message along.
    raise failure

"""The one face of the product: a Sanitizer takes texts, returns releases, and states its guarantee.

`sfumato.build` and `sfumato.build_policy` return one. Files, statements, evaluations and the command line know only
this class. It promises what its treatments promise. :mod:`sfumato.engines.engine` runs them.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.method import Method
from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.stream import document_of, streamed
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.files.options import FileOptions
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document, Preview, Release
from sfumato.text.marked_record import MarkedRecord
from sfumato.types import Progress, part_of

T = TypeVar("T")

_AT_ONCE = 64  # texts of a stream
_NONE = "This method has no formal guarantee, so there is nothing to certify; measure the release instead."
_BRACKETED = (
    "where a drawn value equals a text of its record that a method without a guarantee replaced, or completes one "
    "with the words beside it: its kind in brackets is there instead, such as [AGE]"
)


class Sanitizer(ABC):
    """Sanitizes documents. Build one with `sfumato.build`, or of a policy with `sfumato.build_policy`.

    Attributes:
        detector: Finds the spans to replace.
        treated: What is done with some kinds of span, each kind in one treatment. A method by its name has none.
        others: What is done with every other span.
        kind_of: Returns the kind of a span from its label and its text; None where the label is the kind.
        subject_field: The field that names the person of a record, for draws for a person.
        mended: Mends a release at the edges of what was put in; None leaves the draws bare.
        policy: The name and the fingerprint of the policy, for the statement.
        chat: The language model that the detector or the method asks, if one does.
    """

    detector: Detector
    others: Treatment
    treated: Sequence[Treatment]
    kind_of: Callable[[str, str], str] | None
    subject_field: str | None
    mended: Callable[[Release], Release] | None
    policy: Mapping[str, str]
    chat: ChatUse | None

    @abstractmethod
    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. `randomness` defaults to the operating system's.

        Raises:
            InputError: A document cannot be sanitized. The error names its index, never its text.
        """

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

    # The treatments.

    @cached_property
    def every_treatment(self) -> Sequence[Treatment]:
        """Return every treatment, the one of all other kinds last."""
        return (*self.treated, self.others)

    @property
    def treatments(self) -> Sequence[Treatment]:
        """Return the treatments of a policy, each with a guarantee of its own or none; empty for a single method."""
        return () if self.kind_of is None else self.every_treatment

    @cached_property
    def _by_kind(self) -> dict[str, Treatment]:
        return {kind: treatment for treatment in self.treated for kind in treatment.kinds}

    def treatment_of(self, kind: str) -> Treatment:
        """Return the treatment of `kind`."""
        return self._by_kind.get(kind, self.others)

    def kind(self, label: str, text: str) -> str:
        """Return the kind of a span with `label`."""
        return label if self.kind_of is None else self.kind_of(label, text)

    def treatment_of_value(self, label: str, text: str) -> Treatment:
        """Return the treatment of a value whose kind is `label`, or follows from label and text."""
        return self.treatment_of(label if label in self._by_kind else self.kind(label, text))

    @property
    def as_found(self) -> bool:
        """Return whether spans are replaced as the detector marks them."""
        return self.others.as_found

    @property
    def _method(self) -> Method | None:
        """Return the single method; None for a policy."""
        return None if self.treatments else self.others.method

    def prepare(self, progress: Progress | None = None) -> None:
        """Load and certify everything, so that nothing private is read before the guarantee is certified.

        `progress` is called with the share that is done, from 0 to 1.

        Raises:
            GuaranteeError: The guarantee cannot be certified.
        """
        count = len(self.every_treatment)
        for number, treatment in enumerate(self.every_treatment):
            treatment.prepare(None if progress is None else partial(part_of, progress, number, count))
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

    # The guarantee.

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one draw, in the unit that the settings give it; None without a guarantee.

        A policy has none: each of its treatments has its own.
        """
        return None if self.treatments else self.others.guarantee

    def certificate(self) -> Certificate:
        """Return the numerical check of the guarantee; if there are several, of the weakest.

        Raises:
            GuaranteeError: There is no guarantee, or it does not hold.
        """
        return _guaranteed(None if self.treatments else self.others.certificate)

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of one draw: what a word becomes, and how likely each outcome is.

        Args:
            text: The word, phrase or value; for a mechanism that works with a language model, the document.
            position: Which marked word of the document, from 0. Only for a mechanism with a language model.
            label: The label of the span, if labels have vocabularies of their own; for a policy, label or kind.

        Raises:
            ConfigurationError: `position` or `label` is missing, or this method does not take it.
            GuaranteeError: The method has no guarantee, and so no law to show.
        """
        if self.treatments and (position is not None or label is None):
            raise ConfigurationError("A policy treats kinds differently: say the label or the kind of the value.")
        words = document_of(text).text
        treatment = self.others if label is None else self.treatment_of_value(label, words)
        law = treatment.law(words, position, label, self.detector)
        if law is not None:
            return law
        if self.treatments:
            raise ConfigurationError(
                f"{label} is treated by {treatment.name} here, which has no law of single values."
            )
        raise GuaranteeError("This method has no formal guarantee, so it has no law; measure the release instead.")

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return the total cost of a record with that many draws, in nats.

        `records` is the number of records of the release, which decides δ.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        return _guaranteed(None if self.treatments else self.others.cost(draws, records))

    @property
    def spends_by_document(self) -> bool:
        """Return whether a document costs a budget of its own, however many draws it takes."""
        return self.others.spends_by_document

    def cost_of_person(self, spent: int, draws: Collection[int], people: int = 1) -> Composed:
        """Return the total cost of a person, in nats.

        `spent` counts the draws of all the person's records (or, where documents have a budget, the documents that
        had any), `draws` are the numbers of draws that records of the run had, and `people` is how many people the
        run holds, which decides δ. Documents are charged as the costliest one.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        return _guaranteed(None if self.treatments else self.others.cost_of_person(spent, draws, people))

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that draws are made from.

        Raises:
            GuaranteeError: There is no guarantee.
        """
        if not self.treatments:
            _guaranteed(self.others.guarantee)
        return max(treatment.relative_error for treatment in self.every_treatment)

    # The statement.

    @property
    def implementation(self) -> type[Any]:
        """Return the class whose claims are stated. Whoever made it answers for its proof and its certificate."""
        return type(self if self._method is None else self._method)

    def statement_fields(self) -> dict[str, Any]:
        """Return the method, its parameters and its public inputs, for the statement; of a policy its name."""
        if self.treatments:
            return {"mechanism": "policy", "policy": dict(self.policy)}
        language_model = {} if self.chat is None else {"language_model": self.chat.facts()}
        return {"mechanism": self.others.name, **self.others.described(), **language_model}

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of a release, beside what every release shows."""
        seen = [line for treatment in self.every_treatment for line in treatment.visible]
        if not self.treatments:
            return seen
        drawn = any(treatment.guarantee is not None for treatment in self.treatments)
        seen += [_BRACKETED] if drawn and self.in_context else []
        return list(dict.fromkeys(["the kind of each replaced span, as far as its replacement shows it", *seen]))

    @property
    def in_context(self) -> bool:
        """Return whether the replacement of a span may depend on the whole document."""
        return any(treatment.in_context for treatment in self.every_treatment)

    @property
    def mends_edges(self) -> bool:
        """Return whether words that touch a replacement may be mended after the draws."""
        return self.mended is not None

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether the method rewrites the whole text, so that no part of it stays unchanged."""
        return self.others.rewrites_whole_text

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that the sanitizer was built from; a private input among them is refused."""
        return list(dict.fromkeys(source for treatment in self.every_treatment for source in treatment.sources))

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


def _guaranteed(value: T | None) -> T:
    """Return ``value``. Raise GuaranteeError where a method without a guarantee has none."""
    if value is None:
        raise GuaranteeError(_NONE)
    return value

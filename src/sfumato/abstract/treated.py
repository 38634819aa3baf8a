"""What a sanitizer does with each kind of span, and what that promises and says: all of it from its treatments."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.method import Method
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.text.document import Release, document_of
from sfumato.text.measures import Measures

T = TypeVar("T")

_NONE = "This method has no formal guarantee, so there is nothing to certify; measure the release instead."
_BRACKETED = (
    "where a drawn value equals a text of its record that a method without a guarantee replaced, or completes one "
    "with the words beside it: its kind in brackets is there instead, such as [AGE]"
)

_MEASURES = (
    "doses, laboratory values, scores, and names of genes and instruments, as they are in the original, even where "
    "the detector marked them; so a text that was replaced beside a unit, a drug or a test is not one of these"
)


class Treated(ABC):
    """Has a detector, and a treatment for each span that it finds.

    Attributes:
        detector: Finds the spans to replace.
        others: What is done with every span that no other treatment names.
        treated: What is done with some kinds of span, each kind in one treatment. A method by its name has none.
        kind_of: Returns the kind of a span from its label and its text; None where the label is the kind.
        subject_field: The field that names the person of a record, for draws for a person.
        mended: Mends a release at the edges of what was put in; None leaves the draws bare.
        policy: The name and the fingerprint of the policy, for the statement.
        chat: The language model that the detector or the method asks, if one does.
        measures: Says which marks are doses, laboratory values and the like, which stay; None if none does.
    """

    detector: Detector
    others: Treatment
    treated: Sequence[Treatment]
    kind_of: Callable[[str, str], str] | None
    subject_field: str | None
    mended: Callable[[Release], Release] | None
    policy: Mapping[str, str]
    chat: ChatUse | None
    measures: Measures | None

    @cached_property
    def every_treatment(self) -> Sequence[Treatment]:
        """Return every treatment, the one of all other kinds last."""
        return (*self.treated, self.others)

    @cached_property
    def treatments(self) -> Sequence[Treatment]:
        """Return the treatments of a policy, each with a guarantee of its own or none; empty for a single method."""
        return self.every_treatment if self.treated or self.kind_of is not None else ()

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

    @cached_property
    def as_found(self) -> bool:
        """Return whether spans are replaced as the detector marks them."""
        return self.others.as_found

    @property
    def _method(self) -> Method | None:
        """Return the single method; None for a policy."""
        return None if self.treatments else self.others.method

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
            raise ConfigurationError(f"{label} is treated by {treatment.name} here, {treatment.built.why_no_law}")
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
        seen += [_MEASURES] if self.measures is not None else []
        return list(dict.fromkeys(["the kind of each replaced span, as far as its replacement shows it", *seen]))

    @cached_property
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


def _guaranteed(value: T | None) -> T:
    """Return ``value``. Raise GuaranteeError where a method without a guarantee has none."""
    if value is None:
        raise GuaranteeError(_NONE)
    return value

"""The engine of the contextual mechanisms: detector and mechanism joined, Document in, Release out.

:mod:`sfumato.engines.contextual_batch` draws, for many documents together. :mod:`sfumato.engines.spending` says which
ε each draw has, and what they cost together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import version
from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.models import choice_of, repeatable
from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.stream import document_of
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.contextual_batch import DocumentRow, layout_of, rewritten, row_of
from sfumato.engines.laws import law_in_context
from sfumato.engines.spending import Spending
from sfumato.errors import ConfigurationError
from sfumato.files.options import FileOptions
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon, compared
from sfumato.privacy.randomness import PINS, Randomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout
from sfumato.types import FloatArray, Progress


@dataclass(frozen=True, eq=False)
class ContextualSanitizer(Sanitizer):
    """Rewrites documents with a contextual mechanism. Build one with :func:`sfumato.build`.

    ``document_epsilon`` splits a budget over the draws of each document instead of spending the mechanism's ε on
    each. ``on_draws`` is called after every step with how many draws it made.
    """

    detector: Detector
    mechanism: ContextualMechanism
    document_epsilon: float | None = None
    on_draws: Callable[[int], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.document_epsilon is not None:
            object.__setattr__(self, "document_epsilon", checked_epsilon(self.document_epsilon))

    def __getstate__(self) -> dict[str, Any]:
        kept = ("detector", "mechanism", "document_epsilon")
        return {**{name: self.__dict__[name] for name in kept}, "on_draws": None}  # a process has no terminal

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the model and certify the law, so that nothing is read before the claim is certified."""
        self.certificate()
        if progress is not None:
            progress(0.5)
        trial = Layout("One two.", [(0, 3), (4, 7)], ["WORD", "WORD"])
        scores, _ = self.mechanism.begin([trial], [np.ones((2, self.mechanism.coins))]).scores()
        self.mechanism.score_law.check(scores)  # a model that cannot answer is refused here

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.mechanism.batch_size

    def check_fields(self, files: FileOptions) -> None:
        """Refuse several texts a record under a document's budget, which each of them would spend."""
        if self.document_epsilon is not None and not files.one_text:
            raise ConfigurationError(
                "A document's budget is for one text, and a record with several fields or a list of texts would "
                "spend it several times; give one field that is no list, or an epsilon for each draw."
            )

    def suited_to(self, randomness: Randomness) -> ContextualSanitizer:
        """Return the sanitizer that draws by ``randomness``: by a key or a seed with a repeatable model."""
        return self._repeatable if randomness.keyed else self

    @cached_property
    def _repeatable(self) -> ContextualSanitizer:
        mechanism = repeatable(self.mechanism)
        return self if mechanism is self.mechanism else replace(self, mechanism=mechanism)

    def reporting(self, on_draws: Callable[[int], None] | None) -> ContextualSanitizer:
        """Return the same sanitizer, which reports after every step how many draws it made."""
        return replace(self, on_draws=on_draws)

    def certificate(self) -> Certificate:
        """Return the certificate of one draw; of one document, if each has a budget."""
        return self._spending.certificate()

    @property
    def implementation(self) -> type[Any]:
        """Return the class of the mechanism."""
        return type(self.mechanism)

    def statement_fields(self) -> dict[str, Any]:
        """Return mechanism, calibration, model and parameters, for the statement."""
        parameters = self.mechanism.parameters
        fields: dict[str, Any] = {
            "mechanism": self.mechanism.name,
            "calibration": parameters.get("calibration"),
            "model": parameters.get("model"),
            "parameters": parameters,
            **self.mechanism.score_law.public_facts,
            **choice_of(self.mechanism),
        }
        if self.document_epsilon is not None:
            fields["parameters"] = {name: value for name, value in parameters.items() if name != "epsilon"}
            fields["epsilon_per_draw"] = "the document's epsilon over its number of draws"
            fields["epsilon_per_document"] = self.document_epsilon
        return fields

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of a release beside what every release shows."""
        return list(self.mechanism.visible)

    @property
    def in_context(self) -> bool:
        """Return whether a draw depends on the whole document: yes."""
        return True

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten: the mechanism says so."""
        return self.mechanism.rewrites_whole_text

    @property
    def guarantee(self) -> Guarantee:
        """Return what one draw promises; with a document budget, what one document promises."""
        mechanism = self.mechanism
        adjacency = (
            mechanism.adjacency
            if mechanism.rewrites_whole_text
            else compared(self.detector.adjacency, mechanism.adjacency)
        )
        return self._spending.guarantee(adjacency)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law."""
        return self.mechanism.score_law.relative_error

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return what a document with so many draws costs altogether, among so many ``records`` (they decide δ)."""
        if self.document_epsilon is None:
            return self._spending.cost_of_draws(draws, records)
        cost = self._spending.cost_of_documents(min(draws, 1), [draws], records, self.guarantee)
        return replace(cost, draws=draws)

    @property
    def spends_by_document(self) -> bool:
        """Return whether a document costs its budget, however many draws it takes."""
        return self.document_epsilon is not None

    def cost_of_person(self, spent: int, draws: Collection[int], people: int = 1) -> Composed:
        """Return what a person pays who spent so many draws, or under a document's budget so many documents.

        Documents are then charged as the costliest document of the run, by their numbers of ``draws``.
        """
        if not self.spends_by_document:
            return self.cost(spent, people)
        return self._spending.cost_of_documents(spent, draws, people, self.guarantee)

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides the law: for ``--resume`` and for keyed draws."""
        mechanism = self.mechanism
        facts = [PINS, ANALYSIS, version.origin(type(mechanism)), mechanism.parameters, self.document_epsilon]
        facts += [self.detector.setting, getattr(mechanism.model, "where", "here")]
        facts += _versions()  # scores differ between them
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the model's scores were measured on."""
        text = self.mechanism.score_law.public_text
        return [] if text is None else [SourceFile(Path("text that the scores were measured on"), text[1], text[0])]

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order.

        Raise :class:`~sfumato.errors.InputError` naming the document, never its text.
        """
        source = randomness or SystemRandomness()
        suited = self.suited_to(source)
        if suited is not self:
            return suited.sanitize_batch(documents, source)
        self.certificate()  # nothing is drawn before it
        source.check_names([document.names for document in documents])
        if source.keyed and source.private and getattr(self.mechanism.model, "number_format", "") == "bfloat16":
            raise ConfigurationError("A pinned run must be repeatable, and bfloat16 is too coarse; use float32.")
        marked = enumerate(zip(documents, self.detector.detect(documents), strict=True))
        layouts = [layout_of(document, spans, number) for number, (document, spans) in marked]
        charged = [self.mechanism.draws(layout) for layout in layouts]
        order = sorted(range(len(layouts)), key=lambda number: -charged[number])
        rows = [self._row(documents[number], layouts[number], charged[number], source) for number in order]
        releases = dict(zip(order, rewritten(self.mechanism, rows, source, self.on_draws), strict=True))
        return [releases[number] for number in range(len(documents))]

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return the draws of each document, or the one budget that it spends, without drawing.

        No two draws count as the same, keyed or not: scores differ by rounding between devices, versions and batches.
        """
        planned: list[tuple[PlannedDraws, ...]] = []
        for number, (document, spans) in enumerate(zip(documents, self.detector.detect(documents), strict=True)):
            layout = layout_of(document, spans, number)
            count = self.mechanism.draws(layout)
            paid = min(count, 1) if self.spends_by_document else count
            planned.append((PlannedDraws("", paid),) if paid else ())
        return planned

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of the marked word at `position` (from 0) of the document `text`."""
        if label is not None:
            raise ConfigurationError("A language model has one law for all labels; leave out label.")
        return law_in_context(self, document_of(text).text, position)

    def spans(self, document: Document) -> list[tuple[int, int, str]]:
        """Return what a release replaces: the whole text, if the mechanism rewrites it."""
        return [(0, len(document.text), "TEXT")] if self.rewrites_whole_text else super().spans(document)

    def law(self, text: str | Document, position: int) -> tuple[Sequence[str], FloatArray]:
        """Return outcomes and probabilities of the draw for the marked word ``position`` (from 0) of ``text``."""
        return self.spending_on(text).law(self._layout_of(text), position)

    def spending_on(self, text: str | Document) -> ContextualMechanism:
        """Return the mechanism at the ε that each draw of ``text`` gets."""
        return self._spending.mechanism_for(self.mechanism.draws(self._layout_of(text)))

    @property
    def _spending(self) -> Spending:
        return Spending(self.mechanism, self.document_epsilon)

    def _layout_of(self, text: str | Document) -> Layout:
        document = Document(text) if isinstance(text, str) else text
        return layout_of(document, self.detector.detect([document])[0])

    def _row(self, document: Document, layout: Layout, charged: int, source: Randomness) -> DocumentRow:
        """Return a document under way, with its public coins."""
        epsilon, setting = self._spending.epsilon(charged), self.setting if source.keyed else ""
        return row_of(document, layout, charged, epsilon, self.mechanism.coins, setting, source)


def _versions() -> list[str]:
    packages = ("torch", "transformers", "tokenizers", "onnxruntime")
    installed = [version.installed(package) or "none" for package in packages]
    return [version.VERSION, *installed]  # windows, frames and batches are decided here

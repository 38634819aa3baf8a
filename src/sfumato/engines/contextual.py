"""Documents rewritten by a contextual mechanism, whose draws may depend on the whole text.

:class:`Spending` says which ε each draw has, and what they cost together. :mod:`sfumato.engines.contextual_batch`
draws, for many documents together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato import version
from sfumato.abstract.batch import Batch, Made, Outputs, PlannedDraws
from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.detector import SAME_MARKS, Detector
from sfumato.abstract.law import Law
from sfumato.abstract.models import choice_of, repeatable
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.contextual_batch import rewritten, row_of
from sfumato.engines.laws import law_in_context
from sfumato.errors import ConfigurationError
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon, compared
from sfumato.text.document import Document
from sfumato.text.marks import Layout, layout_of
from sfumato.types import FloatArray, IntArray, Progress

MOST_A_DRAW = 500.0
"""What a document budget spends on one draw at most: above it, draws are as good as certain, and probabilities
would soon be too small to be drawn faithfully."""


@dataclass(frozen=True, eq=False)
class Spending:
    """The ε of each draw of ``mechanism`` in a document: its own if ``budget`` is None, else a part of the budget."""

    mechanism: ContextualMechanism
    budget: float | None

    def epsilon(self, draws: int) -> float:
        """Return the ε of each of so many ``draws``; together they spend no more than the budget."""
        if self.budget is None or not draws:
            return self.mechanism.epsilon
        part = self.budget / draws
        while part * draws > self.budget:  # a rounding error
            part = math.nextafter(part, 0.0)
        return min(part, MOST_A_DRAW)

    def mechanism_for(self, draws: int) -> ContextualMechanism:
        """Return the mechanism at the ε that each of so many ``draws`` gets."""
        mechanism: ContextualMechanism = replace(self.mechanism, epsilon=self.epsilon(draws))  # type: ignore[type-var]
        return mechanism

    def certificate(self) -> Certificate:
        """Return the certificate of one draw; of one document, if each has a budget.

        The draws of a document get parts of its budget that add up to no more, so the budget bounds its loss. The law
        of the largest part, that of a document with one draw, is certified as well; the conditions are about it.
        """
        if self.budget is None:
            return self.mechanism.score_law.certificate(self.mechanism.epsilon)
        draw = self.mechanism.score_law.certificate(min(self.budget, MOST_A_DRAW))
        conditions = {**draw.conditions, "certified_of_a_single_draw": draw.certified}
        return replace(
            draw, claimed=self.budget, certified=self.budget, kind="upper-bound", conditions=conditions,
        )  # fmt: skip

    def guarantee(self, adjacency: str) -> Guarantee:
        """Return what one draw promises; with a budget, what one document promises."""
        mechanism = self.mechanism
        if self.budget is None:
            return replace(mechanism.guarantee, adjacency=adjacency)
        return Guarantee("LDP", self.budget, "one document", adjacency, None, mechanism.proof, mechanism.assumes)

    def cost_of_documents(self, documents: int, draws: Collection[int], among: int, guarantee: Guarantee) -> Composed:
        """Return the cost of ``documents`` that each spend the budget, on one of these numbers of ``draws`` each.

        ``guarantee`` is that of one document.
        """
        parts = [(count, self.mechanism_for(count)) for count in draws if count]
        rho = max((count * (mechanism.guarantee.rho or math.inf) for count, mechanism in parts), default=None)

        def curve(orders: FloatArray) -> FloatArray:
            """Draws of equal parts of the budget: their divergences add up."""
            curves = [count * mechanism.renyi(orders) for count, mechanism in parts]
            return np.asarray(np.max(curves, axis=0), dtype=np.float64)

        return compose(replace(guarantee, rho=rho), documents if parts else 0, delta_for(among), curve)


_ONE_LAW = "A language model has one law for all labels; leave out label."


@dataclass(frozen=True, eq=False)
class Contextual(Treatment):
    """Rewrites documents with a contextual mechanism.

    Attributes:
        mechanism: What rewrites them.
        document_epsilon: A budget that is split over the draws of each document; None: the mechanism's ε on each.
        texts: Which texts a guarantee can be about, as the detector says.
    """

    mechanism: ContextualMechanism
    document_epsilon: float | None = None
    texts: str = SAME_MARKS
    as_found: ClassVar[bool] = True
    in_context: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.document_epsilon is not None:
            object.__setattr__(self, "document_epsilon", checked_epsilon(self.document_epsilon))

    @property
    def method(self) -> ContextualMechanism:
        """Return the mechanism."""
        return self.mechanism

    def under(self, detector: Detector) -> Contextual:
        """Return the treatment of what ``detector`` marks."""
        return replace(self, texts=detector.adjacency)

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the model and certify the law, so that nothing is read before the claim is certified."""
        _ = self.certificate
        if progress is not None:
            progress(0.5)
        trial = Layout("One two.", [(0, 3), (4, 7)], ["WORD", "WORD"])
        scores, _ = self.mechanism.begin([trial], [np.ones((2, self.mechanism.coins))]).scores()
        self.mechanism.score_law.check(scores)  # a model that cannot answer is refused here

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.mechanism.batch_size

    @property
    def repeatable(self) -> Contextual:
        """Return the treatment that draws by a key or a seed: with a repeatable model."""
        mechanism = repeatable(self.mechanism)
        return self if mechanism is self.mechanism else replace(self, mechanism=mechanism)

    @property
    def certificate(self) -> Certificate:
        """Return the certificate of one draw; of one document, if each has a budget."""
        return self._spending.certificate()

    def described(self) -> dict[str, Any]:
        """Return calibration, model and parameters, for the statement."""
        parameters = self.mechanism.parameters
        described: dict[str, Any] = {
            "calibration": parameters.get("calibration"),
            "model": parameters.get("model"),
            "parameters": parameters,
            **self.mechanism.score_law.public_facts,
            **choice_of(self.mechanism),
        }
        if self.document_epsilon is not None:
            described["parameters"] = {name: value for name, value in parameters.items() if name != "epsilon"}
            described["epsilon_per_draw"] = "the document's epsilon over its number of draws"
            described["epsilon_per_document"] = self.document_epsilon
        elif often := self.mechanism.unchanged:
            described["unchanged"] = often
        return described

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten: the mechanism says so."""
        return self.mechanism.rewrites_whole_text

    @property
    def mark_by_mark(self) -> bool:
        """Return whether each mark has one replacement: not where words are added or deleted."""
        return not (self.rewrites_whole_text or self.mechanism.coins)

    @property
    def guarantee(self) -> Guarantee:
        """Return what one draw promises; with a document budget, what one document promises."""
        own = self.mechanism.adjacency
        return self._spending.guarantee(own if self.rewrites_whole_text else compared(self.texts, own))

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law."""
        return self.mechanism.score_law.relative_error

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return what a document with so many draws costs altogether, among so many ``records`` (they decide δ)."""
        if not self.spends_by_document:
            mechanism = self.mechanism
            return compose(mechanism.guarantee, draws, delta_for(records), mechanism.renyi)
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

    @property
    def facts(self) -> Any:
        """Return everything public that decides the law, and the versions that scores differ between."""
        packages = ("torch", "transformers", "tokenizers", "onnxruntime")  # they decide windows, frames and batches
        installed = [version.installed(package) or "none" for package in packages]
        mechanism, where = self.mechanism, getattr(self.mechanism.model, "where", "here")
        return [version.origin(type(mechanism)), mechanism.parameters, self.document_epsilon, where, installed]

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the model's scores were measured on."""
        text = self.mechanism.score_law.public_text
        return [] if text is None else [SourceFile(Path("text that the scores were measured on"), text[1], text[0])]

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return the rewritten documents, the longest first in progress."""
        source = batch.randomness
        _ = self.certificate  # nothing is drawn before it
        if source.keyed and source.private and getattr(self.mechanism.model, "number_format", "") == "bfloat16":
            raise ConfigurationError("A pinned run must be repeatable, and bfloat16 is too coarse; use float32.")
        charged = [self.mechanism.draws(layout) for layout in batch.layouts]
        order = sorted(range(len(charged)), key=lambda number: -charged[number])
        setting, spending = batch.setting if source.keyed else "", self._spending
        rows = [
            row_of(batch.documents[number], batch.layouts[number], charged[number],
                   spending.epsilon(charged[number]), self.mechanism.coins, setting, source)
            for number in order
        ]  # fmt: skip
        made = dict(zip(order, rewritten(self.mechanism, rows, source, batch.on_draws), strict=True))
        return Made([], np.array(charged, dtype=np.int64), [made[number] for number in range(len(order))])

    def planned(self, batch: Batch, places: IntArray) -> Iterator[tuple[int, PlannedDraws]]:
        """Yield the draws of each document, or the one budget that it spends, without drawing.

        No two draws count as the same, keyed or not: scores differ by rounding between devices, versions and batches.
        """
        for number, layout in enumerate(batch.layouts):
            count = self.mechanism.draws(layout)
            if paid := min(count, 1) if self.spends_by_document else count:
                yield number, PlannedDraws("", paid)

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law:
        """Return the law of the marked word at ``position`` (from 0) of the document ``text``."""
        self.law_over(label=label)
        if position is None:
            raise ConfigurationError(f"The law of {self.name} depends on the document; say which position (from 0).")
        layout = layout_of(Document(text), detector.detect([Document(text)])[0])
        return law_in_context(self.law_in(layout), layout, position, self.guarantee)

    def law_over(self, values: Sequence[str] = (), label: str | None = None) -> None:
        """Return None: a draw depends on the text. Raise ConfigurationError for a label."""
        if label is not None:
            raise ConfigurationError(_ONE_LAW)

    def law_in(self, layout: Layout) -> ContextualMechanism:
        """Return the mechanism at the ε that each draw of a text gets."""
        return self._spending.mechanism_for(self.mechanism.draws(layout))

    @property
    def _spending(self) -> Spending:
        return Spending(self.mechanism, self.document_epsilon)

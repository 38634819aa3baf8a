"""The engine of the contextual mechanisms: detector and mechanism joined, Document in, Release out.

Documents advance together: in each step the mechanism asks its model about the next places of many documents, one row
of uniforms a place decides, and the outcomes go back. This is the only place where a contextual mechanism draws. A
document's law does not depend on what else is in its batch, up to rounding in the scores (about 1e-5 in float32; in
bfloat16 every batch has one shape). Where rounding could decide more than that, a row is computed again by itself.
Its charge does not depend on the batch at all.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import version
from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.stream import document_of
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.laws import law_in_context
from sfumato.errors import ConfigurationError, InputError
from sfumato.files.options import FileOptions
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon
from sfumato.privacy.randomness import PINS, RandomDraws, Randomness, SystemRandomness, context, layout_key
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout
from sfumato.text.marks import Spans, checked_bounds
from sfumato.types import FloatArray, Progress

MOST_A_DRAW = 500.0
"""What a document budget spends on one draw at most: above it, draws are as good as certain, and probabilities
would soon be too small to be drawn faithfully."""


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

    def reporting(self, on_draws: Callable[[int], None] | None) -> ContextualSanitizer:
        """Return the same sanitizer, which reports after every step how many draws it made."""
        return replace(self, on_draws=on_draws)

    def certificate(self) -> Certificate:
        """Return the certificate of one draw; of one document, if each has a budget.

        The draws of a document get parts of its budget that add up to no more, so the budget bounds its loss. The law
        of the largest part, that of a document with one draw, is certified as well; the conditions are about it.
        """
        if self.document_epsilon is None:
            return self.mechanism.score_law.certificate(self.mechanism.epsilon)
        draw = self.mechanism.score_law.certificate(min(self.document_epsilon, MOST_A_DRAW))
        conditions = {**draw.conditions, "certified_of_a_single_draw": draw.certified}
        return replace(
            draw, claimed=self.document_epsilon, certified=self.document_epsilon, kind="upper-bound",
            conditions=conditions,
        )  # fmt: skip

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
            else f"{self.detector.adjacency}; where they differ, {mechanism.adjacency}"
        )
        if self.document_epsilon is None:
            return replace(mechanism.guarantee, adjacency=adjacency)
        return Guarantee(
            "LDP", self.document_epsilon, "one document", adjacency, None, mechanism.proof, mechanism.assumes
        )

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law."""
        return self.mechanism.score_law.relative_error

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return what a document with so many draws costs altogether, among so many ``records`` (they decide δ)."""
        if self.document_epsilon is None:
            return compose(self.mechanism.guarantee, draws, delta_for(records), self.mechanism.renyi)
        return replace(self._cost_of_documents(min(draws, 1), [draws], records), draws=draws)

    @property
    def spends_by_document(self) -> bool:
        """Return whether a document costs its budget, however many draws it takes."""
        return self.document_epsilon is not None

    def cost_of_person(self, spent: int, draws: Collection[int], people: int = 1) -> Composed:
        """Return what a person pays who spent so many draws, or under a document's budget so many documents.

        Documents are then charged as the costliest document of the run, by their numbers of ``draws``.
        """
        return self._cost_of_documents(spent, draws, people) if self.spends_by_document else self.cost(spent, people)

    def _cost_of_documents(self, documents: int, draws: Collection[int], among: int) -> Composed:
        """Return the cost of ``documents`` that each spend the budget, on one of these numbers of ``draws`` each."""
        parts = [(count, self._spending(self._epsilon(count))) for count in draws if count]
        rho = max((count * (mechanism.guarantee.rho or math.inf) for count, mechanism in parts), default=None)

        def curve(orders: FloatArray) -> FloatArray:
            """Draws of equal parts of the budget: their divergences add up."""
            curves = [count * mechanism.renyi(orders) for count, mechanism in parts]
            return np.asarray(np.max(curves, axis=0), dtype=np.float64)

        return compose(replace(self.guarantee, rho=rho), documents if parts else 0, delta_for(among), curve)

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
        source.check_names([document.names for document in documents])
        if source.keyed and source.private and getattr(self.mechanism.model, "number_format", "") == "bfloat16":
            raise ConfigurationError("A pinned run must be repeatable, and bfloat16 is too coarse; use float32.")
        layouts = [_layout(*pair) for pair in enumerate(zip(documents, self.detector.detect(documents), strict=True))]
        charged = [self.mechanism.draws(layout) for layout in layouts]
        order = sorted(range(len(layouts)), key=lambda number: -charged[number])
        rows = [self._row(documents[number], layouts[number], charged[number], source) for number in order]
        batch = self.mechanism.begin([layouts[number] for number in order], [row.coins for row in rows])
        while True:
            scores, owners = batch.scores()
            if not owners:
                break
            asking = [rows[owner] for owner in owners]
            contexts = [row.next() for row in asking]
            uniforms = RandomDraws(source, len(asking), contexts if source.keyed else None)
            law, epsilons = self.mechanism.score_law, [row.epsilon for row in asking]
            unclear = law.unclear(scores, epsilons)
            if len(unclear):
                scores = np.array(scores)
                scores[unclear] = [batch.alone(int(row)) for row in unclear]
            batch.take(law.draw(scores, epsilons, uniforms))
            if self.on_draws is not None:
                self.on_draws(len(asking))
        releases: dict[int, Release] = {}
        for row, number, state in zip(rows, order, batch.states, strict=True):
            releases[number] = Release.joined(row.name, state.parts(), state.labels, row.charged)
        return [releases[number] for number in range(len(documents))]

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
        return self._spending(self._epsilon(self.mechanism.draws(self._layout_of(text))))

    def _spending(self, epsilon: float) -> ContextualMechanism:
        mechanism: ContextualMechanism = replace(self.mechanism, epsilon=epsilon)  # type: ignore[type-var]
        return mechanism

    def _layout_of(self, text: str | Document) -> Layout:
        document = Document(text) if isinstance(text, str) else text
        return _layout(0, (document, self.detector.detect([document])[0]))

    def _epsilon(self, draws: int) -> float:
        if self.document_epsilon is None or not draws:
            return self.mechanism.epsilon
        part = self.document_epsilon / draws
        while part * draws > self.document_epsilon:  # a rounding error
            part = math.nextafter(part, 0.0)
        return min(part, MOST_A_DRAW)

    def _row(self, document: Document, layout: Layout, charged: int, source: Randomness) -> _Row:
        """Return a document under way, with its public coins."""
        key = layout_key(self.setting, document, layout) if source.keyed else b""
        spans, width = len(layout.spans), self.mechanism.coins
        coins = np.empty((spans, width))
        if coins.size:
            contexts = [context(key, "coin", index) for index in range(spans)] if source.keyed else None
            coins = source.uniforms(spans, width, contexts)
        return _Row(document.id, key, charged, self._epsilon(charged), coins)


@dataclass(slots=True)
class _Row:
    """A document under way: the draws it is charged for, the ε of each draw, and the number of draws made."""

    name: str
    key: bytes
    charged: int
    epsilon: float
    coins: FloatArray
    made: int = 0

    def next(self) -> bytes:
        """Return the context of the next draw. Raise ConfigurationError for a draw that was not charged."""
        if self.made >= self.charged:
            raise ConfigurationError("A mechanism drew more often than it is charged for; report it.")
        self.made += 1
        return context(self.key, "draw", self.made - 1)


def _versions() -> list[str]:
    versions = [version.VERSION]  # windows, frames and batches are decided here
    for package in ("torch", "transformers", "tokenizers"):
        try:
            versions.append(metadata.version(package))
        except metadata.PackageNotFoundError:
            versions.append("none")
    return versions


def _layout(number: int, pair: tuple[Document, Spans]) -> Layout:
    document, spans = pair
    checked_bounds(spans, len(document.text), number)
    labels = list(spans.each_label())
    if not all(isinstance(label, str) for label in labels):
        raise InputError("the spans found hold a label that is no text; correct the detector.", number)
    return Layout(document.text, list(spans.bounds), labels)

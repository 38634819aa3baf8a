"""The attribute study: what a release lets others infer about its authors, and what it loses in usefulness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.chat import ChatModel, Question
from sfumato.attacks import attribute_questions
from sfumato.attacks.attribute_inference import (
    ADAPTIVE,
    BEFORE,
    STATIC,
    TRANSFERRED,
    Classifier,
    EmbeddingClassifier,
    Side,
    WordClassifier,
    crossed,
    inferred,
    taught,
)
from sfumato.attacks.transformer_classifier import TransformerClassifier
from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._asking import ACCURACY, ADVANTAGE, asked_about
from sfumato.evaluation.studies._extraction import extraction, is_extraction
from sfumato.evaluation.studies._gains import GAIN, Scores, gains, losses
from sfumato.evaluation.studies._labels import Kind, KnownLabels, Labels, inferable
from sfumato.metrics.guesses import accuracy, advantage, distribution_kept, macro_f1, pearson, spearman
from sfumato.models.encoders.tunable import TunableModel
from sfumato.types import IntArray, Progress, part_of

__all__ = ["ACCURACY", "ADVANTAGE", "GAIN", "AttributeStudy"]

F1 = "macro F1"
PEARSON, SPEARMAN = "Pearson correlation", "Spearman correlation"
DISTRIBUTION = "label distribution kept"


@dataclass(frozen=True, eq=False)
class AttributeStudy(Measure):
    """``targets`` are fields that an attacker infers, ``tasks`` are fields that the release is used for.

    A task whose values are in the texts, such as a list of drugs, is to extract them; any other is to tell them.

    ``kinds`` states of a field whether it holds labels or numbers, if its values are not to decide. Slow classifiers
    read ``sampled`` records, drawn at random; their figures give the number in ``n``. ``chat`` is asked for the
    labels of targets.
    """

    classifiers: Sequence[Classifier]
    targets: Sequence[str] = ()
    tasks: Sequence[str] = ()
    seed: int = 0
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    sampled: int = 1000
    chat: ChatModel | None = None

    needs: ClassVar[tuple[str, ...]] = ("labels",)
    may_ask: ClassVar[bool] = True
    compared: ClassVar[Mapping[str, Mapping[str, str]]] = {
        name: {"role": "task", "attacker": TRANSFERRED} for name in (ACCURACY, PEARSON)
    }

    @classmethod
    def of(cls, bench: Bench) -> AttributeStudy:
        """Return the study with what is on the ``bench``."""
        plan = bench.plan
        classifiers: list[Any] = [WordClassifier(), EmbeddingClassifier(bench.encoder)]
        if plan.classifier is not None:
            classifiers.append(TransformerClassifier(TunableModel(plan.classifier), seed=plan.seed))
        return cls(tuple(classifiers), plan.labels, plan.tasks, plan.seed, sampled=plan.sample, chat=bench.chat)

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question for a label, without a model; None to any other."""
        return attribute_questions.dry_run_answer(question)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the figures of every field by every classifier."""
        extracted = self._extracted(pairs)
        chosen, skipped = self._inferable(pairs, extracted)
        figures = self._own_distributions(chosen, pairs, skipped)
        for name in extracted:
            more, why = extraction(name, pairs, self.sampled, self.seed)
            figures, skipped = [*figures, *more], [*skipped, *why]
        scores: Scores = {}
        for number, classifier in enumerate(self.classifiers if chosen else ()):
            first, width = number / len(self.classifiers), 1 / len(self.classifiers)
            readers = reading(classifier, pairs, self.sampled, self.seed, part_of(progress, first, width / 2))
            for index, (role, labels) in enumerate(chosen):
                part = part_of(progress, first + width / 2 * (1 + index / len(chosen)), width / 2 / len(chosen))
                setting: Setting = {"field": labels.field, "role": role, "classifier": classifier.name}
                try:
                    guessed = readers.guesses(labels, self.seed, part)
                except ConfigurationError as error:
                    skipped.append(Skipped(f"inference of {labels.field} by {classifier.name}", str(error)))
                    continue
                figures += self._figures(guessed, labels, setting, scores, skipped)
        figures += [*gains(scores), *losses(scores, pairs.linkable)]
        targets = [labels for role, labels in chosen if role == "target"]
        if self.chat is not None and targets:
            more, why = asked_about(self.chat, pairs, targets, self.sampled, self.seed, progress)
            figures, skipped = [*figures, *more], [*skipped, *why]
        if any(classifier.slow for classifier in self.classifiers) and self.sampled < len(pairs):
            return Study("attributes", figures, skipped, facts={"sampled": self.sampled})
        return Study("attributes", figures, skipped)

    def _extracted(self, pairs: Pairs) -> list[str]:
        """Return the tasks whose values are to be found in the texts."""
        return [name for name in self.tasks if name not in self.kinds and is_extraction(name, pairs)]

    def _inferable(
        self, pairs: Pairs, extracted: Sequence[str] = ()
    ) -> tuple[list[tuple[str, Labels]], list[Skipped]]:
        """Return the fields that can be inferred, with their roles, and why others but ``extracted`` cannot."""
        chosen, skipped, known = list[tuple[str, Labels]](), list[Skipped](), dict[str, Labels]()
        for role, fields in (("target", self.targets), ("task", self.tasks)):
            for name in fields:
                if role == "task" and name in extracted:
                    continue
                try:
                    labels = known.setdefault(name, inferable(name, pairs, self.kinds.get(name)))
                except ConfigurationError as error:
                    skipped.append(Skipped(f"inference of {name}", str(error)))
                    continue
                skipped += [Skipped(f"inference of {name} for some records", note) for note in labels.notes()]
                chosen.append((role, labels))
        return chosen, skipped

    def _figures(
        self, guessed: Sequence[Guess], labels: Labels, setting: Setting, scores: Scores, skipped: list[Skipped]
    ) -> Iterator[Figure]:
        """Yield how well each attacker guesses, and how the guesses are spread; F1 and r are kept in ``scores``."""
        target = setting["role"] == "target"
        for guess in guessed:
            if target and guess.attacker == TRANSFERRED:
                continue  # an attacker who holds the originals does not need the release
            how = {**setting, "attacker": guess.attacker}
            if guess.truth is None:
                why = f"the released records have no values in the field {labels.field!r} that can be compared"
                skipped.append(
                    Skipped(f"{guess.attacker} inference of {labels.field} by {setting['classifier']}", why)
                )
            else:
                key = (labels.field, str(setting["role"]), str(setting["classifier"]), guess.attacker)
                yield from self._scored(guess, labels, how, "low" if target else None, scores, key)
            if not target and not labels.numeric and guess.attacker in (BEFORE, STATIC):
                names = [labels.names[int(number)] for number in guess.guesses]
                yield from self._distribution(labels, names, {**how, "of": "guessed labels"}, skipped)

    def _scored(
        self, guess: Guess, labels: Labels, how: Setting, private: str | None, scores: Scores,
        key: tuple[str, str, str, str],
    ) -> Iterator[Figure]:  # fmt: skip
        guesses, truth = guess.guesses, guess.truth
        assert truth is not None
        if labels.numeric:
            scores[key] = pearson(guesses, truth, self.seed)
            yield Figure(PEARSON, scores[key].estimate(), how, private)
            yield Figure(SPEARMAN, spearman(guesses, truth, self.seed).estimate(), how, private)
            return
        how = {**how, "labels": len(np.unique(truth))}
        scores[key] = macro_f1(guesses, truth, self.seed)
        yield Figure(ACCURACY, accuracy(guesses, truth), how, private)
        yield Figure(ADVANTAGE, advantage(guesses, truth, self.seed), how, private)
        yield Figure(F1, scores[key].estimate(), how, private)

    def _own_distributions(self, chosen: Any, pairs: Pairs, skipped: list[Skipped]) -> list[Figure]:
        """Return how well the released records' own labels keep their distribution."""
        figures: list[Figure] = []
        for role, labels in chosen:
            own = [label for label in labels.after if label is not None]
            if role == "task" and not labels.numeric and own:
                setting: Setting = {"field": labels.field, "role": role, "of": "their own labels"}
                figures += self._distribution(labels, own, setting, skipped)
        return figures

    def _distribution(
        self, labels: Labels, released: Sequence[str], setting: Setting, skipped: list[Skipped]
    ) -> Iterator[Figure]:
        before = [label for label in labels.before if label is not None]
        try:
            yield Figure(DISTRIBUTION, distribution_kept(before, released, self.seed), setting)
        except ConfigurationError as error:
            skipped.append(Skipped(f"label distribution of {labels.field}", str(error)))


def not_inferable(pairs: Pairs, targets: Sequence[str], tasks: Sequence[str]) -> list[Skipped]:
    """Return which fields cannot be inferred of ``pairs``, and which records have none to infer, without guessing."""
    study = AttributeStudy((), targets, tasks)
    _, skipped = study._inferable(pairs, study._extracted(pairs))
    return skipped


class Guess(NamedTuple):
    """An attacker's guesses on records, and the true values (None: not known)."""

    attacker: str
    guesses: NDArray[Any]
    truth: NDArray[Any] | None


class TextReading(ABC):
    """``originals`` and ``released`` texts as a classifier reads them, made once for all fields."""

    def __init__(
        self, classifier: Classifier, originals: Sequence[str], released: Sequence[str], sampled: int | None,
        seed: int, progress: Progress | None,
    ) -> None:  # fmt: skip
        self._classifier = classifier
        self._indices, self._others = (
            np.array(drawn(len(texts), sampled, seed), dtype=int) for texts in (originals, released)
        )
        chosen = [originals[index] for index in self._indices] + [released[index] for index in self._others]
        rows = classifier.prepare(chosen, progress)
        self._before, self._after = rows[: len(self._indices)], rows[len(self._indices) :]

    @abstractmethod
    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Return what each attacker guesses of ``labels``. Raise ConfigurationError if there is nothing to infer."""


def reading(classifier: Classifier, pairs: Pairs, sampled: int, seed: int, progress: Progress | None) -> TextReading:
    """Return how ``classifier`` reads ``pairs``; a slow one reads ``sampled`` records of each file."""
    most = sampled if classifier.slow else None
    if pairs.linkable:
        return Paired(classifier, pairs.originals, pairs.texts, most, seed, progress)
    return Apart(classifier, pairs.originals, pairs.candidates[0], most, seed, progress)


class Paired(TextReading):
    """A release whose records belong to originals; an original without a released record is paired with an empty
    text.
    """

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Guess by cross-validation over the same folds. The true value of an original is that of its release."""
        known = labels.known(self._indices)
        own = np.searchsorted(self._indices, known.indices)
        before, after = self._before[own], self._after[own]
        every = inferred(self._classifier, before, after, known.values, labels.numeric, seed, progress)
        named = zip((BEFORE, STATIC, ADAPTIVE, TRANSFERRED), every, strict=True)
        return [Guess(attacker, guesses, known.values) for attacker, guesses in named]


class Apart(TextReading):
    """A release whose records belong to no original in particular, with or without the field."""

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Guess by cross-validation inside each file, and across files with all that was learned in the other."""
        report = progress or (lambda _: None)
        classifier, numeric = self._classifier, labels.numeric
        before = _side(self._before, self._indices, labels.known(self._indices))
        guesses = [
            Guess(BEFORE, crossed(classifier, before, numeric, seed, part_of(report, 0.0, 0.4)), before.values)
        ]
        try:
            known = labels.known(self._others, released=True)
        except ConfigurationError:  # the release has no such field, or nothing to learn in it
            if len(self._others):
                guesses.append(Guess(STATIC, taught(classifier, before, self._after, numeric), None))
            report(1.0)
            return guesses
        after = _side(self._after, self._others, known)
        guesses.append(Guess(STATIC, taught(classifier, before, after.rows, numeric), after.values))
        report(0.5)
        adapted = crossed(classifier, after, numeric, seed, part_of(report, 0.5, 0.4))
        guesses.append(Guess(ADAPTIVE, adapted, after.values))
        guesses.append(Guess(TRANSFERRED, taught(classifier, after, before.rows, numeric), before.values))
        report(1.0)
        return guesses


def _side(rows: Any, indices: IntArray, known: KnownLabels) -> Side:
    return Side(rows[np.searchsorted(indices, known.indices)], known.values)

"""The attribute study: what a release lets others infer about its authors, and what it costs in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract import Progress
from sfumato.attacks.attributes import Classifier, Inferred, coded, inferred, relative_gain
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.classification import accuracy, advantage, macro_f1
from sfumato.metrics.estimates import Estimate

ACCURACY, ADVANTAGE, F1 = "accuracy", "advantage over the commonest label", "macro F1"
BEFORE, STATIC, ADAPTIVE = "on originals", "static", "adaptive"


@dataclass(frozen=True, eq=False)
class AttributeStudy:
    """``targets`` are what an attacker infers, ``tasks`` what the release is for: both are fields of the records."""

    classifiers: Sequence[Classifier]
    targets: Sequence[str] = ()
    tasks: Sequence[str] = ()
    seed: int = 0

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Every field by every classifier."""
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        asked = [(field, "target") for field in self.targets] + [(field, "task") for field in self.tasks]
        for number, (field, role) in enumerate(asked):
            try:
                labels, names = coded(pairs.labels(field))
            except ConfigurationError as error:
                skipped.append(Skipped(f"inference of {field}", str(error)))
                continue
            for classifier in self.classifiers:
                found = inferred(classifier, pairs.originals, pairs.texts, labels, self.seed)
                setting: Setting = {"field": field, "role": role, "classifier": classifier.name, "labels": len(names)}
                figures += self._figures(found, labels, setting)
            if progress is not None:
                progress((number + 1) / len(asked))
        return Study("attributes", [*figures, *_gains(figures)], skipped)

    def _figures(self, found: Inferred, labels: object, setting: Setting) -> list[Figure]:
        private = "low" if setting["role"] == "target" else None
        made = []
        for attacker, guesses in ((BEFORE, found.original), (STATIC, found.static), (ADAPTIVE, found.adaptive)):
            how = {**setting, "attacker": attacker}
            for name, measure in ((ACCURACY, accuracy), (ADVANTAGE, advantage), (F1, macro_f1)):
                made.append(Figure(name, measure(guesses, labels, self.seed), how, private))  # type: ignore[arg-type]
        return made


def _gains(figures: Sequence[Figure]) -> list[Figure]:
    """The relative gain of every task against every target, by the same classifier and attacker."""
    found = []
    values = {tuple(sorted(one.setting.items())): one for one in figures if one.name == F1}

    def of(field: object, role: str, classifier: object, attacker: str) -> Figure | None:
        return next(
            (one for one in values.values()
             if (one.setting["field"], one.setting["role"]) == (field, role)
             and (one.setting["classifier"], one.setting["attacker"]) == (classifier, attacker)), None,
        )  # fmt: skip

    fields = {(one.setting["field"], one.setting["role"], one.setting["classifier"]) for one in values.values()}
    for task, role, classifier in sorted(fields, key=str):
        for target, other, same in sorted(fields, key=str):
            if role != "task" or other != "target" or same != classifier:
                continue
            use, before = (of(task, "task", classifier, kind) for kind in (ADAPTIVE, BEFORE))
            for attacker in (STATIC, ADAPTIVE):
                read, read_before = (of(target, "target", classifier, kind) for kind in (attacker, BEFORE))
                if use and before and read and read_before and before.estimate.value and read_before.estimate.value:
                    value = relative_gain(
                        use.estimate.value, before.estimate.value, read.estimate.value, read_before.estimate.value
                    )
                    setting: Setting = {
                        "task": str(task), "target": str(target), "attacker": attacker, "classifier": str(classifier),
                    }  # fmt: skip
                    found.append(Figure("relative gain", Estimate(value, value, value, use.estimate.n), setting))
    return found

"""The measures of a comparison, each from 0 to 1, and its points: the mean of each measure over the seeds.

Privacy is measured after the strongest attacker.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sfumato.attacks.attribute_inference import ADAPTIVE, STATIC
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies._claim_distances import SEMANTIC
from sfumato.evaluation.studies.answers import RELEASE, RIGHT
from sfumato.evaluation.studies.attributes import ACCURACY
from sfumato.evaluation.studies.linkage import RATE
from sfumato.evaluation.studies.tokens import GUESSED, NDD
from sfumato.evaluation.studies.utility import COSINE, KEPT, ROUGE
from sfumato.metrics.estimates import Estimate

NO_GUARANTEE = "no formal guarantee"

Side = Literal["privacy", "utility"]
ANSWERED = "questions answered"
FOUND, DISCLOSED, WORDS = "not re-identified", "facts not disclosed", "words not guessed"
_LINKERS = {"bm25": "BM25"}


@dataclass(frozen=True)
class Measure:
    """A measure of how private or useful a release is, from 0 to 1, where 1 is best.

    ``how`` says what it measures; ``side`` is "privacy" or "utility".
    """

    name: str
    how: str
    side: Side


@dataclass(frozen=True)
class Attacker:
    """An attacker who was tried: the ``name``, the ``success`` rate, and the measure of privacy that it bounds."""

    measure: Measure
    name: str
    success: Estimate


def privacy_names(plan: Plan) -> list[str]:
    """Return the names of the measures of privacy that the attacks of ``plan`` yield, the usual one first."""
    by_attack = {
        "linkage": [FOUND, DISCLOSED], "tokens": [WORDS], "attributes": [_unguessed(name) for name in plan.labels],
    }  # fmt: skip
    return [name for attack, names in by_attack.items() if attack in plan.attacks for name in names]


def measured(studies: Sequence[Study], plan: Plan) -> dict[Measure, Estimate]:
    """Return the results of one release as measures. Of several attackers the strongest counts."""
    by_name = {study.name: study for study in studies}
    measures: dict[Measure, Estimate] = {}

    def put(name: str, how: str, value: Estimate | None) -> None:
        if value is not None and math.isfinite(value.value):
            measures[Measure(name, how, "utility")] = value

    near, moved = by_name.get("utility", Study("")), by_name.get("divergence", Study("")).figure(NDD)
    for name in (COSINE, ROUGE, KEPT):
        put(name, "of each record and its original", figure.estimate if (figure := near.figure(name)) else None)
    put("words around unchanged", f"1 − {NDD}, by the masked model", rest(moved.estimate) if moved else None)
    exam = by_name.get("answers", Study("")).figure(RIGHT, of=RELEASE)
    put(ANSWERED, "share that a language model answers right", exam.estimate if exam else None)
    guesses = by_name.get("attributes", Study(""))
    for task in plan.tasks:
        classifiers = guesses.fitting(ACCURACY, field=task, role="task", attacker=ADAPTIVE)
        best = max((figure.estimate for figure in classifiers), key=lambda own: own.value, default=None)
        put(f"use for {task}", "share guessed right by the best classifier, trained on the release", best)
    return measures | {best.measure: rest(best.success) for best in strongest(studies, plan)}


def strongest(studies: Sequence[Study], plan: Plan) -> list[Attacker]:
    """Return the attacker with the highest success rate for each measure of privacy."""
    best: dict[Measure, Attacker] = {}
    for attacker in attackers({study.name: study for study in studies}, plan):
        rate, before = attacker.success.value, best.get(attacker.measure)
        if math.isfinite(rate) and (before is None or rate > before.success.value):
            best[attacker.measure] = attacker
    return list(best.values())


def attackers(by_name: Mapping[str, Study], plan: Plan) -> Iterator[Attacker]:
    """Yield every attacker who was tried with the knowledge that ``plan`` assumes."""
    link, words, guesses = (by_name.get(name, Study("")) for name in ("linkage", "tokens", "attributes"))
    linkage = Measure(FOUND, f"1 − {RATE} by the best linker, {plan.claims} facts known", "privacy")
    for figure in link.fitting(RATE, knowledge=plan.knowledge, k=plan.claims):
        yield Attacker(linkage, _linker(figure), figure.estimate)
    if (kept := link.figure(SEMANTIC)) is not None:
        disclosed = Measure(DISCLOSED, f"{SEMANTIC} by the record found", "privacy")
        yield Attacker(disclosed, "the record that BM25 finds", rest(kept.estimate))
    if (guessed := words.figure(GUESSED, of="release")) is not None:
        yield Attacker(
            Measure(WORDS, f"1 − {GUESSED} by the masked model", "privacy"), "masked model", guessed.estimate
        )
    for label in plan.labels:
        named = Measure(_unguessed(label), "1 − accuracy of the best classifier", "privacy")
        for figure in guesses.fitting(ACCURACY, field=label, role="target", attacker=(STATIC, ADAPTIVE)):
            yield Attacker(named, f"{figure.setting['classifier']}, {figure.setting['attacker']}", figure.estimate)


def rest(estimate: Estimate) -> Estimate:
    """Return 1 minus ``estimate``: the success of an attack as a measure of privacy, and back."""
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low, estimate.n, estimate.of)


def _unguessed(label: str) -> str:
    return f"{label} not guessed"


def _linker(figure: Figure) -> str:
    name, query = str(figure.setting.get("linker")), figure.setting.get("query")
    vote = f", vote over {figure.setting.get('released', 'claims')}" if query == "majority" else ""
    return f"{_LINKERS.get(name, name)}{vote}"


@dataclass(frozen=True)
class Point:
    """A method at a budget: the mean over its seeds of each measure, by the measure's name.

    ``kind`` is "method", "baseline" or "file". ``seeds`` are those with results, ``values`` the means with their
    intervals, and ``spread`` holds the smallest and the largest value of the seeds. ``attackers`` names the strongest
    attacker of each measure of privacy; where the seeds have several, all of them. ``budget_name`` is "epsilon" or
    "document_epsilon".
    """

    method: str
    kind: str
    budget: float | None
    seeds: tuple[int, ...]
    values: Mapping[str, Estimate]
    spread: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    attackers: Mapping[str, str] = field(default_factory=dict)
    budget_name: str = "epsilon"

    @property
    def label(self) -> str:
        """Return the label of the point in a plot: the budget, or the name; nothing for a file, which the legend
        names.
        """
        name = "" if self.kind == "file" else self.method
        return name if self.budget is None else f"{self.budget:g}"

    @property
    def spent(self) -> str:
        """Return the budget for a table, or the words for a method without one."""
        if self.budget is not None:
            return f"{self.budget:g}{'' if self.budget_name == 'epsilon' else ' for a document'}"
        return NO_GUARANTEE if self.kind == "method" else "–"

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``frontier.json``."""
        content = {"method": self.method, "kind": self.kind, "budget": self.budget, "seeds": list(self.seeds)}
        spread = {name: list(values) for name, values in self.spread.items()}
        measures = {name: value.as_json() for name, value in self.values.items()}
        return {**content, "measures": measures, "seeds_from_to": spread, "strongest_attackers": dict(self.attackers)}


def by_method(points: Sequence[Point]) -> dict[str, list[Point]]:
    """Return the points of each method by rising budget, without the baselines."""
    groups: dict[str, list[Point]] = {}
    for point in sorted(points, key=lambda point: point.budget or 0.0):
        groups.setdefault(point.method, []).append(point)
    return {name: groups[name] for name in dict.fromkeys(p.method for p in points if p.kind != "baseline")}


def means(rows: Sequence[Mapping[str, Estimate]]) -> tuple[dict[str, Estimate], dict[str, tuple[float, float]]]:
    """Return the mean over seeds of each measure, and its spread.

    The interval is the mean of the seeds' intervals. It is too wide rather than too narrow: each holds the
    randomness of the draws as well as that of the records, and a mean of several varies no more than they do on
    average.
    """
    values, spread = {}, {}
    for name in dict.fromkeys(name for row in rows for name in row):
        estimates = [row[name] for row in rows if name in row]
        values[name] = between(estimates, [1 / len(estimates)] * len(estimates))
        spread[name] = (min(estimate.value for estimate in estimates), max(estimate.value for estimate in estimates))
    return values, spread


def between(estimates: Sequence[Estimate], shares: Sequence[float]) -> Estimate:
    """Return the weighted mean of ``estimates`` and of the ends of their intervals."""
    value, low, high = (
        sum(share * getattr(estimate, part) for estimate, share in zip(estimates, shares, strict=True))
        for part in ("value", "low", "high")
    )
    return Estimate(value, low, high, min(estimate.n for estimate in estimates), estimates[0].of)


def most_often(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the names of the strongest attackers of each measure over seeds, the most frequent one first."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for measure, attacker in row.items():
            counts.setdefault(measure, Counter())[attacker] += 1
    return {measure: " or ".join(name for name, _ in own.most_common()) for measure, own in counts.items()}

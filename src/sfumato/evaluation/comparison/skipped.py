"""What a comparison did not measure, and why: studies that were left out, and parts of those that were run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato import registry
from sfumato.evaluation.comparison.compare import Outcome
from sfumato.evaluation.plan import USUAL_ATTACKS, USUAL_METRICS, Plan

_WHY: Mapping[str, str] = {
    "labels": "the plan names no label and no task for this input",
    "chat": "it asks a language model, which a comparison does not",
    "release": "the releases of a comparison are seeded, so no guarantee holds for them",
}


@dataclass(frozen=True)
class NotMeasured:
    """Something that was not measured (``what``), and ``why``, in the ``runs`` with these titles; empty: in all."""

    what: str
    why: str
    runs: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return all of it in a line."""
        return f"{self.what}: {self.why} ({'; '.join(self.runs) or 'all runs'})"

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``frontier.json``; no run is named if all are meant."""
        return {"what": self.what, "why": self.why, "runs": list(self.runs)}


def not_measured(plan: Plan, outcomes: Sequence[Outcome]) -> list[NotMeasured]:
    """Return what was not measured in ``outcomes``: first the studies that no run has, then parts of the others."""
    by_reason: dict[tuple[str, str], dict[str, None]] = {}  # several attackers of a run may miss the same
    for outcome in outcomes:
        for study in outcome.results.studies if outcome.results else []:
            for left in study.skipped:
                by_reason.setdefault((left.what, left.why), {})[outcome.run.title] = None
    every = sum(outcome.results is not None for outcome in outcomes)
    parts = [
        NotMeasured(what, why, () if len(titles) == every else tuple(titles))
        for (what, why), titles in by_reason.items()
    ]
    return [*_left_out(plan), *parts]


def _left_out(plan: Plan) -> list[NotMeasured]:
    """Return the studies that the plan names and that lack something.

    A plan that names none asks for all. Of these, only the ones that another plan could run are listed.
    """
    asked = {
        name: named in (USUAL_ATTACKS, USUAL_METRICS) for named in (plan.attacks, plan.metrics) for name in named
    }
    left = []
    for name, usual in asked.items():
        lacking = [need for need in registry.study_class(name).needs if need in _WHY]
        if "labels" in lacking and (plan.labels or plan.tasks):
            lacking.remove("labels")
        if lacking and (not usual or "labels" in lacking):
            left.append(NotMeasured(name, _WHY[lacking[0]]))
    return left

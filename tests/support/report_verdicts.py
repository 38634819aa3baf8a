"""Verdicts and studies for pages: with and without limits that hold, and with hostile names."""

from __future__ import annotations

from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.metrics.estimates import Estimate
from sfumato.report.verdict import Limit, Verdict

HOSTILE = '<img src=x onerror="alert(1)">'
FACTS = {
    "release": {"name": "<safe>.jsonl", "records": 240, "sha256": "a" * 64},
    "original": {"name": "records.jsonl", "records": 241},
    "missing": 2, "strays": 1, "version": "0", "seed": 5,
}  # fmt: skip


def share(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 240)


def verdict(hostile: str = "Ana") -> Verdict:
    limits = (
        Limit(f"People found {hostile}", "An attacker finds too many.", 0.05, False, share(0.12, 0.09, 0.16), False),
        Limit("Codes kept", "Enough codes are guessed right.", 0.8, True, share(0.86, 0.82, 0.9), True),
        Limit("Names left", "No name is left.", 0.005, False, Estimate(0.0, 0.0, 0.0033, 912), True),
        Limit("Attributes inferred", "Nothing was measured.", 0.2, False, None, False),
    )
    return Verdict(
        f"Not accepted: 2 of 4 limits do not hold {hostile}", False, limits,
        [f"Lower the epsilon of AGE {hostile}.", "Remove the profession."],
        [(f"profession {hostile}", share(0.61, 0.55, 0.67))], [f"r1{hostile}", "r2"], [f"A note {hostile}."],
    )  # fmt: skip


def studies(hostile: str = "Ana") -> list[Study]:
    rate = {"linker": "bm25", "query": "merged", "knowledge": "random"}
    linkage = [Figure("linkage rate", share(0.5, 0.44, 0.56), {**rate, "k": k}) for k in (3, 1, 2)]
    linkage += [Figure("leakage by category", share(0.4, 0.3, 0.5), {"category": f"Past_{hostile}"})]
    linkage += [Figure("claims not supported", share(0.3, 0.27, 0.33))]
    linkage += [Figure("claims' words not found", share(0.7, 0.67, 0.73))]
    people = [
        Figure(name, share(0.7, 0.67, 0.73), {**how, "field": f"age {hostile}"})
        for how in ({"role": "target", "classifier": "tfidf", "attacker": who} for who in ("on originals", "static"))
        for name in ("accuracy", "advantage over the most common label")
    ]
    found = {"worst": {f"r1{hostile}": 0.01}, "distances": {f"{n / 10:.1f}": float(n) for n in range(10)}}
    left = [Skipped(f"something {hostile}", f"a reason {hostile}")]
    return [Study("linkage", linkage, left, found, {"candidates": 240}), Study("attributes", people)]

"""Leakage by category: which kinds of claims does a found record disclose?

Paper: A False Sense of Privacy (Appendix D.2). Leakage is one minus the mean distance of the claims of a kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.attacks.claim_categories import Sorter
from sfumato.evaluation.results import Figure, Setting, Skipped
from sfumato.metrics.estimates import mean_by_record
from sfumato.types import Progress

LEAKAGE = "leakage by category"
_FEWEST = 5


def by_category(
    sorter: Sorter, claims: Sequence[Sequence[str]], distances: Sequence[Sequence[float | None]], setting: Setting,
    seed: int, progress: Progress | None = None,
) -> tuple[list[Figure], list[Skipped]]:  # fmt: skip
    """Return a figure a kind with five claims or more, largest leakage first, and how many claims and kinds have
    none.
    """
    judged = [
        (claim, distance, person)
        for person, (own, row) in enumerate(zip(claims, distances, strict=True))
        for claim, distance in zip(own, row, strict=True) if distance is not None
    ]  # fmt: skip
    sorted_as = sorter.of([claim for claim, _, _ in judged], progress)
    groups: dict[str, list[tuple[float, int]]] = {}
    for kinds, (_, distance, person) in zip(sorted_as, judged, strict=True):
        for kind in kinds or ():
            groups.setdefault(kind, []).append((1.0 - distance, person))
    figures = []
    for kind, leaks in groups.items():
        if len(leaks) >= _FEWEST:
            leaked, people = [leak for leak, _ in leaks], [person for _, person in leaks]
            estimate = mean_by_record(leaked, people, seed, "claims")
            figures.append(Figure(LEAKAGE, estimate, {**setting, "category": kind}, "low"))
    figures.sort(key=lambda figure: (-figure.estimate.value, str(figure.setting["category"])))
    left_out = [
        (sum(len(leaks) < _FEWEST for leaks in groups.values()), "categories", f"fewer than {_FEWEST} claims each"),
        (sum(kinds == () for kinds in sorted_as), "claims", "they could not be sorted into a category"),
        (sum(kinds is None for kinds in sorted_as), "claims", "the sorter gave no readable answer"),
    ]
    return figures, [Skipped(f"leakage of {count:,} {what}", why) for count, what, why in left_out if count]

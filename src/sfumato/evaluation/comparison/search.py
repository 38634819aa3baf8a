"""The search for the epsilons at which methods have equal success: few more runs, each where it is expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.evaluation.comparison.compare import compare
from sfumato.evaluation.comparison.frontier import Frontier, frontier
from sfumato.evaluation.comparison.matching import Match
from sfumato.evaluation.comparison.measures import rest
from sfumato.evaluation.comparison.plan import Comparison
from sfumato.types import Progress, part_of


def searched(comparison: Comparison, folder: Path, progress: Progress | None = None) -> Frontier:
    """Return the frontier of ``comparison``, with the further epsilons for which [match] has ``tries``.

    Each round runs every method once more at the epsilon interpolated so far, for every success asked for. It ends
    when no measured epsilon could be nearer. Seeds and epsilons follow from the plan, so a repeated comparison makes
    the same runs, and finds them there.
    """
    rounds, new = 1 + (0 if comparison.match is None else comparison.match.tries), set[str]()
    for number in range(rounds):
        outcomes = compare(comparison, folder, part_of(progress, number / rounds, 1 / rounds))
        new.update(outcome.run.name for outcome in outcomes if outcome.new)
        outcomes = [replace(outcome, new=outcome.run.name in new) for outcome in outcomes]
        result = frontier(comparison, outcomes)
        further = [] if number + 1 == rounds else _further(result)
        if not further:
            break
        comparison = _with(comparison, further)
    if progress is not None:
        progress(1.0)
    return result


def _with(comparison: Comparison, further: Sequence[Match]) -> Comparison:
    """Return ``comparison`` with the epsilons of ``further``, each of its method."""
    methods = []
    for method in comparison.methods:
        more = [_rounded(match) for match in further if match.method == method.name]
        budgets = sorted({*(budget for budget in method.budgets if budget is not None), *more})
        methods.append(replace(method, budgets=tuple(budgets)) if more else method)
    return replace(comparison, methods=tuple(methods))


def _further(result: Frontier) -> list[Match]:
    """Return the matches whose epsilon is worth a run: it was not run yet, and a run of it could be nearer."""
    return [
        match for match in result.matches
        if match.epsilon is not None and _rounded(match) not in match.tried and not _reached(result, match)
    ]  # fmt: skip


def _reached(result: Frontier, match: Match) -> bool:
    """Return whether a run of the method has the success asked for, to half a record (or claim, or word)."""
    own = [point.values.get(match.measure) for point in result.points if point.method == match.method]
    return any(value is not None and abs(rest(value).value - match.success) <= 0.5 / value.n for value in own)


def _rounded(match: Match) -> float:
    return float(f"{match.epsilon:.3g}")

"""Changes of a policy that might help, tried on the same records: what each does to the figures is measured.

The draws of a trial are thrown away. That a change helps depends on the originals, so the result is for the owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sfumato.policy import Policy, Rule
from sfumato.policy.suitability import INDEPENDENT
from sfumato.protect.judging import Judged
from sfumato.types import Progress

_STRONGER, _WEAKER = 0.25, 4.0
_MOST = 6
"""The most changes that are tried."""


@dataclass(frozen=True)
class Change:
    """A policy with one kind treated in another way; ``words`` say how."""

    policy: Policy
    words: str


@dataclass(frozen=True)
class Tried:
    """A change, and the end of the interval of each limit that did not hold: before it and after it."""

    words: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    holds: bool


def changes(policy: Policy, kinds: Sequence[str], weaker: bool = False) -> Iterator[Change]:
    """Yield what may help for each of ``kinds``: less ε and no value at all, or for ``weaker`` more ε."""
    for kind in kinds:
        rule = policy.treatment_of(kind)
        if rule.has_guarantee and rule.epsilon and rule.name != INDEPENDENT:
            epsilon = rule.epsilon * (_WEAKER if weaker else _STRONGER)
            words = f"{kind}: epsilon {epsilon:g} in place of {rule.epsilon:g}"
            if rule.within is not None:
                words += f" within {rule.within}"
            yield Change(_treating(policy, kind, replace(rule, kinds=(kind,), labels=(), epsilon=epsilon)), words)
        if not weaker and rule.name != "label":
            yield Change(_treating(policy, kind, Rule(kinds=(kind,), method="label")), f"{kind}: its label alone")


def tried(
    before: Sequence[Judged], candidates: Sequence[Change], failed: Sequence[Judged],
    measure: Callable[[Policy], Sequence[Judged]], progress: Progress | None = None,
) -> list[Tried]:  # fmt: skip
    """Return what each of the ``candidates`` does to the limits that ``failed``, the most helpful first.

    ``measure`` returns the judgements of a policy on the same records; ``before`` are those without a change.
    """
    results = []
    old = _ends(before, failed)
    for number, change in enumerate(candidates[:_MOST]):
        judgements = measure(change.policy)
        results.append(Tried(change.words, old, _ends(judgements, failed), all(each.holds for each in judgements)))
        if progress is not None:
            progress((number + 1) / min(len(candidates), _MOST))
    return sorted(results, key=lambda result: (not result.holds, -_helped(result, failed)))


def _ends(judgements: Sequence[Judged], failed: Sequence[Judged]) -> tuple[float, ...]:
    """Return the ends of the intervals in ``judgements`` of the limits that ``failed``."""
    ends = {_key(judgement): judgement.end for judgement in judgements}
    return tuple(ends[_key(judgement)] for judgement in failed)


def _key(judgement: Judged) -> tuple[str, str]:
    """Return the limit and who is meant by it, without the method that did best."""
    return judgement.name, judgement.by.partition(",")[0]


def _helped(result: Tried, failed: Sequence[Judged]) -> float:
    """Return how far ``result`` moved the limits in the wanted direction, added up."""
    signs = [1.0 if judgement.is_floor else -1.0 for judgement in failed]
    moves = zip(signs, result.before, result.after, strict=True)
    return sum(sign * (new - old) for sign, old, new in moves)


def _treating(policy: Policy, kind: str, rule: Rule) -> Policy:
    """Return ``policy`` with ``kind`` treated by ``rule``."""
    others = []
    for each in policy.treat:
        kinds = tuple(name for name in each.kinds if name != kind)
        if kinds or each.labels:
            others.append(replace(each, kinds=kinds))
    return replace(policy, treat=(*others, rule))

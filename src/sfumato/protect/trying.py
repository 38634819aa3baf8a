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
_MOST = 5
"""The most changes that are tried."""


@dataclass(frozen=True)
class Change:
    """Kinds and how they are treated instead; ``words`` say so."""

    words: str
    rules: tuple[tuple[str, Rule], ...]

    def made_in(self, policy: Policy) -> Policy:
        """Return ``policy`` with the change."""
        for kind, rule in self.rules:
            policy = _treating(policy, kind, rule)
        return policy

    def also(self, other: Change) -> Change:
        """Return both changes as one."""
        return Change(f"{self.words}, and {other.words}", (*self.rules, *other.rules))


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
            yield Change(words, ((kind, replace(rule, kinds=(kind,), labels=(), epsilon=epsilon)),))
        if not weaker and rule.name != "label":
            yield Change(f"{kind}: its label alone", ((kind, Rule(kinds=(kind,), method="label")),))


def tried(
    policy: Policy, candidates: Sequence[Change], failed: Sequence[Judged],
    measure: Callable[[Policy], Sequence[Judged]], progress: Progress | None = None,
) -> list[Tried]:  # fmt: skip
    """Return what each of the ``candidates`` does to the limits that ``failed``, the most helpful first.

    If none of them makes all limits hold, the two most helpful ones for different kinds are tried together.
    ``measure`` returns the judgements of a policy, always on the same records.
    """
    report = progress or (lambda _: None)
    chosen, before = candidates[:_MOST], _ends(measure(policy), failed)
    results: list[tuple[Change, Tried]] = []

    def try_out(change: Change) -> None:
        judgements = measure(change.made_in(policy))
        held = all(judgement.holds for judgement in judgements)
        results.append((change, Tried(change.words, before, _ends(judgements, failed), held)))
        results.sort(key=lambda result: (not result[1].holds, -_helped(result[1], failed)))
        report(len(results) / (len(chosen) + 1))

    for change in chosen:
        try_out(change)
    if results and not results[0][1].holds and (both := _together([change for change, _ in results])):
        try_out(both)
    report(1.0)
    return [result for _, result in results]


def _together(ranked: Sequence[Change]) -> Change | None:
    """Return the first change with the next one that is about another kind; None if there is none."""
    first = ranked[0]
    other = next((change for change in ranked if change.rules[0][0] != first.rules[0][0]), None)
    return None if other is None else first.also(other)


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

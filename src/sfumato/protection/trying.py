"""Changes of a policy that might help, tried on the same records: what each does to the figures is measured.

The draws of a trial are thrown away. That a change helps depends on the originals, so the result is for the owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sfumato.policy import Policy, Rule
from sfumato.policy.suitability import INDEPENDENT
from sfumato.protection.judging import Judged, percent
from sfumato.protection.needs import Available, needs
from sfumato.types import Progress

_STRONGER, _WEAKER = 0.25, 4.0
_MOST = 5
"""The most changes that are tried."""
_LEAST = 0.01
"""How much nearer the limits have to come, added up, for a change to be advised: less is the chance of the draws."""


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
    """A change, and what it did on the sample.

    Attributes:
        words: The change.
        limits: The limits that did not hold, in a few words each.
        before: The end of the interval of each of them before the change.
        after: The same with the change.
        holds: Whether all limits hold with it, on the sample.
        nearer: How much nearer all limits came, added up; below 0 if they went further away.
    """

    words: str
    limits: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    holds: bool
    nearer: float

    @property
    def helps(self) -> bool:
        """Return whether the change came nearer to the limits than chance moves them."""
        return self.holds or self.nearer >= _LEAST

    @property
    def sentence(self) -> str:
        """Return the change, and which figures it moved from where to where."""
        moves = [
            f"{limit} from {percent(old)} to {percent(new)}"
            for limit, old, new in zip(self.limits, self.before, self.after, strict=True)
            if percent(old) != percent(new)
        ]
        return f"{self.words}: {', '.join(moves)}." + (
            " With it all limits hold on the sample." if self.holds else ""
        )


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
    chosen, first = candidates[:_MOST], measure(policy)
    results: list[tuple[Change, Tried]] = []

    def try_out(change: Change) -> None:
        results.append((change, _tried(change, first, measure(change.made_in(policy)), failed)))
        results.sort(key=lambda result: (not result[1].holds, -result[1].nearer))
        report(len(results) / (len(chosen) + 1))

    for change in chosen:
        try_out(change)
    if results and not results[0][1].holds and (both := _together([change for change, _ in results])):
        try_out(both)
    report(1.0)
    return [result for _, result in results]


def _tried(change: Change, first: Sequence[Judged], then: Sequence[Judged], failed: Sequence[Judged]) -> Tried:
    """Return what ``change`` did: ``first`` are the judgements without it, ``then`` those with it."""
    nearer = sum(old.shortfall - new.shortfall for old, new in zip(first, then, strict=True))
    names = tuple(judgement.brief for judgement in failed)
    holds = all(judgement.holds for judgement in then)
    return Tried(change.words, names, _ends(first, failed), _ends(then, failed), holds, nearer)


def _together(ranked: Sequence[Change]) -> Change | None:
    """Return the first change with the next one that is about another kind; None if there is none."""
    first = ranked[0]
    other = next((change for change in ranked if change.rules[0][0] != first.rules[0][0]), None)
    return None if other is None else first.also(other)


def _ends(judgements: Sequence[Judged], failed: Sequence[Judged]) -> tuple[float, ...]:
    """Return the ends of the intervals in ``judgements`` of the limits that ``failed``."""
    ends = {judgement.name: judgement.end for judgement in judgements}
    return tuple(ends[judgement.name] for judgement in failed)


def instead(judgements: Sequence[Judged], people: int) -> Iterator[str]:
    """Yield the way out where who knows facts finds people, whatever is treated: new records, and their price.

    ``people`` is how many there are. PRIVATE: it depends on the originals.
    """
    insiders = next(judgement for judgement in judgements if judgement.name == "insiders")
    if insiders.state != "not safe":
        return
    about = int(float(f"{people:.2g}"))  # the exact number is not public
    policy = Policy.load("synthetic").with_changes({"synthesize.units": str(about)})
    held_out = policy.synthesize.held_out or 0.0
    short = [need for need in needs(policy, Available.of_synthesis(people, held_out)) if not need.enough]
    if short:
        yield (
            "Whoever knows facts of the story finds the record as long as it is released; new records in its place "
            f"(--policy synthetic) need more people: {'; '.join(need.sentence for need in short)}."
        )
        return
    yield (
        "Whoever knows facts of the story finds the record as long as it is released. New records in its place: "
        f"--policy synthetic --set synthesize.units={about}, epsilon {policy.synthesize.epsilon:g} for each record "
        "or person (--dry-run says how long it takes). Nobody can be looked up in them."
    )


def _treating(policy: Policy, kind: str, rule: Rule) -> Policy:
    """Return ``policy`` with ``kind`` treated by ``rule``."""
    others = []
    for each in policy.treat:
        kinds = tuple(name for name in each.kinds if name != kind)
        if kinds or each.labels:
            others.append(replace(each, kinds=kinds))
    return replace(policy, treat=(*others, rule))

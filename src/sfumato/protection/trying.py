"""Changes of a policy that might help, tried on the same records: what each does to the figures is measured.

Where one kind of value lets people be found, its treatment is changed. Where facts of the story do, the broad changes
are tried: all kinds generalised, all as labels, or a field left out. What each costs in likeness is told. The draws
of a trial are thrown away. That a change helps depends on the originals, so the result is for the owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sfumato.errors import ConfigurationError
from sfumato.policy import Policy, Rule
from sfumato.policy.suitability import INDEPENDENT
from sfumato.protection.judging import Judged, percent
from sfumato.protection.needs import Available, needs
from sfumato.run.synthesize_file import planned_by
from sfumato.types import Progress

_STRONGER, _WEAKER = 0.25, 4.0
_MOST = 5
"""The most changes of single kinds that are tried."""
_LIKENESS = "utility_lower"
_GENERALISED = ("DATE", "AGE", "PLACE", "QUANTITY", "MONEY", "DURATION")
"""The kinds that can be generalised."""
_LEAST = 0.01
"""How much nearer the limits have to come, added up, for a change to be advised: less is the chance of the draws."""


@dataclass(frozen=True)
class Change:
    """Kinds and how they are treated instead, or a field of texts ``without`` which is released; ``words`` say so.

    A ``broad`` change is told also where it does not help: it shows how far any treatment gets.
    """

    words: str
    rules: tuple[tuple[str, Rule], ...] = ()
    without: str = ""
    broad: bool = False

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
        limits: The limits that did not hold, in a few words each, and the likeness to the originals.
        before: The end of the interval of each of them before the change; of a likeness that holds, the mean.
        after: The same with the change.
        holds: Whether all limits hold with it, on the sample.
        nearer: How much nearer all limits came, added up; below 0 if they went further away.
        broad: Whether the change was a broad one.
    """

    words: str
    limits: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    holds: bool
    nearer: float
    broad: bool = False

    @property
    def helps(self) -> bool:
        """Return whether the change came nearer to the limits than chance moves them."""
        return self.holds or self.nearer >= _LEAST

    @property
    def sentence(self) -> str:
        """Return the change, and which figures it moved from where to where."""
        moves = [
            f"{limit} from {percent(old)} to {percent(new)}"
            if percent(old) != percent(new)
            else f"{limit} {percent(old)} as before"
            for limit, old, new in zip(self.limits, self.before, self.after, strict=True)
        ]
        return f"{self.words}: {', '.join(moves)}." + (
            " With it all limits hold on the sample." if self.holds else ""
        )


def changes(policy: Policy, kinds: Sequence[str], weaker: bool = False) -> Iterator[Change]:
    """Yield what may help for the first of ``kinds``: less ε and no value at all, or for ``weaker`` more ε."""
    yield from islice(_changes(policy, kinds, weaker), _MOST)


def _changes(policy: Policy, kinds: Sequence[str], weaker: bool) -> Iterator[Change]:
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


def broad_changes(policy: Policy, kinds: Sequence[str], fields: Sequence[str]) -> Iterator[Change]:
    """Yield what may help where facts of the story find people: all ``kinds`` coarser or gone, or one field less."""
    general = [kind for kind in kinds if kind in _GENERALISED and policy.treatment_of(kind).name != "label"]
    if general:
        rules = tuple((kind, Rule(kinds=(kind,), method="generalise")) for kind in general)
        yield Change(f"{', '.join(general)} generalised", rules, broad=True)
    shown = [kind for kind in kinds if policy.treatment_of(kind).name != "label"]
    if shown:
        rules = tuple((kind, Rule(kinds=(kind,), method="label")) for kind in shown)
        yield Change("Everything that is marked as its label alone", rules, broad=True)
    if len(fields) > 1:
        yield from (Change(f"Without the field {name}", without=name, broad=True) for name in fields)


def tried(
    policy: Policy, candidates: Sequence[Change], failed: Sequence[Judged],
    measure: Callable[[Policy, str], Sequence[Judged]], progress: Progress | None = None,
) -> list[Tried]:  # fmt: skip
    """Return what each of the ``candidates`` does to the limits that ``failed``, the most helpful first.

    If none of them makes all limits hold, the two most helpful ones for different kinds are tried together.
    ``measure`` returns the judgements of a policy without a field ("": with all), always on the same records. The
    likeness to the originals is told as well.
    """
    report = progress or (lambda _: None)
    first = measure(policy, "")
    results: list[tuple[Change, Tried]] = []

    def try_out(change: Change) -> None:
        results.append((change, _tried(change, first, measure(change.made_in(policy), change.without), failed)))
        results.sort(key=lambda result: (not result[1].holds, -result[1].nearer))
        report(len(results) / (len(candidates) + 1))

    for change in candidates:
        try_out(change)
    if results and not results[0][1].holds and (both := _together([change for change, _ in results])):
        try_out(both)
    report(1.0)
    return [result for _, result in results]


def _tried(change: Change, first: Sequence[Judged], then: Sequence[Judged], failed: Sequence[Judged]) -> Tried:
    """Return what ``change`` did: ``first`` are the judgements without it, ``then`` those with it."""
    nearer = sum(old.shortfall - new.shortfall for old, new in zip(first, then, strict=True))
    briefs = {judgement.name: judgement.brief for judgement in (*failed, *first)}
    before, after = _figures(first, failed), _figures(then, failed)
    limits = tuple(briefs[name] for name in before)
    holds = all(judgement.holds for judgement in then)
    return Tried(change.words, limits, tuple(before.values()), tuple(after.values()), holds, nearer, change.broad)


def _together(ranked: Sequence[Change]) -> Change | None:
    """Return the first change with the next one that is about another kind; None if there is none."""
    single = [change for change in ranked if not change.broad]
    other = next((change for change in single if change.rules[0][0] != single[0].rules[0][0]), None)
    return None if other is None else single[0].also(other)


def _figures(judgements: Sequence[Judged], failed: Sequence[Judged]) -> dict[str, float]:
    """Return the ends of the intervals in ``judgements`` of the limits that ``failed``, and the mean likeness."""
    by_name = {judgement.name: judgement for judgement in judgements}
    figures = {judgement.name: by_name[judgement.name].end for judgement in failed}
    likeness = by_name.get(_LIKENESS)
    if likeness is not None and likeness.measured is not None:
        figures.setdefault(_LIKENESS, likeness.measured.value)
    return figures


def instead(judgements: Sequence[Judged], people: int) -> Iterator[str]:
    """Yield the way out where who knows facts finds people, whatever is treated: new records, and their price.

    ``people`` is how many there are. PRIVATE: it depends on the originals.
    """
    insiders = next(judgement for judgement in judgements if judgement.name == "insiders")
    if insiders.state != "not safe":
        return
    about = int(float(f"{people:.2g}"))  # the exact number is not public
    policy = Policy.load("synthetic").with_changes({"synthesize.units": str(about)})
    short = [need for need in needs(policy, Available.of_synthesis(people, policy.synthesize)) if not need.enough]
    if short:
        yield (
            "Whoever knows facts of the story finds the record as long as it is released; new records in its place "
            f"(--policy synthetic) need more people: {'; '.join(need.sentence for need in short)}."
        )
        return
    yield (
        "Whoever knows facts of the story finds the record as long as it is released. New records in its place: "
        f"--policy synthetic --set synthesize.units={about}, epsilon {policy.synthesize.epsilon:g} for each record "
        f"or person{_time(policy)}. Nobody can be looked up in them."
    )


def _time(policy: Policy) -> str:
    """Return how long a synthesis takes, as the end of a sentence; nothing where its model is not there to ask."""
    try:
        seconds = planned_by(policy).schedule.seconds
    except ConfigurationError:
        return ""
    return "" if seconds is None else f", about {max(1, round(seconds / 60))} minutes on this machine if it is idle"


def _treating(policy: Policy, kind: str, rule: Rule) -> Policy:
    """Return ``policy`` with ``kind`` treated by ``rule``."""
    others = []
    for each in policy.treat:
        kinds = tuple(name for name in each.kinds if name != kind)
        if kinds or each.labels:
            others.append(replace(each, kinds=kinds))
    return replace(policy, treat=(*others, rule))

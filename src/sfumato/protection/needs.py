"""How many people each limit needs: what even the best release could show of so few, judged as a release is.

An interval over few people is wide. 0 of 51 already allows 7 %, so that a limit of 5 % cannot hold for them. This is
known before anything is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, difference, share
from sfumato.policy import Policy
from sfumato.policy.synthesizing import Synthesize
from sfumato.protection.attacking import bounded, of_register
from sfumato.protection.judging import Judged, Measured, judged, percent
from sfumato.protection.originals import Marked, Originals
from sfumato.protection.request import Request
from sfumato.review import SampledMisses

_MOST = 1 << 24
"""The most people that are tried; a limit that so many cannot meet needs no number."""


@dataclass(frozen=True)
class Available:
    """Over how many people, records or texts each limit is judged.

    Attributes:
        register: People with a marked name or date.
        values: People with a value that is replaced.
        direct: People of whom a name, code or number is marked.
        guessed: People of whom a replaced word is guessed.
        records: Records whose statements an attacker knows.
        compared: Texts that are compared with their release.
        missed: What a review found; None without one.
        people: Everybody.
        canaries: Planted secrets.
        members: People whom a synthesis reads.
        others: People whom it leaves out. If there are any, what is found is found beyond these.
    """

    register: int
    values: int
    direct: int
    guessed: int
    records: int
    compared: int
    missed: Estimate | None = None
    people: int = 0
    canaries: int = 0
    members: int = 0
    others: int = 0

    @classmethod
    def of_synthesis(cls, count: int, synthesize: Synthesize) -> Available:
        """Return what ``count`` people offer of whom a share is held out, on average, by what ``synthesize`` says."""
        held_out = synthesize.held_out or 0.0
        others = round(count * held_out)
        members, planted = count - others, synthesize.canaries
        return cls(count, count, count, count, count, others, None, count, planted, members, others)

    @classmethod
    def alike(cls, count: int) -> Available:
        """Return ``count`` of each, with a review of so many records that found nothing."""
        missed = Estimate(0.0, 0.0, SampledMisses(count, count, 0, count).upper, count)
        return cls(count, count, count, count, count, count, missed, count)

    @classmethod
    def of(cls, request: Request, originals: Originals, marks: Marked | None, missed: Estimate | None) -> Available:
        """Return what ``originals`` offer; at most, where nobody has looked for marks yet (``marks`` is None)."""
        people, texts = originals.people, len(originals)
        if request.policy.synthesize:
            return cls.of_synthesis(len(people), request.policy.synthesize)
        register = values = direct = len(people)
        if marks is not None:
            register = sum(any(of_register(marks.every[place]) for place in own) for own in people)
            values = sum(any(marks.replaced[place] for place in own) for own in people)
            direct = sum(any(map(marks.direct, own)) for own in people)
        searched, sample = max(request.sample, 1000), request.sample  # of linkage, and of the slower attacks
        return cls(
            register, values, direct, min(values, sample), min(texts, searched), min(texts, sample), missed,
            len(people),
        )  # fmt: skip

    def at_best(self) -> Measured:
        """Return the figures of a release in which no attack succeeds and no text changes."""
        return Measured(
            found_again={
                "outsiders": {"": self._nobody(self.register)},
                "acquaintances": {"": self._nobody(self.values)},
                "insiders": {"": self._nobody(self.records)},
            },
            token_guess=share(0, self.guessed),
            identifiers_left=share(0, self.direct),
            missed=self.missed,
            utility=bounded(Estimate(1.0, 1.0, 1.0, self.compared)) if self.compared else None,
            unique=share(0, self.people),
            canaries=share(0, self.canaries) if self.canaries else None,
            membership=self._guessed_evenly,
            copied=self._nobody(self.members) if self.others else None,
        )

    def _nobody(self, count: int) -> Estimate:
        """Return the figure if nobody of ``count`` is found; beyond people held out, where there are some."""
        if not self.others:
            return share(0, count)
        return difference(share(0, self.members), share(0, self.others))

    @property
    def _guessed_evenly(self) -> Estimate | None:
        """Return the area of an attacker who guesses, with the spread of Mann and Whitney's statistic; None alone."""
        if not (self.members and self.others):
            return None
        spread = 1.96 * math.sqrt((self.members + self.others + 1) / (12 * self.members * self.others))
        return Estimate(0.5, 0.5 - spread, 0.5 + spread, self.members + self.others, "people")


@dataclass(frozen=True)
class Need:
    """What one limit needs.

    Attributes:
        best: The judgement of the best release that there could be.
        least: The fewest people with whom the limit can hold; None if it holds with no number of them.
        there: How many there are.
        of: What is counted.
        looked: Whether marks were looked for; else there are at most so many.
    """

    best: Judged
    least: int | None
    there: int
    of: str
    looked: bool = True

    @property
    def enough(self) -> bool:
        """Return whether the limit can hold."""
        return self.best.holds

    @property
    def sentence(self) -> str:
        """Return what the limit needs and what there is."""
        least = "cannot hold with any number of" if self.least is None else f"needs at least {self.least:,}"
        here = f"{'' if self.looked else 'at most '}{self.there:,} here"
        if self.best.name == "missed_upper" and not self.there:
            here = "none here, because it needs a review"
        here += "" if self.enough else ": TOO FEW"
        return f"{self.best.name} = {percent(self.best.limit)} {least} {self.of}; {here}"

    def as_json(self) -> dict[str, object]:
        """Return the need for a program."""
        return {
            "limit": self.best.name, "asked": self.best.limit, "least": self.least, "there": self.there,
            "of": self.of, "enough": self.enough,
        }  # fmt: skip


def needs(policy: Policy, there: Available, looked: bool = True) -> tuple[Need, ...]:
    """Return what each limit that ``policy`` sets needs, beside what is ``there``."""
    return tuple(
        Need(best, _least(policy, number), *_counted(best, there), looked)
        for number, best in enumerate(judged(policy, there.at_best()))
        if best.is_asked
    )


def checked_needs(
    request: Request, originals: Originals, marks: Marked | None = None, missed: Estimate | None = None
) -> tuple[Need, ...]:
    """Return what each limit of ``request`` needs. Before anyone has looked for marks, ``marks`` is None.

    Raise ConfigurationError if a limit cannot hold, whatever is drawn, unless the request continues anyway. What a
    review found is known only together with the marks.
    """
    own = needs(request.policy, Available.of(request, originals, marks, missed), marks is not None)
    if marks is None and request.decisions is not None:
        own = tuple(need for need in own if need.best.name != "missed_upper")
    short = [need for need in own if not need.enough]
    if short and not request.anyway:
        raise ConfigurationError(
            f"No release of this input can be accepted: {'; '.join(need.sentence for need in short)}; add records, "
            "change the limit, or go on all the same with --anyway."
        )
    return own


def _counted(best: Judged, there: Available) -> tuple[int, str]:
    """Return how many the limit is judged over, and what is counted."""
    return {
        "outsiders": (there.register, "people with a marked name or date"),
        "acquaintances": (there.values, "people with a replaced value"),
        "insiders": (there.records, "records that an attacker knows statements of"),
        "token_guess_upper": (there.guessed, "people with a replaced word (at most --sample)"),
        "identifiers_left_upper": (there.direct, "people with a marked name, code or number"),
        "population_unique_upper": (there.people, "people"),
        "missed_upper": (0 if there.missed is None else there.missed.n, "records read in the sample of a review"),
        "membership_upper": (there.members + there.others, "people, with those held out"),
        "canaries_upper": (there.canaries, "planted canaries (canaries in [synthesize])"),
        "copied_upper": (there.members + there.others, "people, with those held out"),
        "utility_lower": (there.compared, "texts (at most --sample), or people held out"),
    }[best.name]


def _least(policy: Policy, number: int) -> int | None:
    """Return the fewest people with whom the limit at place ``number`` can hold; None if there is no such number."""

    def holds(count: int) -> bool:
        asked = policy.synthesize
        there = Available.of_synthesis(count, asked) if asked else Available.alike(count)
        if judged(policy, there.at_best())[number].name == "canaries_upper":  # no number of people helps
            there = replace(there, canaries=count)
        return judged(policy, there.at_best())[number].holds

    high = 1
    while not holds(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

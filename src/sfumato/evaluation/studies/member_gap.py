"""A study of synthetic records, run on members and on people held out of training: what does training tell?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sfumato.evaluation.bench import Measured
from sfumato.evaluation.pairs import IN_BOTH, Pairs
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.metrics.estimates import Estimate, difference
from sfumato.types import Progress

PEOPLE = "people"
MEMBERS, HELD_OUT, DIFFERENCE = "members", "held-out", "members minus held-out"
INTERVAL = "interval"


@dataclass(frozen=True, eq=False)
class MemberGap:
    """``study`` run twice; the figures ``compared`` (name to what their settings hold) have a difference."""

    study: Measured
    compared: Mapping[str, Mapping[str, str]]

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the study of the members, with figures of people held out and differences where there are some."""
        report = progress or (lambda _: None)
        if not pairs.held_out:
            study = self.study.run(pairs, progress)
            return replace(study, skipped=[*study.skipped, nobody(study.name)])
        members = self.study.run(pairs, lambda done: report(0.5 * done))
        others = self.study.run(pairs.of_held_out, lambda done: report(0.5 + 0.5 * done))
        figures = [_of(figure, MEMBERS) if self._compares(figure) else figure for figure in members.figures]
        skipped = [*members.skipped, *_left_out(pairs)]
        skipped += [Skipped(f"{left.what}, of people held out", left.why, left.again) for left in others.skipped]
        for figure in filter(self._compares, members.figures):
            other = others.figure(figure.name, **figure.setting)
            if other is None or any(math.isnan(each.estimate.value) for each in (figure, other)):
                skipped.append(Skipped(f"{figure.name}: {DIFFERENCE}", "it could not be measured of both"))
                continue
            figures += [_of(other, HELD_OUT), _of(told(figure, other), DIFFERENCE)]
        return replace(members, figures=figures, skipped=list(dict.fromkeys(skipped)))

    def _compares(self, figure: Figure) -> bool:
        wanted = self.compared.get(figure.name)
        return wanted is not None and all(figure.setting.get(key) == value for key, value in wanted.items())


def nobody(what: str) -> Skipped:
    """Return what is said where nobody was held out: then nothing is known about what training tells."""
    return Skipped(
        f"what training tells, by {what}", "nobody is held out of training; name their file with --held-out"
    )


def _left_out(pairs: Pairs) -> Iterator[Skipped]:
    count = int(pairs.sources.get("held-out", {}).get(IN_BOTH, 0))
    if count:
        yield Skipped(f"{count:,} records", "their texts are among members and people held out, so they tell nothing")


def told(members: Figure, others: Figure) -> Figure:
    """Return the difference of both, and where its interval lies."""
    apart = difference(members.estimate, others.estimate)
    return replace(members, estimate=apart, setting={**members.setting, INTERVAL: against(apart, 0.0)})


def against(estimate: Estimate, chance: float) -> str:
    """Return where the interval lies: "contains", "above" or "below", and the number that means nothing is told."""
    where = "above" if estimate.low > chance else "below" if estimate.high < chance else "contains"
    return f"{where} {chance:g}"


def _of(figure: Figure, people: str) -> Figure:
    return replace(figure, setting={**figure.setting, PEOPLE: people})

"""What became of an attempt: the judgements, who was found by what, and what would help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.guarantee import BAYES, GUESSING, PERMITTED
from sfumato.evaluation.studies.linkage import CLAIMS_A_RECORD
from sfumato.evaluation.studies.population import FEWEST
from sfumato.metrics.estimates import Estimate
from sfumato.protection.attacking import Attacked
from sfumato.protection.judging import Judged, Loosened, coarse
from sfumato.protection.trying import Tried
from sfumato.protection.verifying import verdict_on
from sfumato.report.page import page
from sfumato.report.verdict import Limit, Verdict

_KINDS = 8
"""The most kinds that a page lists."""
_RECORDS = 50
"""The most texts that a page lists."""
_COARSE = (
    "The ends of every interval on this page are rounded outward, and each figure is the middle of its interval. "
    "Figures without an interval are left out, and so are counts of what was found in the originals. Exact figures "
    "of two releases would tell whether one person more was found."
)
_COUNT = re.compile(r"\d[\d,]*(?= (?:found )?(?:records?|originals|claims|categories|people)\b)")
"""A count of what was found in the originals, in the reason why something was not measured."""
_OF_LAWS = (GUESSING, BAYES, PERMITTED)
"""Figures that follow from public laws and priors alone, and have no interval."""


@dataclass(frozen=True)
class Outcome:
    """The end of an attempt. Its representation holds no id of a record.

    Attributes:
        accepted: Whether all limits hold.
        judgements: One for each attacker and each other limit of the policy.
        attack: What the attacks found.
        ids: The name of each text. PRIVATE.
        found: The ids of the texts of everyone whom at least one attacker finds by values, the surest first. PRIVATE.
        statement: The privacy statement of the draws.
        attempt: The number of the attempt; a later one knows how the earlier ones ended.
        notes: What has to be said of the verdict, to readers too.
        review: What a review's random sample says, with exact counts. PRIVATE.
        tried: Changes of the policy and what they did, if the release was not accepted or insiders find people.
            PRIVATE.
        instead: Another way, where no change of the policy can help. PRIVATE.
        loosened: The limits that are looser than those of the shipped policy.
        remains: What the release still shows of the originals, with exact counts. PRIVATE.
        page: The page for the owner.
        folder: The folder of the release; None if it was not accepted.
    """

    accepted: bool
    judgements: Sequence[Judged]
    attack: Attacked = field(repr=False)
    ids: Sequence[str] = field(repr=False)
    found: Sequence[str] = field(repr=False)
    statement: Mapping[str, Any] = field(repr=False)
    attempt: int = 1
    notes: Sequence[str] = ()
    review: str = field(default="", repr=False)
    tried: Sequence[Tried] = ()
    instead: Sequence[str] = field(default=(), repr=False)
    loosened: Sequence[Loosened] = ()
    remains: Sequence[str] = field(default=(), repr=False)
    page: Path | None = None
    folder: Path | None = None

    @property
    def title(self) -> str:
        """Return the verdict in a line."""
        return verdict_on([judgement.as_json() for judgement in self.judgements])

    def as_json(self) -> dict[str, Any]:
        """Return what goes into a release: nothing of the trials, and no id."""
        return {
            "accepted": self.accepted,
            "limits": [judgement.as_json() for judgement in self.judgements],
            "loosened": [each.as_json() for each in self.loosened],
            "attempt": self.attempt,
            "notes": list(self.notes),
        }

    def advice(self) -> Iterator[str]:
        """Yield what would help, from what was tried: for the owner alone."""
        yield from (trial.sentence for trial in self.tried if trial.helps or trial.broad)
        if self.tried and not any(trial.helps for trial in self.tried):
            yield f"None of the {len(self.tried)} changes that were tried on a sample came nearer to the limits."
        yield from self.instead

    def page_for_owner(self) -> str:
        """Return the page with the records that are found and the changes that were tried. PRIVATE."""
        verdict = replace(
            self._verdict(self.judgements, self.attack.finding.by_kind), advice=tuple(self.advice()),
            records=tuple(self.found[:_RECORDS]), found=len(self.found), whom=self._whom, left=tuple(self._left),
            notes=(*filter(None, [self.review]), *(f"{line}." for line in self.remains), *self.notes),
        )  # fmt: skip
        return page(self.attack.studies, self.attack.facts, verdict=verdict)

    @property
    def _whom(self) -> str:
        """Return whom the list of the page holds, beside the other counts that an owner sees."""
        people = len(self.attack.finding.records)
        return (
            f"People whom at least one attacker finds by the replaced values: {people:,}, with all their texts. "
            "Each share above is of the one attacker who finds most. The file hits.jsonl names the records of all of "
            "these people, in the same order."
        )

    @property
    def _left(self) -> Iterator[tuple[str, str, str]]:
        """Yield text, kind and value of each identifier that the release still holds."""
        for left in (left for own in self.attack.left.values() for left in own):
            yield self.ids[left.place], left.kind, left.value

    def page_for_readers(self) -> str:
        """Return the page that goes with a release.

        No record is named, because that would say who is found, nor the file of the originals. Figures are
        coarse.
        """
        studies = [_for_readers(study) for study in self.attack.studies]
        facts = {**self.attack.facts, "original": {**self.attack.facts["original"], "name": ""}}
        if self.attack.of_synthesis:  # the guarantee is for one person more or less, and the number would tell
            studies = [replace(study, facts={}) for study in studies]
            facts = {**facts, "original": {"name": ""}, "missing": 0}
        rates = {kind: coarse(rate) for kind, rate in self.attack.finding.by_kind.items()}
        verdict = self._verdict([judgement.for_readers for judgement in self.judgements], rates)
        return page(studies, facts, verdict=replace(verdict, notes=(*verdict.notes, _COARSE)))

    def _verdict(self, judgements: Sequence[Judged], rates: Mapping[str, Estimate]) -> Verdict:
        kinds = sorted(rates.items(), key=lambda item: -item[1].value)[:_KINDS]
        limits = [
            Limit(
                each.title,
                _opened(each),
                each.limit,
                each.is_floor,
                each.measured,
                each.holds,
                each.state,
                each.is_asked,
            )
            for each in judgements
        ]
        looser = tuple(each.sentence for each in self.loosened)
        return Verdict(self.title, self.accepted, limits, (), kinds, (), tuple(self.notes), loosened=looser)


def _for_readers(study: Study) -> Study:
    """Return ``study`` without records and counts of the originals, and with coarse figures alone."""
    figures = []
    for figure in study.figures:
        if figure.name in _OF_LAWS:
            figures.append(figure)
        elif figure.estimate.low < figure.estimate.high:
            setting = {key: value for key, value in figure.setting.items() if key != CLAIMS_A_RECORD}
            figures.append(replace(figure, estimate=coarse(figure.estimate), setting=setting))
    skipped = [
        replace(left, what=_COUNT.sub("some", left.what), why=_COUNT.sub("some", left.why)) for left in study.skipped
    ]
    facts = {name: fact for name, fact in study.facts.items() if not name.startswith(FEWEST)}
    return replace(study, records={}, figures=figures, skipped=skipped, facts=facts)


def _opened(judgement: Judged) -> str:
    """Return who or what a figure is of, and the figure."""
    sentence = f"{judgement.by}: {judgement.finding}" if judgement.by else judgement.finding
    return sentence[:1].upper() + sentence[1:]
